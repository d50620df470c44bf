// expect: post-processing captures nothing
#include "tacit/meter.hpp"

// A function that ignores what it is handed and returns what it captured would release anything.
tacit::Released<double> smuggled(const tacit::Released<double>& noise, double secret) {
#ifdef OFFENCE
  return noise.map([&](double) { return secret; });
#else
  (void)secret;
  return noise.map([](double x) { return 2 * x; });
#endif
}
