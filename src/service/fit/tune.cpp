#include "tacit/fit.hpp"

#include <nlohmann/json.hpp>

#include "algorithm/tuning.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::service {

namespace {

using Json = nlohmann::ordered_json;

tuning::Setting parse_setting(const Json& json) {
  if (!json.is_object() || !json.contains("method") || !json["method"].is_string())
    throw_error<DataError>("expected an object with a \"method\"");
  tuning::Setting setting{.method = json["method"].get<std::string>()};
  const Method& method = find_method(setting.method);
  for (const auto& [key, value] : json.items()) {
    if (key == "method") continue;
    if (find_option(method, key) == nullptr)
      throw_error<DataError>("\"{}\" is not an option of {}", key, method.name);
    if (!value.is_number()) throw_error<DataError>("\"{}\" is not a number", key);
    setting.options.set(fact_name(key), value.get<double>());
  }
  return setting;
}

}  // namespace

Facts load_tuning(const std::filesystem::path& path) {
  const Json json = Json::parse(read_file(path), nullptr, false);
  if (json.is_discarded() || !json.is_object() || !json.contains("settings") || !json["settings"].is_array())
    throw_error<DataError>("{}: expected a JSON object with an array \"settings\"", path.string());
  Facts facts;
  std::vector<tuning::Setting> settings;
  for (const Json& entry : json["settings"]) {
    try {
      settings.push_back(parse_setting(entry));
    } catch (const Error& error) {
      throw_error<DataError>("{}: setting {}: {}", path.string(), settings.size() + 1, error.what());
    }
  }
  facts.set("settings", tuning::settings_text(settings));
  for (const auto& [key, value] : json.items()) {
    if (key == "settings") continue;
    if ((key != "validation" && key != "mean_runs") || !value.is_number())
      throw_error<DataError>(
          "{}: unknown or wrong \"{}\", expected \"settings\", \"validation\" or \"mean_runs\"",
          path.string(), key);
    facts.set(key, value.get<double>());
  }
  tuning::parse_settings(facts.text("settings"));  // refuses what cannot be tuned
  return facts;
}

}  // namespace tacit::inline v1::service
