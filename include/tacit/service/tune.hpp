#pragma once

#include <filesystem>

#include "tacit/core/api.hpp"
#include "tacit/privacy/facts.hpp"

namespace tacit::inline v1::service {

// The options of the method "tuned" from a JSON file (docs/tuned.md):
//   {"settings": [{"method": "limited-objective", "radius": 3}, …], "validation": 0.2, "mean_runs": 12}
// DataError names the file, the setting and what is wrong with it.
TACIT_API Facts load_tuning(const std::filesystem::path& path);

}  // namespace tacit::inline v1::service
