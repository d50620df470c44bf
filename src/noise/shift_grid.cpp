#include "noise/shift_grid.hpp"

#include <cmath>
#include <string_view>

#include "noise/lazy_uniform.hpp"
#include "noise/mechanism.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::noise {

void check_scores(const Sensitivity& sensitivity, double range, Pure epsilon) {
  const auto require = [](double value, std::string_view what) {
    if (!(value >= 1e-100 && value <= 1e100))
      throw_error<UsageError>("{} is {}, expected 1e-100 to 1e100", what, value);
  };
  require(checked_total(sensitivity), "the scores' sensitivity");
  require(range, "the scores' range");
  require(epsilon.epsilon, "epsilon");
}

namespace {

// A decided −ln U is at most 64·most_words·ln 2, and the score at most 2^50 cells.
constexpr double most_scale = 0x1p36;  // in cells
static_assert(0x1p50 + 2 * most_scale * (64 * most_words * 0.6932) + 1 < 0x1p53);

}  // namespace

ShiftGrid shift_grid(const Sensitivity& sensitivity, double range, Pure epsilon) {
  check_scores(sensitivity, range, epsilon);
  const Lattice lattice = lattice_for(2 * sensitivity.total() / epsilon.epsilon, range);
  const double shift = std::fmax(std::ceil(sensitivity.total() / lattice.grid), 1.0) * lattice.grid;
  const double scale = div_up(2 * shift, epsilon.epsilon);
  if (!(scale <= most_scale * lattice.grid))
    throw_error<UsageError>("epsilon is {}, expected at least {:.2g} where noisy scores are compared",
                            epsilon.epsilon, 2 * shift / (most_scale * lattice.grid));
  return {lattice, shift, scale};
}

}  // namespace tacit::inline v1::noise
