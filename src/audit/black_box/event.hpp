#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tacit/core.hpp"

namespace tacit::inline v1::audit {

// A number read off an output.
struct Feature {
  std::string name;
  std::function<double(const Vector&)> value;  // never NaN
};

// Features that may tell the outputs of the one from those of the other: projections on the difference of the
// means, coordinates, how fine the coordinates are, how many there are.
std::vector<Feature> candidate_features(std::span<const Vector> first, std::span<const Vector> second);

// A union of cells of a feature's range; cell k is (thresholds[k−1], thresholds[k]].
struct OutputEvent {
  Feature feature;
  std::vector<double> thresholds;  // ascending
  std::vector<bool> cells;         // thresholds.size() + 1
  bool likelier_on_first = true;

  bool contains(const Vector& output) const;
  std::string describe() const;
};

// The event whose probabilities differ most, for a claim with this delta, judged by the outputs given.
OutputEvent choose_event(std::span<const Vector> first, std::span<const Vector> second, double delta,
                         double confidence);

}  // namespace tacit::inline v1::audit
