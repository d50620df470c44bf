// Audits of scores: of classes and of numbers, for records and for people, pure and with a delta.

#include <gtest/gtest.h>

#include "algorithm/statistics/score.hpp"
#include "audited_people.hpp"

namespace tacit {
namespace {

using namespace statistics;
using testing::held;
using testing::Holdings;
using testing::no_cell;

struct ScoredRecord {
  double right, log_loss, cell, absolute, squared;
};

struct ScoreCase {
  const char* kind;
  testing::Terms terms;
};
void PrintTo(const ScoreCase& row, std::ostream* out) { *out << row.kind << ' ' << row.terms.label(); }

ScoreOptions score_options(const ScoreCase& row, std::int64_t cells) {
  const std::string kind = row.kind;
  return {.target = row.terms.target,
          .unit = row.terms.unit,
          .neighbours = row.terms.relation,
          .classifies = kind != "numbers",
          .probabilities = kind != "decisions",
          .two_classes = kind != "many_classes",
          .range = 2,
          .cells = cells};
}

Scores scores_among(const Holdings<ScoredRecord>& people, Unit unit) {
  Scores scores{.weights = testing::weights_among(people, unit)};
  for (const auto& person : people)
    for (const ScoredRecord& record : person) {
      scores.right.push_back(record.right);
      scores.log_loss.push_back(record.log_loss);
      scores.cell.push_back(record.cell);
      scores.absolute.push_back(record.absolute);
      scores.squared.push_back(record.squared);
    }
  return scores;
}

struct ScoreAudits {
  ScoreOptions options;
  Holdings<ScoredRecord> others;
  std::optional<std::size_t> units;
  Price paid;

  ScoreAudits(const ScoreCase& row, std::int64_t cells, Holdings<ScoredRecord> rest)
      : options(score_options(row, cells)),
        others(std::move(rest)),
        units(testing::public_units(options.neighbours, others.size())),
        paid(price([&](Answers& answers) { score(options, units, nullptr, answers); }, options.target)) {}

  testing::ReleaseAudit of(const std::vector<ScoredRecord>& one,
                           const std::vector<ScoredRecord>& other) const {
    std::array<Scores, 3> scores;
    const auto datasets = testing::three_datasets(others, options.neighbours, one, other);
    for (std::size_t k = 0; k < 3; ++k) scores[k] = scores_among(datasets[k], options.unit);
    const auto ask = [o = options, u = units](const Scores* records, Answers& answers) {
      score(o, u, records, answers);
    };
    return testing::audited_statistic({options.target, options.unit, options.neighbours}, std::move(scores),
                                      ask, paid);
  }
};

class ScoreReplays : public ::testing::TestWithParam<ScoreCase> {};

TEST_P(ScoreReplays, NoScoreMovesByMoreThanItsSensitivityAndTwoUnitsAreFound) {
  const Unit unit = GetParam().terms.unit;
  Holdings<ScoredRecord> others;
  for (int k = 0; k < 10; ++k)
    others.push_back(held(unit, ScoredRecord{k % 2 + 0.0, 0.1 * k, k + 0.0, 0.1 * k, 0.2}));
  // Beyond every bound, too: what is not within it is cut.
  const std::vector<ScoredRecord> records = {
      {1, 100, 0, 1e300, 1e300}, {0, 0, 63, 0, 0}, {1, -5, 62, no_cell, no_cell}, {0, 4.6, 1, 2, 4}};
  std::vector<std::vector<ScoredRecord>> units;
  for (const ScoredRecord& record : records) units.push_back(held(unit, record));
  if (unit == Unit::user) units.push_back(records);
  const ScoreAudits audits(GetParam(), 32, others);
  std::vector<testing::ReleaseAudit> rows;
  for (const auto& one : units)
    for (const auto& other : units)
      if (&one != &other) rows.push_back(audits.of(one, other));
  testing::expect_replays_hold(rows);
}

class ScoreBlackBoxes : public ::testing::TestWithParam<ScoreCase> {};

// One unit with the best of all scores, or none, beside two with scores in the middle.
TEST_P(ScoreBlackBoxes, KeepTheirClaimAndLessNoiseIsFound) {
  const Unit unit = GetParam().terms.unit;
  const Holdings<ScoredRecord> middle(2, held(unit, ScoredRecord{0.5, log_loss_bound / 2, 0, 1, 2}));
  const auto one = held(unit, ScoredRecord{1, 0, 3, 0, 0}),
             other = held(unit, ScoredRecord{0, log_loss_bound, 2, 2, 4});
  testing::expect_claim_kept_and_control_found(ScoreAudits(GetParam(), 2, middle).of(one, other),
                                               {.runs = 1500, .quieter = 8});
}

std::vector<ScoreCase> score_cases(const Guarantee& pure, const Guarantee& approx) {
  std::vector<ScoreCase> cases;
  for (const testing::Terms& terms : testing::all_terms(pure, approx))
    for (const char* kind : {"classes", "decisions", "many_classes", "numbers"})
      if (terms.relation == Neighbours::zero_out || std::string(kind) == "classes" ||
          std::string(kind) == "numbers")
        cases.push_back({kind, terms});
  return cases;
}
const auto score_label = [](const auto& row) {
  return fmt::format("{}_{}", row.param.kind, row.param.terms.label());
};
INSTANTIATE_TEST_SUITE_P(Table, ScoreReplays, ::testing::ValuesIn(score_cases(Pure{1}, Approx{1, 1e-6})),
                         score_label);
INSTANTIATE_TEST_SUITE_P(Table, ScoreBlackBoxes, ::testing::ValuesIn(score_cases(Pure{1}, Approx{1, 0.01})),
                         score_label);

}  // namespace
}  // namespace tacit
