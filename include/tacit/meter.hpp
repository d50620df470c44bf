#pragma once

// Layer: privacy.
//
// What a method works with: its meter, values that are sensitive until a mechanism has released them, and the
// certificate.
//
//     tacit::Sensitive<double> count(17, {.value = 1, .norm = tacit::Norm::l1, .reason = "one record"},
//                                    tacit::Neighbours::zero_out);

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "tacit/core.hpp"
#include "tacit/guarantee.hpp"

namespace tacit::inline v1 {

// Where random bits come from. `tacit/mechanisms.hpp` has the one for releases; seeded ones exist for tests
// only and mark what they touch.
class BitSource {
 public:
  virtual ~BitSource() = default;
  virtual void fill(std::span<std::uint64_t> words) = 0;
  virtual bool seeded() const = 0;
  virtual std::string_view name() const = 0;
};

// What one use of a mechanism costs, in the mechanism's own terms; accountants turn events into guarantees.
// All are stated for the meter's neighbour relation.

// Any mechanism that is epsilon-DP, of which nothing else is known.
struct PureEvent {
  double epsilon = 0;
  bool operator==(const PureEvent&) const = default;
};
// Laplace noise on a number (l1 norm): epsilon = sensitivity / scale.
struct LaplaceEvent {
  double epsilon = 0;
  bool operator==(const LaplaceEvent&) const = default;
};
// Density ∝ exp(−‖b‖₂/scale) on ℝᵈ: epsilon = l2 sensitivity / scale.
struct IsotropicLaplaceEvent {
  double epsilon = 0;
  std::size_t dimension = 1;
  bool operator==(const IsotropicLaplaceEvent&) const = default;
};
// Gaussian noise: mu = l2 sensitivity / sigma. Prefix sums with correlated noise are this with their own mu.
struct GaussianEvent {
  double mu = 0;
  bool operator==(const GaussianEvent&) const = default;
};
// `steps` times: each unit joins with probability `rate`, sum clipped to norm 1, noise N(0,
// noise_multiplier²). Stated for add_remove or zero_out only.
struct PoissonGaussianEvent {
  double noise_multiplier = 0, rate = 0;
  std::uint64_t steps = 0;
  bool operator==(const PoissonGaussianEvent&) const = default;
};
// Objective perturbation with Gaussian noise [docs/gaussian_objective.md]: the loss is at most `jacobian`
// plus the largest of 0, `far` losses of Gaussian mechanisms of this mu and `near` ones of mu/√2.
struct GaussianObjectiveEvent {
  double mu = 0, jacobian = 0;
  std::uint64_t far = 1, near = 2;
  bool operator==(const GaussianObjectiveEvent&) const = default;
};
// Exponential mechanism: the log-density ratio between neighbours has range ≤ epsilon over outputs.
struct BoundedRangeEvent {
  double epsilon = 0;
  bool operator==(const BoundedRangeEvent&) const = default;
};
// Any (epsilon, delta)-DP mechanism.
struct ApproxEvent {
  double epsilon = 0, delta = 0;
  bool operator==(const ApproxEvent&) const = default;
};
// A failure of probability delta in which anything may be revealed.
struct DeltaEvent {
  double delta = 0;
  bool operator==(const DeltaEvent&) const = default;
};
// Released as it is: allowed only where no privacy was promised.
struct OpenEvent {
  bool operator==(const OpenEvent&) const = default;
};

using Event =
    std::variant<PureEvent, LaplaceEvent, IsotropicLaplaceEvent, GaussianEvent, PoissonGaussianEvent,
                 GaussianObjectiveEvent, BoundedRangeEvent, ApproxEvent, DeltaEvent, OpenEvent>;

// Throws UsageError, naming the value and the allowed range, unless the numbers make sense.
TACIT_API void validate(const Event& event);

// Throws UsageError when what the event costs is not known for this relation.
TACIT_API void require_stated_for(const Event& event, Neighbours neighbours);

// Whether it reveals nothing at all (a sensitivity of 0, a failure of probability 0).
TACIT_API bool is_free(const Event& event);

// A few words for messages: "a Gaussian step (mu = 0.5)".
TACIT_API std::string describe(const Event& event);

// How the inner steps of a step make up what it costs. A rule with its theorem; `require_covered`
// (nested_cost.hpp) does the sum. Unless the rule says otherwise the inner steps are for the unit and the
// neighbours of the step that they are within.

// One after the other, each of them seeing what came out before: the costs, fixed beforehand, add up by the
// accountant of the outer event's notion [docs/accounting.md, "Composition"].
struct Composed {
  bool operator==(const Composed&) const = default;
};

// Each on a part of the data of its own, the units assigned to parts by a secret random order: given the
// order a neighbour changes one part only, and the others' laws, given what came out before, are the same; so
// the cost is the dearest part's. A mixture over orders, which do not depend on the data, costs no more
// (divergences are jointly convex). For zero_out and replace_one: under add_remove the number of units, which
// the order would show, is private.
struct Parallel {
  bool operator==(const Parallel&) const = default;
};

// On a random sample of a share `rate` of the units, without replacement, for replace_one: what is (ε,δ)-DP
// on the sample is (ln(1 + q(e^ε − 1)), qδ)-DP [Balle–Barthe–Gaboardi 2018, Thm 9].
struct Sampled {
  double rate = 1;
  bool operator==(const Sampled&) const = default;
};

// Inner steps for one record, the outer one for a user with at most `records` of them: a chain of so many
// neighbours. (ε',δ') for a record is (kε', δ'(e^{kε'} − 1)/(e^{ε'} − 1)) for k of them
// [Vadhan 2017, Lemma 2.2].
struct Group {
  std::uint64_t records = 1;
  bool operator==(const Group&) const = default;
};

// One of the inner steps, drawn without a look at the data: the dearest (divergences are jointly convex).
struct OneOf {
  bool operator==(const OneOf&) const = default;
};

// The one inner step, an ε₀-DP candidate and its score, is taken a hidden, logarithmic number of times, and
// the best is kept: 2ε₀ [docs/tuned.md]. However often it was taken, it stands in the certificate once.
struct RepeatAndSelect {
  bool operator==(const RepeatAndSelect&) const = default;
};

using Nesting = std::variant<Composed, Parallel, Sampled, Group, OneOf, RepeatAndSelect>;

// `gauge`: that of the features' blocks (tacit/data.hpp).
enum class Norm { l1, l2, linf, gauge };

// How far a function of the data can move between neighbours, and why. `value` bounds the function over the
// reals; `slack` bounds what the machine's arithmetic and solvers add. What is charged is their sum.
struct Sensitivity {
  double value = 0;
  double slack = 0;
  Norm norm = Norm::l2;
  std::string reason = {};

