#include "privacy/accounting/replaced.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "privacy/accounting/conversions.hpp"
#include "tacit/account.hpp"
#include "tacit/core.hpp"

// A replaced unit is two changes in a row: it becomes null, then another. The proofs are in
// docs/certificate.md, "Two numbers".

namespace tacit::inline v1 {

namespace {

// What a step costs for two changes in a row, by its event alone; nothing where that has no event.
struct Twice {
  using Found = std::optional<Event>;
  Found operator()(const PureEvent& e) const { return PureEvent{2 * e.epsilon}; }
  // Noise with a log-concave density on a line: two shifts in a row are one of twice the length.
  Found operator()(const LaplaceEvent& e) const { return LaplaceEvent{2 * e.epsilon}; }
  Found operator()(const GaussianEvent& e) const { return GaussianEvent{2 * e.mu}; }
  Found operator()(const IsotropicLaplaceEvent& e) const {
    return IsotropicLaplaceEvent{2 * e.epsilon, e.dimension};
  }
  Found operator()(const BoundedRangeEvent& e) const { return BoundedRangeEvent{2 * e.epsilon}; }
  Found operator()(const ApproxEvent& e) const {
    return ApproxEvent{2 * e.epsilon, std::fmin(mul_up(add_up(1, exp_up(e.epsilon)), e.delta), 1.0)};
  }
  Found operator()(const DeltaEvent&) const { return std::nullopt; }
  Found operator()(const PoissonGaussianEvent&) const { return std::nullopt; }
  // The corners of two records: every difference of one's and the other's.
  Found operator()(const GaussianObjectiveEvent& e) const {
    constexpr std::uint64_t most = std::uint64_t{1} << 26;  // whose square is a count that events may have
    if (e.near != 0 || e.far > most) return std::nullopt;
    return GaussianObjectiveEvent{2 * e.mu, e.jacobian, e.far * e.far, 2 * e.far};
  }
  Found operator()(const OpenEvent&) const { return std::nullopt; }
};

std::optional<Event> replaced_event(const Step& step) {
  // The distance to an ideal sample is covered whatever the two datasets are.
  if (step.mechanism == "noise-cover") return step.event;
  // Texts that one unit alone has: each of two units adds its own, and their noise is of no other step. (A
  // test that fails is an event of another step's noise, which a second change makes e^ε times as likely.)
  const auto* failure = std::get_if<DeltaEvent>(&step.event);
  if (failure != nullptr && step.mechanism == "failure")
    return DeltaEvent{std::fmin(2 * failure->delta, 1.0)};
  // The gradients of two records differ by twice the shift; the Jacobian's term is that of one record.
  const auto* pure = std::get_if<PureEvent>(&step.event);
  if (step.mechanism == "objective-perturbation" && pure && step.scale > 0)
    return PureEvent{add_up(pure->epsilon, div_up(step.sensitivity.total(), step.scale))};
  return std::visit(Twice{}, step.event);
}

// By the steps' own rules, where all have one and it gives a finite ε: not at a δ that is below a step's.
std::optional<Guarantee> by_steps(std::span<const Step> steps, const Guarantee& notion) {
  std::vector<Event> events;
  for (const Step& step : steps) {
    const std::optional<Event> event = replaced_event(step);
    if (!event) return std::nullopt;
    events.push_back(*event);
  }
  Guarantee sum = compose(events, notion);
  const auto* approx = std::get_if<Approx>(&sum);
  if (approx && !std::isfinite(approx->epsilon)) return std::nullopt;
  return sum;
}

// (2ε, (1+e^ε)δ₀) at the δ that is asked for: an ε is sought that is enough at δ₀ = δ/(1+e^ε).
std::optional<Approx> at_delta(std::span<const Event> events, double delta) {
  double epsilon = 0;
  for (int round = 0; round < 40; ++round) {
    const double at = div_down(delta, add_up(1, exp_up(epsilon)));
    if (!(at >= std::numeric_limits<double>::min())) return std::nullopt;
    const double needed = account(events, at).epsilon_upper;
    if (needed <= epsilon) return Approx{2 * epsilon, delta};
    epsilon = needed * (1 + 1e-5);
  }
  return std::nullopt;
}

}  // namespace

Guarantee replaced_guarantee(std::span<const Step> steps, const Guarantee& stated) {
  const Guarantee twice = to_replace_one(stated, Neighbours::zero_out);
  const std::optional<Guarantee> own = by_steps(steps, stated);
  const auto* approx = std::get_if<Approx>(&stated);
  if (!approx) {
    const auto* sum = own ? std::get_if<Pure>(&*own) : nullptr;
    return sum && sum->epsilon < std::get<Pure>(twice).epsilon ? *own : twice;
  }
  std::vector<Event> events;
  for (const Step& step : steps) events.push_back(step.event);
  // Two shifts of Gaussian noise are one of twice the length, and that is tight: the other way gives no less.
  const auto gaussian = [](const Event& event) { return std::holds_alternative<GaussianEvent>(event); };
  if (own && std::ranges::all_of(events, gaussian)) return *own;
  const std::optional<Approx> whole = at_delta(events, approx->delta);
  if (!own) return whole ? Guarantee(*whole) : twice;
  return whole && whole->epsilon < std::get<Approx>(*own).epsilon ? Guarantee(*whole) : *own;
}

}  // namespace tacit::inline v1
