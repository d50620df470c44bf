#include "noise/approximate_sample.hpp"

#include "noise/mechanism.hpp"
#include "noise/samplers.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::noise {

Ideal<Vector> sample_approximately(const Step& step, double distance, std::string reason,
                                   const std::function<Vector(BitSource&)>& draw, Meter& meter) {
  meter.charge(step);
  Ideal<Vector> sample(draw(meter.bits()), distance, std::move(reason));
  const Vector& value = Mechanism::open(sample);
  Mechanism::show(meter, step, {value.data(), static_cast<std::size_t>(value.size())});
  return sample;
}

Step plan_cover(double distance, Gaussian mu, double range, std::size_t dimension) {
  if (!(distance > 0 && distance <= 0x1p900))
    throw_error<UsageError>("the distance is {}, expected 0 < distance <= 2^900", distance);
  // [Lin24, Thm 2]: two computed points that stand for one exact sample are within 2·distance of each other.
  const Sensitivity sensitivity{.value = 2 * distance,
                                .slack = 0,
                                .norm = Norm::l2,
                                .reason = "[Lin24, Thm 2]: twice the distance to the ideal sample"};
  // mu = sensitivity/sigma, as epsilon = sensitivity/scale.
  Step step = plan_gaussian(sensitivity, scale_for(sensitivity, Pure{mu.mu}), range, dimension);
  step.mechanism = "noise-cover";
  return step;
}

Released<Vector> cover(const Ideal<Vector>& x, Gaussian mu, double range, Meter& meter) {
  const Vector& value = Mechanism::open(x);
  const auto size = static_cast<std::size_t>(value.size());
  const Step step = plan_cover(x.distance(), mu, range, size);
  meter.charge(step);
  Mechanism::show(meter, step, {value.data(), size});
  Vector out(value.size());
  add_gaussian({value.data(), size}, step.scale, Lattice{step.grid, range}, meter.bits(), {out.data(), size});
  return Mechanism::release(std::move(out));
}

}  // namespace tacit::inline v1::noise
