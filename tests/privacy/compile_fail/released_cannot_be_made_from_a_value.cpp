// expect: is private within this context
#include "tacit/meter.hpp"

using namespace tacit;
#ifdef OFFENCE
Released<double> offence() { return Released<double>(1.0); }
#endif
