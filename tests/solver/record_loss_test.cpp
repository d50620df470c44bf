#include "tacit/problem.hpp"

#include <gtest/gtest.h>

#include <random>

#include "solver/clipped_sums.hpp"
#include "tacit/core.hpp"

namespace tacit {
namespace {

std::vector<LossSpec> every_record_loss() {
  return {Link{LinkKind::absolute, 0},
          Link{LinkKind::pinball, 0.3},
          Link{LinkKind::squared, 0},
          Softmax{3},
          Network{4, Activation::relu, 3},
          Network{.hidden = 4, .activation = Activation::relu, .absolute = true},
          Network{.hidden = 3, .activation = Activation::tanh, .absolute = true},
          RobustFit{},
          RobustFit{RobustKind::max_affine, 3}};
}

bool has_classes(const LossSpec& loss) {
  const auto* network = std::get_if<Network>(&loss);
  return std::holds_alternative<Softmax>(loss) || (network && network->classes > 0);
}

Dataset some_data(const LossSpec& loss, bool sparse) {
  std::mt19937_64 random(3);
  std::normal_distribution<> normal;
  constexpr std::size_t records = 20, columns = 5;
  Dataset data;
  DenseRows rows{records, columns, {}};
  SparseRows few{.rows = records, .columns = columns};
  for (std::size_t i = 0; i < records; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      rows.values.push_back(normal(random));
      if ((i + j) % 2 == 0) {
        few.column.push_back(static_cast<decltype(few.column)::value_type>(j));
        few.value.push_back(rows.values.back());
      }
    }
    few.start.push_back(few.value.size());
    data.labels.push_back(has_classes(loss) ? static_cast<double>(i % 3) : normal(random));
  }
  data.features = sparse ? Features(std::move(few)) : Features(std::move(rows));
  return data;
}

Vector some_point(std::size_t size) {
  std::mt19937_64 random(5);
  std::normal_distribution<> normal;
  return Vector::NullaryExpr(static_cast<Eigen::Index>(size), [&] { return 0.7 * normal(random); });
}

TEST(RecordLoss, HasTheGradientOfItsValueAwayFromKinks) {
  for (const LossSpec& loss : every_record_loss())
    for (const bool sparse : {false, true}) {
      const Dataset data = some_data(loss, sparse);
      const Problem problem{.data = &data, .loss = loss};
      validate(problem);
      const RecordLoss record = record_loss(problem);
      const Vector w = some_point(record.parameters);
      Vector g(w.size());
      for (std::size_t i = 0; i < record.records; ++i) {
        record.gradient(w, i, {g.data(), static_cast<std::size_t>(g.size())});
        for (Eigen::Index k = 0; k < w.size(); ++k) {
          constexpr double h = 1e-6;
          Vector up = w, down = w;
          up[k] += h;
          down[k] -= h;
          EXPECT_NEAR(g[k], (record.value(up, i) - record.value(down, i)) / (2 * h), 2e-5)
              << "loss " << loss.index() << ", record " << i << ", parameter " << k;
        }
      }
    }
}

TEST(RecordLoss, SumsToWhatClippedSumsCompute) {
  for (const LossSpec& loss : every_record_loss()) {
    const Dataset data = some_data(loss, false);
    const Problem problem{.data = &data, .loss = loss};
    const RecordLoss record = record_loss(problem);
    const Vector w = some_point(record.parameters);
    std::vector<std::uint32_t> all(record.records);
    for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = i;
    const Clip clip{.length = 0.5, .norm = 1};
    Vector fast, slow;
    clipped_sums(problem, clip, 1)(w, all, fast);
    clipped_sums(record.gradient, record.parameters, clip, 2)(w, all, slow);
    EXPECT_LE((fast - slow).norm(), 1e-9 * (1 + fast.norm())) << loss.index();
  }
}

TEST(RecordLoss, TakesACallersOwnValuesOrGradients) {
  const RecordLoss values = record_loss(ValueLossArchetype{});
  EXPECT_TRUE(values.value && !values.gradient);
  const RecordLoss gradients = record_loss(LossArchetype{});
  EXPECT_TRUE(!gradients.value && gradients.gradient);
}

TEST(RobustFit, KnowsItsNamesAndRefusesSenselessPieces) {
  EXPECT_EQ(parse_robust("max-affine")->pieces, 4u);
  EXPECT_EQ(parse_robust("phase-retrieval")->kind, RobustKind::phase_retrieval);
  EXPECT_FALSE(parse_robust("softmax"));
  EXPECT_THROW(validate(RobustFit{RobustKind::max_affine, 0}), UsageError);
  EXPECT_THROW(validate(RobustFit{RobustKind::phase_retrieval, 2}), UsageError);
  EXPECT_EQ(name(*parse_network("relu-absolute")), "relu-absolute");
  EXPECT_TRUE(parse_network("tanh-absolute")->absolute);
}

}  // namespace
}  // namespace tacit
