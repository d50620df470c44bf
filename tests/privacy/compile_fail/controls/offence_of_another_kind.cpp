// expect: no match for 'operator<<'
#include "tacit/privacy/sensitive.hpp"

using namespace tacit;
#ifdef OFFENCE
double offence() { return undeclared; }
#endif
