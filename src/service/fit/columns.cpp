#include "service/fit/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "data/encoder.hpp"
#include "privacy/assumptions.hpp"
#include "service/fit/advice.hpp"
#include "solver/records_per_block.hpp"
#include "tacit/loss.hpp"

namespace tacit::inline v1::service {

namespace {

std::optional<double> records_per_column(const Schema& schema, const KnotFacts& facts) {
  if (!facts.records || !facts.epsilon) return std::nullopt;
  const auto columns = std::ranges::count_if(schema.columns, [](const SchemaColumn& column) {
    return !std::holds_alternative<IgnoredColumn>(column.kind);
  });
  if (columns == 0) return std::nullopt;
  return static_cast<double>(*facts.records) * *facts.epsilon / static_cast<double>(columns);
}

// A constant needs the intercept, and who asks for a network or a robust fit does not want a constant.
bool may_leave_out_columns(const FitOptions& options) {
  return chooses_itself(options) && options.encoder == EncoderRule::automatic && options.intercept > 0 &&
         !parse_network(options.loss) && !parse_robust(options.loss);
}

}  // namespace

// No records, with the columns and classes that they would have.
FitRecords no_records(const Schema& schema) {
  const Encoder encoder(schema);
  FitRecords records{.data = {}, .schema = schema, .blocks = encoder.blocks()};
  if (encoder.features() > 0) records.row_norm_bound = row_norm_bound(encoder.blocks());
  records.data.features = Features(SparseRows{.rows = 0, .columns = encoder.features()});
  records.data.target_kind = schema.target->classes.empty() ? TargetKind::numeric : TargetKind::classes;
  records.data.classes = schema.target->classes;
  return records;
}

FitRecords without_columns(FitRecords records) {
  records.data.features = Features(DenseRows{.rows = records.data.size(), .columns = 0, .values = {}});
  records.data.names.clear();
  records.blocks.clear();
  records.row_norm_bound = 0;
  for (SchemaColumn& column : records.schema->columns) column.kind = IgnoredColumn{};
  records.schema->pairs.clear();
  return records;
}

FitRecords with_bearable_columns(FitRecords records, const FitPlan& plan, const KnotFacts& facts) {
  if (!records.schema || plan.candidates.front()->unit != Unit::item) return records;
  records.per_column = records_per_column(*records.schema, facts);
  const bool too_few = records.per_column && *records.per_column < constant_below;
  if (too_few && may_leave_out_columns(plan.options)) return without_columns(std::move(records));
  return records;  // moved, where a conditional expression would copy all of them
}

std::string why_no_columns(const FitRecords& records) {
  if (!records.per_column || records.data.features.columns() > 0) return "";
  return fmt::format(
      "the intercept alone, as records x epsilon / columns = {:.3g} is below {}; more epsilon or fewer "
      "columns "
      "would let them in, and so would a named method or encoder",
      *records.per_column, constant_below);
}

namespace {

// Of a fit of the intercept alone, in place of columns that the records cannot bear.
std::string constant_to_expect(const FitOptions& options, const FitSize& size, double each) {
  const double all = static_cast<double>(size.count.value_or(0)) * size_of(options.guarantee).value_or(0);
  std::string noisy;
  if (size.count && all < noisy_below)
    noisy = fmt::format(", and noisy, as records x epsilon = {:.3g} is below {}", all, noisy_below);
  return fmt::format(
      "records x epsilon / columns = {:.3g} is below {}: the model is the intercept alone{}; more epsilon or "
      "fewer columns would let columns in",
      each, constant_below, noisy);
}

std::string little_to_expect(const FitOptions& options, const FitRecords& records, const FitSize& size) {
  const std::size_t features = records.data.features.columns();
  if (!records.per_column) {
    if (features == 0 || !size.count || size.unit == Unit::user) return "";
    return few_for_features(options.guarantee, *size.count, features);
  }
  if (features == 0) return constant_to_expect(options, size, *records.per_column);
  const double each = std::min(*records.per_column, size.descent.value_or(*records.per_column));
  struct Below {
    double limit;
    const char* what;
  };
  const Below doubtful =
      size.descent
          ? Below{doubtful_descent_below,
                  "where the columns say little of the target, a constant would be better, and "
                  "limited-objective loses less than dp-sgd"}
          : Below{doubtful_below, "where the columns say little of the target, a constant would be better"};
  for (const Below& below : {Below{constant_below, "a constant would be better"},
                             Below{little_below, "expect little more than a constant"}, doubtful})
    if (each < below.limit)
      return fmt::format(
          "records x epsilon / columns = {:.3g} is below {}: {}; more epsilon{} or fewer columns would help",
          each, below.limit, below.what, std::holds_alternative<Pure>(options.guarantee) ? ", a delta" : "");
  return "";
}

}  // namespace

FitSize size_of_fit(const Method& method, Shape shape, std::optional<std::size_t> count,
                    const Guarantee& guarantee) {
  FitSize size{.unit = method.unit, .count = count, .parameters = shape.parameters()};
  if (method.name != "dp-sgd" || !classifies(shape.loss) || shape.hidden > 0) return size;
  size.descent = std::numeric_limits<double>::infinity();
  if (!count || shape.blocks.empty() || !size_of(guarantee)) return size;
  shape.records = *count;
  size.descent = records_per_block(shape, *size_of(guarantee));
  return size;
}

namespace {

// A class that only one record has shows in the model that the record was there.
std::string classes_read_off(const FitOptions& options, const FitRecords& records) {
  constexpr std::size_t many = 20;  // more than this, and they may be no classes
  if (std::holds_alternative<NoPrivacy>(options.guarantee)) return "";
  if (std::ranges::count(records.sources.read_off_data, key_of(ReadOff::classes)) == 0) return "";
  const std::size_t count = records.data.classes.size();
  if (count <= 2) return "";  // one of two that one record alone has is no target; the certificate says it
  return fmt::format(
      "the target's {}classes are read off the records, which the guarantee does not cover: a class that one "
      "record alone has would be in the model; list them in a schema, or in Python by classes=",
      count > many ? fmt::format("{} ", count) : "");
}

}  // namespace

std::vector<std::string> said_beforehand(const FitOptions& options, const FitRecords& records,
                                         const FitSize& size) {
  std::vector<std::string> said{little_to_expect(options, records, size), classes_read_off(options, records)};
  if (size.count)
    said.push_back(few_for_parameters(options.guarantee, size.unit, *size.count, size.parameters));
  std::erase(said, "");
  return said;
}

}  // namespace tacit::inline v1::service
