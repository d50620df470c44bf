#include "shift_grid.hpp"

#include <cmath>
#include <string_view>

#include "mechanism.hpp"
#include "tacit/core/error.hpp"

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

ShiftGrid shift_grid(double scale, double sensitivity, double range) {
  const Lattice lattice = lattice_for(scale, range);
  return {lattice, std::fmax(std::ceil(sensitivity / lattice.grid), 1.0) * lattice.grid};
}

}  // namespace tacit::inline v1::noise
