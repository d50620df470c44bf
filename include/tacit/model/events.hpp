#pragma once

#include <string_view>
#include <vector>

#include "tacit/core/api.hpp"
#include "tacit/privacy/event.hpp"
#include "tacit/privacy/guarantee.hpp"

namespace tacit::inline v1 {

// Events as people write them down (docs/accounting.md): an array, or {"neighbours": …, "events": […]}, of
// what a certificate has under "event", each with an optional "count".
struct EventList {
  std::vector<Event> events;
  Neighbours neighbours = Neighbours::zero_out;
};

// `source` begins every message. DataError names the event and what is wrong with it.
TACIT_API EventList parse_events(std::string_view text, std::string_view source);

}  // namespace tacit::inline v1
