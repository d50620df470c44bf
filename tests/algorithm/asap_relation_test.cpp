#include <gtest/gtest.h>

#include <cmath>

#include "algorithm/posterior/asap.hpp"
#include "support/seeded_bits.hpp"
#include "support/shapes.hpp"
#include "tacit/core.hpp"
#include "tacit/method.hpp"
#include "tacit/root_meter.hpp"

// A record that is there or null, and one that is replaced [docs/asap_mala.md].

namespace tacit::posterior::relations {
namespace {

constexpr Neighbours zero_out = Neighbours::zero_out, replace_one = Neighbours::replace_one,
                     add_remove = Neighbours::add_remove;

AsapOptions bounded(const Guarantee& budget, Neighbours neighbours) {
  AsapOptions options{{.limits = {.regularisation = 0.1, .row_norm_bound = 1.0}, .budget = budget}};
  options.limits.neighbours = neighbours;
  options.step_limit = 1e12;
  if (neighbours == add_remove) options.limits.records = 300;
  return options;
}

// One C-Lipschitz function, not two: half the noise of θ₀ but for the solver's distance, twice γ·B or four
// times γ. The noise that covers a chain's distance is for both runs, whatever their data.
TEST(AsapRelation, ANullRecordTakesHalfTheNoiseAndTwiceTheTemperatureButTheWholeCover) {
  const Shape shape = testing::linear_shape(300, 4);
  for (const bool pure : {true, false}) {
    const Guarantee budget = pure ? Guarantee(Pure{0.7}) : Guarantee(Gaussian{0.4});
    const AsapPlan two = plan_asap(shape, bounded(budget, replace_one));
    for (const Neighbours neighbours : {zero_out, add_remove}) {
      const AsapPlan one = plan_asap(shape, bounded(budget, neighbours));
      EXPECT_NEAR(two.localisation.sensitivity.value / one.localisation.sensitivity.value, 2, 1e-12);
      EXPECT_EQ(two.localisation.sensitivity.slack, one.localisation.sensitivity.slack);
      EXPECT_NEAR(two.localisation.scale / one.localisation.scale, 2, 1e-6);
      EXPECT_EQ(one.sample.sensitivity.value, one.limits.slope);
      EXPECT_EQ(two.sample.sensitivity.value, 2 * two.limits.slope);
      if (pure)
        EXPECT_NEAR(one.inverse_temperature * one.ball / (two.inverse_temperature * two.ball), 2, 1e-12);
      else
        EXPECT_NEAR(one.inverse_temperature / two.inverse_temperature, 4, 1e-12);
      EXPECT_LT(one.ball, two.ball);
      EXPECT_EQ(one.perturbation.sensitivity.value, 2 * one.distance);
      EXPECT_EQ(two.perturbation.sensitivity.value, 2 * two.distance);
      EXPECT_EQ(one.perturbation.event, two.perturbation.event);
      EXPECT_GT(one.theorem_steps, two.theorem_steps) << "a sharper target takes longer chains";
    }
  }
}

Dataset line(std::size_t records) {
  Dataset data;
  std::vector<double> rows{1, -1, 0.5, 2, 1};
  rows.resize(records);
  data.features = Features(DenseRows{records, 1, rows});
  data.labels = {1, -1, 1, 1, -1};
  data.labels.resize(records);
  data.target_kind = TargetKind::numeric;
  return data;
}

Certificate certificate_of(const Dataset& data, Neighbours neighbours, std::optional<std::int64_t> records,
                           const Guarantee& budget = Pure{1}) {
  const Problem problem{.data = &data, .loss = Link{LinkKind::logistic, 0}, .intercept = 1};
  Facts facts;
  facts.set(std::holds_alternative<Gaussian>(budget) ? "mu" : "epsilon", 1.0);
  facts.set("regularisation", 1.0);
  facts.set("row_norm_bound", 2.5);
  facts.set("mala_steps", std::int64_t{20});
  if (records) facts.set("records", *records);
  const auto bits = testing::seeded_bits(5);
  RootMeter meter({budget, Unit::item, neighbours}, *bits);
  return find_method("asap-mala").fit(problem, facts, meter).certificate;
}

// A dataset that lacks a record runs by the same plan, and its certificate tells nothing of it.
TEST(AsapRelation, ADatasetThatLacksARecordHasTheSameCertificate) {
  for (const Neighbours neighbours : {zero_out, add_remove})
    for (const Guarantee& budget : {Guarantee(Pure{1}), Guarantee(Gaussian{1})}) {
      const Certificate all = certificate_of(line(5), neighbours, 5, budget),
                        fewer = certificate_of(line(4), neighbours, 5, budget);
      EXPECT_EQ(all.assumed_public.integer("records"), 5);
      EXPECT_EQ(all.options.entries(), fewer.options.entries());
      EXPECT_EQ(all.assumed_public.entries(), fewer.assumed_public.entries());
      EXPECT_EQ(all.assumptions, fewer.assumptions);
      EXPECT_EQ(all.assumptions.size(), neighbours == add_remove ? 3u : 2u);
      ASSERT_EQ(all.steps.size(), fewer.steps.size());
      for (std::size_t k = 0; k < all.steps.size(); ++k) {
        EXPECT_EQ(all.steps[k].event, fewer.steps[k].event);
        EXPECT_EQ(all.steps[k].scale, fewer.steps[k].scale);
      }
    }
}

TEST(AsapRelation, RefusesNumbersOfRecordsThatContradictTheData) {
  EXPECT_NO_THROW(certificate_of(line(4), zero_out, 4));
  EXPECT_THROW(certificate_of(line(4), zero_out, 3), UsageError);
  EXPECT_THROW(certificate_of(line(4), add_remove, 3), UsageError);
  EXPECT_THROW(certificate_of(line(4), add_remove, std::nullopt), UsageError);
  EXPECT_THROW(certificate_of(line(4), replace_one, 5), UsageError);
}

}  // namespace
}  // namespace tacit::posterior::relations
