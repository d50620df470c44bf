// expect: MechanismKey::MechanismKey\(\).* is private within this context
#include "tacit/meter.hpp"

using namespace tacit;
#ifdef OFFENCE
Released<double> offence() { return Released<double>(MechanismKey(), 1.0); }
#endif
