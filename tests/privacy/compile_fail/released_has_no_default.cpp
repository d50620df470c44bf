// expect: no matching function for call to .*Released<double>::Released\(\)
#include "tacit/meter.hpp"

using namespace tacit;
#ifdef OFFENCE
Released<double> offence() { return Released<double>(); }
#endif
