#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "algorithm/statistics/describe.hpp"
#include "algorithm/statistics/score.hpp"

// Intervals of noisy numbers that cannot be: a count below 0, a share above 1.

namespace tacit {
namespace {

using namespace statistics;

// Answers that a test makes up, each with the step that the question would have been answered by.
class MadeUpAnswers : public Answers {
 public:
  MadeUpAnswers(Price price, std::deque<Vector> vectors) : price_(price), vectors_(std::move(vectors)) {}
  Answer vector(const VectorQuestion& question, const std::function<Vector()>&) override {
    Answer answer{Vector::Zero(static_cast<Eigen::Index>(question.dimension)), plan(question, price_)};
    if (!vectors_.empty()) {
      answer.value = vectors_.front();
      vectors_.pop_front();
    }
    return answer;
  }
  std::size_t choice(const ChoiceQuestion&, const std::function<Vector()>&) override { return 0; }
  noise::TextCounts texts(const TextsQuestion&, const std::function<noise::TextCounts()>&) override {
    return {};
  }
  void may_fail(double, const std::string&) override {}

 private:
  Price price_;
  std::deque<Vector> vectors_;
};

const Price price_of_cut{Pure{1}, 1.0};
double width_of_cut(const Estimate& e) { return e.interval.high - e.interval.low; }

TEST(CutIntervals, OfAnImpossibleNumberKeepTheirHalfWidth) {
  const Estimate below = estimate(-30, 20, {0, 1000}), above = estimate(1400, 20, {0, 1000});
  EXPECT_EQ(below.value, 0);
  EXPECT_EQ(below.interval.low, 0);
  EXPECT_EQ(below.interval.high, 20);
  EXPECT_EQ(above.interval.low, 980);
  EXPECT_EQ(above.interval.high, 1000);
  const Estimate possible = estimate(5, 20, {0, 1000});
  EXPECT_EQ(possible.interval.low, 0);
  EXPECT_EQ(possible.interval.high, 25);
}

// It only gains: what lay within before lies within now.
TEST(CutIntervals, HoldWhatTheyHeldBefore) {
  for (double value = -50; value <= 150; value += 1)
    for (const double reach : {1.0, 10.0, 60.0}) {
      const Estimate found = estimate(value, reach, {0, 100});
      EXPECT_LE(found.interval.low, std::clamp(value - reach, 0.0, 100.0));
      EXPECT_GE(found.interval.high, std::clamp(value + reach, 0.0, 100.0));
    }
}

// 200 records of which the noise says that 260 are right, or −60: an accuracy of 1, or 0, but not exactly.
TEST(CutIntervals, OfAnAccuracyAreNoPointAtItsEnds) {
  const ScoreOptions options{.target = Pure{1}, .probabilities = false, .two_classes = false};
  for (const double sum : {-260.0, 260.0}) {
    MadeUpAnswers answers(price_of_cut, {Vector{{sum}}});
    const ScoreReport report = score(options, 200, nullptr, answers);
    const Estimate& accuracy = report.metrics.at(0).second;
    EXPECT_EQ(accuracy.value, sum > 0 ? 1 : 0);
    // Laplace noise of scale 1 on a sum in [−200, 200]: ln 20 on one side, as a share.
    EXPECT_NEAR(width_of_cut(accuracy), 2.996 / 400, 1e-4);
  }
}

// Sizes of which the noise says that their squares are 0. No root of a mean of squares is below the mean of
// sizes; but an interval that holds none that large keeps the value within it.
TEST(CutIntervals, OfErrorsHaveARootOfSquaresThatIsNotBelowTheMeanSize) {
  ScoreOptions options{.target = Pure{1}, .classifies = false, .probabilities = false, .two_classes = false};
  options.range = 4;
  for (const double sum : {-180.0, 100.0}) {
    MadeUpAnswers answers(price_of_cut, {Vector{{-230.0}}, Vector{{sum}}});
    const ScoreReport report = score(options, 200, nullptr, answers);
    const Estimate &rmse = report.metrics.at(0).second, &mae = report.metrics.at(1).second;
    EXPECT_NEAR(mae.value, 4 * (sum + 200) / 400, 1e-12);
    EXPECT_EQ(rmse.interval.low, 0);
    EXPECT_NEAR(rmse.interval.high, std::sqrt(16 * 2.996 / 400), 1e-3);  // as for an accuracy
    EXPECT_EQ(rmse.value, std::min(mae.value, rmse.interval.high));
  }
}

// Its square has few digits or none, and what is measured in parts of it would be no numbers.
TEST(CutIntervals, OfErrorsNeedARangeWhoseSquareIsANumber) {
  for (const double range : {1e-200, 1e-155, 1e155}) {
    ScoreOptions options{
        .target = Pure{1}, .classifies = false, .probabilities = false, .two_classes = false};
    options.range = range;
    EXPECT_THROW(options.validate(), UsageError) << range;
  }
  ScoreOptions options{.target = Pure{1}, .classifies = false, .probabilities = false, .two_classes = false};
  options.range = 1e-150;
  EXPECT_NO_THROW(options.validate());
}

// More records in the cells than there are: none is empty, as far as is known.
TEST(CutIntervals, OfPresentCellsAllowForEmptyOnes) {
  Schema schema;
  schema.columns = {{"x", NumericColumn{.min = 0, .max = 1}}};
  DescribeOptions options{.target = Pure{1}};
  options.quantiles = options.histograms = false;
  MadeUpAnswers answers(price_of_cut, {Vector{{4000.0, -900.0}}});
  const Description found = describe(schema, options, 4000, nullptr, answers);
  const Presence& presence = *found.columns.at(0).presence;
  EXPECT_EQ(presence.count.value, 4000);
  EXPECT_NEAR(width_of_cut(presence.count), 3, 0.1);  // ln 20
  EXPECT_GT(presence.missing.interval.high, 0);
  // All ones, if no cell is empty; if ln 40 of them are, as many fewer.
  EXPECT_GT(width_of_cut(*found.columns.at(0).mean), 0);
}

TEST(CutIntervals, OfAConstantAllowForTheOtherClass) {
  ScoreOptions options{.target = Pure{1}, .neighbours = Neighbours::add_remove, .probabilities = false};
  options.cells = 2;
  // Of two classes that nobody counted: the noise says −90 of the first.
  MadeUpAnswers answers(price_of_cut, {Vector{{0.0, 0.0, 0.0}}, Vector{{-50.0, 100.0, -40.0, 100.0}}});
  const ScoreReport report = score(options, std::nullopt, nullptr, answers);
  ASSERT_EQ(report.constants.at(0).first, "accuracy");
  EXPECT_LT(report.constants.at(0).second.interval.low, 1);
}

TEST(CutIntervals, OfWholeNumbersEndAtTheirLargest) {
  Schema schema;
  NumericColumn kids{.min = 0, .max = 3};
  kids.integer = true;
  schema.columns = {{"kids", kids}};
  DescribeOptions options{.target = Pure{1}, .levels = {0.9}};
  options.means = false;
  MadeUpAnswers answers(price_of_cut, {Vector{{10.0, 10.0, 10.0, 500.0, 0.0}}});
  const Description found = describe(schema, options, 530, nullptr, answers);
  EXPECT_EQ(found.columns.at(0).quantiles.at(0).second.interval.high, 3);
}

// Of a cell with few records the share is anything; of one with many it is known.
TEST(CutIntervals, OfACalibratedShareShrinkWithTheCell) {
  ScoreOptions options{.target = Pure{1}};
  options.cells = 2;
  MadeUpAnswers answers(price_of_cut, {Vector{{0.0}}, Vector{{0.0}}, Vector{{2.0, 1.0, 300.0, 700.0}}});
  const ScoreReport report = score(options, 1003, nullptr, answers);
  ASSERT_EQ(report.calibration.size(), 2u);
  EXPECT_EQ(report.calibration[0].share.interval.low, 0);
  EXPECT_EQ(report.calibration[0].share.interval.high, 1);
  const Estimate& known = report.calibration[1].share;
  EXPECT_LT(width_of_cut(known), 0.02);
  EXPECT_LE(known.interval.low, 0.7);
  EXPECT_GE(known.interval.high, 0.7);
  EXPECT_LE(known.interval.low, known.value);
  EXPECT_GE(known.interval.high, known.value);
}

}  // namespace
}  // namespace tacit