  TACIT_API double total() const;  // value + slack, rounded up
  bool operator==(const Sensitivity&) const = default;
};

// One use of a mechanism, or of several within one, as the certificate records it. Every field is public.
struct Step {
  std::string mechanism = {};    // "isotropic-laplace", "objective-perturbation", …
  Event event = {};              // what it costs
  Sensitivity sensitivity = {};  // of what was released
  double scale = 0;              // of the noise; sigma for a Gaussian
  double grid = 0;               // outputs are multiples of this
  std::size_t dimension = 0;     // numbers released
  std::uint64_t times = 1;       // among the inner steps of another: taken at most so often

  // What was planned to happen within it: `event` covers all of it by the rule.
  Nesting nesting = {};
  std::vector<Step> inner = {};

  bool operator==(const Step&) const = default;
};

namespace noise {
struct Mechanism;  // defined in src/noise: the only code that opens a Sensitive or makes a Released
}

// The right to open what is sensitive. Only mechanisms can make one.
class MechanismKey {
  MechanismKey() = default;
  friend struct noise::Mechanism;
};

// A value computed from private data, with how far it can move between neighbours. It has no operations: it
// cannot be printed, compared, serialised or converted. Only a mechanism opens it.
template <class T>
class Sensitive {
 public:
  Sensitive(T value, Sensitivity sensitivity, Neighbours neighbours, Unit unit = Unit::item)
      : value_(std::move(value)),
        sensitivity_(std::move(sensitivity)),
        neighbours_(neighbours),
        unit_(unit) {}

  const Sensitivity& sensitivity() const { return sensitivity_; }
  Neighbours neighbours() const { return neighbours_; }
  Unit unit() const { return unit_; }
  const T& open(MechanismKey) const { return value_; }

 private:
  T value_;
  Sensitivity sensitivity_;
  Neighbours neighbours_;
  Unit unit_;
};

// A sample of an ideal mechanism, known up to a certified distance: surely, ‖value − sample‖₂ ≤ distance. The
// ideal's cost is charged when the sample is drawn; `noise::cover` covers the distance and opens it.
template <class T>
class Ideal {
 public:
  Ideal(T value, double distance, std::string reason)
      : value_(std::move(value)), distance_(distance), reason_(std::move(reason)) {}

  double distance() const { return distance_; }
  const std::string& reason() const { return reason_; }
  const T& open(MechanismKey) const { return value_; }

