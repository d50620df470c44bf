#pragma once

#include <bit>
#include <cmath>

#include "algorithm/clipping/run.hpp"
#include "tacit/core.hpp"
#include "tacit/meter.hpp"

namespace tacit::inline v1::clipping {

// Uniform among 0 … count−1, exactly: numbers of as many bits as needed, until one is below count.
inline std::uint64_t uniform_below(std::uint64_t count, BitSource& bits) {
  const auto width = static_cast<unsigned>(std::bit_width(count - 1));
  if (width == 0) return 0;
  for (;;) {
    std::uint64_t word = 0;
    bits.fill({&word, 1});
    if (const std::uint64_t value = word >> (64 - width); value < count) return value;
  }
}

inline void round_to_grid(Vector& w, double grid) {
  for (double& v : w) v = std::nearbyint(v / grid) * grid + 0.0;  // + 0.0: no −0
}

// Onto ‖w‖ ≤ radius; towards 0 on the grid, so that rounding does not lead out again.
inline void project(Vector& w, double radius, double grid) {
  const double norm = w.norm();
  if (!(norm > radius)) return;
  const double factor = radius / norm;
  for (double& v : w) v = std::trunc(v * factor / grid) * grid + 0.0;
}

// The iterates so far, and the one that will be returned.
class Iterates {
 public:
  struct Rule {
    double grid = 0, radius = 0;  // radius 0: no ball
    Iterate kind = Iterate::average;
    std::uint64_t steps = 0;
  };

  Iterates(Vector start, const Rule& rule, BitSource& bits)
      : current_(std::move(start)),
        grid_(rule.grid),
        radius_(rule.radius),
        kind_(rule.kind),
        steps_(rule.steps) {
    round_to_grid(current_, grid_);
    if (radius_ > 0) project(current_, radius_, grid_);
    if (kind_ == Iterate::random) chosen_at_ = uniform_below(steps_, bits);
    if (kind_ == Iterate::average) chosen_ = Vector::Zero(current_.size());
  }

  const Vector& current() const { return current_; }

  // w_{t+1} = Π(shrink·w_t − noisy)
  void step(const Vector& noisy, double shrink = 1) {
    if (kind_ == Iterate::random && taken_ == chosen_at_) chosen_ = current_;
    if (shrink != 1) {
      current_ *= shrink;
      round_to_grid(current_, grid_);
    }
    current_ -= noisy;
    if (radius_ > 0) project(current_, radius_, grid_);
    ++taken_;
    if (kind_ == Iterate::average && 2 * taken_ > steps_) chosen_ += current_;
  }

  std::uint64_t taken() const { return taken_; }

  // What another process needs to go on: released values and public ones.
  Vector state(double clip_norm) const {
    Vector state(saved_parameters + current_.size() + chosen_.size());
    state << static_cast<double>(taken_), static_cast<double>(chosen_at_), clip_norm, current_, chosen_;
    return state;
  }
  void restore(const Vector& state) {
    const Eigen::Index size = current_.size(), chosen = state.size() - saved_parameters - size;
    if (chosen != 0 && chosen != size)
      throw_error<DataError>("a saved state has {} numbers, which do not fit {} parameters", state.size(),
                             size);
    taken_ = static_cast<std::uint64_t>(state[saved_taken]);
    chosen_at_ = static_cast<std::uint64_t>(state[saved_chosen_at]);
    current_ = state.segment(saved_parameters, size);
    chosen_ = state.tail(chosen);
  }

  Vector result() const {
    if (kind_ == Iterate::last) return current_;
    if (kind_ == Iterate::random) return chosen_;
    Vector mean = chosen_ / static_cast<double>(steps_ - steps_ / 2);
    round_to_grid(mean, grid_);
    return mean;
  }

 private:
  Vector current_, chosen_;
  double grid_, radius_;
  Iterate kind_;
  std::uint64_t steps_, taken_ = 0, chosen_at_ = 0;
};

}  // namespace tacit::inline v1::clipping
