#include "tacit/model.hpp"

#include "model/certificate_json.hpp"
#include "model/digest.hpp"
#include "model/schema_cost.hpp"
#include "model/stated_facts.hpp"
#include "tacit/core.hpp"
#include "tacit/verify.hpp"

namespace tacit::inline v1 {

namespace {

Json loss_to_json(const LossSpec& loss) {
  Json json{{"name", name(loss)}};
  if (const auto* link = std::get_if<Link>(&loss))
    if (link->parameter != 0) json["parameter"] = link->parameter;
  if (const auto* network = std::get_if<Network>(&loss)) json["hidden"] = network->hidden;
  if (const auto* robust = std::get_if<RobustFit>(&loss)) json["pieces"] = robust->pieces;
  return json;
}

LossSpec loss_from_json(const Json& json, std::size_t classes) {
  const std::string loss = text(json, "name");
  if (loss == "softmax") return Softmax{classes};
  if (auto network = parse_network(loss)) {
    network->hidden = count(json, "hidden");
    network->classes = classes;
    return *network;
  }
  if (auto robust = parse_robust(loss)) {
    robust->pieces = count(json, "pieces");
    return *robust;
  }
  try {
    Link link = parse_link(loss);
    if (json.contains("parameter")) link.parameter = number(json, "parameter");
    validate(link);
    return link;
  } catch (const UsageError& error) {
    throw_error<DataError>("{}", error.what());
  }
}

ImageFeatures image_features(const std::string& text) {
  try {
    return parse_image_features(text);
  } catch (const UsageError& error) {
    throw_error<DataError>("{}", error.what());
  }
}

void check_version(const Json& json) {
  if (json.is_object() && json.contains("columns") && !json.contains("format"))
    throw_error<DataError>(
        "this is not a tacit model but a schema without a certificate; only a schema that was found "
        "privately has one");
  if (!json.is_object() || !json.contains("format") || json["format"] != "tacit-model")
    throw_error<DataError>("this is not a tacit model (its \"format\" is not \"tacit-model\")");
  const std::size_t version = count(json, "version");
  if (version > model_format_version)
    throw_error<DataError>("format version {} is newer than the {} that this tacit reads", version,
                           model_format_version);
  if (version < 1) throw_error<DataError>("format version {} does not exist", version);
}

RangeAnswers ranges_from_json(const Json& json) {
  const auto list = [&](const char* key) {
    const Json& found = member(json, key);
    if (!found.is_array()) throw_error<DataError>("\"{}\" is not a list", key);
    return found;
  };
  RangeAnswers ranges;
  for (const Json& answer : list("released"))
    ranges.numbers.push_back(numbers(Json{{"numbers", answer}}, "numbers"));
  for (const Json& answer : list("released_texts"))
    ranges.texts.push_back(texts(Json{{"texts", answer}}, "texts"));
  return ranges;
}

Vector vector_from(const Json& json, const char* key) {
  const std::vector<double> values = numbers(json, key);
  return Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(values.size()));
}

Intervals intervals_from_json(const Json& json) {
  const Json& minimiser = member(json, "minimiser");
  return {.level = number(json, "level"),
          .lower = vector_from(json, "lower"),
          .upper = vector_from(json, "upper"),
          .minimiser_lower = vector_from(minimiser, "lower"),
          .minimiser_upper = vector_from(minimiser, "upper"),
          .released = vector_from(json, "released")};
}

Json list_of(const Vector& values) { return std::vector<double>(values.begin(), values.end()); }

Json to_json(const Intervals& intervals) {
  return {{"level", intervals.level},
          {"lower", list_of(intervals.lower)},
          {"upper", list_of(intervals.upper)},
          {"minimiser",
           {{"lower", list_of(intervals.minimiser_lower)}, {"upper", list_of(intervals.minimiser_upper)}}},
          {"released", list_of(intervals.released)}};
}

FittedModel model_from_json(const Json& json, std::string_view source) {
  check_version(json);
  const Json& features = member(json, "features");
  const Json& target = member(json, "target");
  FittedModel model;
  model.classes = texts(target, "classes");
  model.loss = loss_from_json(member(json, "loss"), model.classes.size());
  model.intercept = number(json, "intercept");
  model.features = count(features, "count");
  model.names = texts(features, "names");
  if (features.contains("images")) model.image_features = image_features(text(features, "images"));
  model.target = text(target, "column");
  model.offset = number(target, "offset");
  model.scale = number(target, "scale");
  model.parameters = vector_from(json, "parameters");
  if (json.contains("samples"))
    for (const Json& sample : json["samples"])
      model.samples.push_back(vector_from(Json{{"sample", sample}}, "sample"));
  if (const Json& schema = member(json, "schema"); !schema.is_null())
    model.schema = parse_schema(schema.dump(), fmt::format("{}: schema", source));
  model.certificate = certificate_from_json(member(json, "certificate"));
  if (json.contains("ranges")) model.ranges = ranges_from_json(json["ranges"]);
  if (json.contains("intervals")) model.intervals = intervals_from_json(json["intervals"]);
  validate(model);
  return model;
}

}  // namespace

