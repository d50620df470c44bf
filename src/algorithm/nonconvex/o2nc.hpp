#pragma once

// Online-to-nonconvex conversion with a private, variance-reduced gradient oracle [Kornowski24, Alg. 2–5].
//
// Solves      a Goldstein-stationary point of the mean loss (one pass: of the population's), for losses that
//             are neither smooth nor convex, from their values or their gradients.
// Assumes     nothing about the data: one record's estimates are clipped to the lengths that the theory
//             promises for L-Lipschitz losses, so that the sensitivity holds always.
// Guarantees  μ-GDP, or the (ε,δ) that follows from it, for one record that is there or null (zero_out) or
//             for one replaced; a sampled run (ε,δ) for zero_out [docs/o2nc.md].

#include <functional>

#include "algorithm/nonconvex/plan.hpp"
#include "tacit/core.hpp"
#include "tacit/custom_loss.hpp"
#include "tacit/meter.hpp"
#include "tacit/problem.hpp"

namespace tacit::inline v1::nonconvex {

// g̃_t = O(z_t): a private estimate of ∇F_α(z_t). Calls are counted: t = 1, 2, …, T.
using GradientOracle = std::function<Released<Vector>(const Vector& z)>;

// Algorithms 3 and 5: periods of Σ steps over disjoint records. A period's first gradient has noise of its
// own; the changes after it are prefix sums. Records are assigned by a secret random order of plan.records
// places, of which some may be empty. Like the others it opens plan.charged() in the meter, which must
// outlive it. `shards` hold the records that are not here; of the loss its sizes count then.
TACIT_API GradientOracle single_pass_oracle(const RecordLoss& loss, const Plan& plan, const Options& options,
                                            Meter& meter, std::shared_ptr<Shards> shards = nullptr);
// Algorithm 4: every step uses all records.
TACIT_API GradientOracle multi_pass_oracle(const RecordLoss& loss, const Plan& plan, const Options& options,
                                           Meter& meter, std::shared_ptr<Shards> shards = nullptr);

// Algorithm 4 over Poisson batches: every step uses those records that join by a coin of their own.
TACIT_API GradientOracle sampled_oracle(const RecordLoss& loss, const Plan& plan, const Options& options,
                                        Meter& meter, std::shared_ptr<Shards> shards = nullptr);
// The one that the options ask for.
TACIT_API GradientOracle oracle_for(const RecordLoss& loss, const Plan& plan, const Options& options,
                                    Meter& meter, std::shared_ptr<Shards> shards = nullptr);

// Algorithm 2. The output is rounded to plan.release.grid.
TACIT_API Released<Vector> o2nc(const GradientOracle& oracle, const Vector& start, const Plan& plan,
                                Output output, BitSource& bits, const Observer& observer = {});

// What the certificate of such a run states.
TACIT_API Facts certified_options(const Plan& plan, Options options);

// For a problem of the library, with a certificate: method is o2nc-single, o2nc-multi, o2nc-sampled or
// o2nc-first.
TACIT_API Release fit(std::string_view method, const Problem& problem, const Options& options, Meter& meter);

}  // namespace tacit::inline v1::nonconvex
