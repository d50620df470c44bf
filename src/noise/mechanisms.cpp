#include "tacit/mechanisms.hpp"

#include "noise/mechanism.hpp"
#include "noise/round_exactly.hpp"
#include "noise/samplers.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::noise {

namespace {

using Sampler = void (*)(std::span<const double>, double, const Lattice&, BitSource&, std::span<double>);

std::span<const double> view(const Vector& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }
std::size_t size(const Vector& x) { return static_cast<std::size_t>(x.size()); }

// Charge first; then draw.
Vector charge_and_draw(const Step& step, const Vector& x, double range, Meter& meter, Sampler sampler) {
  meter.charge(step);
  Mechanism::show(meter, step, view(x));
  Vector out(x.size());
  sampler(view(x), step.scale, Lattice{step.grid, range}, meter.bits(), {out.data(), size(out)});
  return out;
}

}  // namespace

void require_same_terms(Unit unit, Neighbours neighbours, const Meter& meter) {
  if (neighbours != meter.budget().neighbours)
    throw_error<UsageError>("a sensitivity is stated for {} neighbours, but the budget is for {}",
                            name(neighbours), name(meter.budget().neighbours));
  if (unit != meter.budget().unit)
    throw_error<UsageError>("a sensitivity is stated for the unit {}, but the budget is for the unit {}",
                            record_or_user(unit), record_or_user(meter.budget().unit));
}

Released<Vector> isotropic_laplace(const Sensitive<Vector>& x, double scale, double range, Meter& meter) {
  require_same_terms(x, meter);
  const Vector& value = Mechanism::open(x);
  const Step step = plan_isotropic_laplace(x.sensitivity(), scale, range, size(value));
  return Mechanism::release(charge_and_draw(step, value, range, meter, add_isotropic_laplace));
}

Released<double> laplace(const Sensitive<double>& x, double scale, double range, Meter& meter) {
  require_same_terms(x, meter);
  const Vector value = Vector::Constant(1, Mechanism::open(x));
  const Step step = plan_laplace(x.sensitivity(), scale, range);
  return Mechanism::release(charge_and_draw(step, value, range, meter, add_laplace)[0]);
}

Released<Vector> gaussian(const Sensitive<Vector>& x, double sigma, double range, Meter& meter) {
  require_same_terms(x, meter);
  const Vector& value = Mechanism::open(x);
  const Step step = plan_gaussian(x.sensitivity(), sigma, range, size(value));
  return Mechanism::release(charge_and_draw(step, value, range, meter, add_gaussian));
}

Released<Vector> cover(const Ideal<Vector>& x, Pure epsilon, double range, Meter& meter) {
  const Vector& value = Mechanism::open(x);
  const Step step = plan_cover(x.distance(), epsilon, range, size(value));
  return Mechanism::release(charge_and_draw(step, value, range, meter, add_isotropic_laplace));
}

Perturbation perturb(const Step& step, Meter& meter) {
  if (step.dimension == 0) throw_error<UsageError>("the dimension is 0, expected at least 1");
  validate(step.scale, Lattice{step.grid, 0});
  meter.charge(step);
  Perturbation noise{Vector(step.dimension), perturbation_rounding(step.grid, step.dimension)};
  const Vector zero = Vector::Zero(static_cast<Eigen::Index>(step.dimension));
  const bool gaussian = std::holds_alternative<GaussianObjectiveEvent>(step.event);
  const Sampler sampler = gaussian ? Sampler(add_gaussian) : Sampler(add_isotropic_laplace);
  sampler(view(zero), step.scale, Lattice{step.grid, 0}, meter.bits(), {noise.value.data(), step.dimension});
  Mechanism::show(meter, step, view(noise.value));
  return noise;
}

Released<Vector> sample_exactly(const Step& step, const std::function<Vector(BitSource&)>& draw,
                                Meter& meter) {
  meter.charge(step);
  Vector sample = draw(meter.bits());
  Mechanism::show(meter, step, view(sample));
  return Mechanism::release(std::move(sample));
}

Released<Vector> open(const Sensitive<Vector>& x, Meter& meter) {
  require_same_terms(x, meter);
  const Vector& value = Mechanism::open(x);
  const Step step{.mechanism = "none",
                  .event = OpenEvent{},
                  .sensitivity = x.sensitivity(),
                  .scale = 0,
                  .grid = 0,
                  .dimension = size(value)};
  meter.charge(step);
  Mechanism::show(meter, step, view(value));
  return Mechanism::release(value);
}

}  // namespace tacit::inline v1::noise