std::string model_to_json(const FittedModel& model) {
  validate(model);
  Json json;
  json["format"] = "tacit-model";
  json["version"] = model_format_version;
  json["loss"] = loss_to_json(model.loss);
  json["target"] = {
      {"column", model.target}, {"classes", model.classes}, {"offset", model.offset}, {"scale", model.scale}};
  json["features"] = {{"count", model.features}, {"names", model.names}};
  if (model.image_features != ImageFeatures::none) json["features"]["images"] = name(model.image_features);
  json["intercept"] = model.intercept;
  json["parameters"] = list_of(model.parameters);
  if (model.intervals) json["intervals"] = to_json(*model.intervals);
  for (const Vector& sample : model.samples) json["samples"].push_back(list_of(sample));
  json["schema"] = model.schema ? Json::parse(schema_to_json(*model.schema)) : Json();
  if (model.ranges)
    json["ranges"] = {{"released", model.ranges->numbers}, {"released_texts", model.ranges->texts}};
  json["certificate"] = to_json(model.certificate);
  json["digest"] = sha256(sealed_bytes(json));
  return layout(json);
}

FittedModel parse_model(std::string_view text, std::string_view source) {
  const Json json = parse_json(text, source);
  try {
    return model_from_json(json, source);
  } catch (const DataError& error) {
    if (std::string_view(error.what()).starts_with(source)) throw;  // a message about the schema
    throw_error<DataError>("{}: {}", source, error.what());
  }
}

std::string sign_model(std::string_view text, std::string_view private_key_pem) {
  Json json = parse_json(text, "model");
  json["signature"] = sign_ed25519(sealed_bytes(json), private_key_pem);
  return layout(json);
}

std::string summary_json(const Certificate& certificate) {
  const Json full = to_json(certificate);
  Json summary;
  for (const char* key : {"private", "guarantee", "unit", "neighbours", "replaced", "method"})
    if (full.contains(key)) summary[key] = full[key];
  if (certificate.assumed_public.has("method_choice"))
    summary["method_choice"] = certificate.assumed_public.text("method_choice");
  if (certificate.seeded) summary["seeded"] = true;  // why it is not private
  if (certificate.assumed_public.has("ledger_release"))
    summary["ledger_release"] = certificate.assumed_public.text("ledger_release");
  if (certificate.options.has("phases_passed"))  // fewer than all: halted, docs/user_phased.md
    summary["phases_passed"] = certificate.options.integer("phases_passed");
  if (const auto [column, value] = group_in(certificate.assumed_public); !column.empty())
    summary["group"] = {{"column", column}, {"value", value}};
  summary["guarantee"]["sentence"] =
      describe(certificate.guarantee, certificate.unit, certificate.neighbours);
  if (const std::optional<Guarantee> replaced = replaced_guarantee(certificate))
    summary["replaced"]["sentence"] = describe(*replaced, certificate.unit, Neighbours::replace_one);
  if (const Json cost = schema_cost_json(certificate); !cost.is_null()) summary["schema_cost"] = cost;
  summary["assumptions"] = told_assumptions(certificate);
  return summary.dump(2);
}

std::string summary_text(const Certificate& certificate) {
  std::string text = describe(certificate) + "\n";
  for (const std::string& assumption : told_assumptions(certificate))
    text += fmt::format("Assumed: {}.\n", assumption);
  return text;
}

}  // namespace tacit::inline v1
