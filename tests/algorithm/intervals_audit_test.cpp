// Audits of the sums that intervals are made of: pure and with a delta, records with weights and without.
// They are for records: there are none for people.

#include <gtest/gtest.h>

#include "privacy/accounting/calibrate.hpp"
#include "stated_fit.hpp"
#include "support/release_audit.hpp"

namespace tacit {
namespace {

Guarantee with_less_noise(const Guarantee& cost, double quieter) {
  if (quieter == 1) return cost;
  if (const auto* pure = std::get_if<Pure>(&cost)) return Pure{quieter * pure->epsilon};
  return Gaussian{quieter * calibrate_gaussian(std::get<Approx>(cost))};
}

// At parameters that were released before.
testing::ReleaseAudit interval_audit(const Guarantee& cost, Neighbours relation, const LossSpec& loss,
                                     double intercept, const std::array<Dataset, 3>& datasets) {
  std::size_t records = 0;
  for (const Dataset& data : datasets) records = std::max(records, data.size());
  return {{cost, Unit::item, relation}, [=](int differ, double quieter, Meter& meter) {
            const Dataset& data = datasets[static_cast<std::size_t>(differ)];
            const Problem problem{.data = &data, .loss = loss, .intercept = intercept};
            Shape shape = shape_of(problem);
            shape.records = records;
            const intervals::Plan plan =
                intervals::plan(testing::stated_fit(shape, relation), with_less_noise(cost, quieter));
            const Vector w = Vector::Constant(static_cast<Eigen::Index>(shape.features), 0.01);
            return intervals::release(plan, problem, w, 1, meter).value();
          }};
}

// The records of both, one after the other.
Dataset one_after_the_other(const Dataset& first, const Dataset& second) {
  Dataset both = first;
  const std::size_t columns = first.features.columns();
  DenseRows rows{first.size() + second.size(), columns, {}};
  for (const Dataset* data : {&first, &second})
    for (std::size_t i = 0; i < data->size(); ++i) {
      const RowView row = data->features.row(i);
      const std::size_t begin = rows.values.size();
      rows.values.resize(begin + columns, 0);
      for (std::size_t k = 0; k < row.size; ++k)
        rows.values[begin + (row.columns ? row.columns[k] : k)] = row.values[k];
    }
  both.features = Features(std::move(rows));
  both.labels.insert(both.labels.end(), second.labels.begin(), second.labels.end());
  both.weights.insert(both.weights.end(), second.weights.begin(), second.weights.end());
  return both;
}

// Weights in [0, 1], that of the first record as given.
void give_weights(Dataset& data, double of_first) {
  data.weights = {of_first};
  for (std::size_t i = 1; i < data.size(); ++i) data.weights.push_back(static_cast<double>(i % 5) / 4);
}

struct IntervalCase {
  const char* label;
  Guarantee cost;
  Neighbours relation;
  bool weighted;
};
void PrintTo(const IntervalCase& row, std::ostream* out) { *out << row.label; }

class IntervalReplays : public ::testing::TestWithParam<IntervalCase> {};

TEST_P(IntervalReplays, NoRecordMovesTheSumsByMoreThanTheirSensitivityAndTwoAreFound) {
  const auto& [label, cost, relation, weighted] = GetParam();
  std::vector<testing::ReleaseAudit> rows;
  for (const LossSpec& loss : {LossSpec(Link{LinkKind::logistic, 0}), LossSpec(Link{LinkKind::squared, 0}),
                               LossSpec(Link{LinkKind::huber, 1})}) {
    auto pairs = audit::adversarial_pairs(loss, 15, 3, 2);
    // 10: what nobody has divided by a bound; the limits hold all the same.
    for (const double of_first : {1.0, 10.0}) {
      for (audit::NeighbourPair& pair : pairs) {
        if (!weighted) continue;
        give_weights(pair.first, of_first);
        give_weights(pair.second, 0.125);
      }
      for (const auto& [what, first, second] :
           relation == Neighbours::replace_one ? pairs : audit::presence_pairs(pairs))
        rows.push_back(
            interval_audit(cost, relation, loss, 1,
                           {one_after_the_other(second, second), one_after_the_other(first, second),
                            one_after_the_other(first, first)}));
    }
  }
  testing::expect_replays_hold(rows, 0.6);
}

// A record of norm 1 whose slope is at its limit, or none, or one with the opposite row, and two that are
// null.
std::array<Dataset, 3> lone_records(Neighbours relation, bool weighted) {
  std::array<Dataset, 3> datasets;
  for (std::size_t differ = 0; differ < 3; ++differ) {
    Dataset& data = datasets[differ];
    const double none = relation == Neighbours::replace_one ? 1e-3 : 0;
    data.features = Features(DenseRows{3, 1, {0, 0, differ > 0 ? 1.0 : none}});
    data.labels = {0, 0, 1};
    data.target_kind = TargetKind::numeric;
    if (weighted) data.weights = {1, 0.5, 1};
  }
  return datasets;
}

class IntervalBlackBoxes : public ::testing::TestWithParam<IntervalCase> {};

TEST_P(IntervalBlackBoxes, KeepTheirClaimAndLessNoiseIsFound) {
  const auto& [label, cost, relation, weighted] = GetParam();
  testing::expect_claim_kept_and_control_found(
      interval_audit(cost, relation, Link{LinkKind::squared, 0}, 0, lone_records(relation, weighted)),
      {.quieter = 8});
}

std::vector<IntervalCase> interval_cases(const Guarantee& approx) {
  return {{"pure_zero_out", Pure{1}, Neighbours::zero_out, false},
          {"pure_replace_one", Pure{1}, Neighbours::replace_one, false},
          {"pure_add_remove", Pure{1}, Neighbours::add_remove, false},
          {"delta_add_remove", approx, Neighbours::add_remove, false},
          {"delta_zero_out", approx, Neighbours::zero_out, false},
          {"delta_replace_one", approx, Neighbours::replace_one, false},
          {"pure_weights", Pure{1}, Neighbours::zero_out, true},
          {"pure_weights_replace_one", Pure{1}, Neighbours::replace_one, true},
          {"delta_weights", approx, Neighbours::zero_out, true},
          {"delta_weights_replace_one", approx, Neighbours::replace_one, true}};
}
const auto interval_label = [](const auto& row) { return std::string(row.param.label); };
INSTANTIATE_TEST_SUITE_P(Table, IntervalReplays, ::testing::ValuesIn(interval_cases(Approx{1, 1e-6})),
                         interval_label);
INSTANTIATE_TEST_SUITE_P(Table, IntervalBlackBoxes, ::testing::ValuesIn(interval_cases(Approx{1, 0.01})),
                         interval_label);

}  // namespace
}  // namespace tacit