 private:
  T value_;
  double distance_;
  std::string reason_;
};

struct Dataset;
struct Problem;

template <class T>
inline constexpr bool holds_records = false;
template <class T>
inline constexpr bool holds_records<Sensitive<T>> = true;
template <class T>
inline constexpr bool holds_records<Ideal<T>> = true;
template <>
inline constexpr bool holds_records<Dataset> = true;
template <>
inline constexpr bool holds_records<Problem> = true;

// A declaration: this value is a function of options, plans, what was released before, and bits that were
// drawn without a look at the data; never of records. Lasts as long as the expression that it is part of.
template <class T>
class Public {
 public:
  explicit Public(const T& value) : value_(&value) {
    static_assert(!holds_records<std::remove_pointer_t<T>>,
                  "records and what is computed from them are not public");
  }
  const T& value() const { return *value_; }

 private:
  const T* value_;
};

// Without captures a function sees nothing but what it is handed.
template <class F>
inline constexpr bool is_captureless =
    std::is_empty_v<std::decay_t<F>> || std::is_function_v<std::remove_pointer_t<std::decay_t<F>>>;

// What a mechanism returned, or was public to begin with: free to copy, print and post-process.
// Post-processing captures nothing: it is handed released values, and public ones that are declared as such.
template <class T>
class Released {
 public:
  Released(MechanismKey, T value) : value_(std::move(value)) {}
  // What is public needs no mechanism: where a state begins that released values then move on.
  explicit Released(const Public<T>& value) : value_(value.value()) {}

  const T& value() const { return value_; }

  // f(value, given…)
  template <class F, class... Given>
  auto map(F&& f, const Given&... given) const;
  // f(value&, given…), in place.
  template <class F, class... Given>
  void update(F&& f, const Given&... given);

 private:
  template <class F, class... Given>
  friend auto combine(F&& f, const Given&... given);
  explicit Released(T value) : value_(std::move(value)) {}
  T value_;
};

template <class T>
inline constexpr bool is_released = false;
template <class T>
inline constexpr bool is_released<Released<T>> = true;
template <class T>
inline constexpr bool is_released_or_public = is_released<T>;
template <class T>
inline constexpr bool is_released_or_public<Public<T>> = true;

// f of what was released and of what is public, released itself.
template <class F, class... Given>
auto combine(F&& f, const Given&... given) {
  static_assert(is_captureless<F>, "post-processing captures nothing: hand it public values as Public(x)");
  static_assert((is_released_or_public<Given> && ...), "neither released nor declared as Public(x)");
  static_assert((is_released<Given> || ...), "nothing of it was released");
  using Result = std::decay_t<decltype(f(given.value()...))>;
  return Released<Result>(f(given.value()...));
}

template <class T>
template <class F, class... Given>
auto Released<T>::map(F&& f, const Given&... given) const {
  return combine(std::forward<F>(f), *this, given...);
}

template <class T>
template <class F, class... Given>
void Released<T>::update(F&& f, const Given&... given) {
  static_assert(is_captureless<F>, "post-processing captures nothing: hand it public values as Public(x)");
  static_assert((is_released_or_public<Given> && ...), "neither released nor declared as Public(x)");
  f(value_, given.value()...);
}

using FactValue = std::variant<bool, std::int64_t, double, std::string>;

// Named public values, in the order they were set: a method's options, and what it assumes public. They go
// into the certificate, and `verify` rebuilds the method's plan from them.
class TACIT_API Facts {
 public:
  void set(std::string_view key, FactValue value);
  bool has(std::string_view key) const;
  // Throw VerificationError, naming the key, when it is missing or of another kind. An integer reads as a
  // double; an infinite double is stored as text by the JSON format and reads back as infinite.
  bool boolean(std::string_view key) const;
  std::int64_t integer(std::string_view key) const;
  double number(std::string_view key) const;
  const std::string& text(std::string_view key) const;

  const std::vector<std::pair<std::string, FactValue>>& entries() const { return entries_; }

 private:
  const FactValue* find(std::string_view key) const;
  std::vector<std::pair<std::string, FactValue>> entries_;
};

}  // namespace tacit::inline v1

// A guarantee among named values: "epsilon", "epsilon" and "delta", or "mu".

