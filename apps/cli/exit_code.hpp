#pragma once

#include "tacit/core.hpp"

namespace tacit::cli {

// Standard output is full or gone.
class OutputError : public Error {
 public:
  using Error::Error;
};

// The exit code of the exception being handled, from sysexits.h (docs/cli.md has the table), and its message
// on standard error as one line.
int report_failure() noexcept;

}  // namespace tacit::cli
