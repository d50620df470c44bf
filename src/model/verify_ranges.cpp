#include "model/verify_ranges.hpp"

#include <algorithm>

#include "algorithm/statistics/private_schema.hpp"
#include "data/text.hpp"
#include "model/difference.hpp"
#include "model/json.hpp"
#include "model/two_parts.hpp"
#include "model/verify_parts.hpp"
#include "privacy/assumptions.hpp"
#include "tacit/account.hpp"

namespace tacit::inline v1 {

namespace {

constexpr std::int64_t most_counted = std::int64_t{1} << 53;  // so that nothing that is added overflows

// Ranges were found from all units, those that a method held out of its fits among them.
std::optional<std::size_t> units_of(const Certificate& certificate) {
  if (certificate.neighbours == Neighbours::add_remove) return std::nullopt;
  const Facts& facts = certificate.assumed_public;
  const std::int64_t held_out = facts.has("records_held_out") ? facts.integer("records_held_out") : 0;
  const std::int64_t counted = facts.integer(count_fact(certificate.unit));
  if (held_out < 0 || held_out > most_counted || counted < 0 || counted > most_counted)
    throw_error<VerificationError>("the number of units is {} and {} held out, expected 0 to {} each",
                                   counted, held_out, most_counted);
  const std::int64_t units = counted + held_out;
  if (units < 1) throw_error<VerificationError>("the number of units is {}, expected at least 1", units);
  return static_cast<std::size_t>(units);
}

struct RebuiltRanges {
  statistics::FoundSchema found;
  std::vector<Step> steps;
};

RebuiltRanges rebuild(const FittedModel& model, const statistics::RangeOptions& options, bool asked_target) {
  statistics::RawNames names{.columns = {}, .target = {}, .user = {}, .classes = {}};
  for (const SchemaColumn& column : model.schema->columns) names.columns.push_back(column.name);
  if (asked_target) names.target = model.target;
  const auto units = units_of(model.certificate);
  const auto ask = [&](statistics::Answers& answers) {
    return statistics::find_schema(names, options, units, nullptr, answers);
  };
  const statistics::Price price =
      statistics::price([&](statistics::Answers& answers) { ask(answers); }, options.target);
  statistics::RecordedAnswers answers(price, model.ranges->numbers, model.ranges->texts);
  RebuiltRanges rebuilt{.found = ask(answers), .steps = {}};
  answers.require_all_used();
  rebuilt.steps = answers.steps();
  return rebuilt;
}

// The columns with their knots, and what `other` is, left open: those are the encoder's.
std::string columns_text(Schema schema) {
  std::ranges::sort(schema.columns, {}, &SchemaColumn::name);
  schema.target.reset();
  schema.user.clear();
  schema.pairs.clear();
  schema.decimal.reset();
  for (SchemaColumn& column : schema.columns) {
    if (auto* number = std::get_if<NumericColumn>(&column.kind)) number->knots = AutoKnots{};
    if (auto* date = std::get_if<DateColumn>(&column.kind)) date->number.knots = AutoKnots{};
    if (auto* categories = std::get_if<CategoricalColumn>(&column.kind)) categories->other.reset();
  }
  return schema_to_json(schema);
}

// Too few records for any column leave the intercept alone.
bool has_columns(const Schema& schema) {
  return std::ranges::any_of(schema.columns, [](const SchemaColumn& column) {
    return !std::holds_alternative<IgnoredColumn>(column.kind);
  });
}

void check_schema(const FittedModel& model, const statistics::FoundSchema& found) {
  const auto require = [](bool holds, std::string_view what) {
    if (!holds) throw_error<VerificationError>("{} not that of the released answers", what);
  };
  const Schema& schema = *model.schema;
  require(!has_columns(schema) || columns_text(schema) == columns_text(found.schema), "the schema is");
  if (!found.schema.target) return;
  const SchemaTarget& target = *found.schema.target;
  const SchemaTarget held = schema.target.value_or(SchemaTarget{});
  if (!target.classes.empty() && held.classes.empty()) {  // for a loss that wants numbers
    require(held.min == number_in(target.classes[0]) && held.max == number_in(target.classes.back()),
            "the target's range is");
    return;
  }
  require(target.classes == held.classes && target.min == held.min && target.max == held.max,
          "the target's range is");
}

}  // namespace

Guarantee together(const RangeSplit& split, const Guarantee& whole) {
  return together(split.ranges, split.rest, whole);
}

Certificate with_ranges(Certificate fit, std::vector<Step> range_steps, const Guarantee& total,
                        const RangeSplit& split, bool asked_target) {
  fit.steps = {step_of(range_step, split.ranges, std::move(range_steps), "the columns' ranges and kinds"),
               step_of(fit_step, split.rest, std::move(fit.steps), "the fit, whatever the ranges are")};
  fit.guarantee = together(split, total);
  set_part(fit.options, "range_", split.ranges);
  set_part(fit.options, "range_rest_", split.rest);
  fit.options.set("range_target", asked_target);
  return fit;
}

FittedModel without_ranges(const FittedModel& model) {
  const Certificate& certificate = model.certificate;
  if (!model.schema) throw_error<VerificationError>("ranges were found, but there is no schema");
  const std::vector<Step>& steps = certificate.steps;
  if (steps.size() != 2 || steps[0].mechanism != range_step || steps[1].mechanism != fit_step)
    throw_error<VerificationError>("a step is missing: ranges were found, and then the fit was made");
  const Guarantee target = part_of(certificate.options, "range_");
  const bool asked_target = certificate.options.boolean("range_target");
  const statistics::RangeOptions options{.target = target,
                                         .unit = certificate.unit,
                                         .neighbours = certificate.neighbours,
                                         .number_target = true};
  RebuiltRanges rebuilt;
  try {
    rebuilt = rebuild(model, options, asked_target);
  } catch (const UsageError& error) {
    throw_error<VerificationError>("the ranges cannot be found again: {}", error.what());
  }
  check_schema(model, rebuilt.found);

  FittedModel fit = model;
  fit.ranges.reset();
  fit.certificate.steps = steps[1].inner;
  fit.certificate.options = options_without(certificate.options, "range_");
  const Guarantee rest = part_of(certificate.options, "range_rest_");
  // Each of the two is what its event says, and together they are the guarantee.
  check_steps(steps,
              {step_of(range_step, target, rebuilt.steps, "the columns' ranges and kinds"),
               step_of(fit_step, rest, steps[1].inner, "the fit, whatever the ranges are")},
              certificate.method);
  check_guarantee(certificate, steps);
  for (const auto& [within, limit] : {std::pair(&steps[0].inner, target), std::pair(&steps[1].inner, rest)})
    if (!fits(compose(events_of(*within), limit), limit))
      throw_error<VerificationError>("the steps cost more than is stated for them");
  fit.certificate.guarantee = compose(events_of(fit.certificate.steps), rest);
  fit.certificate.replaced = std::nullopt;
  fit.certificate.replaced = replaced_guarantee(fit.certificate);
  return fit;
}

}  // namespace tacit::inline v1
