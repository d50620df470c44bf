// expect: cannot convert '.*Ideal<double>' to 'double'
#include "tacit/meter.hpp"

using namespace tacit;
const Ideal<double> y(1.0, 0.1, "reason");
#ifdef OFFENCE
double offence() { return y; }
#endif
