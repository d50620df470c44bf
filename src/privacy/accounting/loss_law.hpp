#pragma once

#include <memory>
#include <vector>

#include "tacit/meter.hpp"

// The privacy loss L = ln dP/dQ of one mechanism, P and Q its output laws on two neighbours that dominate
// every other pair. All that composition needs of it is the law of L under P, written as
//   F(z) = E_P (1 − e^{z−L})_+ = delta at epsilon = z.
// See docs/accounting.md.

namespace tacit::inline v1::pld {

struct Enclosure {
  double low = 0, high = 0;
};

// A point of the loss that carries P-mass of its own.
struct Atom {
  double loss = 0;
  Enclosure mass;
};

// P- and Q-mass of a set of outcomes.
struct CellMass {
  Enclosure p, q;
};

// A rough picture of the law, for planning only: nothing that is charged rests on it.
struct SketchPoint {
  double loss = 0, log_mass = 0;
  double spread = 0;  // how far the loss moves over one standard deviation of the outcome; 0 for an atom
};

// Outcomes on a line, ordered so that the loss never falls, with atoms beside them.
class LossLaw {
 public:
  virtual ~LossLaw() = default;

  // The outcome up to which the loss is <= `loss`: −∞ or ∞ where none or all is. The loss at the returned
  // double differs from `loss` by at most loss_error(loss).
  virtual double position(double loss) const = 0;
  virtual double loss_error(double loss) const = 0;
  virtual CellMass mass(double from, double to) const = 0;  // of the outcomes in (from, to], without atoms
  virtual std::vector<SketchPoint> sketch() const = 0;

  double least = 0, greatest = 0;  // the range of the finite losses; may be infinite
  std::vector<Atom> atoms;
  Enclosure infinite;      // P-mass of an infinite loss
  bool continuous = true;  // whether there is anything beside the atoms
};

// P = (1−q) N(0,σ²) + q N(1,σ²) against Q = N(0,σ²), or the two swapped.
enum class Direction { remove, add };
std::unique_ptr<LossLaw> sampled_gaussian(double sigma, double rate, Direction direction);

// A law that lies above the loss of Gaussian objective perturbation, stochastically
// [docs/gaussian_objective.md].
std::unique_ptr<LossLaw> gaussian_objective(const GaussianObjectiveEvent& event);

// Laplace noise of scale 1/epsilon on a number that moves by 1.
std::unique_ptr<LossLaw> laplace(double epsilon);

// Randomised response behind a failure of probability delta: dominates every (epsilon, delta)-DP mechanism
// [Kairouz, Oh & Viswanath 2015, Thm 3.2; Murtagh & Vadhan 2016].
std::unique_ptr<LossLaw> randomised_response(double epsilon, double delta);

// What a failure of probability delta adds, whatever it depends on: mass 1 without a loss, delta with an
// infinite one, so that together with any law of hockey-stick F it gives delta + F.
std::unique_ptr<LossLaw> failure_beside(double delta);

// The least pair above every mechanism whose log-density ratio has range <= epsilon [ours,
// docs/accounting.md; delta at each single point is that of Dong, Durfee & Rogers 2020].
std::unique_ptr<LossLaw> bounded_range(double epsilon);

}  // namespace tacit::inline v1::pld
