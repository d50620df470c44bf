#include "tacit/mechanisms.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/numbers.hpp"
#include "noise/gaussian_steps.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/core.hpp"
#include "tacit/meter.hpp"
#include "tacit/root_meter.hpp"

namespace tacit {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Sensitivity unit_sensitivity() { return {.value = 1, .slack = 0, .norm = Norm::l2, .reason = "test"}; }

Sensitive<Vector> sensitive(const Vector& value) {
  return {value, unit_sensitivity(), Neighbours::replace_one};
}

bool on_grid(double value, double grid) {
  return std::isfinite(value) && std::nearbyint(value / grid) * grid == value &&
         !(value == 0 && std::signbit(value));
}

class Mechanisms : public ::testing::Test {
 protected:
  RootMeter meter(double epsilon) {
    return RootMeter({Pure{epsilon}, Unit::item, Neighbours::replace_one}, *bits_);
  }
  std::unique_ptr<BitSource> bits_ = testing::seeded_bits(1);
};

// Counts the words that are drawn.
class CountingBits final : public BitSource {
 public:
  explicit CountingBits(BitSource& inner) : inner_(inner) {}
  void fill(std::span<std::uint64_t> words) override {
    drawn += words.size();
    inner_.fill(words);
  }
  bool seeded() const override { return true; }
  std::string_view name() const override { return "counting"; }
  std::size_t drawn = 0;

