#include "model/difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tacit::inline v1 {

namespace {
constexpr double tolerance = 1e-12;
}  // namespace

bool same_number(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b)) ||
         std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b));
}

std::string difference(const Json& recorded, const Json& rebuilt, const std::string& path) {
  if (recorded.is_number() && rebuilt.is_number() &&
      same_number(recorded.get<double>(), rebuilt.get<double>()))
    return {};
  if (recorded.is_object() && rebuilt.is_object()) {
    for (const auto& [key, value] : rebuilt.items()) {
      const std::string here = path.empty() ? key : fmt::format("{}.{}", path, key);
      if (!recorded.contains(key)) return fmt::format("{} is missing", here);
      if (std::string found = difference(recorded[key], value, here); !found.empty()) return found;
    }
    for (const auto& [key, value] : recorded.items())
      if (!rebuilt.contains(key)) return fmt::format("{} is unknown", path.empty() ? key : path + "." + key);
    return {};
  }
  if (recorded.is_array() && rebuilt.is_array() && recorded.size() == rebuilt.size()) {
    for (std::size_t k = 0; k < rebuilt.size(); ++k)
      if (std::string found = difference(recorded[k], rebuilt[k], fmt::format("{}[{}]", path, k));
          !found.empty())
        return found;
    return {};
  }
  if (recorded == rebuilt) return {};
  return fmt::format("{} is {}, expected {}", path, recorded.dump(), rebuilt.dump());
}

}  // namespace tacit::inline v1
