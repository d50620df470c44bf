#include "noise/poisson_gaussian.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>

#include "privacy/accounting/calibrate.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/account.hpp"
#include "tacit/core.hpp"
#include "tacit/root_meter.hpp"

namespace tacit {
namespace {

using noise::PoissonGaussian;

std::vector<std::uint32_t> batch(std::size_t records, double rate, BitSource& bits) {
  std::vector<std::uint32_t> members;
  noise::poisson_batch(records, rate, bits, members);
  return members;
}

// Words that the test writes; asking for more of them fails it.
class ScriptedBits final : public BitSource {
 public:
  explicit ScriptedBits(std::deque<std::uint64_t> words) : words_(std::move(words)) {}
  void fill(std::span<std::uint64_t> out) override {
    for (std::uint64_t& word : out) {
      ASSERT_FALSE(words_.empty()) << "more bits were asked for than needed";
      word = words_.front();
      words_.pop_front();
    }
  }
  bool seeded() const override { return true; }
  std::string_view name() const override { return "scripted"; }
  bool used_up() const { return words_.empty(); }

 private:
  std::deque<std::uint64_t> words_;
};

TEST(PoissonBatch, TakesEverybodyAtRateOneAndNobodyAtZero) {
  const auto bits = testing::seeded_bits(1);
  EXPECT_EQ(batch(5000, 1, *bits).size(), 5000u);
  EXPECT_TRUE(batch(5000, 0, *bits).empty());
  EXPECT_TRUE(batch(0, 0.5, *bits).empty());
}

// 200 batches of 5000 records: the number of members is binomial, so within 5 deviations of its mean except
// with probability 6e-7; each record's own count likewise (5000 counts, 6 deviations: 1e-5 in all). Fixed
// seed.
TEST(PoissonBatch, LetsEachRecordJoinWithTheRate) {
  for (const double rate : {1.0 / 120, 0.25, 0.7, 1e-3, 255.5 / 256}) {
    const auto bits = testing::seeded_bits(7);
    constexpr std::size_t records = 5000, batches = 200;
    std::vector<double> joined(records);
    double total = 0;
    for (std::size_t k = 0; k < batches; ++k) {
      const auto members = batch(records, rate, *bits);
      EXPECT_TRUE(std::ranges::is_sorted(members));
      for (const std::uint32_t i : members) joined[i] += 1;
      total += static_cast<double>(members.size());
    }
    const double all = static_cast<double>(records * batches), each = static_cast<double>(batches);
    EXPECT_NEAR(total, all * rate, 5 * std::sqrt(all * rate * (1 - rate))) << rate;
    if (each * rate * (1 - rate) < 10) continue;  // the normal bound is for counts that are not rare
    for (const double count : joined)
      EXPECT_NEAR(count, each * rate, 6 * std::sqrt(each * rate * (1 - rate))) << rate;
  }
}

// Two records join together with probability rate²: pairs (i, i+1), 4e5 of them, 5 deviations.
TEST(PoissonBatch, LetsRecordsJoinIndependently) {
  const auto bits = testing::seeded_bits(8);
  constexpr double rate = 0.2;
  double together = 0, pairs = 0;
  for (int k = 0; k < 400; ++k) {
    std::vector<bool> in(1000);
    for (const std::uint32_t i : batch(1000, rate, *bits)) in[i] = true;
    for (std::size_t i = 0; i + 1 < in.size(); i += 2) {
      together += in[i] && in[i + 1];
      ++pairs;
    }
  }
  const double p = rate * rate;
  EXPECT_NEAR(together, pairs * p, 5 * std::sqrt(pairs * p * (1 - p)));
}

// A rate with more than eight binary digits is compared digit by digit: U = 0.00000001 1000… against the rate
// 0.00000001 1 + 2^−60.
TEST(PoissonBatch, ComparesFurtherDigitsWhereTheFirstByteTies) {
  const double rate = 0x1p-8 + 0x1p-9 + 0x1p-60;
  const std::uint64_t tie = 1;  // the first record's byte is 1 = ⌊256·rate⌋, the others' are 0
  const auto joins = [&](std::uint64_t further) {
    ScriptedBits bits({tie, further});
    const auto members = batch(1, rate, bits);
    EXPECT_TRUE(bits.used_up());
    return !members.empty();
  };
  EXPECT_TRUE(joins(0x7fffffffffffffff));   // U below 1/2 of the cell
  EXPECT_TRUE(joins(0x8000000000000000));   // within 2^−60 above it
  EXPECT_FALSE(joins(0x8000000000001001));  // beyond
}

// A rate of whole bytes needs nothing but a record's byte; record counts around the 64 that are looked at
// together and the 4096 that are drawn together.
TEST(PoissonBatch, TakesThoseWhoseByteIsBelowTheRate) {
  for (const std::size_t records : {1u, 63u, 64u, 65u, 4095u, 4096u, 4097u, 5000u})
    for (const unsigned below : {1u, 37u, 200u, 255u}) {
      const auto bits = testing::seeded_bits(9), same = testing::seeded_bits(9);
      std::vector<std::uint32_t> expected;
      for (std::size_t begin = 0; begin < records; begin += 4096) {
        const std::size_t count = std::min<std::size_t>(4096, records - begin);
        std::vector<std::uint64_t> words((count + 7) / 8);
        same->fill(words);
        for (std::size_t k = 0; k < count; ++k)
          if ((words[k / 8] >> (8 * (k % 8)) & 255) < below)
            expected.push_back(static_cast<std::uint32_t>(begin + k));
      }
      EXPECT_EQ(batch(records, below / 256.0, *bits), expected) << records << " " << below;
    }
}

RootMeter meter_for(BitSource& bits, Neighbours neighbours = Neighbours::zero_out) {
  return RootMeter({Approx{1, 1e-5}, Unit::item, neighbours}, bits);
}

const Sensitivity unit_sum{.value = 1, .slack = 0.25, .norm = Norm::l2, .reason = "test"};

TEST(PoissonGaussian, ChargesItsWholeRunBeforeTheFirstDraw) {
  const auto bits = testing::seeded_bits(2);
  RootMeter meter = meter_for(*bits);
  const double z = calibrate_noise(Approx{1, 1e-5}, 0.01, 100);
  const Step step = PoissonGaussian::plan({z, 0.01, 100}, unit_sum, 100, 3);
  EXPECT_GE(step.scale, z * 1.25);
  PoissonGaussian mechanism(step, 100, meter);
  ASSERT_EQ(meter.steps().size(), 1u);
  EXPECT_EQ(meter.steps()[0].mechanism, "poisson-gaussian");
  EXPECT_LE(std::get<Approx>(meter.spent()).epsilon, 1);

  RootMeter small({Approx{0.5, 1e-5}, Unit::item, Neighbours::zero_out}, *bits);
  EXPECT_THROW(PoissonGaussian(step, 100, small), BudgetError);
  RootMeter replaced = meter_for(*bits, Neighbours::replace_one);
  EXPECT_THROW(PoissonGaussian(step, 100, replaced), UsageError);
}

TEST(PoissonGaussian, TakesItsNoiseFromTheEventNotFromWhoeverMadeTheStep) {
  const auto bits = testing::seeded_bits(5);
  RootMeter meter = meter_for(*bits);
  Step step = PoissonGaussian::plan({50, 0.5, 1}, unit_sum, 100, 3);
  const double scale = step.scale;
  step.scale /= 100;
  PoissonGaussian mechanism(step, 100, meter);
  EXPECT_EQ(meter.steps()[0].scale, scale);
  static_assert(!std::is_copy_constructible_v<PoissonGaussian>);
}

TEST(PoissonGaussian, ReleasesOneSumForEachBatchAndNoMore) {
  const auto bits = testing::seeded_bits(3);
  RootMeter meter = meter_for(*bits);
  PoissonGaussian mechanism(PoissonGaussian::plan({50, 0.5, 2}, unit_sum, 100, 3), 100, meter);
  const Sensitive<Vector> sum(Vector::Zero(3), unit_sum, Neighbours::zero_out);
  EXPECT_THROW(mechanism.release(sum), UsageError) << "no batch was drawn";
  mechanism.draw(10);
  EXPECT_THROW(mechanism.draw(10), UsageError) << "a batch may not be thrown away";
  mechanism.release(sum);
  mechanism.draw(10);
  const Sensitive<Vector> larger(Vector::Zero(3), {.value = 2, .reason = ""}, Neighbours::zero_out);
  EXPECT_THROW(mechanism.release(larger), UsageError) << "more than was paid for";
  const Sensitive<Vector> wrong(Vector::Zero(4), unit_sum, Neighbours::zero_out);
  EXPECT_THROW(mechanism.release(wrong), UsageError) << "another dimension";
  const Sensitive<Vector> related(Vector::Zero(3), unit_sum, Neighbours::add_remove);
  EXPECT_THROW(mechanism.release(related), UsageError) << "another relation";
  mechanism.release(sum);
  EXPECT_THROW(mechanism.draw(10), UsageError) << "all steps were taken";
}

// 40000 coordinates of one release around 7: mean within 5 standard errors, variance within 5 of its own.
TEST(PoissonGaussian, AddsNoiseOfTheStatedScaleOnTheStatedGrid) {
  const auto bits = testing::seeded_bits(4);
  RootMeter meter = meter_for(*bits);
  constexpr std::size_t size = 40000;
  const Step step = PoissonGaussian::plan({50, 0.5, 1}, unit_sum, 100, size);
  PoissonGaussian mechanism(step, 100, meter);
  mechanism.draw(10);
  const Vector x = Vector::Constant(size, 7);
  const Vector noisy = mechanism.release({x, unit_sum, Neighbours::zero_out}).value();
  const double n = static_cast<double>(size), sigma = step.scale;
  EXPECT_NEAR(noisy.mean(), 7, 5 * sigma / std::sqrt(n));
  EXPECT_NEAR((noisy.array() - 7).square().mean(), sigma * sigma, 5 * sigma * sigma * std::sqrt(2 / n));
  for (const double value : noisy) EXPECT_EQ(std::fmod(value, step.grid), 0);
}

}  // namespace
}  // namespace tacit
