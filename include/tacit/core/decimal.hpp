#pragma once

#include <string>

#include "tacit/core/api.hpp"

namespace tacit::inline v1 {

// x to so many significant digits, rounded up or down: a bound that is printed still bounds.
TACIT_API std::string decimal_up(double x, int digits);
TACIT_API std::string decimal_down(double x, int digits);

// A factor above 1, rounded up; one that is hardly above 1 gets the digits that show by how much.
TACIT_API std::string factor_up(double x, int digits);

}  // namespace tacit::inline v1
