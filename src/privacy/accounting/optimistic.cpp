#include <algorithm>

#include "core/numbers.hpp"
#include "privacy/accounting/lattice_parts.hpp"

namespace tacit::inline v1::pld {

namespace {

// Tangents: bin j is one outcome (merging outcomes only hides), made of those with a loss near node j. Its
// custom loss c = ln(a/b) is not on the grid, so it is merged further with as much mass of a neighbouring
// node as brings the two together onto node j: of the node below when c is above node j, of the node above
// when c is below. The line through the new values of F at two neighbouring nodes then lies below the tangent
// of F in the cell between them [docs/accounting.md].
class Bins {
 public:
  Bins(const LossLaw& law, const Grid& grid);
  std::vector<double> masses() const;

 private:
  struct Bin {
    double mass = 0;    // P-mass, rounded down
    double excess = 0;  // a − e^node b, rounded down: > 0 where c is above the node
  };
  Bin measure(std::size_t j) const;
  double from_below(std::size_t j) const;  // mass to merge with, where excess > 0
  double from_above(std::size_t j) const;  // … where excess < 0
  void fit_upper_edge(std::size_t j);
  void fit_lower_edge(std::size_t j);

  const LossLaw& law_;
  const Grid& grid_;
  std::size_t n_;
  std::vector<double> edges_;  // bin j holds the outcomes in (edges_[j], edges_[j+1]]
  std::vector<Bin> bins_;
};

// Where the law begins or ends steeply a neighbour would have too little mass to give. There the edge of a
// bin is moved instead, so that its custom loss comes onto its node. Edges may lie anywhere.
Bins::Bins(const LossLaw& law, const Grid& grid)
    : law_(law), grid_(grid), n_(grid.nodes.size()), edges_(n_ + 1, infinity), bins_(n_) {
  edges_[0] = -infinity;
  for (std::size_t j = 1; j < n_; ++j)  // disjoint bins need ascending edges, rounding or not
    edges_[j] = std::fmax(law.position(grid.loss(j - 1) + grid.width(j - 1) / 2), edges_[j - 1]);
  edges_[n_] = std::fmax(law.position(grid.loss(n_ - 1)), edges_[n_ - 1]);  // what lies above is left out
  for (std::size_t j = 0; j < n_; ++j) bins_[j] = measure(j);
  const auto peak = static_cast<std::size_t>(std::ranges::max_element(bins_, {}, &Bin::mass) - bins_.begin());
  for (std::size_t j = 0; j < peak; ++j) fit_upper_edge(j);
  for (std::size_t j = n_ - 1; j > peak; --j) fit_lower_edge(j);
  fit_upper_edge(peak);
  if (peak + 1 < n_) bins_[peak + 1] = measure(peak + 1);
}

Bins::Bin Bins::measure(std::size_t j) const {
  const CellMass bin = law_.mass(edges_[j], edges_[j + 1]);
  const double at = grid_.loss(j);
  if (at > largest_exponent) return {bin.p.low, -infinity};
  const double moved = exp_up(at) * bin.q.high * (1 + 4 * unit_roundoff * (1 + std::fabs(at) + grid_.step));
  return {bin.p.low, bin.p.low - moved - 2 * unit_roundoff * (bin.p.low + moved)};
}

// (a e^{−c} + x e^{−neighbour}) = (a + x) e^{−node}, solved for x; less of it, or more from above, is as
// safe.
double Bins::from_below(std::size_t j) const {
  if (j == 0 || !(bins_[j].excess > 0)) return 0;
  return bins_[j].excess / library_up(std::expm1(grid_.width(j - 1))) * (1 - 8 * unit_roundoff);
}
double Bins::from_above(std::size_t j) const {
  if (!(bins_[j].excess < 0)) return 0;
  if (j + 1 == n_) return infinity;
  return bins_[j].excess / library_up(std::expm1(-grid_.width(j))) * (1 + 8 * unit_roundoff);
}

constexpr double spare = 0.5;  // of a node's mass that a neighbour may count on
constexpr int halvings = 14;   // [utility only, as are the edges]

void Bins::fit_upper_edge(std::size_t j) {
  bins_[j] = measure(j);
  const double available = j > 0 ? spare * bins_[j - 1].mass * std::expm1(grid_.width(j - 1)) : 0;
  if (!(bins_[j].excess > available)) return;
  double low = std::fmax(law_.position(grid_.loss(j)), edges_[j]), high = edges_[j + 1];
  for (int k = 0; k < halvings && low < high && std::isfinite(low) && std::isfinite(high); ++k) {
    edges_[j + 1] = low + (high - low) / 2;
    (measure(j).excess > available ? high : low) = edges_[j + 1];
  }
  edges_[j + 1] = low;
  bins_[j] = measure(j);
}

void Bins::fit_lower_edge(std::size_t j) {
  bins_[j] = measure(j);
  const double available = j + 1 < n_ ? -spare * bins_[j + 1].mass * std::expm1(-grid_.width(j)) : 0;
  if (!(-bins_[j].excess > available) || std::isinf(bins_[j].excess)) return;
  double low = edges_[j], high = std::fmin(law_.position(grid_.loss(j)), edges_[j + 1]);
  for (int k = 0; k < halvings && low < high && std::isfinite(low) && std::isfinite(high); ++k) {
    edges_[j] = low + (high - low) / 2;
    (-measure(j).excess > available ? low : high) = edges_[j];
  }
  edges_[j] = high;
  bins_[j] = measure(j);
}

// From the top down: a node can give no more than its own mass. What is asked from below is then cut; of a
// bin that asks from above only a part can be served, and the rest goes to the node below it: no outcome of
// the bin has a smaller loss than that.
std::vector<double> Bins::masses() const {
  std::vector<double> masses(n_, 0.0);
  double served = 0;  // the part of bin j that the node above it serves
  for (std::size_t j = n_; j-- > 0;) {
    if (from_above(j) == 0) served = 1;
    const double mass = bins_[j].mass * served, gained = served > 0 ? from_above(j) * served : 0;
    if (j > 0) masses[j - 1] += bins_[j].mass - mass;
    const double above = j + 1 < n_ ? from_below(j + 1) : 0, asked = j > 0 ? from_above(j - 1) : 0;
    const double below = std::isinf(asked) ? 0 : asked;
    const double part = above + below > mass ? mass / (above + below) * (1 - 8 * unit_roundoff) : 1;
    const double given = part < 1 ? mass : above + below;
    masses[j] += std::fmax(mass - given, 0.0) + gained;
    if (j + 1 < n_) masses[j + 1] += above * part;
    served = std::isinf(asked) ? 0 : part;
  }
  for (double& mass : masses) mass = std::fmax(next_down(mass * (1 - 16 * unit_roundoff)), 0.0);
  return masses;
}

}  // namespace

LatticeLaw optimistic(const LossLaw& law, const Grid& grid) {
  std::vector<double> masses;
  double shift = 0;
  if (law.continuous) {
    masses = Bins(law, grid).masses();
    for (std::size_t j = 0; j < grid.nodes.size(); ++j)  // an edge may lie this much below its node
      shift = std::fmax(shift, law.loss_error(grid.loss(j)) + label_error(grid, grid.loss(j)));
  }
  std::map<std::int64_t, double> atoms;
  for (const Atom& atom : law.atoms) {
    if (!(std::fabs(atom.loss / grid.step) < index_limit)) continue;
    const Place at = place(atom.loss, grid.step);
    if (at.on_grid) shift = std::fmax(shift, at.gap);
    atoms[at.below] = next_down(atoms[at.below] + atom.mass.low);
  }
  LatticeLaw lattice = collect(grid, masses, atoms);
  lattice.infinite = law.infinite.low;
  lattice.shift = shift;
  return lattice;
}

}  // namespace tacit::inline v1::pld
