#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "algorithm/posterior/exact.hpp"
#include "sampler/exact.hpp"

namespace tacit::inline v1::posterior {

namespace {

// ln ∫ r^{d−1} e^{−f(r)} dr over (0, most), f given by its second derivative, f(0) = f'(0) = 0.
template <class F>
double log_radial_mass(double d, double most, F&& second_derivative) {
  constexpr int steps = 2000;
  const double h = most / steps;
  double value = 0, slope = 0, largest = -1e300;
  std::vector<double> logs;
  for (int k = 1; k <= steps; ++k) {
    const double bend = second_derivative((k - 0.5) * h);
    value += h * slope + 0.5 * h * h * bend;
    slope += h * bend;
    logs.push_back((d - 1) * std::log(k * h) - value);
    largest = std::max(largest, logs.back());
  }
  double sum = 0;
  for (const double log : logs) sum += std::exp(log - largest);
  return largest + std::log(sum * h);
}

// A proposal takes about a multiplication for each record and parameter, of a nanosecond [heuristic: advice
// only, measured there, too].
constexpr double seconds_per_product = 1e-9, long_seconds = 60;

// How far from a kink a typical record is, in scores: half of the ramp's half width.
double kink_distance(const Link& link, const LossLimits& limits, double row_norm) {
  const Limits own = limits_of_record(limits.slope, limits.curvature, row_norm);
  const double c = own.slope, q = own.curvature;
  switch (link.kind) {
    case LinkKind::squared:
      return 0.5 * c / std::min(1.0, q);
    case LinkKind::huber:
      return 0.5 * std::min(link.parameter, c / std::min(1.0, q));
    case LinkKind::absolute:
      return 0.5 * std::min(1.0, c) / q;
    case LinkKind::pinball:
      return 0.5 * std::min({link.parameter, 1 - link.parameter, c}) / q;
    case LinkKind::hinge:
      return 0.25 * std::min(1.0, c) / q;
    case LinkKind::smoothed_hinge:
      return 0.25 * std::min(1.0, c) / std::min(q, 1 / link.parameter);
    default:
      return 1;
  }
}

}  // namespace

FourthMoments fourth_moments(const Shape& shape, const ExactPlan& plan) {
  if (shape.parameters() <= sampler::most_sharp_dimensions || !std::isinf(plan.ball))
    return FourthMoments::sharp;
  return shape.blocks.empty() ? FourthMoments::rows : FourthMoments::blocks;
}

// Notation [docs/posterior_exact.md, "Will it finish?"]: rows of norm A with half of the allowed curvature,
// spread evenly over d directions, give a Hessian w = ρ + γnQ/(2d) in each; whitened a row has norm A/√w, and
// β = (A/√w)·√(3/(d+2)), or A/√w where fourth moments are bounded by the longest row. Of encoded rows some
// direction has a curvature γm of few records, each with 1 there: β² is at most γm/(ρ+γm)² ≤ 1/(4ρ). The rise
// of −ln p is above its envelope ψ and, for smooth losses, below the same with e^{+βr}; the ratio of the two
// masses is the acceptance. The trivial envelope, which drops all records, is always there.
double predicted_acceptance(const Shape& shape, const ExactPlan& plan, double row_norm,
                            FourthMoments moments) {
  const auto* link = std::get_if<Link>(&shape.loss);
  const double d = static_cast<double>(shape.parameters()), n = static_cast<double>(shape.records);
  const double data = plan.inverse_temperature * n * plan.limits.curvature;
  const double outputs = static_cast<double>(shape.outputs), features = d / outputs;
  // Softmax: classes as likely as each other, 2Q/K of curvature in each of the K−1 outputs; the fourth
  // moments are bounded by the longest of a record's rows, √2·A.
  const auto of_link = [&] {
    if (moments == FourthMoments::blocks) return 0.5 / std::sqrt(plan.strength);
    const double whitened = row_norm / std::sqrt(plan.strength + data / (2 * d));
    return moments == FourthMoments::sharp ? whitened * std::sqrt(3 / (d + 2)) : whitened;
  };
  const double reach =
      link ? of_link()
           : std::sqrt(2) * row_norm / std::sqrt(plan.strength + 2 * data / ((outputs + 1) * features));
  const double most = std::min(3 * (std::sqrt(d) + 3), plan.ball * std::sqrt(plan.strength + data));
  const double trivial = -0.5 * d * std::log1p(data / plan.strength);
  double ratio = 0;
  if (!link || link->kind == LinkKind::logistic) {
    ratio = log_radial_mass(d, most, [&](double r) { return std::exp(reach * r); }) -
            log_radial_mass(d, most, [&](double r) { return std::exp(-reach * r); });
  } else {
    const double kink = reach / kink_distance(*link, plan.limits, row_norm);
    ratio = log_radial_mass(d, most, [&](double) { return 1.0; }) -
            log_radial_mass(d, most, [&](double r) { return std::max(0.0, 1 - kink * kink * r * r); });
  }
  // A ball costs up to a factor 30 more, wherever the minimiser lies (measured for d ≤ 100).
  const double ball = std::isinf(plan.ball) ? 0 : std::log(1.0 / 30);
  return std::exp(std::max(ratio, trivial) + ball);
}

std::string long_work(const Shape& shape, double acceptance, std::size_t samples) {
  const double products = static_cast<double>(shape.records) * static_cast<double>(shape.parameters());
  const double seconds = seconds_per_product * products * static_cast<double>(samples) / acceptance;
  if (!(seconds > long_seconds)) return "";
  return fmt::format(
      "exact sampling may take about {:.2g} minutes, as one in {:.2g} proposals is predicted to be accepted; "
      "more regularisation, a larger budget, {}or another method, such as dp-gd, would shorten it",
      seconds / 60, 1 / acceptance,
      shape.blocks.empty() ? "fewer columns " : "the encoder linear-v1 (fewer parameters) ");
}

}  // namespace tacit::inline v1::posterior
