#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tacit::inline v1 {

// Keys keep the order in which they were written, so that a model file reads top to bottom.
using Json = nlohmann::ordered_json;

// Parses strictly: one value, no duplicate keys (readers differ in which of the two they take, so a file
// could show one guarantee to one reader and another to the next), bounded nesting. Throws DataError that
// says `what` and where.
Json parse_json(std::string_view text, std::string_view what);

// The bytes that a digest or a signature covers: keys sorted, no spaces, shortest exact floats. Throws
// DataError for a text that is not UTF-8.
std::string canonical(const Json& json);

// Members with their kinds checked. Throw DataError that names the key.
const Json& member(const Json& object, std::string_view key);
double number(const Json& object, std::string_view key);  // "inf", "-inf" and "nan" read as such
std::string text(const Json& object, std::string_view key);
bool boolean(const Json& object, std::string_view key);
std::size_t count(const Json& object, std::string_view key);
std::vector<double> numbers(const Json& object, std::string_view key);
std::vector<std::string> texts(const Json& object, std::string_view key);

// JSON has no infinities: they are written as text.
Json from_double(double value);

}  // namespace tacit::inline v1
