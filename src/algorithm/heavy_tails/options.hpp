#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "domain/onto_ball.hpp"
#include "solver/limited_objective.hpp"
#include "tacit/core.hpp"
#include "tacit/meter.hpp"
#include "tacit/method.hpp"

namespace tacit::inline v1::heavy_tails {

// How double-output finds its minimisers: of the slope-limited loss by Newton's method, or of the Lipschitz
// extension record by record, by the structured route, or by Algorithm 3 of [Lowy26].
enum class ExtensionOracle { limited, extension, structured, subgradient };
TACIT_API std::string_view name(ExtensionOracle oracle);

// Of sizes: far beyond any use, and so that no product or square in the solver can overflow or vanish. Rows
// reach 2^±250, their limits C/‖a‖ and Q/‖a‖² then stay between 2^±700, and scores and norms below 2^512.
inline constexpr Range size_range = positive(0x1p-100, 0x1p100);

// Options of double-output alone.
struct ExtensionOptions {
  ExtensionOracle oracle = ExtensionOracle::limited;
  std::optional<double>
      gradient_bound;  // A, 2^−100 … 2^100: steeper records are limited to it before they are extended
  double iteration_limit = 1e8;  // 1 … 1e15, for each of the two releases
};

// How kinks are smoothed for the score of a net: rounded off within the limit on curvature, or by convolution
// with a ball [Lowy26, App. E.2], for absolute, pinball and hinge.
enum class Smoothing { curvature, ball };
TACIT_API std::string_view name(Smoothing smoothing);

// Options of net-exponential, alone and as the solver of localized.
struct NetSettings {
  std::size_t points = 4096;  // 3 … 2²²: at most this many in the cube around the net
  Smoothing smoothing = Smoothing::curvature;
  std::optional<double> smoothing_radius;  // ρ of the ball, 2^−100 … 2^100; absent: the net's spacing
};

// Options of the methods that limit the loss. What is not given follows a rule from public values.
struct TACIT_API Options {
  double epsilon = 1;           // 1e-9 … 1e9, the whole budget
  std::optional<double> delta;  // (epsilon, delta)-DP in its place, where the method offers that
  std::optional<double> mu;     // mu-GDP in the place of both, 1e-9 … 1e9, where the method offers that
  // Of methods that offer more than one; what certificates that do not state it were made for.
  Neighbours neighbours = Neighbours::replace_one;
  // Public, 1 … 2^53: at least as many as there are, the others are null. Needed for add_remove, which keeps
  // their number private; the regularisation, what sums are divided by, places in parts and the bounds on
  // rounding are for this many.
  std::optional<std::int64_t> records;
  // All sizes: 2^−100 … 2^100.
  std::optional<double> slope_limit;      // C: how hard one record can pull
  std::optional<double> curvature_limit;  // Q
  std::optional<double> regularisation;   // λ, per record
  double radius = 10;                     // R, the size of parameters worth finding
  std::optional<double> row_norm_bound;   // A: public bound on ‖a‖, intercept counted; for the rules only
  std::optional<double> label_bound;      // Y: public bound on |y|; for the rules, and for Poisson
  // Where the rules lack a bound, sizes are chosen privately (private_limits.hpp) with these shares of
  // epsilon.
  std::optional<double> limit_share;   // 0 … 0.9; 0: never, and a missing bound is an error
  std::optional<double> moment_order;  // k, 1 … 1e6: C = G_k(nε/d)^{1/k} in place of 2S, with private sizes
  std::optional<double> column_share;  // 0 … 0.9: for a scale of each column; 0: one scale for all
  unsigned threads = 0;                // 0: one per core
  // W, a ball or box in the text of domain/text.hpp: minimisers are sought within it. For methods whose
  // tables have it.
  std::optional<std::string> domain;
  ExtensionOptions extension;
  NetSettings net;

