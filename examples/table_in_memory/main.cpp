#include <tacit/tacit.hpp>

#include <cstdio>
#include <string>
#include <vector>

int main() {
  // Cells by column, and what is to be predicted: 0 or 1, the numbers of the schema's classes.
  const std::size_t rows = 4000;
  std::vector<double> age, labels;
  tacit::ValueCells hours;  // numbers and texts may be mixed
  for (std::size_t i = 0; i < rows; ++i) {
    const double a = double(i * 37 % 100), b = double(i * 61 % 101);
    age.push_back(a);
    hours.push_back(b);
    labels.push_back(a + b > 100);
  }
  try {
    const tacit::Schema stated = tacit::read_schema("people.schema.json");
    tacit::service::FitOptions options;
    options.guarantee = tacit::Pure{1};
    options.ledger = tacit::service::LedgerUse{.path = "nightly.ledger", .name = "memory"};

    const tacit::Schema schema = tacit::service::schema_to_fit(stated, options, rows);
    const std::vector<tacit::TableColumn> columns = {{"age", tacit::NumberCells{age.data()}},
                                                     {"hours", hours}};
    tacit::ReadResult records = tacit::encode_table(columns, rows, schema);
    records.data.labels = labels;
    records.data.target_kind = tacit::TargetKind::classes;
    records.data.classes = schema.target->classes;

    const tacit::FittedModel model = tacit::service::fit_records(records, schema, options);
    tacit::write_file_atomically("memory.json", tacit::model_to_json(model));
    tacit::service::verify("memory.json", "");
    // The same way for new records, with the schema that the model keeps.
    const tacit::Features features = tacit::encode_table(columns, rows, *model.schema).data.features;
    std::printf("%zu predictions\n", tacit::predict(model, features).value.size());
  } catch (const tacit::Error& error) {  // UsageError, DataError, BudgetError, …: tacit/core.hpp
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
