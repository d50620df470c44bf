#include "noise/shaped_laplace.hpp"

#include <cmath>

#include "noise/mechanism.hpp"
#include "noise/plane_draw.hpp"
#include "noise/round_exactly.hpp"
#include "noise/sampler_paths.hpp"
#include "noise/shaped_draw.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::noise {

namespace {

void require_size(std::size_t size, const FeatureBlocks& blocks, std::size_t outputs) {
  if (size == 0 || size != outputs * blocks.features())
    throw_error<UsageError>("shaped noise in {} dimensions, but blocks of {} features for each of {} outputs",
                            size, blocks.features(), outputs);
  if (outputs > 1 && blocks.in_plane())
    throw_error<UsageError>("shaped noise in a plane is for one output, not for {}", outputs);
}

}  // namespace

void add_shaped_laplace(std::span<const double> x, const FeatureBlocks& blocks, std::size_t outputs,
                        double scale, const Lattice& lattice, BitSource& bits, std::span<double> out,
                        const Kernels& kernels) {
  require_size(x.size(), blocks, outputs);
  validate(scale * blocks.largest_bound(), lattice);
  if (blocks.in_plane())
    return add_plane_laplace(x, blocks, PlaneLaw(blocks).draw(bits), scale, lattice, bits, out);
  const ShapedDraw draw(blocks, outputs, bits, kernels);
  if (draw.round(x, scale, lattice, out)) return;
  ShapedReference reference(draw, bits);
  for (std::size_t i = 0; i < x.size(); ++i)
    if (std::isnan(out[i]))
      out[i] = round_exactly(x[i], scale, lattice, 3 * x.size(), [&](std::size_t words, long precision) {
        return reference.coordinate(i, words, precision);
      });
}

void add_shaped_laplace(std::span<const double> x, const FeatureBlocks& blocks, std::size_t outputs,
                        double scale, const Lattice& lattice, BitSource& bits, std::span<double> out) {
  add_shaped_laplace(x, blocks, outputs, scale, lattice, bits, out, best_kernels());
}

double shaped_perturbation_grid(const FeatureBlocks& blocks, double scale) {
  return perturbation_grid(scale * blocks.largest_bound());
}

Perturbation perturb_shaped(const Step& step, const FeatureBlocks& blocks, std::size_t outputs,
                            Meter& meter) {
  require_size(step.dimension, blocks, outputs);
  validate(step.scale * blocks.largest_bound(), Lattice{step.grid, 0});
  meter.charge(step);
  Perturbation noise{Vector(step.dimension), perturbation_rounding(step.grid, step.dimension)};
  const std::vector<double> zero(step.dimension, 0.0);
  const std::span<double> out(noise.value.data(), step.dimension);
  add_shaped_laplace(zero, blocks, outputs, step.scale, Lattice{step.grid, 0}, meter.bits(), out);
  Mechanism::show(meter, step, out);
  return noise;
}

}  // namespace tacit::inline v1::noise
