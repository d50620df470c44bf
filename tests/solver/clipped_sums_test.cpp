#include "solver/clipped_sums.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "loss/softmax.hpp"
#include "tacit/core.hpp"

namespace tacit {
namespace {

struct Made {
  Dataset data;
  Problem problem;
};

std::unique_ptr<Made> made(const LossSpec& loss, std::size_t records, std::size_t columns, bool sparse,
                           unsigned seed, double scale = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<> normal;
  auto result = std::make_unique<Made>();
  DenseRows dense{records, columns, std::vector<double>(records * columns)};
  SparseRows rows{.rows = records, .columns = columns};
  for (std::size_t i = 0; i < records; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      const double value = random() % 3 == 0 ? 0 : scale * normal(random);
      dense.values[i * columns + j] = value;
      if (value == 0) continue;
      rows.column.push_back(static_cast<std::uint32_t>(j));
      rows.value.push_back(value);
    }
    rows.start.push_back(rows.value.size());
    const auto* link = std::get_if<Link>(&loss);
    const auto* network = std::get_if<Network>(&loss);
    double y = normal(random);
    if (link && facts(*link).classification) y = y > 0 ? 1 : -1;
    if (link && link->kind == LinkKind::poisson) y = std::floor(std::fabs(3 * y));
    if (network && network->classes > 0) y = static_cast<double>(random() % network->classes);
    if (const auto* softmax = std::get_if<Softmax>(&loss))
      y = static_cast<double>(random() % softmax->classes);
    result->data.labels.push_back(y);
  }
  result->data.features = sparse ? Features(rows) : Features(dense);
  result->problem = {.data = &result->data, .loss = loss, .intercept = 1};
  return result;
}

const std::vector<LossSpec> losses = {Link{LinkKind::squared, 0},
                                      Link{LinkKind::huber, 1},
                                      Link{LinkKind::absolute, 0},
                                      Link{LinkKind::pinball, 0.3},
                                      Link{LinkKind::logistic, 0},
                                      Link{LinkKind::hinge, 0},
                                      Link{LinkKind::smoothed_hinge, 0.5},
                                      Link{LinkKind::poisson, 0},
                                      Softmax{2},
                                      Softmax{5},
                                      Network{4, Activation::tanh, 3},
                                      Network{5, Activation::relu, 3},
                                      Network{3, Activation::tanh, 0}};

Vector random_parameters(const Problem& problem, unsigned seed, double scale = 0.3) {
  std::mt19937_64 random(seed);
  std::normal_distribution<> normal;
  return Vector::NullaryExpr(static_cast<Eigen::Index>(shape_of(problem).parameters()),
                             [&] { return scale * normal(random); });
}

std::vector<std::uint32_t> everybody(const Problem& problem) {
  std::vector<std::uint32_t> all(problem.data->size());
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

Vector sum(const Problem& problem, const Clip& clip, const Vector& w, std::vector<std::uint32_t> batch,
           unsigned threads = 1) {
  Vector result;
  clipped_sums(problem, clip, threads)(w, batch, result);
  return result;
}

// One record's loss, written down plainly.
double loss_value(const Problem& problem, std::size_t i, const Vector& w) {
  const Shape shape = shape_of(problem);
  const RowView row = problem.data->features.row(i);
  const auto margin = [&](const double* v) {
    double s = problem.intercept * v[problem.data->features.columns()];
    for (std::size_t k = 0; k < row.size; ++k) s += row.values[k] * v[row.columns ? row.columns[k] : k];
    return s;
  };
  std::vector<double> z(shape.outputs);
  const auto* network = std::get_if<Network>(&problem.loss);
  for (std::size_t k = 0; k < shape.outputs; ++k) {
    if (!network) {
      z[k] = margin(w.data() + k * shape.features);
      continue;
    }
    const double* v = w.data() + shape.hidden * shape.features + k * (shape.hidden + 1);
    z[k] = v[shape.hidden];
    for (std::size_t u = 0; u < shape.hidden; ++u) {
      const double a = margin(w.data() + u * shape.features);
      z[k] += v[u] * (network->activation == Activation::tanh ? std::tanh(a) : std::fmax(a, 0.0));
    }
  }
  const double y = problem.data->labels[i];
  if (const auto* link = std::get_if<Link>(&problem.loss)) return evaluate(*link, z[0], y).value;
  if (network && network->classes == 0) return 0.5 * (z[0] - y) * (z[0] - y);
  return SoftmaxLoss(shape.outputs + 1).value(z, static_cast<std::size_t>(y));
}

Vector differences(const Problem& problem, std::size_t i, const Vector& w) {
  constexpr double h = 1e-6;
  Vector gradient(w.size()), at = w;
  for (Eigen::Index k = 0; k < w.size(); ++k) {
    at[k] = w[k] + h;
    const double above = loss_value(problem, i, at);
    at[k] = w[k] - h;
    gradient[k] = (above - loss_value(problem, i, at)) / (2 * h);
    at[k] = w[k];
  }
  return gradient;
}

TEST(ClippedSums, AreSumsOfGradientsScaledByTheirNorm) {
  constexpr double tau = 0.7, length = 0.01;
  for (const LossSpec& loss : losses)
    for (const bool sparse : {false, true}) {
      const auto m = made(loss, 6, 5, sparse, 3);
      const Vector w = random_parameters(m->problem, 4);
      Vector expected = Vector::Zero(w.size());
      for (std::size_t i = 0; i < 6; ++i) {
        const Vector g = differences(m->problem, i, w);
        expected += length * g / std::fmax(tau, g.norm());
      }
      const Vector found = sum(m->problem, {.length = length, .norm = tau}, w, everybody(m->problem));
      EXPECT_LE((found - expected).norm(), 1e-6 * length) << loss.index() << sparse;
      const Vector open = sum(m->problem, {.length = 1, .limited = false}, w, everybody(m->problem));
      Vector plain = Vector::Zero(w.size());
      for (std::size_t i = 0; i < 6; ++i) plain += differences(m->problem, i, w);
      EXPECT_LE((open - plain).norm(), 1e-6 * (1 + plain.norm())) << loss.index() << sparse;
    }
}

// With a threshold, contributions have full length unless the residual is below it.
TEST(ClippedSums, WithAThresholdWeighAllRecordsAlikeUntilTheyAreFitted) {
  const auto m = made(Softmax{3}, 20, 4, false, 5, 30);
  const Vector w = Vector::Zero(10);
  for (std::uint32_t i = 0; i < 20; ++i) {
    const double size = sum(m->problem, {.length = 2, .threshold = 0.1}, w, {i}).norm();
    EXPECT_NEAR(size, 2, 1e-12) << "at w = 0 every residual is above 0.1";
  }
  const Vector fitted = sum(m->problem, {.length = 2, .threshold = 1e6}, w, {0});
  const double residual = std::sqrt(2.0 / 3);  // ‖(1/3, 1/3, 1/3) − e_y‖
  EXPECT_NEAR(fitted.norm(), 2 * residual / 1e6, 1e-15);
}

// In long double; its rounding is far below the room that the engine leaves.
double exact_norm(const Vector& x) {
  long double squares = 0;
  for (const double v : x) squares += static_cast<long double>(v) * v;
  return static_cast<double>(std::sqrt(squares));
}

TEST(ClippedSums, NeverExceedTheLengthForAnyRecord) {
  std::mt19937_64 random(6);
  for (const LossSpec& loss : losses)
    for (const double scale : {1e-300, 1e-100, 1e-8, 1.0, 1e8, 1e70, 1e149, 1e300})
      for (const double size : {0.0, 1e-20, 1.0, 1e20}) {
        const auto m = made(loss, 4, 3, random() % 2 == 0, static_cast<unsigned>(random()), scale);
        const auto* link = std::get_if<Link>(&loss);
        if (link && !facts(*link).classification) m->data.labels[0] = 1e300;
        const Vector w = random_parameters(m->problem, static_cast<unsigned>(random()), size);
        for (const Clip& clip : {Clip{.length = 0.1, .norm = 1}, Clip{.length = 3, .norm = 1e-20},
                                 Clip{.length = 1, .threshold = 0.1}, Clip{.length = 1}})
          for (std::uint32_t i = 0; i < 4; ++i) {
            const Vector v = sum(m->problem, clip, w, {i});
            ASSERT_TRUE(v.allFinite()) << loss.index() << " " << scale << " " << size;
            EXPECT_LE(exact_norm(v), clip.length * (1 + 1e-16))
                << loss.index() << " " << scale << " " << size;
          }
      }
}

TEST(ClippedSums, KeepTheDirectionOfAHugeResidual) {
  const auto m = made(Link{LinkKind::squared, 0}, 1, 2, false, 7);
  m->data.labels[0] = -1e300;
  EXPECT_NEAR(sum(m->problem, {.length = 1, .norm = 1}, Vector::Zero(3), {0}).norm(), 1, 1e-12);
}

TEST(ClippedSums, DoNotDependOnThreads) {
  for (const LossSpec& loss : losses) {
    const auto m = made(loss, 500, 7, false, 8, 1e4);
    const Vector w = random_parameters(m->problem, 9);
    const Clip clip{.length = 1, .norm = 0.5};
    const Vector one = sum(m->problem, clip, w, everybody(m->problem), 1);
    for (const unsigned threads : {2u, 3u, 8u})
      EXPECT_TRUE((one.array() == sum(m->problem, clip, w, everybody(m->problem), threads).array()).all());
  }
}

// So many that every worker is started several times, the last time with less to do.
TEST(ClippedSums, OfManyRecordsDoNotDependOnThreads) {
  const auto m = made(Link{LinkKind::logistic, 0}, 70001, 3, false, 8, 1e4);
  const Vector w = random_parameters(m->problem, 9);
  const Clip clip{.length = 1, .norm = 0.5};
  const Vector one = sum(m->problem, clip, w, everybody(m->problem), 1);
  for (const unsigned threads : {2u, 3u})
    EXPECT_TRUE((one.array() == sum(m->problem, clip, w, everybody(m->problem), threads).array()).all());
}

// What a record adds is the same alone and among others: the difference of two sums is its contribution, up
// to the rounding that the slack pays for.
TEST(ClippedSums, MoveByOneContributionAndRoundingOnly) {
  for (const LossSpec& loss : losses) {
    const auto m = made(loss, 300, 6, false, 10, 1e5);
    const Vector w = random_parameters(m->problem, 11);
    const Clip clip{.length = 1, .norm = 1e-3};
    auto all = everybody(m->problem);
    const Vector whole = sum(m->problem, clip, w, all);
    for (const std::uint32_t left_out : {0u, 63u, 64u, 150u, 299u}) {
      auto fewer = all;
      fewer.erase(fewer.begin() + left_out);
      const Vector gap = whole - sum(m->problem, clip, w, fewer);
      const Vector alone = sum(m->problem, clip, w, {left_out});
      EXPECT_LE((gap - alone).norm(), 2 * clipped_sum_rounding(300, 1)) << loss.index();
      EXPECT_LE(gap.norm(), 1 + 2 * clipped_sum_rounding(300, 1)) << loss.index();
    }
  }
}

TEST(ClippedSums, RoundingBoundGrowsWithTheRecordsAndStaysSmall) {
  EXPECT_LT(clipped_sum_rounding(60000, 1), 1e-9);
  EXPECT_LT(clipped_sum_rounding(std::size_t{1} << 32, 1), 1e-4);
  EXPECT_LT(clipped_sum_rounding(10, 1), clipped_sum_rounding(1000, 1));
}

TEST(ClippedSums, OfAnEmptyBatchAreZero) {
  const auto m = made(Softmax{3}, 2, 2, false, 12);
  EXPECT_EQ(sum(m->problem, {.length = 1}, Vector::Zero(6), {}), Vector::Zero(6));
}

// A custom loss: the distance to a point, f_i(w) = ‖w − c_i‖.
struct Distances {
  std::vector<Vector> points;
  std::size_t records() const { return points.size(); }
  std::size_t parameters() const { return static_cast<std::size_t>(points[0].size()); }
  void gradient(const Vector& w, std::size_t record, std::span<double> gradient) const {
    const Vector away = w - points[record];
    const double norm = away.norm();
    for (std::size_t k = 0; k < gradient.size(); ++k)
      gradient[k] = norm == 0 ? 0 : away[static_cast<Eigen::Index>(k)] / norm;
  }
};
static_assert(Loss<Distances>);

TEST(ClippedSums, TakeALossOfOnesOwn) {
  const Distances loss{{Vector{{3, 4}}, Vector{{0, 0}}, Vector{{-1, 0}}}};
  Vector found;
  const std::vector<std::uint32_t> batch = {0, 2};
  clipped_sums(loss, {.length = 1, .norm = 2}, 1)(Vector::Zero(2), batch, found);
  EXPECT_LE((found - Vector{{0.5 * (-0.6 + 1), 0.5 * -0.8}}).norm(), 1e-12);
}

TEST(ClippedSums, OfABatchThatWasGivenUpLeaveNothingForTheNext) {
  struct Throwing {
    bool* throws;
    std::size_t records() const { return 300; }
    std::size_t parameters() const { return 1; }
    void gradient(const Vector&, std::size_t record, std::span<double> gradient) const {
      if (*throws && record == 200) throw std::runtime_error("given up");
      gradient[0] = 1;
    }
  };
  bool throws = true;
  const Throwing loss{&throws};
  const BatchSums sums = clipped_sums(loss, {.length = 1, .norm = 1}, 1);
  std::vector<std::uint32_t> batch(300);
  std::iota(batch.begin(), batch.end(), 0u);
  Vector found;
  EXPECT_THROW(sums(Vector::Zero(1), batch, found), std::runtime_error);
  throws = false;
  sums(Vector::Zero(1), std::span<const std::uint32_t>(batch).first(1), found);
  EXPECT_NEAR(found[0], 1, 1e-12);
}

TEST(ClippedSums, CountAGradientThatIsNotFiniteAsZero) {
  struct Broken {
    std::size_t records() const { return 2; }
    std::size_t parameters() const { return 2; }
    void gradient(const Vector&, std::size_t record, std::span<double> gradient) const {
      gradient[0] = record == 0 ? std::numeric_limits<double>::quiet_NaN() : 1;
    }
  };
  Vector found;
  const std::vector<std::uint32_t> batch = {0, 1};
  clipped_sums(Broken{}, {.length = 1}, 1)(Vector::Zero(2), batch, found);
  EXPECT_NEAR(found[0], 1, 1e-12);
  EXPECT_EQ(found[1], 0);
}

}  // namespace
}  // namespace tacit