  // All of them; each method has a table of those that it takes.
  static const OptionTable<Options>& table();
  void validate() const;
  static Options from(const Facts& facts) { return table().read(facts); }
};

// The lines that all methods of this folder share: of budget, limits, bounds and private limits.
TACIT_API const OptionTable<Options>& limits_table();

// The line of methods that solve over a domain.
TACIT_API const OptionTable<Options>& domain_table();
// With those of double-output.
TACIT_API const OptionTable<Options>& extended_table();
// Those of localized, which passes them on to its solver.
TACIT_API const OptionTable<Options>& localized_table();
// Those of a net alone.
TACIT_API const OptionTable<Options>& net_lines();
// The lines of methods that offer all three relations; of those that offer zero_out and replace_one alone.
TACIT_API const OptionTable<Options>& relation_table();
TACIT_API const OptionTable<Options>& places_table();

// What is public of the problem, by these options.
TACIT_API Shape public_shape(const Problem& problem, const Options& options);

// What a run assumes, for its certificate: under add_remove, that there are no more records than was stated.
TACIT_API std::vector<std::string> count_assumptions(Neighbours neighbours, std::size_t records);

// How far one record can move a sum of gradients of norm ≤ slope: 2C when it is replaced by another, C when
// it is there or null.
inline double shift_of(double slope, Neighbours neighbours) {
  return neighbours == Neighbours::replace_one ? 2 * slope : slope;
}

// Of minimisers that are computed within `distance`: neighbours' objectives differ by a 2C-Lipschitz
// function, a C-Lipschitz one if one record is null, and are nλ-strongly convex, strength = nλ.
TACIT_API Sensitivity minimiser_sensitivity(double slope, double strength, double distance,
                                            Neighbours neighbours);

// Typical sizes of a link at s = 0, for labels of size `label` [heuristic: utility only]: |φ'(0)|, and sup
// φ'' or a stand-in where there is none.
struct LinkSizes {
  double slope_at_zero, curvature;
};
TACIT_API LinkSizes link_sizes(const LossSpec& loss, double label);

// Throws UsageError unless the budget protects one record under the relation that the run was planned for;
// and this, but not add_remove, for methods that divide by the number of records or keep a place for each.
TACIT_API void require_relation(const Options& options, const Meter& meter);
TACIT_API void require_places(const Options& options, const Meter& meter);
// Throws UsageError for options that need more of the records than sums, where they are in shards.
void require_sums_only(const Problem& problem, const Options& options);

// nλ, the strong convexity of the sum. Throws UsageError when it is out of range.
TACIT_API double checked_strength(const Shape& shape, double regularisation);

// The limits of the loss: what Options says, or the rule [heuristic: utility only]
//   C = min(1.1·|φ'(0)|, sup|φ'|)·A     Q = sup φ''·A²
// with stand-ins where a link has no bound. Throws UsageError, saying what to give, when a rule lacks a
// value.
TACIT_API LossLimits choose_limits(const Shape& shape, const Options& options);

// The facts that every certificate of these methods carries.
TACIT_API Facts public_facts(const Shape& shape, const Options& options);
TACIT_API Facts option_facts(const Options& options, const LossLimits& limits, double regularisation);
// The options as a plan settled them.
TACIT_API Options settled(Options options, const LossLimits& limits, double regularisation);

// Neither the ideal minimiser nor the computed one leaves the ball of this radius around the center: both are
// projected onto it. [heuristic: utility only; a smaller ball means a smaller rounding bound]
TACIT_API double projection_radius(const Options& options);

// W as the options state it; nothing where they do not. UsageError when it does not fit the shape.
TACIT_API std::optional<Domain> stated_domain(const Shape& shape, const Options& options);
// What minimisers are sought over: W itself, a ball or box; for a polytope or ellipsoid the ball of the
// radius around 0, with a public penalty outside of W (solver/penalty.hpp).
TACIT_API std::optional<Domain> solved_domain(const Shape& shape, const Options& options);
// The options with the problem's own domain, if they state none.
TACIT_API Options with_domain(Options options, const Problem& problem);
// The size of parameters that rules for λ look for: R, or half of W's diameter.
TACIT_API double size_of_interest(const Options& options, const std::optional<Domain>& domain);

// Of what a solver over W leaves of the projected gradient, in parts of C/n: 2·2^-10·C/(λn) of a sensitivity
// of 2C/(λn).
inline constexpr double residual_share = 0x1p-10;
// InfeasibleError unless the solver's distance is below what one record moves, or far below the size of W.
TACIT_API void require_fine(double distance, double moved, double diameter);

// The public bound, over all data and all noise, on the distance between the projected computed minimiser and
// the projected exact one: constant + 2·per_distance·radius, and the rounding of the projection
// (docs/limited_objective.md, "On a machine"). Throws InfeasibleError where arithmetic is too coarse for it.
TACIT_API double projected_distance(const GradientError& solver, double extra, double radius,
                                    std::size_t parameters);

// What adding a center of this norm back adds to projected_distance(): one rounding of each coordinate. 0
// without one.
TACIT_API double recentring_error(double center_bound, double radius);

}  // namespace tacit::inline v1::heavy_tails
