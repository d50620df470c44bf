#include "tacit/service.hpp"
#include "tacit/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/utf8.hpp"
#include "data/check.hpp"
#include "data/csv_layout.hpp"
#include "data/text.hpp"
#include "model/certificate_json.hpp"
#include "model/statement.hpp"
#include "model/verify_parts.hpp"
#include "service/read_to_judge.hpp"
#include "tacit/core.hpp"
#include "tacit/model.hpp"

namespace tacit::inline v1::service {

std::string fitted_user_column(const FittedModel& model) {
  if (model.schema && !model.schema->user.empty()) return model.schema->user;
  const Facts& facts = model.certificate.assumed_public;
  return facts.has("user_column") ? facts.text("user_column") : "";
}

namespace {

// A column of the fit's that was counted from the end of its records, counted from the front: the records
// that are read now may have more cells, each as many as it likes.
std::string from_the_front(const FittedModel& model, const std::string& column) {
  if (!model.schema || !column.starts_with('-')) return column;
  const auto described = [&](const std::string& name) {
    return std::ranges::count(model.schema->columns, name, &SchemaColumn::name) > 0;
  };
  const auto is_number = [](const SchemaColumn& known) { return integer_in(known.name).has_value(); };
  const auto from_end = integer_in(column);
  if (!from_end || !std::ranges::all_of(model.schema->columns, is_number)) return column;
  const std::string user = fitted_user_column(model);
  std::size_t cells = model.schema->columns.size();
  for (const std::string& other : {model.target, user}) cells += other.empty() || described(other) ? 0 : 1;
  const long long place = static_cast<long long>(cells) + *from_end;
  return place < 0 ? column : std::to_string(place);
}

ReadOptions for_model(const FittedModel& model, ReadOptions reading) {
  reading.schema = model.schema;
  // New records may say more than the model looks at.
  if (reading.schema)
    reading.schema->ignore_others = true;
  else
    reading.features = model.names;
  reading.columns = model.features;
  reading.image_features = model.image_features;
  reading.classes = model.classes;  // by their names: which of them occur in these records is no matter
  const bool headless = reading.schema && format_of(reading) == Format::csv && begins_with_a_record(reading);
  const auto column = [&](const std::string& of_fit) {
    return headless ? from_the_front(model, of_fit) : of_fit;
  };
  if (reading.target.empty()) reading.target = column(model.target);
  // A column that said whose record it is was no feature, and is none now.
  if (reading.user.empty() && !(model.schema && !model.schema->user.empty()))
    reading.user = column(fitted_user_column(model));
  return reading;
}

void check_names(const FittedModel& model, const Dataset& data) {
  if (data.features.columns() != model.features)
    throw_error<DataError>("the data has {} features, the model was fitted with {}", data.features.columns(),
                           model.features);
  if (model.names.empty() || data.names.empty()) return;
  if (const std::string other = other_feature("data", data.names, model.names); !other.empty())
    throw_error<DataError>("{}", other);
}

// Where nothing is private: cells that the schema takes for empty may be a whole file with another decimal
// mark, and cells that it does not cover one that writes its categories otherwise. They are counted in a
// second look, which only a CSV file that stays where it is allows.
void tell_of_cells(ReadOptions reading) {
  if (!reading.schema || format_of(reading) != Format::csv || !std::filesystem::is_regular_file(reading.path))
    return;
  reading.schema->target.reset();  // which the file may lack
  std::vector<CheckedCells> columns;
  try {
    columns = check_cells(reading);
  } catch (const Error&) {  // a file without a header, whose layout the target belongs to: nothing is told
    return;
  }
  for (const std::string& told : told_of_cells(columns)) announce("Warning: " + told);
}

// Where nothing is private: a file without a header that the fit told the separator of, since nobody stated
// it, is read as the fit read it.
ReadOptions with_separator(const FittedModel& model, ReadOptions reading) {
  const Facts& facts = model.certificate.assumed_public;
  const bool guessed = facts.has("separator") || facts.has("separator_source");
  if (model.schema && guessed && !reading.separator && format_of(reading) == Format::csv &&
      begins_with_a_record(for_model(model, reading)) && std::filesystem::is_regular_file(reading.path))
    reading.separator = separator_of(reading);
  return reading;
}

}  // namespace

FittedModel load_model(const std::filesystem::path& path) {
  const std::string text = read_file(path);
  FittedModel model = parse_model(text, path.string());
  require_digest(text, path.string());
  try {
    check_features_of_schema(model);
  } catch (const VerificationError& error) {
    throw_error<DataError>("{}: {}", path.string(), error.what());
  }
  return model;
}

Dataset read_for_prediction(const FittedModel& model, ReadOptions reading) {
  const bool asked = !reading.target.empty();
  reading = for_model(model, with_separator(model, std::move(reading)));
  reading.wish = TargetWish::none;
  reading.target_optional = true;
  ReadResult read = read_dataset(reading);
  if (!asked && !model.schema && read.data.features.columns() + 1 == model.features) {
    // The target was named by its number, and a file without it has a feature in its place.
    reading.target.clear();
    read = read_dataset(reading);
  }
  check_names(model, read.data);
  tell_of_cells(std::move(reading));
  return std::move(read.data);
}

Dataset read_to_judge(const FittedModel& model, ReadOptions reading) {
  const std::string asked = reading.target;
  reading = for_model(model, std::move(reading));
  reading.wish = classifies(model.loss) ? TargetWish::classes : TargetWish::numeric;
  if (reading.schema && reading.schema->target && !classifies(model.loss)) {
    // A fit cuts labels to the schema's range. What is measured here is measured against the labels as they
    // are.
    SchemaTarget& target = *reading.schema->target;
    target.min.reset();
    target.max.reset();
    target.log1p = false;
  }
  reading.target_optional = true;  // whose record it is does not matter here; the target does, below
  ReadResult read = read_dataset(reading);
  const bool named_by_schema = model.schema && model.schema->target && !model.schema->target->column.empty();
  if (!read.has_target)
    throw_error<DataError>(
        "{}: there is no column \"{}\" to compare with; {} the one that holds the labels{}",
        source_name(reading.path), asked.empty() ? model.target : asked, named_by_schema ? "rename" : "name",
        named_by_schema ? " to it" : "");
  check_names(model, read.data);
  return std::move(read.data);
}

Dataset read_for_evaluation(const FittedModel& model, ReadOptions reading) {
  reading = with_separator(model, std::move(reading));
  Dataset data = read_to_judge(model, reading);
  tell_of_cells(for_model(model, std::move(reading)));
  return data;
}

Verification verify(const std::filesystem::path& path, const std::filesystem::path& public_key) {
  const std::string text = read_file(path);
  if (public_key.empty()) return verify_model(text, path.string());
  const std::string key = read_file(public_key);
  return verify_model(text, path.string(), key);
}

namespace {

// A schema may be, and stays of use as long as its certificate states what it cost.
std::string_view if_edited_by_hand(const Json& json) {
  if (json["format"] != schema_format) return "";
  try {
    check_cost_of_schema(certificate_from_json(member(json, "certificate")));
    parse_schema(json.dump(), "");
  } catch (const Error&) {
    return "";
  }
  return " (a fit of a table that it describes takes it all the same, and states what finding it cost; for a "
         "report, and for whoever verifies it, give the schema as it was before the edit)";
}

}  // namespace

VerifiedFile verify_file(const std::filesystem::path& path, const std::filesystem::path& public_key) {
  const std::string text = read_file(path);
  const Json json = parse_json(text, path.string());
  if (!is_statement(json)) {
    Verification model = verify(path, public_key);
    return {std::move(model.model.certificate), model.signature};
  }
  std::optional<std::string> key;
  if (!public_key.empty()) key = read_file(public_key);
  VerifiedFile verified;
  try {
    judging(path.string(), [&] { verified.certificate = verify_statement(json, path.string()); });
    verified.signature = check_signature_of(json, path.string(), key);
    return verified;
  } catch (const VerificationError& error) {
    throw_error<VerificationError>("{}{}", error.what(), if_edited_by_hand(json));
  }
}

}  // namespace tacit::inline v1::service
