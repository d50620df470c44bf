#include "tacit/meter.hpp"

#include <cmath>
#include <string_view>

#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

void require_in_range(double value, std::string_view what) {
  // Within these, neither squares nor sums of a million overflow or vanish.
  if (!(value == 0 || (value >= 1e-100 && value <= 1e100)))
    throw_error<UsageError>("{} is {}, expected 0 or 1e-100 to 1e100", what, value);
}

void require_probability(double value) {
  if (!(value >= 0 && value <= 1)) throw_error<UsageError>("delta is {}, expected 0 <= delta <= 1", value);
}

struct Validate {
  void operator()(const PureEvent& e) const { require_in_range(e.epsilon, "epsilon"); }
  void operator()(const LaplaceEvent& e) const { require_in_range(e.epsilon, "epsilon"); }
  void operator()(const IsotropicLaplaceEvent& e) const {
    require_in_range(e.epsilon, "epsilon");
    if (e.dimension == 0) throw_error<UsageError>("the dimension is 0, expected >= 1");
  }
  void operator()(const GaussianEvent& e) const { require_in_range(e.mu, "mu"); }
  void operator()(const PoissonGaussianEvent& e) const {
    if (!(e.noise_multiplier >= 1e-100 && e.noise_multiplier <= 1e100))
      throw_error<UsageError>("the noise multiplier is {}, expected 1e-100 to 1e100", e.noise_multiplier);
    if (!(e.rate > 0 && e.rate <= 1))
      throw_error<UsageError>("the sampling rate is {}, expected 0 < rate <= 1", e.rate);
    constexpr std::uint64_t most = std::uint64_t{1} << 53;  // every count up to it is a double
    if (e.steps == 0 || e.steps > most) throw_error<UsageError>("steps is {}, expected 1 to 2^53", e.steps);
  }
  void operator()(const GaussianObjectiveEvent& e) const {
    if (!(e.mu >= 1e-100 && e.mu <= 1e100))
      throw_error<UsageError>("mu is {}, expected 1e-100 to 1e100", e.mu);
    require_in_range(e.jacobian, "the Jacobian's term");
    constexpr std::uint64_t most = std::uint64_t{1} << 53;
    // The least that any loss needs: near corners are those of a second record.
    if (e.far < 1 || e.far > most || e.near == 1 || e.near > most)
      throw_error<UsageError>("far is {} and near is {}, expected 1 to 2^53, and 0 or 2 to 2^53", e.far,
                              e.near);
  }
  void operator()(const BoundedRangeEvent& e) const { require_in_range(e.epsilon, "epsilon"); }
  void operator()(const ApproxEvent& e) const {
    require_in_range(e.epsilon, "epsilon");
    require_probability(e.delta);
  }
  void operator()(const DeltaEvent& e) const { require_probability(e.delta); }
  void operator()(const OpenEvent&) const {}
};

struct IsFree {
  bool operator()(const PureEvent& e) const { return e.epsilon == 0; }
  bool operator()(const LaplaceEvent& e) const { return e.epsilon == 0; }
  bool operator()(const IsotropicLaplaceEvent& e) const { return e.epsilon == 0; }
  bool operator()(const GaussianEvent& e) const { return e.mu == 0; }
  bool operator()(const PoissonGaussianEvent&) const { return false; }
  bool operator()(const GaussianObjectiveEvent&) const { return false; }
  bool operator()(const BoundedRangeEvent& e) const { return e.epsilon == 0; }
  bool operator()(const ApproxEvent& e) const { return e.epsilon == 0 && e.delta == 0; }
  bool operator()(const DeltaEvent& e) const { return e.delta == 0; }
  bool operator()(const OpenEvent&) const { return false; }
};

// A step that is described spends no more than is said.
struct Describe {
  std::string operator()(const PureEvent& e) const {
    return fmt::format("a pure step (epsilon = {})", decimal_up(e.epsilon, 6));
  }
  std::string operator()(const LaplaceEvent& e) const {
    return fmt::format("a Laplace step (epsilon = {})", decimal_up(e.epsilon, 6));
  }
  std::string operator()(const IsotropicLaplaceEvent& e) const {
    return fmt::format("an isotropic Laplace step (epsilon = {})", decimal_up(e.epsilon, 6));
  }
  std::string operator()(const GaussianEvent& e) const {
    return fmt::format("a Gaussian step (mu = {})", decimal_up(e.mu, 6));
  }
  std::string operator()(const PoissonGaussianEvent& e) const {
    return fmt::format("a sampled Gaussian step (noise multiplier {}, rate {})",
                       decimal_down(e.noise_multiplier, 6), decimal_up(e.rate, 6));
  }
  std::string operator()(const GaussianObjectiveEvent& e) const {
    return fmt::format("a Gaussian objective perturbation (mu = {}, Jacobian {})", decimal_up(e.mu, 6),
                       decimal_up(e.jacobian, 6));
  }
  std::string operator()(const BoundedRangeEvent& e) const {
    return fmt::format("an exponential mechanism (range {})", decimal_up(e.epsilon, 6));
  }
  std::string operator()(const ApproxEvent& e) const {
    return fmt::format("an (epsilon, delta) step (epsilon = {}, delta = {})", decimal_up(e.epsilon, 6),
                       decimal_up(e.delta, 3));
  }
  std::string operator()(const DeltaEvent& e) const {
    return fmt::format("a step that may fail (delta = {})", decimal_up(e.delta, 3));
  }
  std::string operator()(const OpenEvent&) const { return "an open release"; }
};

}  // namespace

void require_stated_for(const Event& event, Neighbours neighbours) {
  if (std::holds_alternative<PoissonGaussianEvent>(event) && neighbours == Neighbours::replace_one)
    throw_error<UsageError>("{} has no account for replace_one neighbours, only for zero_out or add_remove",
                            describe(event));
}

void validate(const Event& event) { std::visit(Validate{}, event); }
bool is_free(const Event& event) { return std::visit(IsFree{}, event); }
std::string describe(const Event& event) { return std::visit(Describe{}, event); }

}  // namespace tacit::inline v1
