// Black boxes of records with weights: a lone record, or a person with two of them, there or not. Weights
// that were not divided by their bound must be found.

#include <gtest/gtest.h>

#include "settings.hpp"
#include "tacit/root_meter.hpp"
#include "undivided_weights.hpp"

namespace tacit {
namespace {

struct WeightedCase {
  const char* label;
  const char* method;
  Guarantee claim;
  std::size_t runs = 4000;  // on each neighbour
};
void PrintTo(const WeightedCase& row, std::ostream* out) { *out << row.label; }

// Beside a null one of weight 0. Everyone is a person where the method protects people.
Dataset lone_weighted(bool there, double weight, bool people) {
  const std::size_t copies = !there ? 0 : people ? 2 : 1;
  Dataset data;
  DenseRows rows{1 + copies, 1, {0}};
  rows.values.resize(rows.rows, 1);
  data.features = Features(std::move(rows));
  data.labels.assign(1 + copies, 1);
  data.weights.assign(1 + copies, weight);
  data.weights[0] = 0;
  if (!people) return data;
  data.users.assign(1 + copies, 1);
  data.users[0] = 0;
  data.user_count = there ? 2 : 1;
  return data;
}

// Confidence 0.9999, seeds fixed.
double measured_with_weight(const WeightedCase& row, testing::WeightedFit fit, double weight) {
  const Unit unit = find_method(row.method).unit;
  const LossSpec loss = Link{LinkKind::logistic, 0};
  const Dataset with = lone_weighted(true, weight, unit == Unit::user),
                without = lone_weighted(false, weight, unit == Unit::user);
  Facts facts = audit::find_audit(row.method).exposing;
  set_target(facts, row.claim);
  facts.set("threads", std::int64_t{1});
  facts.set(unit == Unit::user ? "user_count" : "records", std::int64_t{2});
  facts.set("row_norm_bound", 2.0);
  const auto run = [&](const Dataset& data) {
    return [&, &data = data](BitSource& bits) {
      const Problem problem{.data = &data, .loss = loss};
      RootMeter meter({row.claim, unit, Neighbours::zero_out}, bits);
      return fit(problem, facts, meter).parameters.value();
    };
  };
  const double delta = audit::claim_of(row.claim, 0).delta;
  return audit::black_box(run(with), run(without), delta, testing::seeded_black_box(row.runs, 0.9999, 9))
      .lower_bound;
}

class WeightsBlackBox : public ::testing::TestWithParam<WeightedCase> {};

TEST_P(WeightsBlackBox, HoldsItsClaimAndCatchesWeightsThatWereNotDivided) {
  const testing::WeightedFit fit = find_method(GetParam().method).fit;
  const double whole = measured_with_weight(GetParam(), fit, 1);
  EXPECT_LE(whole, 1);
  EXPECT_GT(whole, 0.1);
  EXPECT_LT(measured_with_weight(GetParam(), fit, 0.125), whole) << "a small weight must show less";
  // After the clip it is the control itself that weighs.
  const double most = find_method(GetParam().method).unit == Unit::user ? 1 : testing::weight_bound;
  EXPECT_GT(measured_with_weight(GetParam(), testing::undivided(GetParam().method), most), 1);
}

const Approx weighted_approx{1, 0.01};
INSTANTIATE_TEST_SUITE_P(
    Table, WeightsBlackBox,
    ::testing::Values(WeightedCase{"objective_pure", "limited-objective", Pure{1}},
                      WeightedCase{"objective_delta", "limited-objective", weighted_approx, 12000},
                      WeightedCase{"output_pure", "limited-output", Pure{1}},
                      WeightedCase{"output_delta", "limited-output", weighted_approx, 12000},
                      WeightedCase{"dp_sgd", "dp-sgd", weighted_approx},
                      WeightedCase{"dp_gd", "dp-gd", weighted_approx},
                      WeightedCase{"user_sgd", "user-sgd", weighted_approx}),
    [](const auto& row) { return std::string(row.param.label); });

}  // namespace
}  // namespace tacit
