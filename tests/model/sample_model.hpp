#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "tacit/method.hpp"
#include "tacit/model.hpp"

// A model as a two-step method would make it, and the table with that method, so that the format and `verify`
// are tested apart from any algorithm.

namespace tacit::testing {

inline std::vector<Step> sample_steps(const Facts& options, const Facts& assumed_public) {
  const double epsilon = options.number("epsilon");
  const auto dimension = static_cast<std::size_t>(assumed_public.integer("features"));
  const double sensitivity = 2 * options.number("slope_limit");
  Step first{.mechanism = "objective-perturbation",
             .event = PureEvent{0.75 * epsilon},
             .sensitivity = {.value = sensitivity, .slack = 1e-9, .norm = Norm::l2, .reason = "two slopes"},
             .scale = sensitivity / (0.75 * epsilon),
             .grid = 0x1p-30,
             .dimension = dimension};
  Step part = first;
  part.event = PureEvent{0.25 * epsilon};
  part.times = 3;
  first.inner = {part, part};
  first.nesting = Parallel{};
  const Step second{.mechanism = "isotropic-laplace",
                    .event = IsotropicLaplaceEvent{0.25 * epsilon, dimension},
                    .sensitivity = {.value = 1e-7, .slack = 0, .norm = Norm::l2, .reason = "solver distance"},
                    .scale = 4e-7 / epsilon,
                    .grid = 0x1p-40,
                    .dimension = dimension};
  return {first, second};
}

inline const std::vector<Method>& sample_table() {
  static const std::vector<Method> table = [] {
    Method method;
    method.name = "two-step";
    method.notions = {Notion::pure, Notion::approx};
    method.facts = {"tolerance", "slope_limit"};
    method.rebuild_steps = sample_steps;
    return std::vector{method};
  }();
  return table;
}

inline FittedModel sample_model() {
  FittedModel model;
  model.loss = Link{LinkKind::logistic, 0};
  model.features = 2;
  model.names = {"age", "hours, \"worked\""};
  model.target = "income";
  model.classes = {"<=50K", ">50K"};
  model.parameters = Vector{{0x1.8p-40 * 0x1p1, -1234567 * 0x1p-40, 0.625}};
  Certificate& certificate = model.certificate;
  certificate.method = "two-step";
  certificate.guarantee = Pure{1};
  certificate.options.set("epsilon", 1.0);
  certificate.options.set("slope_limit", 0.1);
  certificate.options.set("tolerance", std::numeric_limits<double>::infinity());
  certificate.assumed_public.set("records", std::int64_t{32561});
  certificate.assumed_public.set("loss", std::string("logistic"));
  certificate.assumed_public.set("features", std::int64_t{3});
  certificate.assumed_public.set("intercept", 1.0);
  certificate.assumed_public.set("schema_drafted_from_data", true);
  certificate.assumptions = {"the schema was drafted from the data and is taken to be public"};
  certificate.steps = sample_steps(certificate.options, certificate.assumed_public);
  certificate.bit_source = "system";
  certificate.version = "0.1.0";
  return model;
}

}  // namespace tacit::testing
