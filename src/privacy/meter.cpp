#include "tacit/meter.hpp"

#include <algorithm>
#include <optional>

#include "privacy/nested_cost.hpp"
#include "tacit/account.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

double Sensitivity::total() const { return slack == 0 ? value : add_up(value, slack); }

Meter::Meter(Budget budget, BitSource& bits) : budget_(std::move(budget)), bits_(&bits), root_(this) {
  validate(budget_.limit);
}

Meter::Meter(const Meter& parent, Budget budget, std::vector<Step> planned, const Nesting& rule)
    : budget_(std::move(budget)),
      bits_(parent.bits_),
      root_(parent.root_),
      steps_(std::move(planned)),
      rule_(rule) {
  for (const Step& step : steps_) left_.push_back(step.times);
}

namespace {

std::vector<Event> events_of(const std::vector<Step>& steps) {
  std::vector<Event> events;
  std::ranges::transform(steps, std::back_inserter(events), &Step::event);
  return events;
}

// The least costly of the planned steps that are left and admit this one, so that the others stay for what
// costs more.
std::optional<std::size_t> planned_for(const Step& step, const std::vector<Step>& planned,
                                       const std::vector<std::uint64_t>& left) {
  std::optional<std::size_t> best;
  for (std::size_t k = 0; k < planned.size(); ++k) {
    if (left[k] == 0 || planned[k].mechanism != step.mechanism || !planned[k].inner.empty() ||
        !within(step.event, planned[k].event))
      continue;
    if (!best || within(planned[k].event, planned[*best].event)) best = k;
  }
  return best;
}

std::optional<std::size_t> same_as(const Step& step, const std::vector<Step>& planned,
                                   const std::vector<std::uint64_t>& left) {
  for (std::size_t k = 0; k < planned.size(); ++k)
    if (left[k] > 0 && planned[k] == step) return k;
  return std::nullopt;
}

}  // namespace

void Meter::take(std::size_t planned) {
  if (std::holds_alternative<RepeatAndSelect>(rule_)) return;  // as often as the hidden number says
  if (std::holds_alternative<OneOf>(rule_)) {
    left_.assign(left_.size(), 0);
    return;
  }
  --left_[planned];
}

void Meter::charge(const Step& step) {
  if (!is_root()) {
    const auto planned = step.inner.empty() ? planned_for(step, steps_, left_) : same_as(step, steps_, left_);
    if (!planned)
      throw_error<BudgetError>("the step \"{}\" is beyond what was planned and paid for", step.mechanism);
    return take(*planned);
  }
  require_stated_for(step.event, budget_.neighbours);
  if (steps_.empty() || steps_.back() != step) require_covered(step, budget_.neighbours);
  std::vector<Event> events = events_of(steps_);
  events.push_back(step.event);
  if (!fits(compose(events, budget_.limit), budget_.limit))
    throw_error<BudgetError>("the budget does not cover the step \"{}\"; nothing was released",
                             step.mechanism);
  if (hook_) hook_(step);
  steps_.push_back(step);
}

// What the inner steps have together, and whom they protect.
Budget Meter::budget_within(const Step& step) const {
  Budget budget = budget_;
  if (const auto* pure = std::get_if<PureEvent>(&step.event)) budget.limit = Pure{pure->epsilon};
  if (const auto* gaussian = std::get_if<GaussianEvent>(&step.event)) budget.limit = Gaussian{gaussian->mu};
  if (const auto* approx = std::get_if<ApproxEvent>(&step.event)) {
    const Approx limit{approx->epsilon, approx->delta};
    const auto* group = std::get_if<Group>(&step.nesting);
    budget.limit = group != nullptr ? item_target(limit, group->records) : limit;
    if (group != nullptr) budget.unit = Unit::item;
  }
  return budget;
}

Meter Meter::child(const Step& step) {
  if (step.inner.empty()) throw_error<UsageError>("the step \"{}\" has no steps within it", step.mechanism);
  charge(step);
  return {*this, budget_within(step), step.inner, step.nesting};
}

Meter Meter::next_part() {
  std::vector<Step> part;
  for (const Step& step : steps_) {
    if (!std::holds_alternative<Parallel>(step.nesting) || parts_ >= step.inner.size())
      throw_error<UsageError>("the step \"{}\" has no part {}", step.mechanism, parts_ + 1);
    part.push_back(step.inner[parts_]);
  }
  ++parts_;
  return {*this, budget_, std::move(part), Composed{}};
}

void Meter::show_watcher(MechanismKey, const Step& step, std::span<const double> opened) const {
  if (root_->watcher_) root_->watcher_(step, opened);
}

Guarantee Meter::spent() const { return compose(events_of(steps_), budget_.limit); }

}  // namespace tacit::inline v1
