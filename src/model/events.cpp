#include "tacit/model/events.hpp"

#include "certificate_json.hpp"
#include "tacit/core/error.hpp"

namespace tacit::inline v1 {

EventList parse_events(std::string_view text, std::string_view source) {
  constexpr std::size_t most_events = 10000;
  const Json json = parse_json(text, source);
  EventList list;
  const Json* events = &json;
  if (json.is_object()) {
    events = &member(json, "events");
    if (json.contains("neighbours")) list.neighbours = parse_neighbours(tacit::text(json, "neighbours"));
    for (const auto& [key, value] : json.items())
      if (key != "events" && key != "neighbours")
        throw_error<DataError>("{}: unknown key \"{}\", expected \"events\" or \"neighbours\"", source, key);
  }
  if (!events->is_array() || events->empty())
    throw_error<DataError>("{}: expected an array of at least one event", source);
  std::size_t number = 0;
  for (const Json& entry : *events) {
    ++number;
    try {
      const Event event = event_from_json(entry);
      validate(event);
      const std::size_t copies = entry.contains("count") ? count(entry, "count") : 1;
      if (copies > most_events - list.events.size())
        throw_error<DataError>("more than {} events in all", most_events);
      list.events.insert(list.events.end(), copies, event);
    } catch (const Error& error) {
      throw_error<DataError>("{}: event {}: {}", source, number, error.what());
    }
  }
  return list;
}

}  // namespace tacit::inline v1
