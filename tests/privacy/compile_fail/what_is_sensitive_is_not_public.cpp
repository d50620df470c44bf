// expect: are not public
#include "tacit/meter.hpp"

tacit::Released<double> published(const tacit::Released<double>& noise, const tacit::Sensitive<double>& x) {
#ifdef OFFENCE
  return noise.map([](double a, const tacit::Sensitive<double>&) { return a; }, tacit::Public(x));
#else
  return noise.map([](double a, double b) { return a + b; }, tacit::Public(x.sensitivity().value));
#endif
}
