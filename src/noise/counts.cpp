#include "noise/counts.hpp"

#include <cmath>
#include <cstdint>

#include "noise/coins.hpp"
#include "noise/mechanism.hpp"
#include "noise/round_exactly.hpp"
#include "noise/samplers.hpp"

namespace tacit::inline v1::noise {

namespace {

// So many binary digits of a rate, and a rate of at least 2^−29, leave every product with a whole number
// below 2^29 exact.
constexpr int rate_digits = 24, least_rate = -29;

// epsilon/Δ, rounded down.
double rate_for(const Sensitivity& sensitivity, Pure epsilon) {
  validate(Guarantee(epsilon));
  const double total = checked_total(sensitivity);
  if (!(total > 0)) throw_error<UsageError>("the sensitivity is 0, which needs no noise");
  int exponent = 0;
  const double digits = std::frexp(div_down(epsilon.epsilon, total), &exponent);
  const double rate = std::ldexp(std::floor(std::ldexp(digits, rate_digits)), exponent - rate_digits);
  if (!(rate >= std::ldexp(1, least_rate) && std::isfinite(rate)))
    throw_error<UsageError>("epsilon is {}, too small for a sensitivity of {}", epsilon.epsilon, total);
  return rate;
}

void require_l1(const Sensitivity& sensitivity, std::size_t dimension) {
  if (dimension == 0) throw_error<UsageError>("the dimension is 0, expected at least 1");
  if (sensitivity.norm != Norm::l1)
    throw_error<UsageError>("the sensitivity is not in l1, which this noise needs");
}

// P(G ≥ k) = e^(−k·rate). G = U + T·V with T = 2^m ≥ 1/rate: U below T with probability ∝ e^(−U·rate), a
// uniform that is accepted with that probability; V the number of successes with e^(−T·rate) before the first
// failure. [Canonne, Kamath & Steinke 2020, Alg. 2, with the coins' probabilities exact.]
std::int64_t draw_geometric(double rate, BitSource& bits) {
  int m = 0;
  while (std::ldexp(rate, m) < 1) ++m;
  std::uint64_t low = 0;
  do {
    bits.fill({&low, 1});
    low &= (std::uint64_t{1} << m) - 1;
  } while (!bernoulli_exp(static_cast<double>(low) * rate, bits));
  std::int64_t high = 0;
  while (bernoulli_exp(std::ldexp(rate, m), bits)) ++high;
  return static_cast<std::int64_t>(low) + (high << m);
}

}  // namespace

Step plan_geometric(const Sensitivity& sensitivity, Pure epsilon, std::size_t dimension) {
  require_l1(sensitivity, dimension);
  Step step;
  step.mechanism = "geometric";
  step.event = PureEvent{epsilon.epsilon};
  step.sensitivity = sensitivity;
  step.scale = 1 / rate_for(sensitivity, epsilon);
  step.grid = 1;
  step.dimension = dimension;
  return step;
}

Released<Vector> geometric(const Sensitive<Vector>& x, Pure epsilon, double range, Meter& meter) {
  require_same_terms(x, meter);
  if (!(range >= 0 && range <= 0x1p52))
    throw_error<UsageError>("the range is {}, expected 0 <= range <= 2^52", range);
  const Vector& value = Mechanism::open(x);
  for (const double v : value)
    if (std::nearbyint(v) != v) throw_error<UsageError>("geometric noise is for whole numbers only");
  const Step step = plan_geometric(x.sensitivity(), epsilon, static_cast<std::size_t>(value.size()));
  meter.charge(step);
  Mechanism::show(meter, step, {value.data(), static_cast<std::size_t>(value.size())});
  const double rate = rate_for(x.sensitivity(), epsilon), cap = std::floor(range);
  Vector out(value.size());
  for (Eigen::Index k = 0; k < value.size(); ++k) {
    const auto clamped = static_cast<std::int64_t>(std::fmax(std::fmin(value[k], cap), -cap));
    const std::int64_t up = draw_geometric(rate, meter.bits()), down = draw_geometric(rate, meter.bits());
    out[k] = static_cast<double>(clamped + up - down);
  }
  return Mechanism::release(std::move(out));
}

Step plan_laplace_vector(const Sensitivity& sensitivity, double scale, double range, std::size_t dimension) {
  require_l1(sensitivity, dimension);
  Step step;
  step.mechanism = "laplace-vector";
  step.event = PureEvent{epsilon_of(sensitivity, scale)};
  step.sensitivity = sensitivity;
  step.scale = scale;
  step.grid = lattice_for(scale, range).grid;
  step.dimension = dimension;
  return step;
}

Released<Vector> laplace_vector(const Sensitive<Vector>& x, double scale, double range, Meter& meter) {
  require_same_terms(x, meter);
  const Vector& value = Mechanism::open(x);
  const auto size = static_cast<std::size_t>(value.size());
  const Step step = plan_laplace_vector(x.sensitivity(), scale, range, size);
  meter.charge(step);
  Mechanism::show(meter, step, {value.data(), size});
  Vector out(value.size());
  add_laplace({value.data(), size}, scale, Lattice{step.grid, range}, meter.bits(), {out.data(), size});
  return Mechanism::release(std::move(out));
}

}  // namespace tacit::inline v1::noise
