#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tacit/guarantee.hpp"
#include "tacit/meter.hpp"

// A release in two parts, one after the other: each is a step with its own steps within it, and the options
// state what was set aside for each.

namespace tacit::inline v1 {

// A guarantee as what a step costs: Pure, Approx or Gaussian.
Event event_of(const Guarantee& guarantee);

// The step that holds a part's steps.
Step step_of(std::string_view mechanism, const Guarantee& cost, std::vector<Step> inner, std::string reason);

std::vector<Event> events_of(const std::vector<Step>& steps);

// What the parts are one after the other, in the notion of `whole`.
Guarantee together(const Guarantee& first, const Guarantee& second, const Guarantee& whole);

// The numbers of a part's guarantee among the options, each with the part's prefix: "range_epsilon".
void set_part(Facts& options, const std::string& prefix, const Guarantee& guarantee);
Guarantee part_of(const Facts& options, const std::string& prefix);
Facts options_without(const Facts& options, std::string_view prefix);

}  // namespace tacit::inline v1
