#include <cmath>

#include "algorithm/tuning.hpp"
#include "noise/coins.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::tuning {

double stopping_parameter(double mean_runs) {
  if (!(mean_runs >= 1 && mean_runs <= 1e6))
    throw_error<UsageError>("the mean number of runs is {}, expected 1 to 1e6", mean_runs);
  // (1/γ − 1)/ln(1/γ) falls from ∞ to 1 as γ goes from 0 to 1.
  double low = 1e-12, high = 1 - 1e-9;
  for (int k = 0; k < 200; ++k) {
    const double gamma = 0.5 * (low + high);
    ((1 / gamma - 1) / -std::log(gamma) > mean_runs ? low : high) = gamma;
  }
  return 0.5 * (low + high);
}

std::size_t draw_runs(double gamma, BitSource& bits) {
  // Inversion: the least k with U < F(k), F(k) = Σ_{j≤k} (1−γ)^j/j / ln(1/γ), each comparison decided.
  noise::LazyUniform uniform(bits);
  const auto cumulative = [gamma](std::size_t k) {
    return [gamma, k](long precision) {
      const Interval stop(gamma, precision), factor = -(stop - 1.0);
      Interval power(1, precision), sum(0, precision);
      for (std::size_t j = 1; j <= k; ++j) {
        power *= factor;
        sum += power / static_cast<double>(j);
      }
      return sum / -log(stop);
    };
  };
  std::size_t runs = 1;
  while (!noise::is_less(uniform, cumulative(runs), bits)) ++runs;
  return runs;
}

}  // namespace tacit::inline v1::tuning
