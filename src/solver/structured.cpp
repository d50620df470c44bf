#include "solver/structured.hpp"

#include <algorithm>
#include <cmath>

#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

LocalDomain local_domain(const ExtensionSetting& setting) {
  return setting.local ? LocalDomain(setting.domain, *setting.local) : LocalDomain(setting.domain);
}

// L = C + λ·max‖w − w₀‖, a little rounded up.
double pull_bound(const ExtensionSetting& setting) {
  const auto* ball = std::get_if<Ball>(&setting.domain);
  const double reach =
      ball ? (ball->center - setting.center).norm() + ball->radius : LocalDomain(setting.domain).diameter();
  return mul_up(1 + 0x1p-20, setting.lipschitz + setting.regularisation * reach);
}

// What rounding a subgradient (m + d + 32 operations), the steps and the average may add to the gap.
double rounding_of(const ExtensionSetting& setting, std::size_t records, double size, double diameter,
                   double iterations) {
  const double pull = pull_bound(setting), lambda = setting.regularisation;
  const double subgradients =
      gamma_bound(records + static_cast<std::size_t>(setting.center.size()) + 32) * 2 * pull * diameter;
  const double steps =
      8 * unit_roundoff *
      (size * diameter * lambda * (iterations + 1) + pull * (diameter + size) + pull * pull / lambda);
  const double average = pull * size * (iterations * 0x1p-60 + 8 * unit_roundoff);
  return 1.01 * (subgradients + steps + average);
}

}  // namespace

IterationBound structured_iterations(const ExtensionSetting& setting, const LossSizes& sizes,
                                     double accuracy) {
  const LocalDomain local = local_domain(setting);
  const double pull = pull_bound(setting), lambda = setting.regularisation;
  const double iterations = std::ceil(1.001 * 4 * pull * pull / (lambda * accuracy));
  const double gaps =
      StructuredOracle(setting.domain, setting.lipschitz).gap_bound(sizes.lipschitz, sizes.dimension);
  const double projections = 0.25 * lambda * (iterations + 1) * local.excess_bound(pull / lambda);
  const double rounding =
      rounding_of(setting, sizes.records, largest_norm(setting.domain), local.diameter(), iterations);
  if (gaps + projections + rounding <= 0.49 * accuracy) return {iterations, ""};
  return {iterations,
          fmt::format(
              "double arithmetic is too coarse for an accuracy of {:.3g}: the oracle's gap may be {:.3g}, "
              "projections {:.3g} and rounding {:.3g}",
              accuracy, gaps, projections, rounding)};
}

Accurate minimise_structured(const ExtensionSetting& setting, const PolyhedralLoss& loss, double accuracy) {
  const LocalDomain local = local_domain(setting);
  const StructuredOracle oracle(setting.domain, setting.lipschitz);
  const double pull = pull_bound(setting), lambda = setting.regularisation;
  const auto m = static_cast<double>(loss.records());
  const auto last = static_cast<std::uint64_t>(std::ceil(1.001 * 4 * pull * pull / (lambda * accuracy)));

  Vector x = local.some_point(), g(x.size());
  Eigen::Matrix<long double, Eigen::Dynamic, 1> sum =
      Eigen::Matrix<long double, Eigen::Dynamic, 1>::Zero(x.size());
  long double gaps = 0, projections = 0, weights = 0;
  for (std::uint64_t t = 1; t <= last; ++t) {
    const auto weight = static_cast<long double>(t);
    double gap = 0;
    g.setZero();
    for (std::size_t i = 0; i < loss.records(); ++i) {
      const Cut cut = oracle.cut(loss[i], x);
      g += cut.slope;
      gap += cut.upper - cut.lower;
    }
    g = g / m + lambda * (x - setting.center);
    sum += weight * x.cast<long double>();
    weights += weight;
    gaps += weight * static_cast<long double>(gap / m);

    const double eta = 2 / (lambda * (static_cast<double>(t) + 1));
    NearPoint near = local.project(x - eta * g);
    x.swap(near.point);
    projections += weight * static_cast<long double>(near.excess / (2 * eta));
  }
  const auto count = static_cast<double>(last);
  const double main = 2 * pull * pull / (lambda * (count + 1));
  const double gap = main + static_cast<double>((gaps + projections) / weights) +
                     rounding_of(setting, loss.records(), oracle.size(), local.diameter(), count);
  return {(sum / weights).cast<double>(), gap * (1 + 1e-6), last};
}

}  // namespace tacit::inline v1
