// expect: could not convert
#include "tacit/meter.hpp"

using namespace tacit;
const Vector parameters = Vector::Zero(2);
#ifdef OFFENCE
Release offence() { return {parameters, Certificate{}}; }
#endif
