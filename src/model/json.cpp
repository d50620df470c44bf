#include "model/json.hpp"

#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

constexpr int max_depth = 64;  // deeper than any model; printing a value recurses

// Watches the parser for what nlohmann::json accepts and we do not.
class Strictness {
 public:
  bool operator()(int depth, Json::parse_event_t event, const Json& parsed) {
    if (depth > max_depth) throw_error<DataError>("values are nested more than {} deep", max_depth);
    if (event == Json::parse_event_t::object_start) keys_.emplace_back();
    if (event == Json::parse_event_t::object_end) keys_.pop_back();
    if (event == Json::parse_event_t::key && !keys_.back().insert(parsed.get<std::string>()).second)
      throw_error<DataError>("the key {} appears twice", parsed.dump());
    return true;
  }

 private:
  std::vector<std::set<std::string>> keys_;
};

double as_number(const Json& value, std::string_view key) {
  if (value.is_number()) return value.get<double>();
  if (value == "inf") return std::numeric_limits<double>::infinity();
  if (value == "-inf") return -std::numeric_limits<double>::infinity();
  if (value == "nan") return std::numeric_limits<double>::quiet_NaN();
  throw_error<DataError>("\"{}\" is not a number", key);
}

const Json& array(const Json& object, std::string_view key) {
  const Json& value = member(object, key);
  if (!value.is_array()) throw_error<DataError>("\"{}\" is not a list", key);
  return value;
}

}  // namespace

Json parse_json(std::string_view text, std::string_view what) {
  if (text.find_first_not_of(" \t\r\n") == text.npos) throw_error<DataError>("{}: the file is empty", what);
  if (text.starts_with("tacit-ledger "))
    throw_error<DataError>("{}: this is a ledger, expected a file with a certificate, such as a model", what);
  if (const std::size_t nul = text.find('\0'); nul != text.npos)  // where the parser would stop
    throw_error<DataError>("{}: not valid JSON at byte {}", what, nul + 1);
  try {
    return Json::parse(text, Strictness());
  } catch (const Json::parse_error& error) {
    if (error.byte > text.size())
      throw_error<DataError>("{}: the file ends in the middle (after byte {})", what, text.size());
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    const bool other = first != text.npos && text[first] != '{' && text[first] != '[';
    throw_error<DataError>("{}: not valid JSON at byte {}{}", what, error.byte,
                           other ? ", expected a JSON file, such as a model" : "");
  } catch (const Json::exception&) {
    throw_error<DataError>("{}: a number is out of range", what);
  } catch (const DataError& error) {
    throw_error<DataError>("{}: {}", what, error.what());
  }
}

std::string canonical(const Json& json) {
  try {
    return nlohmann::json(json).dump();
  } catch (const nlohmann::json::exception&) {
    throw_error<DataError>("a name or text is not valid UTF-8");
  }
}

const Json& member(const Json& object, std::string_view key) {
  if (!object.is_object() || !object.contains(key)) throw_error<DataError>("\"{}\" is missing", key);
  return object.find(key).value();
}

double number(const Json& object, std::string_view key) { return as_number(member(object, key), key); }

std::string text(const Json& object, std::string_view key) {
  const Json& value = member(object, key);
  if (!value.is_string()) throw_error<DataError>("\"{}\" is not a text", key);
  return value.get<std::string>();
}

bool boolean(const Json& object, std::string_view key) {
  const Json& value = member(object, key);
  if (!value.is_boolean()) throw_error<DataError>("\"{}\" is not true or false", key);
  return value.get<bool>();
}

std::size_t count(const Json& object, std::string_view key) {
  const Json& value = member(object, key);
  if (!value.is_number_unsigned()) throw_error<DataError>("\"{}\" is not a whole number >= 0", key);
  return value.get<std::size_t>();
}

std::vector<double> numbers(const Json& object, std::string_view key) {
  std::vector<double> result;
  for (const Json& value : array(object, key)) result.push_back(as_number(value, key));
  return result;
}

std::vector<std::string> texts(const Json& object, std::string_view key) {
  std::vector<std::string> result;
  for (const Json& value : array(object, key)) {
    if (!value.is_string()) throw_error<DataError>("\"{}\" is not a list of texts", key);
    result.push_back(value.get<std::string>());
  }
  return result;
}

Json from_double(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

}  // namespace tacit::inline v1
