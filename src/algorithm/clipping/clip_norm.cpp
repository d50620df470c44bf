#include "algorithm/clipping/clip_norm.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "algorithm/clipping/lipschitz.hpp"
#include "noise/selection.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::clipping {

std::span<const double> clip_norm_grid() {
  constexpr int least = -20, most = 40, per_octave = 4;
  static const auto grid = [] {
    std::array<double, static_cast<std::size_t>((most - least) * per_octave + 1)> values{};
    for (std::size_t j = 0; j < values.size(); ++j)
      values[j] = std::exp2(least + static_cast<double>(j) / per_octave);
    return values;
  }();
  return grid;
}

Step plan_private_clip_norm(const PrivateMin& options) {
  if (options.public_records == 0) throw_error<UsageError>("a private clip norm needs at least one record");
  return noise::plan_quantile(options.public_records, Pure{options.epsilon}, clip_norm_grid().size());
}

Released<double> private_clip_norm(const Problem& problem, const PrivateMin& options, Meter& meter) {
  const std::vector<double> constants = lipschitz_constants(problem);
  return noise::quantile_of(constants, options.public_records, options.quantile, clip_norm_grid(),
                            Pure{options.epsilon}, meter);
}

Released<double> noisy_min_clip_norm(const Problem& problem, const NoisyMin& options, Meter& meter) {
  if (!(options.bound > 0 && std::isfinite(options.bound)))
    throw_error<UsageError>("the bound on the Lipschitz constants is {}, expected > 0", options.bound);
  if (meter.budget().neighbours == Neighbours::add_remove)
    throw_error<UsageError>(
        "the least of noisy values shows how many records there are, which add_remove keeps private; give a "
        "clip norm");
  std::vector<double> constants = lipschitz_constants(problem);
  for (double& G : constants) G = std::clamp(G, 0.0, options.bound);

  const Pure half{options.epsilon / 2 * (1 - 0x1p-48)};  // two of them, added up with rounding up, fit
  const Sensitivity sensitivity{
      .value = options.bound,
      .slack = 0,
      .norm = Norm::linf,
      .reason = "one record's own value, within [0, bound]; a null record has bound"};
  Vector scores(static_cast<Eigen::Index>(constants.size()));
  for (std::size_t i = 0; i < constants.size(); ++i) scores[static_cast<Eigen::Index>(i)] = -constants[i];
  const Neighbours relation = meter.budget().neighbours;
  const std::size_t least = noise::noisy_max(Sensitive<Vector>(std::move(scores), sensitivity, relation),
                                             options.bound, half, meter)
                                .value();
  Sensitivity of_value = sensitivity;
  of_value.norm = Norm::l1;
  const double scale = noise::scale_for(of_value, half);
  return noise::laplace(Sensitive<double>(constants[least], of_value, relation), scale, options.bound, meter)
      .map([](double value, double bound) { return std::clamp(value, 0.0, bound); }, Public(options.bound));
}

}  // namespace tacit::inline v1::clipping
