#include "noise/cells.hpp"

#include <gtest/gtest.h>

#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>

#include "support/seeded_bits.hpp"
#include "tacit/core.hpp"
#include "tacit/root_meter.hpp"

namespace tacit {
namespace {

using noise::CellChoice;

CellChoice choice_in(std::size_t dimension, double steepness, double epsilon) {
  return {.cells = {.side = 0.5, .radius = 1, .dimension = dimension},
          .sensitivity = {.value = 1, .norm = Norm::linf, .reason = "test"},
          .range = 100,
          .steepness = steepness,
          .epsilon = Pure{epsilon}};
}

Released<Vector> choose(const std::function<double(const Vector&)>& score, const CellChoice& choice,
                        const Vector& anchor, BitSource& bits) {
  RootMeter meter({.limit = Pure{100}}, bits);
  const Sensitive<noise::CellScore> sensitive({score}, choice.sensitivity, Neighbours::replace_one);
  return noise::exponential_on_cells(sensitive, choice, anchor, meter);
}

// Counts in pieces of a quarter of a cell an axis, around the anchor, against the sum of exp(ε·score/2) over
// every 8th grid point of the piece in the ball's cells; relative to the 1e-6 quantile of chi-square.
double misfit(const std::vector<Vector>& draws, const std::function<double(const Vector&)>& score,
              const Vector& anchor, double epsilon) {
  const auto d = anchor.size();
  constexpr double piece = 0.125, step = 0x1p-8, far = 1;
  const auto side = static_cast<std::size_t>(2 * far / piece);
  const auto index = [&](const Vector& x) {
    std::size_t at = 0;
    for (Eigen::Index j = 0; j < d; ++j)
      at = at * side + static_cast<std::size_t>(std::floor((x[j] - anchor[j] + far) / piece));
    return at;
  };
  const auto pieces = static_cast<std::size_t>(std::pow(side, d));
  std::vector<double> expected(pieces), seen(pieces);
  double total = 0;
  Vector offset = Vector::Constant(d, -far + step / 2);
  for (;;) {
    const Vector center = (2 * offset).array().floor() / 2 + 0.25;
    if (center.norm() <= 1) {
      const Vector x = anchor + offset;
      const double weight = std::exp(epsilon / 2 * score(x));
      expected[index(x)] += weight;
      total += weight;
    }
    Eigen::Index j = 0;
    while (j < d && offset[j] + step > far) offset[j++] = -far + step / 2;
    if (j == d) break;
    offset[j] += step;
  }
  for (const Vector& x : draws) seen[index(x)] += 1;
  double sum = 0;
  int cells = 0;
  for (std::size_t k = 0; k < pieces; ++k) {
    const double mean = static_cast<double>(draws.size()) * expected[k] / total;
    if (expected[k] == 0 && seen[k] > 0) return std::numeric_limits<double>::infinity();
    if (mean < 20) continue;
    ++cells;
    sum += (seen[k] - mean) * (seen[k] - mean) / mean;
  }
  return sum / boost::math::quantile(boost::math::complement(boost::math::chi_squared(cells), 1e-6));
}

// n = 40000 draws, false alarm 1e-6 for each dimension, fixed seed; a law with twice the ε must be told from
// it.
TEST(ExponentialOnCells, SamplesTheStatedLawInOneAndTwoDimensions) {
  const auto score = [](const Vector& x) { return -2 * (x.array() - 0.3).matrix().norm(); };
  for (const std::size_t d : {1u, 2u}) {
    const CellChoice choice = choice_in(d, 2, 2);
    const Vector anchor = Vector::Constant(static_cast<Eigen::Index>(d), 0.25);
    const auto bits = testing::seeded_bits(5);
    std::vector<Vector> draws;
    for (int k = 0; k < 40000; ++k) draws.push_back(choose(score, choice, anchor, *bits).value());
    EXPECT_LT(misfit(draws, score, anchor, 2), 1) << d;
    EXPECT_GT(misfit(draws, score, anchor, 4), 1) << d;
  }
}

// A score that is steeper than was said is flattened to within the variation of each cell's center: the law
// is still the stated one. False alarm below 1e-8 (six standard deviations).
TEST(ExponentialOnCells, FlattensScoresThatAreSteeperThanStated) {
  CellChoice choice = choice_in(1, 0, 2);
  choice.cells = {.side = 1, .radius = 1, .dimension = 1};
  const auto spike = [](const Vector& x) { return x[0] == 0.25 ? 100.0 : -std::fabs(x[0]); };
  const auto bits = testing::seeded_bits(6);
  constexpr int runs = 20000;
  int right = 0;
  for (int k = 0; k < runs; ++k) right += choose(spike, choice, Vector::Zero(1), *bits).value()[0] >= 0;
  EXPECT_NEAR(right, runs / 2, 6 * std::sqrt(runs / 4.0));
}

TEST(ExponentialOnCells, ReleasesMultiplesOfItsGridInTheCells) {
  const CellChoice choice = choice_in(3, 1, 1);
  const auto bits = testing::seeded_bits(7);
  const Vector anchor = Vector::Constant(3, -0.5);
  const auto nan = [](const Vector&) { return std::nan(""); };
  for (int k = 0; k < 200; ++k) {
    const Vector x = choose(nan, choice, anchor, *bits).value();
    EXPECT_LE((x - anchor).norm(), 1 + noise::half_diagonal(choice.cells));
    for (const double coordinate : x) EXPECT_EQ(std::fmod(coordinate, 0x1p-11), 0);
  }
}

TEST(ExponentialOnCells, ChargesItsRangeBeforeItLooks) {
  const CellChoice choice = choice_in(1, 1, 1);
  const auto bits = testing::seeded_bits(8);
  RootMeter poor({.limit = Pure{0.5}}, *bits);
  bool looked = false;
  const Sensitive<noise::CellScore> score({[&](const Vector&) {
                                            looked = true;
                                            return 0.0;
                                          }},
                                          choice.sensitivity, Neighbours::replace_one);
  EXPECT_THROW(noise::exponential_on_cells(score, choice, Vector::Zero(1), poor), Error);
  EXPECT_FALSE(looked);
  EXPECT_EQ(std::get<BoundedRangeEvent>(noise::plan_exponential_on_cells(choice).event).epsilon, 1);
}

TEST(ExponentialOnCells, RefusesWhatItCannotDoExactly) {
  const auto bits = testing::seeded_bits(9);
  const auto flat = [](const Vector&) { return 0.0; };
  EXPECT_THROW(choose(flat, choice_in(1, 1, 1), Vector::Constant(1, 0.1), *bits), UsageError)
      << "not on the grid";
  CellChoice choice = choice_in(2, 1, 1);
  choice.cells.side = 0.3;
  EXPECT_THROW(noise::plan_exponential_on_cells(choice), UsageError) << "not a power of two";
  choice.cells.side = 0x1p-20;
  EXPECT_THROW(noise::plan_exponential_on_cells(choice), InfeasibleError) << "too many cells";
}

}  // namespace
}  // namespace tacit
