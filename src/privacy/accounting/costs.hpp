#pragma once

#include "tacit/core.hpp"
#include "tacit/meter.hpp"

// What one event costs in each notion, rounded up. Where an event has no finite cost in a notion these throw
// UsageError.

namespace tacit::inline v1 {

TACIT_API double pure_cost(const Event& event);      // epsilon
TACIT_API double gaussian_cost(const Event& event);  // mu
TACIT_API double zcdp_cost(const Event& event);      // rho
// The Rényi divergence of order > 1, all the event's steps together.
TACIT_API double renyi_cost(const Event& event, double order);

// The Rényi divergence of order > 1 of one step of the Poisson-subsampled Gaussian under add/remove, rounded
// up: the exact sum at integer orders, the exact series at fractional ones [Mironov, Talwar & Zhang 2019, §3;
// they prove that adding a unit is never worse than removing it]. Above order 4096 the unsampled order/(2
// σ²).
TACIT_API double poisson_gaussian_renyi(double noise_multiplier, double rate, double order);

}  // namespace tacit::inline v1
