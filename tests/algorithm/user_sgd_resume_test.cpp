#include <gtest/gtest.h>

#include <random>

#include "algorithm/user_level/user_sgd.hpp"
#include "memory_checkpoints.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/core.hpp"
#include "tacit/root_meter.hpp"

// user-sgd in several processes. Each chooses among the users' records for itself.

namespace tacit::user_level {
namespace {

constexpr std::size_t people_count = 60, most_records = 6;

// Users with 1 to 6 records; those of `left_out`, if any, are not there.
Dataset people(std::optional<std::uint32_t> left_out = {}) {
  std::mt19937_64 random(11);
  std::normal_distribution<> normal;
  Dataset data;
  DenseRows rows{0, 2, {}};
  for (std::uint32_t u = 0; u < people_count; ++u)
    for (std::size_t k = 0; k < 1 + u % most_records; ++k) {
      const double y = random() % 2 == 0 ? 1 : -1, a = normal(random) + 2 * y, b = normal(random);
      if (u == left_out) continue;
      rows.values.insert(rows.values.end(), {a, b});
      data.labels.push_back(y);
      data.users.push_back(u);
      ++rows.rows;
    }
  data.user_count = people_count;
  data.features = Features(std::move(rows));
  return data;
}

SgdOptions twenty_steps() {
  SgdOptions options;
  options.common.target = Approx{2, 1e-5};
  options.common.batch = 12;
  options.common.epochs = 4;
  options.common.clip_norm = 1;
  options.common.threads = 1;
  return options;
}

// The words that choose among records come first, from bits of this process's own; then those of another go
// on where they were.
class OwnWordsFirst : public BitSource {
 public:
  OwnWordsFirst(BitSource& then, std::uint64_t seed) : own_(testing::seeded_bits(seed)), then_(then) {}
  void fill(std::span<std::uint64_t> words) override {
    (first_ ? *own_ : then_).fill(words);
    first_ = false;
  }
  bool seeded() const override { return true; }
  std::string_view name() const override { return "seeded"; }

 private:
  std::unique_ptr<BitSource> own_;
  BitSource& then_;
  bool first_ = true;
};

struct SgdRun {
  Vector parameters;
  Certificate certificate;
  std::vector<Vector> sums;  // that the mechanism saw
  double sensitivity = 0;
};

SgdRun fit_people(const Dataset& data, const SgdOptions& options, BitSource& bits, Checkpoints* checkpoints) {
  const Problem problem{.data = &data, .loss = Link{LinkKind::logistic, 0}, .intercept = 1};
  RootMeter meter({options.common.target, Unit::user, options.common.neighbours}, bits);
  if (checkpoints != nullptr) meter.save_to(*checkpoints);
  SgdRun run;
  meter.watch([&](const Step& step, std::span<const double> sum) {
    run.sums.push_back(Eigen::Map<const Vector>(sum.data(), static_cast<Eigen::Index>(sum.size())));
    run.sensitivity = step.sensitivity.total();
  });
  Release release = user_sgd(problem, options, meter);
  run.parameters = release.parameters.value();
  run.certificate = release.certificate;
  return run;
}

// Where nobody has more records than the cap, no choice is made: then the run in two parts is the run in one.
TEST(UserSgdResume, ARunInTwoPartsIsTheRunInOne) {
  const Dataset data = people();
  for (const auto iterate : {clipping::Iterate::last, clipping::Iterate::average}) {
    SgdOptions options = twenty_steps();
    options.common.iterate = iterate;
    const auto whole = testing::seeded_bits(1);
    const SgdRun expected = fit_people(data, options, *whole, nullptr);
    ASSERT_EQ(expected.sums.size(), 20U);
    for (const std::uint64_t stop : {1U, 9U, 10U, 11U, 19U}) {
      const auto bits = testing::seeded_bits(1);
      testing::Memory memory;
      memory.stop_after = stop;
      EXPECT_THROW(fit_people(data, options, *bits, &memory), Interrupted);
      memory.stop_after = 0;
      OwnWordsFirst going_on(*bits, 99);
      const SgdRun resumed = fit_people(data, options, going_on, &memory);
      EXPECT_EQ(resumed.sums.size(), 20 - stop);
      EXPECT_EQ(resumed.parameters, expected.parameters) << stop;
      ASSERT_EQ(resumed.certificate.steps.size(), 1U);
      EXPECT_EQ(resumed.certificate.steps[0].event, expected.certificate.steps[0].event);
    }
  }
}

TEST(UserSgdResume, AfterTheLastStepNothingIsDrawnAgain) {
  const Dataset data = people();
  const auto bits = testing::seeded_bits(2), others = testing::seeded_bits(3);
  testing::Memory memory;
  const SgdRun first = fit_people(data, twenty_steps(), *bits, &memory),
               again = fit_people(data, twenty_steps(), *others, &memory);
  EXPECT_EQ(again.sums.size(), 0U);
  EXPECT_EQ(again.parameters, first.parameters);
}

// The choice among records is made anew, and is another one. What one person adds to a step stays within the
// step's sensitivity: the run on the neighbour goes on from the same state with the same bits.
TEST(UserSgdResume, AnotherChoiceAmongRecordsKeepsTheSensitivity) {
  const Dataset data = people();
  SgdOptions options = twenty_steps();
  options.records_per_user = 2;
  int moved = 0, chosen_otherwise = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto bits = testing::seeded_bits(seed);
    testing::Memory half;
    half.stop_after = 10;
    EXPECT_THROW(fit_people(data, options, *bits, &half), Interrupted);
    half.stop_after = 0;
    // From the saved state, with the words from the first seed and everything else from the second.
    const auto next_sum = [&](const Dataset& from, std::uint64_t words, std::uint64_t rest) {
      testing::Memory memory(half.resumed());
      const auto then = testing::seeded_bits(rest);
      OwnWordsFirst going_on(*then, words);
      const SgdRun run = fit_people(from, options, going_on, &memory);
      EXPECT_EQ(run.sums.size(), 10U);
      return std::pair(run.sums.front(), run.sensitivity);
    };
    const auto [sum, sensitivity] = next_sum(data, 50, seed);
    if (next_sum(data, 51, seed).first != sum) ++chosen_otherwise;
    for (const std::uint32_t person : {5U, 29U, 53U}) {
      const double difference = (next_sum(people(person), 50, seed).first - sum).norm();
      EXPECT_LE(difference, sensitivity) << person;
      if (difference > 0) ++moved;
    }
  }
  EXPECT_GT(moved, 0) << "nobody joined a batch, and nothing was tried";
  EXPECT_GT(chosen_otherwise, 0) << "no choice was made, and nothing was tried";
}

}  // namespace
}  // namespace tacit::user_level
