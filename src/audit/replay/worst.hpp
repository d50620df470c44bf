#pragma once

#include "tacit/audit.hpp"

namespace tacit::inline v1::audit {

// Keeps what came nearest to its bound; a check that failed once stays failed, NaN counts as failed.
inline void keep_worst(Check& check, double bound, double measured) {
  const bool worse = check.measured <= check.bound && !(measured / bound <= check.measured / check.bound);
  if (check.bound == 0 || worse) {
    check.bound = bound;
    check.measured = measured;
  }
}

}  // namespace tacit::inline v1::audit
