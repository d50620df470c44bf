// expect: no matching function for call to .*Released<.*::Released\(\)|use of deleted function
#include "tacit/meter.hpp"

using namespace tacit;
#ifdef OFFENCE
Release offence() { return Release(); }
#endif
