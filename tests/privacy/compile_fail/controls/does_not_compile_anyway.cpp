// expect: no match for 'operator<<'
#include <iostream>

#include "tacit/meter.hpp"

using namespace tacit;
const Sensitive<double> x = undeclared;
#ifdef OFFENCE
std::ostream& offence() { return std::cout << x; }
#endif
