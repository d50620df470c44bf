// expect: no match for 'operator<<'
#include <iostream>

#include "tacit/meter.hpp"

using namespace tacit;
const Ideal<double> y(1.0, 0.1, "reason");
#ifdef OFFENCE
std::ostream& offence() { return std::cout << y; }
#endif
