#pragma once

// Layer: loss.
//
// Losses of the library, and the concepts that a custom loss must meet.
//
//     tacit::Link huber = tacit::parse_link("huber");
//     static_assert(tacit::Loss<MyLoss>);   // records(), parameters(), gradient(w, record, out)

#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tacit/core.hpp"

namespace tacit::inline v1 {

// Losses of linear models: f(w; a, y) = φ(⟨a,w⟩, y) with φ convex in its first argument s.
enum class LinkKind {
  squared,         // ½(s−y)²
  huber,           // squared within ±parameter of y, linear outside
  absolute,        // |s−y|
  pinball,         // quantile `parameter`: parameter·(y−s)₊ + (1−parameter)·(s−y)₊
  logistic,        // log(1+e^{−ys}), y = ±1
  hinge,           // (1−ys)₊, y = ±1
  smoothed_hinge,  // hinge with a quadratic corner of width `parameter`, y = ±1
  poisson,         // e^s − y·s, y ≥ 0
};

struct Link {
  LinkKind kind = LinkKind::logistic;
  double parameter = 0;  // huber: > 0; pinball: in (0,1); smoothed_hinge: > 0; else unused
};

// What theorems need to know of a link, as data. Infinity: no bound exists.
struct LinkFacts {
  double slope = 0;                      // sup |φ'|
  double curvature = 0;                  // sup φ''
  bool classification = false;           // y is ±1
  bool slope_scales_with_label = false;  // φ'(0) grows with |y|: squared and Poisson
};

// φ at one point: the value and its first two derivatives in s (at a kink: a subgradient, and 0).
struct LinkPoint {
  double value = 0, first = 0, second = 0;
};

TACIT_API std::string_view name(LinkKind kind);
// "squared", "huber", …; throws UsageError that lists the names. Fills in the default parameter: huber 1,
// pinball ½, smoothed hinge ½.
TACIT_API Link parse_link(std::string_view name);
TACIT_API void validate(const Link& link);
TACIT_API LinkFacts facts(const Link& link);
TACIT_API LinkPoint evaluate(const Link& link, double s, double y);

enum class Activation { tanh, relu };

// A two-layer network: z = W₂·(act(W₁a), 1), where the row a has its intercept. Classes: cross-entropy of
// softmax(V z), z in K−1 coordinates as for `Softmax`; no classes: a regression, ½(z − y)² or |z − y|.
struct Network {
  std::size_t hidden = 64;  // ≥ 1
  Activation activation = Activation::tanh;
  std::size_t classes = 0;  // 0, or ≥ 2
  bool absolute = false;    // |z − y|; without classes only

  std::size_t outputs() const { return classes == 0 ? 1 : classes - 1; }
};

// "tanh-network", "relu-network", and "tanh-absolute", "relu-absolute" for the absolute loss.
TACIT_API std::string_view name(const Network& network);
// A network of that name, with the usual number of hidden units and no classes; nothing for any other text.
TACIT_API std::optional<Network> parse_network(std::string_view name);

// act(a) for a whole layer, and act'(a) from act(a) alone: 1 − h² and [h > 0].
TACIT_API void activate(Activation activation, double* values, std::size_t count);
TACIT_API double slope_from_value(Activation activation, double h);

enum class RobustKind {
  phase_retrieval,  // p(z) = z², one output [robust phase retrieval: Duchi–Ruan 2019]
  max_affine,       // p(z) = max_k z_k, an output for each affine piece
};

// |p(z) − y| of the scores z_k = ⟨a, w_k⟩: neither smooth nor convex in w.
struct RobustFit {
  RobustKind kind = RobustKind::phase_retrieval;
  std::size_t pieces = 1;  // max_affine: 1 … 1024; phase_retrieval: 1

  std::size_t outputs() const { return pieces; }
};

// "phase-retrieval", "max-affine".
TACIT_API std::string_view name(RobustKind kind);
// The loss that such a name stands for, with 4 pieces where there are several; nothing for any other text.
TACIT_API std::optional<RobustFit> parse_robust(std::string_view name);
// Throws UsageError unless the number of pieces makes sense.
TACIT_API void validate(const RobustFit& loss);

// p(z), the prediction.
TACIT_API double prediction(const RobustFit& loss, std::span<const double> z);
// A (Clarke) subgradient of |p(z) − y| in z, in place; 0 where p(z) = y, the first of equal pieces.
TACIT_API void residual(const RobustFit& loss, std::span<double> z, double label);

// Every loss that `tacit fit --loss` takes, for people to read.
inline constexpr std::string_view loss_names =
    "squared, huber, absolute, pinball, logistic, hinge, smoothed-hinge, poisson, softmax, tanh-network, "
    "relu-network, tanh-absolute, relu-absolute, phase-retrieval or max-affine";

// A custom loss over records of its own: L(w) = Σ_i f_i(w). `gradient` writes ∇f_i(w), a function of
// record i and w alone, bit for bit: privacy rests on it. It may be called from several threads at once. A
// gradient that is not finite counts as zero.
template <class L>
concept Loss = requires(const L& loss, const Vector& w, std::size_t record, std::span<double> gradient) {
  { loss.records() } -> std::convertible_to<std::size_t>;
  { loss.parameters() } -> std::convertible_to<std::size_t>;
  { loss.gradient(w, record, gradient) } -> std::same_as<void>;
};

// A loss of which only values are known: f_i(w), a function of record i and w alone, bit for bit. It may be
// called from several threads at once. A value that is not finite counts as no difference between two points.
template <class L>
concept ValueLoss = requires(const L& loss, const Vector& w, std::size_t record) {
  { loss.records() } -> std::convertible_to<std::size_t>;
  { loss.parameters() } -> std::convertible_to<std::size_t>;
  { loss.value(w, record) } -> std::convertible_to<double>;
};

// The least that each must have.
struct LossArchetype {
  std::size_t records() const { return 1; }
  std::size_t parameters() const { return 1; }
  void gradient(const Vector&, std::size_t, std::span<double>) const {}
};
static_assert(Loss<LossArchetype> && !ValueLoss<LossArchetype>);
struct ValueLossArchetype {
  std::size_t records() const { return 1; }
  std::size_t parameters() const { return 1; }
  double value(const Vector&, std::size_t) const { return 0; }
};
static_assert(ValueLoss<ValueLossArchetype> && !Loss<ValueLossArchetype>);

}  // namespace tacit::inline v1
