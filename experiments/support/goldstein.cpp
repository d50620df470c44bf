#include "experiments/support/goldstein.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tacit/core.hpp"

namespace tacit::inline v1::audit {

namespace {

constexpr double tolerance = 1e-10;  // of the stopping rule, relative to the longest column squared
constexpr double vanished = 1e-12;   // a weight below this has left the corral
constexpr std::size_t rounds = 16;   // in which the second half of the samples is drawn

// The columns whose affine hull holds the current point, with their convex weights.
struct Corral {
  std::vector<Eigen::Index> members;
  std::vector<double> weights;

  Vector point(const Matrix& columns) const {
    Vector x = Vector::Zero(columns.rows());
    for (std::size_t i = 0; i < members.size(); ++i) x += weights[i] * columns.col(members[i]);
    return x;
  }
};

// Affine weights of the point of least norm in the members' affine hull: (11ᵀ + GᵀG)u = 1, μ = u/Σu.
Vector affine_minimiser(const Matrix& columns, const Corral& corral) {
  Matrix chosen(columns.rows(), static_cast<Eigen::Index>(corral.members.size()));
  for (Eigen::Index i = 0; i < chosen.cols(); ++i)
    chosen.col(i) = columns.col(corral.members[static_cast<std::size_t>(i)]);
  Matrix gram = chosen.transpose() * chosen;
  const double scale = std::max(gram.diagonal().maxCoeff(), 1e-300);
  gram /= scale;
  gram.array() += 1;
  const Vector u = gram.colPivHouseholderQr().solve(Vector::Ones(gram.rows()));
  return u / u.sum();
}

// Wolfe's minor cycle: to the affine minimiser, or as far towards it as weights stay positive.
void restore(const Matrix& columns, Corral& corral) {
  while (corral.members.size() > 1) {
    const Vector mu = affine_minimiser(columns, corral);
    if (!mu.allFinite()) {  // dependent columns: the newest adds nothing
      corral.members.pop_back();
      corral.weights.pop_back();
      continue;
    }
    double step = 1;
    for (std::size_t i = 0; i < corral.weights.size(); ++i)
      if (const double to = mu[static_cast<Eigen::Index>(i)]; to <= vanished)
        step = std::min(step, corral.weights[i] / (corral.weights[i] - to));
    for (std::size_t i = 0; i < corral.weights.size(); ++i)
      corral.weights[i] += step * (mu[static_cast<Eigen::Index>(i)] - corral.weights[i]);
    if (step == 1) return;
    for (std::size_t i = corral.members.size(); i-- > 0;)
      if (corral.weights[i] <= vanished && corral.members.size() > 1) {
        corral.members.erase(corral.members.begin() + static_cast<std::ptrdiff_t>(i));
        corral.weights.erase(corral.weights.begin() + static_cast<std::ptrdiff_t>(i));
      }
  }
  corral.weights[0] = 1;
}

class PointsInBall {
 public:
  PointsInBall(const Vector& center, double radius, std::uint64_t seed)
      : center_(center), radius_(radius), random_(seed) {}

  Vector uniform() {
    Vector y(center_.size());
    for (double& v : y) v = normal_(random_);
    const double length = std::pow(share_(random_), 1 / static_cast<double>(y.size()));
    return center_ + (radius_ * length / y.norm()) * y;
  }
  // Goldstein's lemma: if the least norm is below ‖g‖, the gradient on the way from x to x − αg/‖g‖ is
  // somewhere less steep than g [Zhang et al. 2020].
  Vector towards(const Vector& descent) {
    const Vector around = uniform() - center_;
    Vector y = -(radius_ * share_(random_) / descent.norm()) * descent + 1e-3 * around;
    if (const double norm = y.norm(); norm > radius_) y *= radius_ / norm;
    return center_ + y;
  }

 private:
  Vector center_;
  double radius_;
  std::mt19937_64 random_;
  std::normal_distribution<> normal_;
  std::uniform_real_distribution<> share_{0, 1};
};

}  // namespace

MinNormPoint min_norm_point(const Matrix& columns) {
  if (columns.cols() == 0) throw_error<UsageError>("the convex hull of no points is asked for");
  Eigen::Index shortest = 0;
  columns.colwise().squaredNorm().minCoeff(&shortest);
  const double stop = tolerance * columns.colwise().squaredNorm().maxCoeff();
  Corral corral{{shortest}, {1}};
  Vector x = columns.col(shortest);
  double least = x.squaredNorm();
  for (Eigen::Index k = 0; k < 100 + 10 * columns.cols(); ++k) {
    Eigen::Index next = 0;
    const double product = (columns.transpose() * x).minCoeff(&next);
    least = product;
    if (x.squaredNorm() - product <= stop || std::ranges::find(corral.members, next) != corral.members.end())
      break;
    corral.members.push_back(next);
    corral.weights.push_back(0);
    restore(columns, corral);
    x = corral.point(columns);
  }
  MinNormPoint result{x, Vector::Zero(columns.cols()), x.norm() > 0 ? std::max(0.0, least / x.norm()) : 0};
  for (std::size_t i = 0; i < corral.members.size(); ++i)
    result.weights[corral.members[i]] = corral.weights[i];
  return result;
}

GoldsteinNorm goldstein_norm(const GradientField& gradient, const Vector& x, double radius,
                             const GoldsteinOptions& options) {
  if (!(radius > 0) || options.samples == 0)
    throw_error<UsageError>("a Goldstein norm needs a radius > 0 and at least one sample, not {} and {}",
                            radius, options.samples);
  PointsInBall points(x, radius, options.seed);
  Matrix columns(x.size(), static_cast<Eigen::Index>(options.samples));
  Vector g(x.size());
  std::size_t taken = 0;
  const auto take = [&](const Vector& y) {
    gradient(y, g);
    columns.col(static_cast<Eigen::Index>(taken++)) = g;
  };
  while (taken < (options.samples + 1) / 2) take(taken == 0 ? x : points.uniform());
  MinNormPoint nearest = min_norm_point(columns.leftCols(static_cast<Eigen::Index>(taken)));
  while (taken < options.samples) {
    const std::size_t now = std::min(options.samples - taken, options.samples / (2 * rounds) + 1);
    for (std::size_t k = 0; k < now; ++k)
      take(nearest.point.norm() > 0 ? points.towards(nearest.point) : points.uniform());
    nearest = min_norm_point(columns.leftCols(static_cast<Eigen::Index>(taken)));
  }
  return {nearest.point.norm(), nearest.lower_bound, taken};
}

}  // namespace tacit::inline v1::audit
