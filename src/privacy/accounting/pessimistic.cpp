#include <algorithm>

#include "core/numbers.hpp"
#include "privacy/accounting/lattice_parts.hpp"

namespace tacit::inline v1::pld {

namespace {

// Of P-mass a and Q-mass b whose ratio lies between e^low and e^{low+width}: the P-mass that belongs at the
// upper end when a and b are both kept, (a − e^low b)/(1 − e^{−width}); rounded up, and never more than a.
double share_above(double a, double b, double low, double width) {
  if (low > largest_exponent) return a;
  const double excess = a - exp_down(low) * b * (1 - 4 * unit_roundoff);
  const double share = std::fmax(excess, 0.0) * (1 + 8 * unit_roundoff) / -library_up(std::expm1(-width));
  return share < a ? share : a;
}

// Splits an atom between the grid points around it. Its Q-mass is a e^{−loss}.
void split_atom(const Atom& atom, double step, std::map<std::int64_t, double>& atoms, double& shift) {
  const Place at = place(atom.loss, step);
  const double a = atom.mass.high;
  double top = 0;
  if (at.on_grid) {
    shift = std::fmax(shift, at.gap);
  } else {
    const double into_cell = atom.loss - static_cast<double>(at.below) * step;
    const double rounding = 4 * unit_roundoff * std::fabs(atom.loss) / step + 1e-12;
    top = std::fmin(a * (std::expm1(-into_cell) / std::expm1(-step) + rounding), a);
  }
  atoms[at.below] = next_up(atoms[at.below] + next_up(a - top));
  if (top > 0) atoms[at.below + 1] = next_up(atoms[at.below + 1] + top);
}

}  // namespace

LatticeLaw collect(const Grid& grid, const std::vector<double>& masses,
                   const std::map<std::int64_t, double>& atoms) {
  LatticeLaw lattice{.step = grid.step, .offset = grid.offset, .taps = {}, .infinite = 0, .shift = 0};
  for (std::size_t j = 0; j < masses.size(); ++j)
    if (masses[j] > 0) lattice.taps.push_back({grid.nodes[j], masses[j]});
  for (const auto& [index, mass] : atoms)
    if (mass > 0) lattice.taps.push_back({index, mass});
  std::ranges::sort(lattice.taps, {}, &Tap::index);
  return lattice;
}

// Connect the dots [Doroshenko, Ghazi, Kamath, Kumar & Manurangsi 2022]: each cell's mass goes to its two
// ends so that its P- and Q-mass stay. F at the nodes stays, and between them becomes the chord of a convex
// function.
LatticeLaw pessimistic(const LossLaw& law, const Grid& grid) {
  const std::size_t n = grid.nodes.size();
  std::vector<double> masses(n, 0.0);
  double shift = 0, above = law.infinite.high;
  if (law.continuous) {
    for (std::size_t j = 0; j < n; ++j) {
      const double loss = grid.loss(j);
      shift = std::fmax(shift, law.loss_error(loss) + label_error(grid, loss));
    }
    double from = law.position(grid.loss(0));
    masses[0] = law.mass(-infinity, from).p.high;
    for (std::size_t j = 0; j + 1 < n; ++j) {
      const double to = std::fmax(law.position(grid.loss(j + 1)), from);
      const CellMass cell = law.mass(from, to);
      // In this cell the loss lies in [low − shift, low + width + shift]; both ends then move up to +shift.
      const double top =
          share_above(cell.p.high, cell.q.low, grid.loss(j) - shift, grid.width(j) + 2 * shift);
      masses[j] = next_up(masses[j] + next_up(cell.p.high - top));
      masses[j + 1] = next_up(masses[j + 1] + top);
      from = to;
    }
    above = next_up(above + law.mass(from, infinity).p.high);
  }
  std::map<std::int64_t, double> atoms;
  for (const Atom& atom : law.atoms) {
    const double index = atom.loss / grid.step;
    if (index >= index_limit)
      above = next_up(above + atom.mass.high);
    else if (index <= -index_limit)  // a higher loss than its own
      atoms[static_cast<std::int64_t>(-index_limit)] += 2 * atom.mass.high;
    else
      split_atom(atom, grid.step, atoms, shift);
  }
  LatticeLaw lattice = collect(grid, masses, atoms);
  lattice.infinite = above;
  lattice.shift = shift;
  return lattice;
}

}  // namespace tacit::inline v1::pld