namespace tacit::inline v1 {

TACIT_API void set_target(Facts& facts, const Guarantee& target);
// Back from them.
TACIT_API Guarantee target_from(const Facts& facts);

class Checkpoints;

struct Budget {
  Guarantee limit = {};
  Unit unit = Unit::item;
  Neighbours neighbours = Neighbours::replace_one;
};

// Sees what is sensitive, for audits. A meter that is watched is not private, and its certificate says so.
using Watcher = std::function<void(const Step& step, std::span<const double> opened)>;

// Holds the budget of one release. Every mechanism charges it before any noise is drawn; a charge that does
// not fit throws BudgetError and changes nothing.
// Under an Approx limit the costs of all steps must be fixed before the first one: privacy-loss distributions
// are no filter, so costs chosen by what came out would not be covered (docs/accounting.md, "Limits").
//
// A method that runs others plans a step with inner steps, and opens it: the meter is charged for the whole,
// and the child admits the planned steps alone, each as often as planned. So what is charged, what is written
// down and what is done are one plan.
class TACIT_API Meter {
 public:
  // A copy would spend the same budget once more.
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;

  // A child admits a step of the mechanism and the cost of one that was planned.
  void charge(const Step& step);

  // Charges the step and opens it: a meter for its inner steps. A child's step must be one that was planned,
  // to the last number. It must not outlive the meter of the release.
  Meter child(const Step& step);
  // Opens the next part of the disjoint ones that all steps charged so far are about: every step's inner
  // steps are the parts' (Parallel), in order. Each part is opened once.
  Meter next_part();

  void show_watcher(MechanismKey, const Step& step, std::span<const double> opened) const;

  // What the steps so far give together, in the notion of the limit.
  Guarantee spent() const;

  const Budget& budget() const { return budget_; }
  // What was charged; a child's are those that were planned for it.
  const std::vector<Step>& steps() const { return steps_; }
  BitSource& bits() const { return *bits_; }
  bool watched() const { return static_cast<bool>(root_->watcher_); }
  // nullptr: the release is made in one go. So are all that are nested in others.
  Checkpoints* checkpoints() const { return checkpoints_; }

 private:
  friend class RootMeter;
  Meter(Budget budget, BitSource& bits);
  Meter(const Meter& parent, Budget budget, std::vector<Step> planned, const Nesting& rule);

  bool is_root() const { return root_ == this; }
  Budget budget_within(const Step& step) const;
  void take(std::size_t planned);

  Budget budget_;
  BitSource* bits_;
  const Meter* root_;  // has the watcher
  std::vector<Step> steps_;
  std::vector<std::uint64_t> left_;  // of a child: how often each planned step may still be taken
  Nesting rule_;                     // of a child: how its steps go together
  std::size_t parts_ = 0;            // opened
  std::function<void(const Step&)> hook_;
  Watcher watcher_;
  Checkpoints* checkpoints_ = nullptr;
};

// Why a release keeps its promise: enough to recompute the guarantee from public values alone.
struct Certificate {
  std::string method = {};   // name in `tacit methods`
  Guarantee guarantee = {};  // what the accountant gives for the steps
  Unit unit = Unit::item;
  Neighbours neighbours = Neighbours::replace_one;
  // As a file states it: what the same release gives when one unit is replaced by any other.
  std::optional<Guarantee> replaced = {};
  std::vector<Step> steps = {};  // in the order they were taken
  Facts options = {};            // the method's public options, complete: `verify` rebuilds the plan
  Facts assumed_public = {};     // n, dimension, bounds, where they come from
  std::vector<std::string> assumptions =
      {};  // what the guarantee rests on beyond the mathematics; usually empty
  std::string bit_source = {};
  bool seeded = false;       // made with seeded bits: not private
  bool watched = false;      // an audit looked inside: not private
  std::string version = {};  // of tacit
};

// What the release gives when one unit is replaced by any other: as the certificate states it, or worked out
// from its steps. None where that is its relation, or nothing is promised.
TACIT_API std::optional<Guarantee> replaced_guarantee(const Certificate& certificate);

// The guarantee in words, for its own relation and for a replaced unit.
TACIT_API std::string describe(const Certificate& certificate);

// A fitted parameter vector with its certificate. A Released comes from a mechanism, or from what is declared
// Public, and tests/public_values_test.sh lists every such declaration in the methods.
struct Release {
  Released<Vector> parameters;
  Certificate certificate = {};
  std::vector<Released<Vector>> samples =
      {};  // a sampler's: all of them, `parameters` last; empty when there is one
  std::optional<Released<Vector>> center = {};  // of the ball that a sampler drew from, released before
};

// What a method states of its run; guarantee, unit, neighbours, steps, bit source and version are the
// meter's.
TACIT_API Certificate certify(std::string method, const Meter& meter, Facts options, Facts assumed_public,
                              std::vector<std::string> assumptions = {});

}  // namespace tacit::inline v1
