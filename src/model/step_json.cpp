#include "model/certificate_json.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

std::string_view name_of(Norm norm) {
  static constexpr std::string_view names[] = {"l1", "l2", "linf", "gauge"};
  return names[static_cast<int>(norm)];
}

Norm parse_norm(std::string_view text) {
  for (const Norm norm : {Norm::l1, Norm::l2, Norm::linf, Norm::gauge})
    if (text == name_of(norm)) return norm;
  throw_error<DataError>("the norm \"{}\" is not one of l1, l2, linf, gauge", text);
}

struct Write {
  Json operator()(const Composed&) const { return {{"rule", "composed"}}; }
  Json operator()(const Parallel&) const { return {{"rule", "parallel"}}; }
  Json operator()(const Sampled& n) const { return {{"rule", "sampled"}, {"rate", from_double(n.rate)}}; }
  Json operator()(const Group& n) const { return {{"rule", "group"}, {"records", n.records}}; }
  Json operator()(const OneOf&) const { return {{"rule", "one-of"}}; }
  Json operator()(const RepeatAndSelect&) const { return {{"rule", "repeat-and-select"}}; }
};

Nesting nesting_from_json(const Json& json) {
  const std::string rule = text(json, "rule");
  if (rule == "composed") return Composed{};
  if (rule == "parallel") return Parallel{};
  if (rule == "sampled") return Sampled{number(json, "rate")};
  if (rule == "group") return Group{count(json, "records")};
  if (rule == "one-of") return OneOf{};
  if (rule == "repeat-and-select") return RepeatAndSelect{};
  throw_error<DataError>(
      "steps are nested by an unknown rule \"{}\", expected composed, parallel, sampled, group, one-of or "
      "repeat-and-select",
      rule);
}

}  // namespace

Json to_json(const Step& step) {
  const Sensitivity& s = step.sensitivity;
  Json json{{"mechanism", step.mechanism},
            {"event", to_json(step.event)},
            {"sensitivity",
             {{"value", from_double(s.value)},
              {"slack", from_double(s.slack)},
              {"norm", name_of(s.norm)},
              {"reason", s.reason}}},
            {"scale", from_double(step.scale)},
            {"grid", from_double(step.grid)},
            {"dimension", step.dimension}};
  if (step.times != 1) json["times"] = step.times;
  if (step.inner.empty()) return json;
  json["nesting"] = std::visit(Write{}, step.nesting);
  json["inner"] = Json::array();
  for (const Step& inner : step.inner) json["inner"].push_back(to_json(inner));
  return json;
}

Step step_from_json(const Json& json) {
  const Json& s = member(json, "sensitivity");
  Step step{.mechanism = text(json, "mechanism"),
            .event = event_from_json(member(json, "event")),
            .sensitivity = {.value = number(s, "value"),
                            .slack = number(s, "slack"),
                            .norm = parse_norm(text(s, "norm")),
                            .reason = text(s, "reason")},
            .scale = number(json, "scale"),
            .grid = number(json, "grid"),
            .dimension = count(json, "dimension")};
  if (json.contains("times")) step.times = count(json, "times");
  if (!json.contains("inner")) return step;
  const Json& inner = json["inner"];
  if (!inner.is_array()) throw_error<DataError>("\"inner\" is not a list");
  step.nesting = nesting_from_json(member(json, "nesting"));
  for (const Json& one : inner) step.inner.push_back(step_from_json(one));
  return step;
}

}  // namespace tacit::inline v1
