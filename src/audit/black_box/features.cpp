#include <algorithm>
#include <cmath>
#include <limits>

#include "audit/black_box/event.hpp"
#include "core/symmetric.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::audit {

namespace {

constexpr double lowest = -std::numeric_limits<double>::infinity();
// [heuristic: power only]
constexpr Eigen::Index most_coordinates = 8;  // beyond, projections have to do
constexpr Eigen::Index most_whitened = 64;

double not_nan(double x) { return std::isnan(x) ? lowest : x; }

// The exponent of the last bit that is set. Noise added in floating point leaves traces here: what was added
// to 0 has finer bits than what was added to 1 (Mironov 2012), and a grid that differs between neighbours
// shows too.
double last_bit(double x) {
  if (x == 0 || !std::isfinite(x)) return x == 0 ? std::numeric_limits<double>::infinity() : lowest;
  int exponent = 0;
  const double mantissa = std::frexp(x, &exponent);
  auto integer = static_cast<long long>(std::ldexp(std::fabs(mantissa), 53));
  exponent -= 53;
  for (; integer % 2 == 0; integer /= 2) ++exponent;
  return exponent;
}

Vector mean(std::span<const Vector> outputs, Eigen::Index size) {
  Vector sum = Vector::Zero(size);
  for (const Vector& x : outputs) sum += x / static_cast<double>(outputs.size());
  return sum;
}

// S⁻¹·difference, S the outputs' covariance: the direction that tells two Gaussians with that covariance
// apart best.
Vector whitened(const Vector& difference, std::span<const Vector> first, std::span<const Vector> second) {
  const Eigen::Index size = difference.size();
  Matrix covariance = Matrix::Zero(size, size);
  for (const auto& outputs : {first, second}) {
    const Vector center = mean(outputs, size);
    for (const Vector& x : outputs) covariance.selfadjointView<Eigen::Lower>().rankUpdate(x - center);
  }
  return pivoted_solve(covariance, difference);
}

bool same_size(std::span<const Vector> outputs, Eigen::Index size) {
  return std::ranges::all_of(outputs, [&](const Vector& x) { return x.size() == size; });
}

}  // namespace

std::vector<Feature> candidate_features(std::span<const Vector> first, std::span<const Vector> second) {
  Eigen::Index size = 0;
  for (const auto& outputs : {first, second})
    for (const Vector& x : outputs) size = std::max(size, x.size());
  std::vector<Feature> features;
  const auto coordinate = [](const Vector& x, Eigen::Index j) { return j < x.size() ? x[j] : lowest; };
  for (Eigen::Index j = 0; j < std::min(size, most_coordinates); ++j) {
    features.push_back(
        {fmt::format("coordinate {}", j), [=](const Vector& x) { return not_nan(coordinate(x, j)); }});
    features.push_back({fmt::format("last bit of coordinate {}", j),
                        [=](const Vector& x) { return last_bit(coordinate(x, j)); }});
  }
  features.push_back({"number of outputs", [](const Vector& x) { return static_cast<double>(x.size()); }});
  if (!same_size(first, size) || !same_size(second, size)) return features;
  if (size < 2) return features;
  const auto add_projection = [&](const char* name, const Vector& direction) {
    const double norm = direction.norm();
    if (!(norm > 0 && std::isfinite(norm))) return;
    const Vector unit = direction / norm;
    features.push_back({name, [=](const Vector& x) { return not_nan(x.dot(unit)); }});
  };
  const Vector difference = mean(first, size) - mean(second, size);
  add_projection("projection", difference);
  if (size <= most_whitened) add_projection("whitened projection", whitened(difference, first, second));
  return features;
}

}  // namespace tacit::inline v1::audit
