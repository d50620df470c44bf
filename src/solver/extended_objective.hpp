#pragma once

// The regularised mean of Lipschitz extensions over a ball or box W, record by record:
//   F(w) = (1/n) Σ f̃ᵢ(w) + (λ/2)‖w − w₀‖²,   f̃ᵢ(w) = min over y in W⁺ of fᵢ(y) + H(‖w − y‖),
// H(r) = Q·r²/2 up to r = C/Q and C·r − C²/(2Q) beyond, W⁺ the set W with C/Q more on every side: convex,
// C-Lipschitz, Q-smooth, and for large Q the Lipschitz extension f_C [Lowy26, (5)]. fᵢ is the record's loss,
// limited to slopes of A‖·‖. docs/double_output.md, "Record by record", has the proofs.

#include <vector>

#include "loss/limited.hpp"
#include "tacit/core.hpp"
#include "tacit/problem.hpp"

namespace tacit::inline v1 {

struct ExtendedSetting {
  double lipschitz = 1;       // C > 0
  double gradient_bound = 1;  // A > 0
  double curvature = 1;       // Q ≥ C/D
  double regularisation = 1;  // λ > 0
  std::size_t records = 0;  // n, at least as many as there are: the others are null; 0: as many as there are
  Vector center;            // w₀, in W
  Domain domain;            // W: a ball or a box
};

// How far a computed gradient may be from an exact one, over all data and all w of W: it is within `vector`
// of a g with F(u) ≥ F(w) + ⟨g, u − w⟩ + (λ/2)‖u − w‖² − cut for every u.
struct GradientCut {
  double vector = 0, cut = 0;
};
TACIT_API GradientCut extended_error(const ExtendedSetting& setting, const Shape& shape);

// Throws UsageError for a domain that is neither a ball nor a box, and for losses without one output and
// Poisson. The problem must outlive it.
class TACIT_API ExtendedObjective {
 public:
  ExtendedObjective(const Problem& problem, const ExtendedSetting& setting, unsigned threads);

  // ∇F(w), w in W.
  void gradient(const Vector& w, Vector& gradient);
  // The gradient of one record's f̃ at w.
  Vector record_gradient(std::size_t record, const Vector& w) const;
  // Another Q: rounder kinks, an easier problem to start from.
  void round_off(double curvature);
  const ExtendedSetting& setting() const { return setting_; }

 private:
  struct At;  // what all records share at one w
  struct Sum;
  At at(const Vector& w) const;
  long double inner_diameter() const;  // of W⁺, at most
  void add(std::size_t record, const At& at, Sum& sum) const;
  void add_on_ball(std::size_t record, const At& at, Sum& sum) const;
  void add_on_box(std::size_t record, const At& at, Sum& sum) const;

  const Problem* problem_;
  Shape shape_;
  Link link_;
  ExtendedSetting setting_;
  double curvature_;
  long double diameter_, layer_;  // of W; C/Q
  unsigned threads_;
  std::vector<Limits> limits_;      // slope 0: the record contributes nothing
  std::vector<long double> norms_;  // ‖a‖
};

}  // namespace tacit::inline v1
