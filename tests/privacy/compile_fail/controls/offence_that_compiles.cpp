// expect: no match for 'operator<<'
#include <iostream>

#include "tacit/meter.hpp"

using namespace tacit;
const Sensitive<double> x(1.0, Sensitivity{.value = 1}, Neighbours::replace_one);
#ifdef OFFENCE
std::ostream& offence() { return std::cout << x.sensitivity().value; }
#endif
