#pragma once

#include "noise/kernels.hpp"
#include "noise/samplers.hpp"
#include "tacit/data.hpp"

// The samplers with the kernels as an argument, so that tests can hold the two sets against each other.

namespace tacit::inline v1::noise {

void add_laplace(std::span<const double> x, double scale, const Lattice& lattice, BitSource& bits,
                 std::span<double> out, const Kernels& kernels);
void add_gaussian(std::span<const double> x, double sigma, const Lattice& lattice, BitSource& bits,
                  std::span<double> out, const Kernels& kernels);
void add_isotropic_laplace(std::span<const double> x, double scale, const Lattice& lattice, BitSource& bits,
                           std::span<double> out, const Kernels& kernels);
void add_shaped_laplace(std::span<const double> x, const FeatureBlocks& blocks, std::size_t outputs,
                        double scale, const Lattice& lattice, BitSource& bits, std::span<double> out,
                        const Kernels& kernels);

inline BlockRounding block_rounding(double scale, const Lattice& lattice) {
  return {.grid = lattice.grid,
          .inverse_grid = 1 / lattice.grid,
          .range = lattice.range,
          .multiplier = scale / lattice.grid,
          .relative_error = 0};
}

}  // namespace tacit::inline v1::noise
