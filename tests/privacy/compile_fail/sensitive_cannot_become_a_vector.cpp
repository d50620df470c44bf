// expect: could not convert .*Sensitive<.*Matrix
#include "tacit/core.hpp"
#include "tacit/meter.hpp"

using namespace tacit;
const Sensitive<Vector> x(Vector::Zero(2), Sensitivity{.value = 1}, Neighbours::replace_one);
#ifdef OFFENCE
Vector offence() { return x; }
#endif
