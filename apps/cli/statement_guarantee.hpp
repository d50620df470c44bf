#pragma once

#include <string>

#include "tacit/guarantee.hpp"

namespace tacit::cli {

// What --epsilon and --delta ask for a description or an evaluation: pure or approximate, nothing else.
// UsageError.
Guarantee statement_guarantee(const std::string& epsilon, const std::string& delta);

}  // namespace tacit::cli
