#pragma once

#include <malloc.h>

#include "common.hpp"
#include "noise/prefix_sums.hpp"
#include "tacit/mechanisms.hpp"
#include "tacit/root_meter.hpp"

namespace nonconvex_runs {

struct Measured {
  double mean_square = 0;      // of the noise, over steps, per coordinate, at mu = 1 and sensitivity 1
  double worst_deviation = 0;  // of a step's variance from its formula, relative
  double kept = 0;             // vectors that a period holds at its end
};

inline Measured measure(noise::PrefixKind kind, std::size_t steps, std::size_t dimension, int repeats) {
  const Sensitivity one{.value = 1, .norm = Norm::l2, .reason = "an experiment"};
  const double sigma = std::sqrt(noise::prefix_norm_squared(kind, steps)) * 1.001;
  const auto bits = noise::system_bits();
  std::vector<double> squares(steps, 0.0);
  const Sensitive<Vector> nothing(Vector::Zero(static_cast<Eigen::Index>(dimension)), one,
                                  Neighbours::replace_one);
  Measured result;
  for (int k = 0; k < repeats; ++k) {
    RootMeter meter({Gaussian{1}}, *bits);
    const double before = static_cast<double>(mallinfo2().uordblks + mallinfo2().hblkhd);
    noise::PrefixSums sums(kind, steps, dimension, one, sigma, 1, meter);
    for (std::size_t t = 0; t < steps; ++t)
      squares[t] += sums.add(nothing).value().squaredNorm() / static_cast<double>(dimension * repeats);
    const double after = static_cast<double>(mallinfo2().uordblks + mallinfo2().hblkhd);
    result.kept = (after - before) / (8 * static_cast<double>(dimension));
  }
  for (std::size_t t = 0; t < steps; ++t) {
    const double expected = sigma * sigma * noise::prefix_variance(kind, t + 1);
    result.mean_square += squares[t] / static_cast<double>(steps);
    result.worst_deviation = std::max(result.worst_deviation, std::fabs(squares[t] / expected - 1));
  }
  return result;
}

// Variance of every step against its formula, and the ratio of mean squared errors at the same mu. A step's
// variance comes from 10⁴ numbers: its relative deviation is 0.014, the largest of 1024 about 0.05.
inline void prefix_noise(const Flags& flags) {
  constexpr std::size_t dimension = 500;
  constexpr int repeats = 20;
  std::string table =
      "| steps | worst step, tree | worst step, square root | ratio of mean squares | by formula | kept, "
      "tree | "
      "kept, square root |\n|---|---|---|---|---|---|---|\n";
  for (const std::size_t steps : {16u, 64u, 256u, 1024u}) {
    const Measured tree = measure(noise::PrefixKind::tree, steps, dimension, repeats);
    const Measured root = measure(noise::PrefixKind::square_root, steps, dimension, repeats);
    double formula[2] = {0, 0};
    for (const bool is_root : {false, true}) {
      const auto kind = is_root ? noise::PrefixKind::square_root : noise::PrefixKind::tree;
      for (std::size_t t = 1; t <= steps; ++t) formula[is_root] += noise::prefix_variance(kind, t);
      formula[is_root] *= noise::prefix_norm_squared(kind, steps);
    }
    table += fmt::format("| {} | {:.1f} % | {:.1f} % | {:.3f} | {:.3f} | {:.1f} | {:.1f} |\n", steps,
                         100 * tree.worst_deviation, 100 * root.worst_deviation,
                         tree.mean_square / root.mean_square, formula[0] / formula[1], tree.kept, root.kept);
  }
  write(flags, "prefix_noise", table, nullptr);
}

}  // namespace nonconvex_runs
