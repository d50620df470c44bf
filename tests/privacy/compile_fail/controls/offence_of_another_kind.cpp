// expect: no match for 'operator<<'
#include "tacit/meter.hpp"

using namespace tacit;
#ifdef OFFENCE
double offence() { return undeclared; }
#endif
