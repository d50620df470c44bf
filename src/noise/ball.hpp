#pragma once

#include <arb.h>

namespace tacit::inline v1::noise {

// A real number known up to a radius (Arb's ball), with a lifetime. Arithmetic is Arb's own, on get().
class Ball {
 public:
  Ball() { arb_init(ball_); }
  explicit Ball(double exact) : Ball() { arb_set_d(ball_, exact); }
  Ball(const Ball& other) : Ball() { arb_set(ball_, other.ball_); }
  Ball(Ball&& other) noexcept : Ball() { arb_swap(ball_, other.ball_); }
  Ball& operator=(Ball other) noexcept {
    arb_swap(ball_, other.ball_);
    return *this;
  }
  ~Ball() { arb_clear(ball_); }

  arb_ptr get() { return ball_; }
  arb_srcptr get() const { return ball_; }

 private:
  arb_t ball_;
};

}  // namespace tacit::inline v1::noise
