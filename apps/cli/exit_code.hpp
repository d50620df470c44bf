#pragma once

#include "tacit/core.hpp"

namespace tacit::cli {

// Standard output is full or gone.
class OutputError : public Error {
 public:
  using Error::Error;
};

// What is wrong with the command line of a cluster is wrong in all of its processes: the first one says so,
// the others give it time to. Looks at what mpirun tells its processes, as MPI has not started then.
void leave_usage_to_first_rank(int argc, char** argv);

// The exit code of the exception being handled, from sysexits.h (docs/cli.md has the table), and its message
// on standard error as one line.
int report_failure() noexcept;

}  // namespace tacit::cli
