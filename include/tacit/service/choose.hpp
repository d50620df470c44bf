#pragma once

#include <string>
#include <vector>

#include "tacit/service/fit.hpp"
#include "tacit/solver/problem.hpp"

// Which method fits, when none is named [docs/choosing.md]. Everything here is a function of public values:
// the guarantee that is asked for, the shape of the problem, bounds, options. Never of the records.

namespace tacit::inline v1::service {

// Whether the options leave the choice to the tool: no method, or "auto".
TACIT_API bool chooses_itself(const FitOptions& options);

// The method that is named; or those that the choice is among: that give the guarantee, assume nothing,
// protect the unit and the relation and have the options that were given. UsageError when there is none.
TACIT_API std::vector<const Method*> candidates(const FitOptions& options);

struct Choice {
  const Method* method = nullptr;
  std::string reason;  // one line; empty for a method that was named
};

// The choice among `candidates`, which are those of the options. `facts` is what the method would be given:
// its options, the guarantee, and the bounds that are public.
TACIT_API Choice choose_method(const FitOptions& options, std::vector<const Method*> candidates,
                               const Shape& shape, const Facts& facts);

}  // namespace tacit::inline v1::service
