#include "algorithm/heavy_tails/private_limits.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "algorithm/heavy_tails/limited_objective.hpp"
#include "algorithm/heavy_tails/limited_output.hpp"
#include "support/adversarial.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/account.hpp"
#include "tacit/core.hpp"
#include "tacit/method.hpp"
#include "tacit/root_meter.hpp"

namespace tacit::heavy_tails {
namespace {

const std::vector<LossSpec> losses = {Link{LinkKind::squared, 0},  Link{LinkKind::huber, 1},
                                      Link{LinkKind::absolute, 0}, Link{LinkKind::pinball, 0.3},
                                      Link{LinkKind::logistic, 0}, Link{LinkKind::hinge, 0},
                                      Link{LinkKind::poisson, 0},  Softmax{3}};

Shape shape_with(const LossSpec& loss, std::size_t records = 10000) {
  const auto* softmax = std::get_if<Softmax>(&loss);
  return {.records = records,
          .features = 4,
          .outputs = softmax ? softmax->classes - 1 : 1,
          .loss = loss,
          .intercept = 1};
}

// Rows of size `unit`, labels 70·unit-free: linear, far from 0, heavy tailed.
Dataset raw_numbers(std::size_t n, double unit) {
  std::mt19937_64 random(5);
  std::student_t_distribution<> t(2.5);
  DenseRows rows{n, 3, {}};
  Dataset data;
  data.target_kind = TargetKind::numeric;
  for (std::size_t i = 0; i < n; ++i) {
    double y = 3000;
    for (int j = 0; j < 3; ++j) {
      rows.values.push_back(unit * t(random));
      y += (j - 1.5) * 100 * rows.values.back() / unit;
    }
    data.labels.push_back(y + 10 * t(random));
  }
  data.features = Features(std::move(rows));
  return data;
}

const heavy_tails::Solve by_objective = [](const Problem& problem, const heavy_tails::Options& options,
                                           Meter& meter) {
  return heavy_tails::limited_objective(problem, {options}, meter);
};

TEST(PrivateLimits, AreChosenOnlyWhereAPublicSizeLacks) {
  const Shape logistic = shape_with(Link{LinkKind::logistic, 0}),
              squared = shape_with(Link{LinkKind::squared, 0});
  EXPECT_TRUE(needs_private_limits(logistic, {}));
  EXPECT_FALSE(needs_private_limits(logistic, {.row_norm_bound = 2.0}));
  EXPECT_FALSE(needs_private_limits(logistic, {.limit_share = 0.0})) << "then a rule refuses";
  EXPECT_FALSE(needs_private_limits(logistic, {.slope_limit = 1.0, .curvature_limit = 1.0}));
  EXPECT_TRUE(needs_private_limits(squared, {.row_norm_bound = 2.0})) << "the labels' size lacks";
  EXPECT_FALSE(needs_private_limits(squared, {.row_norm_bound = 2.0, .label_bound = 1.0}));
  EXPECT_THROW(heavy_tails::plan_private_limits(logistic, {.slope_limit = 1.0}), UsageError);
}

TEST(PrivateLimits, ThePlanSpendsTheBudgetAndNoMore) {
  for (const LossSpec& loss : losses)
    for (const double epsilon : {0.2, 1.0, 8.0}) {
      const auto queries = heavy_tails::plan_private_limits(shape_with(loss), {.epsilon = epsilon});
      std::vector<Event> events;
      for (const Step& step : queries.steps) events.push_back(step.event);
      events.push_back(PureEvent{queries.rest});
      const double total = std::get<Pure>(compose(events, Pure{epsilon})).epsilon;
      EXPECT_LE(total, epsilon);
      EXPECT_GT(total, epsilon * (1 - 1e-9));
    }
}

TEST(PrivateLimits, TooFewRecordsAreRefusedWithTheNumberNeeded) {
  const Shape few = shape_with(Link{LinkKind::squared, 0}, 100);
  try {
    heavy_tails::plan_private_limits(few, {.epsilon = 1});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const InfeasibleError& error) {
    EXPECT_NE(std::string(error.what()).find("records times epsilon must be at least 1225"),
              std::string::npos)
        << error.what();
  }
  EXPECT_NO_THROW(heavy_tails::plan_private_limits(few, {.epsilon = 13}));
}

// A share that leaves nothing for the fit is found before anything is charged.
TEST(PrivateLimits, SharesThatLeaveNothingAreRefusedBeforehand) {
  const Shape shape = shape_with(Link{LinkKind::logistic, 0}, 20000);
  for (const double share : {0.75, 0.8, 0.9})
    EXPECT_THROW(heavy_tails::plan_private_limits(shape, {.epsilon = 1, .limit_share = share}), UsageError)
        << share;
  EXPECT_THROW(heavy_tails::plan_private_limits(shape, {.epsilon = 1, .column_share = 0.9}), UsageError);
  EXPECT_NO_THROW(
      heavy_tails::plan_private_limits(shape, {.epsilon = 1, .limit_share = 0.75, .column_share = 0.0}));
}

// C = G_k(nε/d)^{1/k}: with k = 2 a hundred times the records make it ten times as large; with 2S it stays.
TEST(PrivateLimits, WithMomentsTheSlopeLimitGrowsWithTheRecords) {
  const auto slope = [](std::size_t n, std::optional<double> order) {
    const Dataset data = raw_numbers(n, 1);
    const Problem problem{.data = &data, .loss = Link{LinkKind::absolute, 0}};
    const auto bits = testing::seeded_bits(3);
    RootMeter meter({.limit = Pure{10}}, *bits);
    const heavy_tails::Options options{.epsilon = 10, .moment_order = order};
    return heavy_tails::with_private_limits(problem, options, meter, by_objective)
        .certificate.options.number("slope_limit");
  };
  EXPECT_NEAR(slope(100000, 2) / slope(1000, 2), 10, 4);
  EXPECT_NEAR(slope(100000, {}) / slope(1000, {}), 1, 0.4);
  const Dataset data = raw_numbers(1000, 1);
  const auto bits = testing::seeded_bits(3);
  RootMeter meter({.limit = Pure{1}}, *bits);
  EXPECT_THROW(heavy_tails::with_private_limits(
                   {.data = &data, .loss = Link{LinkKind::absolute, 0}},
                   {.slope_limit = 1.0, .curvature_limit = 1.0, .moment_order = 2.0}, meter, by_objective),
               UsageError);
}

// A share that would buy nothing is refused, before anything is drawn.
TEST(PrivateLimits, AShareWithoutEffectIsRefused) {
  const Dataset data = raw_numbers(1000, 1);
  const Problem problem{.data = &data, .loss = Link{LinkKind::absolute, 0}};
  const auto message = [&](const char* method, const Facts& given, double bound) {
    Facts facts = given;
    facts.set("epsilon", 1.0);
    facts.set("label_bound", 1.0);
    if (bound > 0) facts.set("row_norm_bound", bound);
    const auto bits = testing::seeded_bits(3);
    RootMeter meter({.limit = Pure{1}}, *bits);
    try {
      find_method(method).fit(problem, facts, meter);
    } catch (const UsageError& error) {
      EXPECT_TRUE(meter.steps().empty());
      return std::string(error.what());
    }
    return std::string();
  };
  const auto with = [](const char* name, const FactValue& value) {
    Facts facts;
    facts.set(name, value);
    return facts;
  };
  for (const char* method : {"limited-objective", "localized"}) {
    EXPECT_EQ(
        message(method, with("limit_share", 0.2), 1),
        "limit-share has no effect here: all sizes are known from the schema, a row-bound, or limits that "
        "were given");
    EXPECT_NE(message(method, with("column_share", 0.2), 1), "");
    EXPECT_EQ(message(method, with("limit_share", 0.0), 1), "") << "asks for nothing";
    EXPECT_EQ(message(method, with("limit_share", 0.2), 0), "") << "the rows' size is chosen";
  }
  EXPECT_NE(message("posterior-exact", with("limit_share", 0.2), 1), "");
  EXPECT_EQ(
      message("tuned", with("settings", std::string("limited-output; limited-output:limit_share=0.2")), 1),
      "setting 2, limited-output: limit-share has no effect here: all sizes are known from the schema, a "
      "row-bound, or limits that were given");
}

// What no size would allow costs nothing: an oracle that the loss does not suit, too many cells or
// iterations.
TEST(PrivateLimits, WhatNoSizeWouldAllowIsRefusedBeforeSizesArePaidFor) {
  const Dataset data = raw_numbers(16000, 1);
  const auto refused_free = [&](const char* name, LinkKind kind, const char* option, const FactValue& value) {
    Facts facts;
    facts.set("epsilon", 1.0);
    facts.set(option, value);
    const auto bits = testing::seeded_bits(1);
    RootMeter meter({.limit = Pure{1}}, *bits);
    EXPECT_THROW(find_method(name).fit({.data = &data, .loss = Link{kind, 0}}, facts, meter), Error) << name;
    EXPECT_TRUE(meter.steps().empty()) << name;
  };
  refused_free("double-output", LinkKind::squared, "oracle", std::string("structured"));
  refused_free("double-output", LinkKind::absolute, "oracle", std::string("subgradient"));
  refused_free("net-exponential", LinkKind::squared, "smoothing", std::string("ball"));
  refused_free("localized-exponential", LinkKind::absolute, "cells", std::int64_t{16});
}

struct Seen {
  std::vector<std::vector<double>> opened;
  std::vector<Step> steps;
  Facts options;
};

Seen watched_choice(const Dataset& data, const LossSpec& loss, std::uint64_t seed) {
  Seen seen;
  const auto bits = testing::seeded_bits(seed);
  RootMeter meter({.limit = Pure{1}}, *bits);
  meter.watch([&](const Step& step, std::span<const double> value) {
    seen.steps.push_back(step);
    seen.opened.emplace_back(value.begin(), value.end());
  });
  const Problem problem{.data = &data, .loss = loss};
  const Release release = heavy_tails::with_private_limits(
      problem, {.epsilon = 1, .limit_share = 0.5, .column_share = 0.2}, meter, heavy_tails::limited_output);
  seen.options = release.certificate.options;
  return seen;
}

// Later queries build on earlier releases: they are compared where those agree. With these seeds they often
// do, even for rows and labels of size 1e300.
TEST(PrivateLimits, RankScoresMoveByAtMostOneAtTheSameEarlierReleases) {
  double largest = 0;
  int alike = 0, compared = 0;
  for (const LossSpec& loss : losses)
    for (const auto& pair : testing::adversarial_pairs(loss, 40, 2, 3)) {
      const Seen a = watched_choice(pair.first, loss, 11), b = watched_choice(pair.second, loss, 11);
      ASSERT_EQ(a.opened.size(), b.opened.size());
      const bool same = a.options.entries() == b.options.entries();
      alike += same;
      const std::size_t steps = same ? a.opened.size() : 1;
      for (std::size_t k = 0; k < steps; ++k) {
        if (a.steps[k].mechanism != "exponential") continue;
        ++compared;
        for (std::size_t j = 0; j < a.opened[k].size(); ++j) {
          const double moved = std::fabs(a.opened[k][j] - b.opened[k][j]);
          EXPECT_LE(moved, a.steps[k].sensitivity.total()) << pair.what;
          largest = std::max(largest, moved);
        }
      }
    }
  EXPECT_EQ(largest, 1) << "a sensitivity of one half would go unnoticed";
  EXPECT_GT(alike, 20);
  EXPECT_GT(compared, 200);
}

// The same relation in units from 1e-9 to 1e9: with ε = 1 and 8000 records the private fit is near the truth.
TEST(PrivateLimits, FindWhatThereIsInAnyUnits) {
  for (const double unit : {1e-9, 1.0, 1e9}) {
    const Dataset data = raw_numbers(8000, unit);
    for (const auto kind : {LinkKind::absolute, LinkKind::squared}) {
      const Problem problem{.data = &data, .loss = Link{kind, 0}};
      const auto bits = testing::seeded_bits(3);
      RootMeter meter({.limit = Pure{1}}, *bits);
      const Release release = heavy_tails::with_private_limits(problem, {.epsilon = 1}, meter, by_objective);
      const auto map = label_map(find_method(release.certificate.method), release.certificate.options);
      for (int j = 0; j < 3; ++j)
        EXPECT_NEAR(map.scale * release.parameters.value()[j] * unit, (j - 1.5) * 100, 30) << unit;
      EXPECT_NEAR(map.offset + map.scale * release.parameters.value()[3], 3000, 40) << unit;
    }
  }
}

TEST(PrivateLimits, StepsAreRebuiltFromTheCertificateAlone) {
  for (const char* name : {"limited-objective", "limited-output"})
    for (const LossSpec& loss : losses) {
      const auto pair = testing::adversarial_pairs(loss, 300, 2, 1)[0];
      const auto bits = testing::seeded_bits(4);
      RootMeter meter({.limit = Pure{9}}, *bits);
      Facts options;
      options.set("epsilon", 9.0);
      const Method& method = find_method(name);
      const Problem problem{.data = &pair.first, .loss = loss};
      const Certificate made = method.fit(problem, options, meter).certificate;
      const std::vector<Step> rebuilt = method.rebuild_steps(made.options, made.assumed_public);
      ASSERT_EQ(rebuilt.size(), made.steps.size());
      for (std::size_t k = 0; k < rebuilt.size(); ++k) {
        EXPECT_EQ(rebuilt[k].event, made.steps[k].event);
        EXPECT_EQ(rebuilt[k].scale, made.steps[k].scale);
        EXPECT_EQ(rebuilt[k].grid, made.steps[k].grid);
      }
      EXPECT_FALSE(made.assumed_public.has("row_norm_bound"));
      EXPECT_FALSE(made.assumed_public.has("label_bound"));
    }
}

TEST(PrivateLimits, ParametersGoBackToTheGridOfTheLastStep) {
  Dataset data = raw_numbers(20000, 1);
  DenseRows rows = data.features.dense_rows();
  for (std::size_t k = 0; k < rows.values.size(); ++k)
    rows.values[k] *= k % 3 == 0 ? 1e-6 : k % 3 == 1 ? 1 : 1e7;
  data.features = Features(std::move(rows));
  const Problem problem{.data = &data, .loss = Link{LinkKind::absolute, 0}};
  const auto bits = testing::seeded_bits(3);
  RootMeter meter({.limit = Pure{1}}, *bits);
  const Release release = heavy_tails::with_private_limits(problem, {.epsilon = 1}, meter, by_objective);
  EXPECT_GT(release.certificate.options.number("column_share"), 0);
  const Vector released = as_released(find_method(release.certificate.method), release.parameters.value(),
                                      release.certificate.options, release.certificate.assumed_public);
  for (const double w : released) EXPECT_EQ(std::fmod(w, meter.steps().back().grid), 0);
  EXPECT_NEAR(label_map(find_method(release.certificate.method), release.certificate.options).scale *
                  release.parameters.value()[2] * 1e7,
              50, 25);
}

}  // namespace
}  // namespace tacit::heavy_tails
