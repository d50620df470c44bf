#pragma once

#include <nlohmann/json.hpp>
#include <string>

// Numbers of a statement for people: in full before the point, and an interval's ends rounded outwards, so
// that what it holds it still holds when shown.

namespace tacit::inline v1::service {

enum class Reading { number, date };  // a date is in seconds since 1970

std::string shown_number(double x, Reading reading = Reading::number);
std::string shown_low(double x, Reading reading = Reading::number);
std::string shown_high(double x, Reading reading = Reading::number);

// "value [low, high]" of {"value": …, "interval": [low, high]}.
std::string shown_estimate(const nlohmann::ordered_json& estimate, Reading reading = Reading::number);

// What the intervals of an evaluation hold; of numbers, within which range, in words.
std::string evaluation_intervals(const nlohmann::ordered_json& evaluation,
                                 const std::string& range = "the schema's range");

}  // namespace tacit::inline v1::service
