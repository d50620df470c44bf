// expect: is private within this context
#include "tacit/meter.hpp"

// All that a method's code may include of meters: it is handed one, and opens children.
void open(tacit::Meter& meter, const tacit::Step& step, tacit::BitSource& bits) {
#ifdef OFFENCE
  tacit::Meter own({tacit::NoPrivacy{}}, bits);
#else
  (void)bits;
  tacit::Meter own = meter.child(step);
#endif
  own.charge(step);
}
