#include "shift_grid.hpp"

#include <cmath>

namespace tacit::inline v1::noise {

ShiftGrid shift_grid(double scale, double sensitivity, double range) {
  const Lattice lattice = lattice_for(scale, range);
  return {lattice, std::ceil(sensitivity / lattice.grid) * lattice.grid};
}

}  // namespace tacit::inline v1::noise
