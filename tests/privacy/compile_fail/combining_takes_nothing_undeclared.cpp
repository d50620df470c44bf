// expect: neither released nor declared
#include "tacit/meter.hpp"

struct Bare {
  double x = 0;
  double value() const { return x; }
};

tacit::Released<double> combined(const tacit::Released<double>& noise, const Bare& other) {
  const auto sum = [](double a, double b) { return a + b; };
#ifdef OFFENCE
  return tacit::combine(sum, noise, other);
#else
  return tacit::combine(sum, noise, tacit::Public(other.x));
#endif
}
