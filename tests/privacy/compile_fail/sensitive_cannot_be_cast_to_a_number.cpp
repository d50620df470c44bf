// expect: invalid 'static_cast'
#include "tacit/meter.hpp"

using namespace tacit;
const Sensitive<double> x(1.0, Sensitivity{.value = 1}, Neighbours::replace_one);
#ifdef OFFENCE
double offence() { return static_cast<double>(x); }
#endif
