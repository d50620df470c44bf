#include <algorithm>
#include <charconv>

#include "algorithm/tuning.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::tuning {

namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(trimmed(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return parts;
}

Setting parse_setting(std::string_view text) {
  const std::size_t colon = text.find(':');
  Setting setting{.method = std::string(trimmed(text.substr(0, colon)))};
  const Method& method = find_method(setting.method);
  if (!offers(method, Notion::pure) || setting.method == "tuned")
    throw_error<UsageError>("the method {} cannot be tuned: a setting's method must be pure DP",
                            setting.method);
  if (method.assumes != "nothing")
    throw_error<UsageError>(
        "the method {} cannot be tuned: it rests on an assumption, which a fit of its own states",
        setting.method);
  if (colon == std::string_view::npos) return setting;
  for (const std::string_view pair : split(text.substr(colon + 1), ',')) {
    const std::size_t equals = pair.find('=');
    std::string key(trimmed(pair.substr(0, equals)));
    std::ranges::replace(key, '-', '_');  // an option's name or its fact's
    if (find_option(method, key) == nullptr)
      throw_error<UsageError>("\"{}\" is not an option of {}", key, setting.method);
    if (key == "records")
      throw_error<UsageError>("records is an option of tuned, the same for all settings; not one of {}",
                              setting.method);
    if (setting.options.has(key))
      throw_error<UsageError>("a setting of {} has {} twice", setting.method, key);
    double value = 0;
    const std::string_view number = equals == std::string_view::npos ? "" : trimmed(pair.substr(equals + 1));
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc() || end != number.data() + number.size())
      throw_error<UsageError>("a setting of {} has \"{}\", expected option=number", setting.method, pair);
    setting.options.set(key, value);
  }
  return setting;
}

}  // namespace

std::vector<Setting> parse_settings(std::string_view text) {
  std::vector<Setting> settings;
  for (const std::string_view part : split(text, ';'))
    if (!part.empty()) settings.push_back(parse_setting(part));
  if (settings.empty()) throw_error<UsageError>("there are no settings to choose from");
  return settings;
}

std::string asked_settings(const Facts& facts) {
  return facts.has("settings") ? facts.text("settings")
                               : "limited-objective:radius=3; limited-objective:radius=10; "
                                 "limited-objective:radius=30";
}

std::string settings_text(const std::vector<Setting>& settings) {
  std::string text;
  for (const Setting& setting : settings) {
    text += (text.empty() ? "" : "; ") + setting.method;
    char before = ':';
    for (const auto& [key, value] : setting.options.entries()) {
      text += fmt::format("{}{}={}", before, key, setting.options.number(key));
      before = ',';
    }
  }
  return text;
}

std::string chosen_setting(const Certificate& certificate) {
  const Facts& options = certificate.options;
  if (certificate.method != "tuned" || !options.has("chosen")) return "";
  const auto settings = parse_settings(options.text("settings"));
  const auto chosen = static_cast<std::size_t>(options.integer("chosen"));
  return chosen < settings.size() ? settings_text({settings[chosen]}) : "";
}

}  // namespace tacit::inline v1::tuning
