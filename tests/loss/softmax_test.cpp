#include "loss/softmax.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <random>
#include <span>
#include <vector>

namespace tacit {
namespace {

TEST(Softmax, BasisIsOrthonormalAndSumsToZero) {
  for (const std::size_t classes : {2u, 3u, 10u, 57u}) {
    const Matrix v = SoftmaxLoss(classes).basis();
    EXPECT_LT((v.transpose() * v - Matrix::Identity(v.cols(), v.cols())).norm(), 1e-13);
    EXPECT_LT(v.colwise().sum().norm(), 1e-13);
  }
}

// One record's loss in z: gradient ≤ √2, Hessian ≤ ½, for logits of every size.
TEST(Softmax, GradientAndHessianStayWithinTheStatedBounds) {
  std::mt19937_64 random(3);
  for (const std::size_t classes : {2u, 4u, 10u}) {
    const SoftmaxLoss loss(classes);
    const std::size_t outputs = loss.outputs();
    std::vector<double> z(outputs), p(classes), g(outputs), e(outputs), h(outputs);
    for (int trial = 0; trial < 300; ++trial) {
      const double spread = std::exp(std::uniform_real_distribution<>(-2, 6)(random));
      for (double& x : z) x = std::normal_distribution<>(0, spread)(random);
      loss.probabilities(z, p);
      loss.gradient(p, random() % classes, g);
      EXPECT_LE(Eigen::Map<Vector>(g.data(), static_cast<Eigen::Index>(outputs)).norm(),
                std::sqrt(2.0) * (1 + 1e-12));
      Matrix hessian(outputs, outputs);
      for (std::size_t k = 0; k < outputs; ++k) {
        std::ranges::fill(e, 0.0);
        e[k] = 1;
        loss.curvature(p, e, h);
        hessian.col(static_cast<Eigen::Index>(k)) =
            Eigen::Map<Vector>(h.data(), static_cast<Eigen::Index>(outputs));
      }
      const Vector eigen = Eigen::SelfAdjointEigenSolver<Matrix>(hessian).eigenvalues();
      EXPECT_GE(eigen.minCoeff(), -1e-12);
      EXPECT_LE(eigen.maxCoeff(), 0.5 * (1 + 1e-12));
    }
  }
}

TEST(Softmax, GradientMatchesDifferencesOfTheValue) {
  const SoftmaxLoss loss(4);
  std::vector<double> z = {0.3, -1.2, 0.8}, p(4), g(3);
  loss.probabilities(z, p);
  loss.gradient(p, 2, g);
  for (std::size_t k = 0; k < 3; ++k) {
    auto up = z, down = z;
    up[k] += 1e-5;
    down[k] -= 1e-5;
    EXPECT_NEAR(g[k], (loss.value(up, 2) - loss.value(down, 2)) / 2e-5, 1e-9);
  }
}

TEST(Softmax, WeightKeepsBothLimits) {
  for (const double norm : {1e-3, 1.0, 7.0, 1e60}) {
    const double weight = SoftmaxLoss::weight(2, 3, norm);
    EXPECT_LE(weight, 1);
    EXPECT_LE(weight * std::sqrt(2.0) * norm, 2);
    EXPECT_LE(weight * 0.5 * norm * norm, 3);
  }
}

TEST(Softmax, ResidualsOfManyAreThoseOfEachAloneBitForBit) {
  std::mt19937_64 random(5);
  for (const std::size_t classes : {2u, 5u, 10u})
    for (const std::size_t records : {1u, 3u, 7u, 32u}) {
      const SoftmaxLoss loss(classes);
      const std::size_t outputs = loss.outputs();
      std::vector<double> z(records * outputs), labels(records), p(records * classes), totals(2 * records);
      for (double& x : z) x = std::normal_distribution<>(0, 20)(random);
      for (double& y : labels) y = static_cast<double>(random() % classes);
      std::vector<double> together = z, alone(outputs), checked(outputs), room(classes);
      loss.residuals(together, labels, p, totals);
      for (std::size_t i = 0; i < records; ++i) {
        const std::span<const double> own(z.data() + i * outputs, outputs);
        const auto label = static_cast<std::size_t>(labels[i]);
        loss.residual(own, label, room, alone);
        loss.probabilities(own, room);
        loss.gradient(room, label, checked);
        for (std::size_t k = 0; k < outputs; ++k) {
          EXPECT_EQ(together[i * outputs + k], alone[k]);
          EXPECT_NEAR(alone[k], checked[k], 1e-13);
        }
      }
    }
}

}  // namespace
}  // namespace tacit
