#include "sampler/exact.hpp"

#include <cmath>

#include "noise/coins.hpp"
#include "sampler/piece.hpp"
#include "sampler/trial.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::sampler {

bool can_sample(const LossSpec& loss) {
  const auto* link = std::get_if<Link>(&loss);
  return std::holds_alternative<Softmax>(loss) || (link != nullptr && supported(*link));
}

void weigh_shells(Setting& setting) {
  setting.log_weights.clear();
  setting.floors.clear();
  for (const Shell& shell : setting.envelope.shells.shells) {
    // A little more weight than needed, so that the floor that the weight stands for is surely below the
    // shell's.
    const double volume = shell.deviation.array().log().sum();
    const double weight = volume - shell.floor + 1e-10 * (1 + std::fabs(volume) + std::fabs(shell.floor));
    setting.log_weights.push_back(weight);
    setting.floors.push_back(volume - weight);
  }
}

Setting make_setting(Target target, unsigned threads) {
  if (!can_sample(target.problem->loss))
    throw_error<UsageError>(
        "no envelope is proved for this loss: exact sampling needs softmax, or a link other than poisson");
  Setting setting{.target = std::move(target), .records = nullptr};
  setting.records = record_sums(setting.target, threads);
  setting.envelope = find_envelope(setting.target, *setting.records, threads);
  if (std::isinf(setting.envelope.log_cost))
    throw_error<InfeasibleError>("double arithmetic is too coarse for a proposal of this target");
  setting.at_mode = energy(setting.target, *setting.records, setting.envelope.mode, 0);
  weigh_shells(setting);
  return setting;
}

struct ExactSampler::State {
  Setting setting;
  std::uint64_t trials = 0, undecided = 0;
};

ExactSampler::ExactSampler(Target target, unsigned threads)
    : state_(std::make_unique<State>(State{make_setting(std::move(target), threads)})) {}
ExactSampler::~ExactSampler() = default;
ExactSampler::ExactSampler(ExactSampler&&) noexcept = default;

Vector ExactSampler::draw(double grid, BitSource& bits) {
  for (;;) {
    ++state_->trials;
    Trial trial(state_->setting, noise::exponential_race(state_->setting.log_weights, bits), bits);
    const bool accepted = trial.accepted(bits);
    if (trial.was_undecided()) ++state_->undecided;
    if (accepted) return trial.rounded(grid, bits);
  }
}

std::uint64_t ExactSampler::trials() const { return state_->trials; }
std::uint64_t ExactSampler::undecided() const { return state_->undecided; }

}  // namespace tacit::inline v1::sampler
