// expect: Cannot format an argument
#include <fmt/format.h>

#include "tacit/meter.hpp"

using namespace tacit;
const Sensitive<double> x(1.0, Sensitivity{.value = 1}, Neighbours::replace_one);
#ifdef OFFENCE
std::string offence() { return fmt::format("{}", x); }
#endif
