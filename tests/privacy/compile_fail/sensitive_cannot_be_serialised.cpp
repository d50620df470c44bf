// expect: conversion from '.*Sensitive<double>' to non-scalar type '.*json
#include <nlohmann/json.hpp>

#include "tacit/meter.hpp"

using namespace tacit;
const Sensitive<double> x(1.0, Sensitivity{.value = 1}, Neighbours::replace_one);
#ifdef OFFENCE
void offence() { const nlohmann::json json = x; }
#endif
