#pragma once

#include "tacit/core.hpp"
#include "tacit/guarantee.hpp"

// From one notion of privacy to another, always in the safe direction: what is returned is never stronger
// than what is known, rounding included. Each states its source; the proofs that are ours are in
// docs/accounting.md.

namespace tacit::inline v1 {

// mu = 2 Phi^{-1}(e^eps / (1 + e^eps)) [Lin24, Lemma 15].
TACIT_API Gaussian to_gaussian(const Pure& pure);

// rho = eps tanh(eps/2) <= eps²/2 [ours, docs/accounting.md; Bun & Steinke 2016, Prop. 3.3 has eps²/2].
TACIT_API Zcdp to_zcdp(const Pure& pure);
// rho = mu²/2 [Bun & Steinke 2016, Prop. 1.6].
TACIT_API Zcdp to_zcdp(const Gaussian& gaussian);
// The log-density ratio between neighbours has range <= eps over outputs: eps²/8 [Cesar & Rogers 2021; Rogers
// & Steinke 2021], or that of an eps-DP mechanism where this is smaller.
TACIT_API Zcdp bounded_range_to_zcdp(double epsilon);

// Gaussian DP at (eps, delta): delta(eps) = Phi(−eps/mu + mu/2) − e^eps Phi(−eps/mu − mu/2) [Balle & Wang
// 2018, Thm 8; Dong, Roth & Su 2022, Cor. 2.13]. Evaluated in interval arithmetic, so deep tails are right; a
// value below the least double comes out as that, never as 0.
TACIT_API double gaussian_delta(double mu, double epsilon);        // rounded up
TACIT_API double gaussian_delta_below(double mu, double epsilon);  // rounded down
// gaussian_delta(mu, epsilon) <= delta, mostly told by doubles with their error.
TACIT_API bool gaussian_keeps(double mu, double epsilon, double delta);
// Its inverse. Up to relative 2⁻⁴⁰ the least epsilon with gaussian_delta(mu, epsilon) <= delta …
TACIT_API double gaussian_epsilon(double mu, double delta);
// … and the largest with gaussian_delta_below(mu, epsilon) >= delta, or 0.
TACIT_API double gaussian_epsilon_below(double mu, double delta);

// delta = e^{(a−1)(r−eps)} (1−1/a)^a / (a−1) for the Rényi divergence r of order a [Canonne, Kamath & Steinke
// 2020, Prop. 12], solved for eps at this delta; the best of the curve's orders.
TACIT_API Approx to_approx(const Renyi& renyi, double delta);
// The same with r = a·rho, over all orders a > 1 [Canonne, Kamath & Steinke 2020, Cor. 13].
TACIT_API Approx to_approx(const Zcdp& zcdp, double delta);
TACIT_API Approx to_approx(const Gaussian& gaussian, double delta);

// From `zero_out` or `add_remove` to `replace_one`, which is two such changes in a row: (2 eps, (1+e^eps)
// delta), 2 mu, 4 rho [Bun & Steinke 2016, Prop. 1.9], and for a Rényi curve order a/2 at 3 times the
// divergence for every order a >= 4 [Mironov 2017, Prop. 2]. A `replace_one` guarantee is returned as it is.
TACIT_API Guarantee to_replace_one(const Guarantee& guarantee, Neighbours from);

}  // namespace tacit::inline v1
