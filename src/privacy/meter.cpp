#include "tacit/privacy/meter.hpp"

#include <algorithm>

#include "tacit/core/error.hpp"
#include "tacit/core/rounding.hpp"
#include "tacit/privacy/account.hpp"

namespace tacit::inline v1 {

double Sensitivity::total() const { return slack == 0 ? value : add_up(value, slack); }

Meter::Meter(Budget budget, BitSource& bits) : budget_(std::move(budget)), bits_(&bits) {
  validate(budget_.limit);
}

namespace {
std::vector<Event> events_of(const std::vector<Step>& steps) {
  std::vector<Event> events;
  std::ranges::transform(steps, std::back_inserter(events), &Step::event);
  return events;
}
}  // namespace

void Meter::charge(const Step& step) {
  require_stated_for(step.event, budget_.neighbours);
  std::vector<Event> events = events_of(steps_);
  events.push_back(step.event);
  if (!fits(compose(events, budget_.limit), budget_.limit))
    throw_error<BudgetError>("the budget does not cover the step \"{}\"; nothing was released",
                             step.mechanism);
  if (hook_) hook_(step);
  steps_.push_back(step);
}

void Meter::show_watcher(MechanismKey, const Step& step, std::span<const double> opened) const {
  if (watcher_) watcher_(step, opened);
}

Guarantee Meter::spent() const { return compose(events_of(steps_), budget_.limit); }

}  // namespace tacit::inline v1
