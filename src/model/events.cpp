#include "tacit/model.hpp"

#include "model/certificate_json.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

std::string keys_of(const Json& json) {
  std::string keys;
  for (const auto& [key, value] : json.items())
    if (key != "kind") keys += (keys.empty() ? "" : ", ") + key;
  return keys;
}

// A misspelt "count" must not mean once.
void require_known_keys(const Json& entry, const Event& event) {
  const Json known = to_json(event);
  for (const auto& [key, value] : entry.items())
    if (key != "count" && !known.contains(key))
      throw_error<DataError>("unknown key \"{}\", a {} event has {} and count", key, text(known, "kind"),
                             keys_of(known));
}

Neighbours relation_of(const Json& json, std::string_view source) {
  try {
    return parse_neighbours(text(json, "neighbours"));
  } catch (const Error& error) {
    throw_error<DataError>("{}: {}", source, error.what());
  }
}

}  // namespace

EventList parse_events(std::string_view text, std::string_view source) {
  constexpr std::size_t most_events = 1'000'000;
  const Json json = parse_json(text, source);
  EventList list;
  const Json* events = &json;
  if (json.is_object()) {
    if (!json.contains("events")) throw_error<DataError>("{}: \"events\" is missing", source);
    events = &json["events"];
    if (json.contains("neighbours")) list.neighbours = relation_of(json, source);
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
      require_stated_for(event, list.neighbours);
      require_known_keys(entry, event);
      const std::size_t copies = entry.contains("count") ? count(entry, "count") : 1;
      if (copies == 0) throw_error<DataError>("the count is 0, expected at least 1");
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
