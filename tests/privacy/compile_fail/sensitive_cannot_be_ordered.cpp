// expect: no match for 'operator<'
#include "tacit/meter.hpp"

using namespace tacit;
const Sensitive<double> x(1.0, Sensitivity{.value = 1}, Neighbours::replace_one);
#ifdef OFFENCE
bool offence() { return x < x; }
#endif
