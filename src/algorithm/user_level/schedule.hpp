#pragma once

// Every number of a run by a theorem's own rules [docs/user_phased.md, docs/user_erm.md, "By the theorem"].
// They are functions of public values, and become the options that a certificate states: privacy rests on
// none of them.

#include <string_view>

#include "tacit/core.hpp"
#include "tacit/problem.hpp"

namespace tacit::inline v1::user_level {

struct PhasedOptions;
struct ErmOptions;

enum class Schedule {
  practical,  // what is not given by a rule of thumb
  theorem,
};
TACIT_API std::string_view name(Schedule schedule);

// [LowyLiuAsi24, Thm 2.1]: phases, groups and the step, those that are not given, that make the theorem's
// bound least. Unchanged where it is practical.
TACIT_API PhasedOptions with_schedule(std::size_t users, std::size_t parameters,
                                      const PhasedOptions& options);

// The bound of Theorem 2.1 in units of L, with its constants, at so many phases and groups and the best step.
struct PhasedBound {
  double step = 0, risk = 0;
};
TACIT_API PhasedBound phased_bound(std::size_t users, std::size_t parameters, std::size_t phases,
                                   std::size_t groups, const PhasedOptions& options);

// [LowyLiuAsi24, Thm 3.2 and 4.1]: λ, steps, users in a sample and phases, those that are not given.
TACIT_API ErmOptions with_schedule(const Shape& shape, std::size_t users, const ErmOptions& options);

}  // namespace tacit::inline v1::user_level
