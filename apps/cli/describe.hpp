#pragma once

#include "command_line.hpp"

namespace tacit::cli {

void add_describe(Command& tool);

}  // namespace tacit::cli
