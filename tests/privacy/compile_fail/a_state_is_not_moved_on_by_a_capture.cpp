// expect: post-processing captures nothing
#include "tacit/meter.hpp"

void move_on(tacit::Released<double>& state, const tacit::Released<double>& noise, double secret) {
#ifdef OFFENCE
  state.update([&](double& x, double) { x = secret; }, noise);
#else
  (void)secret;
  state.update([](double& x, double more) { x += more; }, noise);
#endif
}
