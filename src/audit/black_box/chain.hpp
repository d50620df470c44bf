#pragma once

#include <cstddef>
#include <span>

#include "sampler/exact.hpp"
#include "sampler/mala.hpp"
#include "tacit/core.hpp"
#include "tacit/meter.hpp"

// Does a chain do what it is taken to do? No measurement can prove how near a chain is to its target; these
// find one that is far [docs/asap_mala.md, "Diagnostics"].

namespace tacit::inline v1::audit {

// n/(1 + 2Σ autocorrelations), the sum ending where two neighbouring ones are no longer positive together
// [Geyer 1992, initial positive sequence]. At most n.
TACIT_API double effective_sample_size(std::span<const double> trace);

// The largest distance of the distribution functions of two samples, and the least that two samples of n
// of the same law exceed with probability ≤ false_alarm [Dvoretzky–Kiefer–Wolfowitz, twice].
TACIT_API double two_sample_distance(std::vector<double> a, std::vector<double> b);
TACIT_API double two_sample_threshold(std::size_t n, double false_alarm);

struct ChainDiagnostics {
  double acceptance = 0;          // of proposals
  double effective_per_step = 0;  // samples, of the coordinate that moves least, along one chain
  double kept = 0;                // of chains: those that end in the ball
  double distance = 0;            // of the distribution functions from exact samples of the same target: the
                                  // worst coordinate
  double threshold = 0;           // for that distance, false alarm 1e-6
};
// `draws` samples of both, and one chain for the rest.
TACIT_API ChainDiagnostics diagnose(sampler::ConstrainedMala& mala, sampler::ExactSampler& exact,
                                    std::size_t draws, double grid, BitSource& bits);

}  // namespace tacit::inline v1::audit
