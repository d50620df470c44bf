#pragma once

#include <string>
#include <vector>

#include "tacit/guarantee.hpp"

namespace tacit::cli {

// What --epsilon and --delta ask for a description or an evaluation: pure or approximate, nothing else.
// UsageError.
Guarantee statement_guarantee(const std::string& epsilon, const std::string& delta);

// What stands between the commas of a list.
std::vector<std::string> pieces(const std::string& list);

}  // namespace tacit::cli
