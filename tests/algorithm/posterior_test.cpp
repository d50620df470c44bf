#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "algorithm/posterior/exact.hpp"
#include "sampler/mala.hpp"
#include "support/seeded_bits.hpp"
#include "support/shapes.hpp"
#include "tacit/account.hpp"
#include "tacit/audit.hpp"
#include "tacit/core.hpp"
#include "tacit/method.hpp"
#include "tacit/root_meter.hpp"

namespace tacit {
namespace {

Guarantee total(const posterior::ExactPlan& plan, const Guarantee& notion) {
  std::vector<Event> events;
  for (const Step& step : plan.steps()) events.push_back(step.event);
  return compose(events, notion);
}

TEST(PosteriorExact, PlanSpendsTheWholeBudgetAndNoMore) {
  for (const double size : {0.05, 1.0, 6.0})
    for (const std::size_t samples : {1, 7})
      for (const double share : {0.2, 0.5}) {
        posterior::Options options{
            {.limits = {.row_norm_bound = 2.0}, .budget = Pure{size}, .samples = samples}, share};
        const auto pure = plan_exact(testing::linear_shape(5000, 4), options);
        EXPECT_LE(std::get<Pure>(total(pure, Pure{1})).epsilon, size);
        EXPECT_GT(std::get<Pure>(total(pure, Pure{1})).epsilon, size * (1 - 1e-9));
        // The proof's own bound: γ·2C·2B.
        const double range = 4 * pure.inverse_temperature * pure.limits.slope * pure.ball;
        EXPECT_LE(range, std::get<BoundedRangeEvent>(pure.sample.event).epsilon);

        options.budget = Gaussian{size};
        const auto gaussian = plan_exact(testing::linear_shape(5000, 4), options);
        EXPECT_LE(std::get<Gaussian>(total(gaussian, Gaussian{1})).mu, size);
        EXPECT_GT(std::get<Gaussian>(total(gaussian, Gaussian{1})).mu, size * (1 - 1e-9));
        const double mu =
            2 * gaussian.limits.slope * gaussian.inverse_temperature / std::sqrt(gaussian.strength);
        EXPECT_LE(mu, std::get<GaussianEvent>(gaussian.sample.event).mu * (1 + 1e-15));
      }
}

TEST(PosteriorExact, TellsOfLongWorkAndWhatWouldShortenIt) {
  Shape shape = testing::linear_shape(5000, 100);
  EXPECT_EQ(posterior::long_work(shape, 0.1, 20), "");
  EXPECT_EQ(posterior::long_work(shape, 1e-4, 1), "");
  EXPECT_NE(posterior::long_work(shape, 1e-4, 1000), "");  // many samples are as long as a low acceptance
  const std::string rows = posterior::long_work(shape, 1e-6, 1);
  EXPECT_NE(rows.find("one in 1e+06 proposals"), std::string::npos) << rows;
  EXPECT_NE(rows.find("fewer columns"), std::string::npos) << rows;
  shape.blocks = FeatureBlocks({{100, 1}});
  const std::string encoded = posterior::long_work(shape, 1e-6, 1);
  EXPECT_NE(encoded.find("linear-v1"), std::string::npos) << encoded;
}

TEST(PosteriorExact, RefusesFromPublicValuesWithTheNumbersInOneLine) {
  posterior::Options options{
      {.limits = {.regularisation = 1e-5, .row_norm_bound = 3.0}, .budget = Gaussian{0.1}}};
  try {
    plan_exact(testing::linear_shape(1000, 30), options);
    FAIL() << "accepted";
  } catch (const InfeasibleError& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("predicted acceptance"), std::string::npos) << what;
    EXPECT_EQ(what.find('\n'), std::string::npos);
  }
  Shape poisson = testing::linear_shape(1000, 3);
  poisson.loss = Link{LinkKind::poisson, 0};
  options.limits.label_bound = 3;
  EXPECT_THROW(plan_exact(poisson, options), UsageError);
  EXPECT_FALSE(find_method("posterior-exact").unsuitable(poisson).empty());
  // Chains of several scores a record are not built; exact samples are, while their Hessian is small.
  Shape softmax{.records = 1000, .features = 4, .outputs = 2, .loss = Softmax{3}};
  EXPECT_FALSE(find_method("asap-mala").unsuitable(softmax).empty());
  EXPECT_TRUE(find_method("posterior-exact").unsuitable(softmax).empty());
  options.limits.regularisation.reset();
  EXPECT_GT(plan_exact(softmax, options).acceptance, 1e-4);
  softmax = {.records = 60000, .features = 785, .outputs = 9, .loss = Softmax{10}};
  EXPECT_THROW(plan_exact(softmax, options), InfeasibleError);
}

// Memory that is not there would end a fit after its charge.
TEST(PosteriorExact, RefusesWhatTakesTooMuchMemoryBeforehand) {
  const posterior::Options options{{.limits = {.row_norm_bound = 1.5}, .budget = Gaussian{1}}};
  const Shape many{.records = 10'000'000, .features = 2, .outputs = 9, .loss = Softmax{10}};
  EXPECT_THROW(
      {
        try {
          plan_exact(many, options);
        } catch (const InfeasibleError& error) {
          EXPECT_NE(std::string(error.what()).find("of memory"), std::string::npos) << error.what();
          throw;
        }
      },
      InfeasibleError);
  EXPECT_THROW(plan_exact(testing::linear_shape(300, 20000), options), InfeasibleError);
}

Dataset one_column(std::vector<double> values, std::vector<double> labels) {
  Dataset data;
  data.features = Features(DenseRows{values.size(), 1, std::move(values)});
  data.labels = std::move(labels);
  data.target_kind = TargetKind::numeric;
  return data;
}

TEST(PosteriorSampling, TakesNoWeights) {
  Dataset data = one_column({0.5, -0.5, 1}, {1, 0, 1});
  data.weights = {1, 0.5, 1};
  Facts facts;
  facts.set("epsilon", 1.0);
  facts.set("row_norm_bound", 1.0);
  for (const char* method : {"posterior-exact", "asap-mala"}) {
    const auto bits = testing::seeded_bits(1);
    RootMeter meter({.limit = Pure{1}}, *bits);
    EXPECT_THROW(find_method(method).fit({.data = &data, .loss = Link{LinkKind::squared, 0}}, facts, meter),
                 UsageError)
        << method;
  }
}

TEST(PosteriorExact, SeveralSamplesShareTheBudgetAndDiffer) {
  const Dataset data = one_column({1, -1, 0.5, 2}, {1, -1, 1, 1});
  const Problem problem{.data = &data, .loss = Link{LinkKind::logistic, 0}, .intercept = 1};
  for (const Guarantee& budget : {Guarantee(Pure{1}), Guarantee(Gaussian{1})}) {
    const auto bits = testing::seeded_bits(3);
    RootMeter meter({.limit = budget}, *bits);
    const Release release = posterior::exact(
        problem, {{.limits = {.regularisation = 1.0, .row_norm_bound = 2.0}, .budget = budget, .samples = 5}},
        meter);
    ASSERT_EQ(release.samples.size(), 5u);
    EXPECT_EQ(release.samples.back().value(), release.parameters.value());
    EXPECT_NE(release.samples[0].value(), release.samples[1].value());
    EXPECT_EQ(release.center.has_value(), std::holds_alternative<Pure>(budget));
    EXPECT_EQ(meter.steps().size(), release.center ? 6u : 5u);
  }
}

// Eight records that bend, with curvature 1/4 each, and one that pulls with full force, one way or the other.
struct PullingPair {
  static Dataset pulling(double label) {
    return one_column({.5, .5, .5, .5, .5, .5, .5, .5, 1}, {0, 0, 0, 0, 0, 0, 0, 0, label});
  }
  Dataset data[2] = {pulling(-1e6), pulling(1e6)};
  static constexpr double slope = 1, strength = 3, regularisation = strength / 9;
  Link link{LinkKind::squared, 0};
  Problem problem(int side) const { return {.data = &data[side], .loss = link, .intercept = 0}; }
  posterior::Options options() const {
    return {{.limits = {.slope_limit = slope,
                        .curvature_limit = 1.0,
                        .regularisation = regularisation,
                        .threads = 1},
             .budget = Pure{2},
             .coverage = 0.5}};  // so that the minimiser is outside the ball half of the time
  }
};

// [Lin24, Alg. 1] as the paper has it: chains until one ends in the ball, at most `restarts` of them, then a
// fixed point. The output is 1 when the fixed point came out and θ₀ was in a window.
audit::Run fallback_run(const PullingPair& pair, int side, int restarts, double most) {
  const double curvature = 2 + PullingPair::strength;
  const double mode = (side == 0 ? -1.0 : 1.0) / curvature;
  const auto plan = plan_exact(shape_of(pair.problem(side)), pair.options());
  // The posterior is Gaussian as long as the bending records stay on their ramp: a few steps mix.
  const double smoothness = plan.inverse_temperature * curvature;
  const sampler::ChainSettings settings{0.5 / smoothness, 8, 1 / std::sqrt(2 * smoothness)};
  return [=, &pair](BitSource& bits) {
    std::uint64_t seed = 0;
    bits.fill({&seed, 1});
    std::mt19937_64 random(seed);
    const double center = mode + plan.localisation->scale * std::exponential_distribution<>(1)(random) *
                                     (random() % 2 == 0 ? 1 : -1);
    if (!(center > 0 && center <= most)) return Vector(Vector::Zero(1));
    const Problem problem = pair.problem(side);
    sampler::ConstrainedMala mala({.problem = &problem,
                                   .limits = plan.limits,
                                   .inverse_temperature = plan.inverse_temperature,
                                   .strength = plan.strength,
                                   .center = Vector::Constant(1, center),
                                   .radius = plan.ball},
                                  Vector::Constant(1, mode), settings);
    bool found = false;
    for (int k = 0; k < restarts && !found; ++k) found = mala.inside(mala.chain(bits));
    return Vector(Vector::Constant(1, found ? 0.0 : 1.0));
  };
}

// Sees the pair (θ₀, θ̂), coarsely.
audit::Run exact_run(const PullingPair& pair, int side) {
  return [&pair, side](BitSource& bits) {
    RootMeter meter({.limit = Pure{2}}, bits);
    const Problem problem = pair.problem(side);
    const Release release = posterior::exact(problem, pair.options(), meter);
    const double center = release.center->value()[0], offset = release.parameters.value()[0] - center;
    return Vector(
        Vector::Constant(1, std::clamp(std::floor(center), -2.0, 2.0) * 16 + std::floor(2 * offset)));
  };
}

// Claim: ε = 2. The lower bounds hold with confidence 1 − 1e-3 each, seeds fixed.
audit::BlackBoxOptions pulled(std::size_t runs) {
  audit::BlackBoxOptions options;
  options.runs = runs;
  options.confidence = 0.999;
  options.bits = [](std::size_t part) { return testing::seeded_bits(100 + part); };
  return options;
}

void expect_exact_samples_hold(const Link& link, std::size_t runs) {
  PullingPair pair;
  pair.link = link;
  const auto exact = audit::black_box(exact_run(pair, 0), exact_run(pair, 1), 0, pulled(runs));
  EXPECT_LE(exact.lower_bound, 2.0) << name(link.kind);
  EXPECT_GT(exact.lower_bound, 0.3) << name(link.kind)
                                    << ": the pair gives nothing away, the audit has no power";
}

TEST(PosteriorExact, HoldsItsClaimWhereTheFallbackOfThePaperBreaksIt) {
  const PullingPair pair;
  const auto broken =
      audit::black_box(fallback_run(pair, 0, 50, 1.45), fallback_run(pair, 1, 50, 1.45), 0, pulled(120000));
  EXPECT_GT(broken.lower_bound, 2.0) << broken.event << ": " << broken.more_often << " against "
                                     << broken.less_often;
  expect_exact_samples_hold(pair.link, 2000);
}

TEST(LongPosteriorExact, HoldsItsClaimWithRecordsThatPull) {
  for (const Link link : {Link{LinkKind::squared, 0}, Link{LinkKind::huber, 1}})
    expect_exact_samples_hold(link, 3000);
}

}  // namespace
}  // namespace tacit
