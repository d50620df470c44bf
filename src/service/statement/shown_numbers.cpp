#include "service/statement/shown_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/iso_date.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::service {

namespace {

// Five, or as many as there are before the point.
int digits_of(double x) {
  constexpr int least = 5, most = 17;
  return x == 0 ? least : std::clamp(static_cast<int>(std::floor(std::log10(std::fabs(x)))) + 1, least, most);
}

}  // namespace

std::string shown_number(double x, Reading reading) {
  if (reading == Reading::date) return date_text(std::nearbyint(x));
  return fmt::format("{:.{}g}", x, digits_of(x));
}

std::string shown_low(double x, Reading reading) {
  return reading == Reading::date ? date_text(std::floor(x)) : decimal_down(x, digits_of(x));
}

std::string shown_high(double x, Reading reading) {
  return reading == Reading::date ? date_text(std::ceil(x)) : decimal_up(x, digits_of(x));
}

std::string shown_estimate(const nlohmann::ordered_json& estimate, Reading reading) {
  const auto& interval = estimate["interval"];
  return fmt::format("{} [{}, {}]", shown_number(estimate["value"].get<double>(), reading),
                     shown_low(interval[0].get<double>(), reading),
                     shown_high(interval[1].get<double>(), reading));
}

std::string evaluation_intervals(const nlohmann::ordered_json& evaluation, const std::string& range) {
  return fmt::format(
      "Intervals hold the records' own value{} with probability {} each, over the noise.",
      evaluation.contains("rmse") ? fmt::format(", labels and predictions cut to {},", range) : "",
      evaluation["confidence"].get<double>());
}

}  // namespace tacit::inline v1::service
