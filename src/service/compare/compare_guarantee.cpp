#include "privacy/accounting/conversions.hpp"
#include "tacit/core.hpp"
#include "tacit/service.hpp"

namespace tacit::inline v1::service {

namespace {

// The largest mu with which Gaussian privacy implies (ε, δ). δ grows with mu.
double mu_for(double epsilon, double delta) {
  double low = 0, high = 1;
  while (gaussian_keeps(high, epsilon, delta)) high *= 2;
  for (int k = 0; k < 60 && high - low > 1e-9 * high; ++k) {
    const double middle = 0.5 * (low + high);
    (gaussian_keeps(middle, epsilon, delta) ? low : high) = middle;
  }
  if (!(low > 0)) throw_error<UsageError>("no mu gives epsilon {} at delta {}", epsilon, delta);
  return low;
}

}  // namespace

Guarantee guarantee_to_compare(const std::string& notion, Neighbours relation, double epsilon,
                               std::optional<double> delta, Neighbours common) {
  // Making a record null is one way to replace it.
  const bool direct = relation == Neighbours::replace_one || common != Neighbours::replace_one;
  if (notion == "pure") return Pure{direct ? epsilon : epsilon / 2};
  if (!delta) throw_error<UsageError>("{} privacy is compared at a delta; give one", notion);
  if (notion == "gaussian") {
    const double mu = mu_for(epsilon, *delta);
    return Gaussian{direct ? mu : mu / 2};
  }
  if (notion != "approx") throw_error<UsageError>("{} privacy cannot be compared", notion);
  if (direct) return Approx{epsilon, *delta};
  // (2 ε', (1+e^{ε'}) δ') = (ε, δ) [to_replace_one].
  return Approx{epsilon / 2, div_down(*delta, add_up(1, exp_up(epsilon / 2)))};
}

}  // namespace tacit::inline v1::service
