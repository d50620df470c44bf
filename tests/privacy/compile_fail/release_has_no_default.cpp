// expect: no matching function for call to .*Released<.*::Released\(\)|use of deleted function
#include "tacit/privacy/certificate.hpp"
#include "tacit/privacy/sensitive.hpp"

using namespace tacit;
#ifdef OFFENCE
Release offence() { return Release(); }
#endif
