// expect: cannot convert '.*Ideal<double>' to 'double'
#include "tacit/privacy/sensitive.hpp"

using namespace tacit;
const Ideal<double> y(1.0, 0.1, "reason");
#ifdef OFFENCE
double offence() { return y; }
#endif
