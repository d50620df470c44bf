#include <algorithm>
#include <cmath>
#include <limits>

#include "event.hpp"
#include "tacit/core/error.hpp"

namespace tacit::inline v1::audit {

namespace {

constexpr double lowest = -std::numeric_limits<double>::infinity();
constexpr Eigen::Index most_coordinates = 8;  // [heuristic: power only] beyond, the projection has to do

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

bool same_size(std::span<const Vector> outputs, Eigen::Index size) {
  return std::ranges::all_of(outputs, [&](const Vector& x) { return x.size() == size; });
}

}  // namespace

std::vector<Feature> candidate_features(std::span<const Vector> first, std::span<const Vector> second) {
  const Eigen::Index size = first[0].size();
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
  const Vector difference = mean(first, size) - mean(second, size);
  if (const double norm = difference.norm(); size > 1 && norm > 0 && std::isfinite(norm)) {
    const Vector direction = difference / norm;
    features.push_back({"projection", [=](const Vector& x) { return not_nan(x.dot(direction)); }});
  }
  return features;
}

}  // namespace tacit::inline v1::audit
