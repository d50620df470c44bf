#include "tacit/data.hpp"

#include <algorithm>
#include <array>

#include "data/text.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {
namespace {

constexpr std::array<std::pair<std::string_view, EncoderRule>, 4> rules{
    {{"linear-v1", EncoderRule::linear_v1},
     {"linear", EncoderRule::linear},
     {"hats", EncoderRule::hats},
     {"auto", EncoderRule::automatic}}};

constexpr std::size_t usual_knots = 9;  // [heuristic: utility only]

// Fewer knots where n·ε/d is below a threshold [heuristic: utility only, measured in docs/features.md].
struct Fewer {
  double below;
  std::size_t knots;
};
constexpr std::array<Fewer, 2> fewer{{{60, 1}, {250, 5}}};

// Two hats span what one centered line and the intercept do, and need more noise.
std::size_t without_two(std::size_t knots) { return knots == 2 ? 1 : knots; }

// A hat for each of few whole numbers, else `knots` even ones.
Knots knots_for(const NumericColumn& column, std::size_t knots) {
  const double values = column.max - column.min + 1;
  if (!column.integer || knots == 1 || values > static_cast<double>(knots)) return without_two(knots);
  const auto count = static_cast<std::size_t>(values);
  if (count == 2) return std::size_t{1};
  if (!column.log1p) return count;  // even knots lie on the numbers themselves
  std::vector<double> each;
  for (std::size_t k = 0; k < count; ++k) each.push_back(column.min + static_cast<double>(k));
  return each;
}

void settle(NumericColumn& column, std::size_t knots) {
  if (std::holds_alternative<AutoKnots>(column.knots)) column.knots = knots_for(column, knots);
}

// What a value that nobody listed counts: the noise of a feature is the longer, the fewer its block has,
// about as 1/(k + 1), so that the share makes it as long in every block. Empty cells that stand for `other`
// are data like any other [heuristic: utility only, measured in docs/features.md].
void settle(CategoricalColumn& column) {
  constexpr double whole_from = 32;
  if (column.other || column.missing == "other") return;
  const std::size_t features = column.categories.size() + (column.missing_indicator ? 2 : 1);
  column.other = std::min(1.0, (static_cast<double>(features) + 1) / whole_from);
}

}  // namespace

EncoderRule parse_encoder_rule(std::string_view text) {
  const auto found = std::ranges::find(rules, text, &decltype(rules)::value_type::first);
  if (found == rules.end())
    throw_error<UsageError>("encoder is {}, expected auto, linear, hats or linear-v1", shown(text));
  return found->second;
}

std::string_view name(EncoderRule rule) {
  return std::ranges::find(rules, rule, &decltype(rules)::value_type::second)->first;
}

std::size_t automatic_knots(const KnotFacts& facts, std::size_t columns) {
  if (!facts.records || !facts.epsilon) return usual_knots;
  const double each = static_cast<double>(*facts.records) * *facts.epsilon /
                      static_cast<double>(std::max<std::size_t>(columns, 1));
  for (const Fewer& step : fewer)
    if (each < step.below) return step.knots;
  return usual_knots;
}

Schema with_knots(Schema schema, EncoderRule rule, const KnotFacts& facts) {
  if (rule == EncoderRule::linear_v1) return schema;
  const auto columns = static_cast<std::size_t>(std::ranges::count_if(schema.columns, [](const auto& column) {
    return !std::holds_alternative<IgnoredColumn>(column.kind);
  }));
  const std::size_t knots = rule == EncoderRule::linear ? 1
                            : rule == EncoderRule::hats ? usual_knots
                                                        : automatic_knots(facts, columns);
  for (SchemaColumn& column : schema.columns) {
    if (auto* number = std::get_if<NumericColumn>(&column.kind)) settle(*number, knots);
    if (auto* date = std::get_if<DateColumn>(&column.kind)) settle(date->number, knots);
    if (auto* categories = std::get_if<CategoricalColumn>(&column.kind); categories && facts.epsilon)
      settle(*categories);  // without privacy there is no noise
  }
  return schema;
}

}  // namespace tacit::inline v1