 private:
  BitSource& inner_;
};

TEST_F(Mechanisms, ChargeWhatTheirPlanSays) {
  RootMeter m = meter(10);
  noise::isotropic_laplace(sensitive(Vector::Zero(3)), 2.0, 1.0, m);
  noise::laplace(Sensitive<double>(0.5, unit_sensitivity(), Neighbours::replace_one), 4.0, 1.0, m);
  noise::cover(Ideal<Vector>(Vector::Zero(3), 1e-9, "test"), Pure{0.25}, 1.0, m);
  ASSERT_EQ(m.steps().size(), 3u);
  const Step plan = noise::plan_isotropic_laplace(unit_sensitivity(), 2.0, 1.0, 3);
  EXPECT_EQ(m.steps()[0].mechanism, "isotropic-laplace");
  EXPECT_EQ(m.steps()[0].grid, plan.grid);
  EXPECT_EQ(std::get<IsotropicLaplaceEvent>(m.steps()[0].event).epsilon, 0.5);
  EXPECT_EQ(std::get<LaplaceEvent>(m.steps()[1].event).epsilon, 0.25);
  EXPECT_EQ(m.steps()[2].mechanism, "noise-cover");
  EXPECT_EQ(m.steps()[2].scale, noise::plan_cover(1e-9, Pure{0.25}, 1.0, 3).scale);
}

TEST_F(Mechanisms, GaussianChargesSensitivityOverSigma) {
  RootMeter m({Gaussian{0.5}, Unit::item, Neighbours::replace_one}, *bits_);
  const Vector out = noise::gaussian(sensitive(Vector::Constant(4, 3.0)), 2.0, 10.0, m).value();
  ASSERT_EQ(m.steps().size(), 1u);
  EXPECT_EQ(std::get<GaussianEvent>(m.steps()[0].event).mu, 0.5);
  for (const double value : out) EXPECT_TRUE(on_grid(value, m.steps()[0].grid));
  EXPECT_THROW(noise::gaussian(sensitive(Vector::Zero(4)), 2.0, 10.0, m), BudgetError);
}

TEST_F(Mechanisms, DrawNothingWhenTheChargeDoesNotFit) {
  CountingBits bits(*bits_);
  RootMeter m({Pure{0.4}, Unit::item, Neighbours::replace_one}, bits);
  EXPECT_THROW(noise::isotropic_laplace(sensitive(Vector::Zero(3)), 2.0, 1.0, m), BudgetError);
  EXPECT_EQ(bits.drawn, 0u);
  EXPECT_TRUE(m.steps().empty());
}

TEST_F(Mechanisms, RefuseASensitivityStatedForOtherNeighbours) {
  RootMeter m = meter(10);
  const Sensitive<Vector> x(Vector::Zero(2), unit_sensitivity(), Neighbours::add_remove);
  EXPECT_THROW(noise::isotropic_laplace(x, 2.0, 1.0, m), UsageError);
  EXPECT_THROW(noise::gaussian(x, 2.0, 1.0, m), UsageError);
  EXPECT_THROW(noise::open(x, m), UsageError);
  EXPECT_THROW(noise::laplace(Sensitive<double>(0, unit_sensitivity(), Neighbours::zero_out), 1.0, 1.0, m),
               UsageError);
}

TEST_F(Mechanisms, RefuseParametersOutsideTheirRange) {
  RootMeter m = meter(10);
  const Sensitive<Vector> x = sensitive(Vector::Zero(2));
  for (const double scale : {0.0, -1.0, infinity, nan, 0x1p1000})
    EXPECT_THROW(noise::isotropic_laplace(x, scale, 1.0, m), UsageError) << scale;
  for (const double range : {-1.0, infinity, nan})
    EXPECT_THROW(noise::isotropic_laplace(x, 1.0, range, m), UsageError);
  for (const double value : {-1.0, infinity, nan}) {
    const Sensitivity bad{.value = value, .slack = 0, .norm = Norm::l2, .reason = "test"};
    EXPECT_THROW(noise::plan_isotropic_laplace(bad, 1.0, 1.0, 2), UsageError) << value;
  }
  const Sensitivity max_norm{.value = 1, .slack = 0, .norm = Norm::linf, .reason = "test"};
  EXPECT_THROW(noise::plan_gaussian(max_norm, 1.0, 1.0, 2), UsageError);
  EXPECT_THROW(noise::plan_cover(0.0, Pure{1}, 1.0, 2), UsageError);
  EXPECT_TRUE(m.steps().empty());
}

TEST_F(Mechanisms, ReleaseGridPointsWhateverTheInput) {
  for (const double value : {nan, infinity, -infinity, 1e308, -0.0, 5e-324})
    for (const double scale : {5e-324, 1e-300, 1.0, 1e200}) {
      const Sensitivity tiny{.value = 0, .slack = 0, .norm = Norm::l2, .reason = "test"};
      RootMeter m = meter(10);
      const Sensitive<Vector> x(Vector::Constant(5, value), tiny, Neighbours::replace_one);
      const Vector out = noise::isotropic_laplace(x, scale, 1.0, m).value();
      const double grid = m.steps().back().grid;
      for (const double coordinate : out) EXPECT_TRUE(on_grid(coordinate, grid)) << coordinate << " " << grid;
      const double number =
          noise::laplace(Sensitive<double>(value, tiny, Neighbours::replace_one), scale, 1e-3, m).value();
      EXPECT_TRUE(on_grid(number, m.steps().back().grid)) << number;
    }
}

TEST_F(Mechanisms, TreatNaNAsTheLowerEndOfTheRange) {
  RootMeter m = meter(1);
  const Sensitivity none{.value = 0, .slack = 0, .norm = Norm::l2, .reason = "test"};
  Vector value(3);
  value << nan, infinity, -infinity;
  const Vector out =
      noise::isotropic_laplace(Sensitive<Vector>(value, none, Neighbours::replace_one), 1e-30, 8.0, m)
          .value();
  EXPECT_EQ(out, (Vector(3) << -8, 8, -8).finished());
}

TEST_F(Mechanisms, ScaleForAnEpsilonIsChargedAtMostThatEpsilon) {
  const auto bits = testing::seeded_bits(7);
  for (int i = 0; i < 20000; ++i) {
    std::uint64_t words[2];
    bits->fill(words);
    const double total = std::ldexp(static_cast<double>(words[0] | 1), static_cast<int>(words[0] % 80) - 100);
    const double epsilon =
        std::ldexp(static_cast<double>(words[1] | 1), -64 + static_cast<int>(words[1] % 5));
    const Sensitivity sensitivity{.value = total, .slack = 0, .norm = Norm::l2, .reason = "test"};
    const double scale = noise::scale_for(sensitivity, Pure{epsilon});
    const double charged = noise::epsilon_of(sensitivity, scale);
    EXPECT_LE(charged, epsilon);
    EXPECT_GE(charged, epsilon * (1 - 0x1p-50));
    EXPECT_GE(std::fma(charged, scale, -total), 0.0);  // charged ≥ total/scale over the reals
  }
}

// Among the smallest numbers a quotient comes in steps, and the scale would have to grow by 10¹² of its own.
TEST_F(Mechanisms, NoScaleIsLookedForWhereEpsilonHasNoDigits) {
  const Sensitivity sensitivity{.value = 3e-322, .slack = 0, .norm = Norm::l2, .reason = "test"};
  EXPECT_THROW(noise::scale_for(sensitivity, Pure{4.5e-320}), UsageError);
  EXPECT_NO_THROW(noise::scale_for(sensitivity, Pure{1e-300}));
  EXPECT_THROW(noise::GaussianSteps::plan(3, 4.5e-320, sensitivity, 1, 2), UsageError);
}

TEST_F(Mechanisms, PerturbationStaysWithinItsRoundingOfTheIdealDraw) {
  // The same bits on a grid 2^10 times finer differ by at most the two roundings.
  Step step{.mechanism = "objective-perturbation",
            .event = PureEvent{1},
            .sensitivity = unit_sensitivity(),
            .scale = 3.0,
            .grid = 1024 * noise::perturbation_grid(3.0),
            .dimension = 40};
  const auto coarse_bits = testing::seeded_bits(3), fine_bits = testing::seeded_bits(3);
  RootMeter coarse_meter({Pure{1}, Unit::item, Neighbours::replace_one}, *coarse_bits);
  RootMeter fine_meter({Pure{1}, Unit::item, Neighbours::replace_one}, *fine_bits);
  const noise::Perturbation coarse = noise::perturb(step, coarse_meter);
  step.grid = noise::perturbation_grid(3.0);
  const noise::Perturbation fine = noise::perturb(step, fine_meter);
  const double gap = (coarse.value - fine.value).norm();
  EXPECT_LE(gap, coarse.rounding + fine.rounding);
  EXPECT_GT(gap, 0.1 * coarse.rounding);
  EXPECT_EQ(coarse_meter.steps().size(), 1u);
}

TEST_F(Mechanisms, OpenIsForMetersWithoutAPromise) {
  const Sensitive<Vector> x = sensitive(Vector::Constant(2, 7));
  RootMeter open_meter({NoPrivacy{}, Unit::item, Neighbours::replace_one}, *bits_);
  EXPECT_EQ(noise::open(x, open_meter).value(), Vector::Constant(2, 7));
  EXPECT_EQ(open_meter.steps().back().mechanism, "none");
  RootMeter m = meter(1e6);
  EXPECT_ANY_THROW(noise::open(x, m));
}

TEST_F(Mechanisms, ShowAWatcherWhatTheyOpen) {
  RootMeter m = meter(10);
  std::vector<double> seen;
  m.watch([&](const Step&, std::span<const double> opened) { seen.assign(opened.begin(), opened.end()); });
  noise::isotropic_laplace(sensitive(Vector::Constant(2, 0.25)), 2.0, 1.0, m);
  EXPECT_EQ(seen, (std::vector<double>{0.25, 0.25}));
  EXPECT_TRUE(certify("test", m, {}, {}).watched);
}

}  // namespace
}  // namespace tacit
