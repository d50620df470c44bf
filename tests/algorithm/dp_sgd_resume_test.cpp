#include <gtest/gtest.h>

#include <random>

#include "algorithm/clipping/dp_sgd.hpp"
#include "memory_checkpoints.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/core.hpp"
#include "tacit/root_meter.hpp"

// dp-sgd in several processes, with a clip norm that was chosen privately.

namespace tacit::clipping {
namespace {

Dataset clouds(std::size_t records) {
  std::mt19937_64 random(7);
  std::normal_distribution<> normal;
  Dataset data;
  DenseRows rows{records, 2, {}};
  for (std::size_t i = 0; i < records; ++i) {
    data.labels.push_back(i % 2 == 0 ? 1 : -1);
    rows.values.push_back(normal(random) + 2 * data.labels.back());
    rows.values.push_back(normal(random));
  }
  data.features = Features(std::move(rows));
  return data;
}

using testing::Memory;

struct Outcome {
  Vector parameters;
  Certificate certificate;
  std::size_t opened = 0;  // sums and scores that mechanisms saw
};

Outcome fit(const Dataset& data, const Options& options, BitSource& bits,
            Checkpoints* checkpoints = nullptr) {
  const Problem problem{.data = &data, .loss = Link{LinkKind::logistic, 0}, .intercept = 1};
  RootMeter meter({options.target, Unit::item, options.neighbours}, bits);
  if (checkpoints != nullptr) meter.save_to(*checkpoints);
  std::size_t opened = 0;
  meter.watch([&](const Step&, std::span<const double>) { ++opened; });
  Release release = dp_sgd(problem, options, meter);
  return {release.parameters.value(), release.certificate, opened};
}

Options few_steps() {
  Options options;
  options.target = Approx{2, 1e-5};
  options.batch = 20;
  options.epochs = 3;  // 30 steps of 200 records
  options.clip_norm = 1;
  options.threads = 1;
  return options;
}

// With the random bits going on where they were, a run in two parts is the run in one, bit for bit.
TEST(DpSgdResume, ARunInTwoPartsIsTheRunInOne) {
  const Dataset data = clouds(200);
  for (const Iterate iterate : {Iterate::last, Iterate::average}) {
    Options options = few_steps();
    options.iterate = iterate;
    const auto whole = testing::seeded_bits(1);
    const Outcome expected = fit(data, options, *whole);
    EXPECT_EQ(expected.opened, 30U);
    for (const std::uint64_t stop : {1U, 14U, 15U, 16U, 29U}) {
      const auto bits = testing::seeded_bits(1);
      Memory memory;
      memory.stop_after = stop;
      EXPECT_THROW(fit(data, options, *bits, &memory), Interrupted);
      memory.stop_after = 0;
      const Outcome resumed = fit(data, options, *bits, &memory);
      EXPECT_EQ(resumed.opened, 30 - stop);
      EXPECT_EQ(resumed.parameters, expected.parameters) << stop;
      ASSERT_EQ(resumed.certificate.steps.size(), 1U);
      EXPECT_EQ(resumed.certificate.steps[0].event, expected.certificate.steps[0].event);
    }
  }
}

TEST(DpSgdResume, ARandomIterateStaysTheOneThatWasDrawn) {
  const Dataset data = clouds(200);
  Options options = few_steps();
  options.iterate = Iterate::random;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const auto bits = testing::seeded_bits(seed);
    Memory memory;
    memory.stop_after = 29;
    EXPECT_THROW(fit(data, options, *bits, &memory), Interrupted);
    const Vector state = memory.resumed()->state;
    const auto chosen = static_cast<std::uint64_t>(state[1]);
    ASSERT_LT(chosen, 30U);
    if (chosen == 29) continue;  // that iterate is not reached yet
    EXPECT_EQ(fit(data, options, *bits, &memory).parameters, Vector(state.tail(3)));
  }
}

TEST(DpSgdResume, AfterTheLastStepNothingIsDrawnAgain) {
  const Dataset data = clouds(200);
  const auto bits = testing::seeded_bits(2), others = testing::seeded_bits(3);
  Memory memory;
  const Outcome first = fit(data, few_steps(), *bits, &memory),
                again = fit(data, few_steps(), *others, &memory);
  EXPECT_EQ(again.opened, 0U);
  EXPECT_EQ(again.parameters, first.parameters);
}

TEST(DpSgdResume, APrivateClipNormIsChosenOnce) {
  const Dataset data = clouds(200);
  Options options = few_steps();
  options.clip_norm.reset();
  options.private_min = true;
  const auto bits = testing::seeded_bits(4);
  Memory memory;
  memory.stop_after = 10;
  EXPECT_THROW(fit(data, options, *bits, &memory), Interrupted);
  const double chosen = memory.resumed()->state[2];
  memory.stop_after = 0;
  const Outcome resumed = fit(data, options, *bits, &memory);
  EXPECT_EQ(resumed.opened, 20U);
  EXPECT_EQ(resumed.certificate.options.number("chosen_clip_norm"), chosen);
  EXPECT_EQ(resumed.certificate.steps.size(), 2U);
}

TEST(DpSgdPrivateMin, IsAccountedWithTheStepsAndRebuilt) {
  const Dataset data = clouds(200);
  Options options = few_steps();
  options.clip_norm.reset();
  options.private_min = true;
  const auto bits = testing::seeded_bits(5);
  const Outcome once = fit(data, options, *bits);
  ASSERT_EQ(once.certificate.steps.size(), 2U);
  EXPECT_EQ(once.certificate.steps[0].event, Event(BoundedRangeEvent{0.05 * 2}));
  const auto spent = std::get<Approx>(once.certificate.guarantee);
  EXPECT_LE(spent.epsilon, 2);
  EXPECT_GT(spent.epsilon, 2 * 0.998);
  const auto rebuilt =
      find_method("dp-sgd").rebuild_steps(once.certificate.options, once.certificate.assumed_public);
  ASSERT_EQ(rebuilt.size(), 2U);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(rebuilt[k].event, once.certificate.steps[k].event);
    EXPECT_EQ(rebuilt[k].scale, once.certificate.steps[k].scale);
  }
}

TEST(DpSgdPrivateMin, RefusesWhatItCannotCover) {
  const Dataset data = clouds(200);
  const auto bits = testing::seeded_bits(6);
  Options options = few_steps();
  options.private_min = true;
  EXPECT_THROW(fit(data, options, *bits), UsageError);  // and a clip norm
  options.clip_norm.reset();
  options.clip_share = 1;
  EXPECT_THROW(fit(data, options, *bits), UsageError);
  options.clip_share = 0.05;
  options.target = Gaussian{1};
  EXPECT_THROW(fit(data, options, *bits), UsageError);
}

}  // namespace
}  // namespace tacit::clipping
