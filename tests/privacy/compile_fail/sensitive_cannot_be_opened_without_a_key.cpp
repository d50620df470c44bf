// expect: no matching function for call to .*open\(\)
#include "tacit/meter.hpp"

using namespace tacit;
const Sensitive<double> x(1.0, Sensitivity{.value = 1}, Neighbours::replace_one);
#ifdef OFFENCE
double offence() { return x.open(); }
#endif
