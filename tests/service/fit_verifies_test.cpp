// What a fit makes, verify accepts: whatever budget was asked for, by whichever method, under each relation.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tacit/fit.hpp"
#include "tacit/method.hpp"
#include "tacit/model.hpp"
#include "tacit/verify.hpp"

namespace tacit {
namespace {

ReadResult rows_of(std::size_t records, bool users) {
  DenseRows rows{records, 2, {}};
  ReadResult read;
  for (std::size_t i = 0; i < records; ++i) {
    const double a = static_cast<double>(i % 31) / 30, b = static_cast<double>(i % 17) / 16;
    rows.values.insert(rows.values.end(), {a, b});
    read.data.labels.push_back(a > b ? 1 : 0);
    if (users) read.data.users.push_back(static_cast<std::uint32_t>(i));
  }
  read.data.user_count = users ? records : 0;
  read.data.features = Features(std::move(rows));
  read.data.target_kind = TargetKind::classes;
  read.data.classes = {"no", "yes"};
  read.data.names = {"a", "b"};
  read.has_target = true;
  return read;
}

// As few steps as the method takes: the budget is what is asked about.
Facts short_options(const std::string& method) {
  const auto whole = [](std::int64_t value) { return FactValue(value); };
  const std::vector<std::tuple<std::string, std::string, FactValue>> all = {
      {"dp-sgd", "epochs", 0.5},
      {"o2nc-multi", "steps", whole(8)},
      {"o2nc-sampled", "steps", whole(8)},
      {"dp-gd", "steps", whole(3)},
      {"asap-mala", "mala_steps", whole(5)},
      {"user-sgd", "epochs", 0.5},
      {"user-phased", "records_per_user", whole(1)},
      {"user-erm", "records_per_user", whole(1)},
      {"user-erm", "iterations", whole(2)},
      {"user-group", "records_per_user", whole(1)},
      {"user-group", "epochs", 0.5},
      {"tuned", "settings", std::string("limited-output:radius=3; limited-objective")}};
  Facts options;
  for (const auto& [of, key, value] : all)
    if (of == method) options.set(key, value);
  return options;
}

// Few budgets suit methods that ask for many users; those are refused before any record is looked at.
int holding(const Method& method, Neighbours neighbours, const Guarantee& guarantee) {
  const bool users = method.unit == Unit::user;
  service::FitOptions options{.method = method.name, .guarantee = guarantee, .row_bound = 1.5, .target = "c"};
  if (users) options.unit = Unit::user;
  options.neighbours = neighbours;
  options.method_options = short_options(method.name);
  const std::size_t rows = method.name == "user-phased" || method.name == "user-erm" ? 3000 : 300;
  if (neighbours == Neighbours::add_remove)
    options.method_options.set(users ? "user_count" : "records", static_cast<std::int64_t>(rows));
  FittedModel model;
  try {
    model = service::fit_records(rows_of(rows, users), std::nullopt, options);
  } catch (const Error&) {
    return 0;
  }
  EXPECT_NO_THROW(verify_model(model_to_json(model), "m"))
      << method.name << " " << name(neighbours) << " " << in_words(guarantee);
  return 1;
}

class FitVerifies : public ::testing::TestWithParam<std::string> {};

// Seed 5: budgets are drawn evenly by their logarithm, ε from 1e-4 to 50 and δ from 1e-9 to 0.3.
void try_budgets(const std::string& name, int budgets) {
  const Method& method = find_method(name);
  std::mt19937_64 random(5);
  const auto between = [&](double low, double high) {
    return std::exp(std::uniform_real_distribution<>(std::log(low), std::log(high))(random));
  };
  int held = holding(method, method.neighbours.front(),
                     offers(method, Notion::pure) ? Guarantee(Pure{4}) : Guarantee(Approx{8, 1e-3}));
  for (const Neighbours neighbours : method.neighbours)
    for (int k = 0; k < budgets; ++k) {
      const double epsilon = between(1e-4, 50), delta = between(1e-9, 0.3);
      if (offers(method, Notion::approx)) held += holding(method, neighbours, Approx{epsilon, delta});
      if (offers(method, Notion::pure)) held += holding(method, neighbours, Pure{epsilon});
      if (offers(method, Notion::gaussian))
        held += holding(method, neighbours, Gaussian{std::fmin(epsilon, 10)});
    }
  EXPECT_GT(held, 0) << "no budget suited";
}

TEST_P(FitVerifies, WhateverTheBudget) { try_budgets(GetParam(), 3); }

class LongFitVerifies : public FitVerifies {};
TEST_P(LongFitVerifies, WhateverTheBudget) { try_budgets(GetParam(), 40); }

std::vector<std::string> private_methods() {
  std::vector<std::string> names;
  for (const Method& method : methods())
    if (method.name != "plain") names.push_back(method.name);
  return names;
}
const auto by_its_name = [](const auto& test) {
  std::string name = test.param;
  std::ranges::replace(name, '-', '_');
  return name;
};
INSTANTIATE_TEST_SUITE_P(EveryMethod, FitVerifies, ::testing::ValuesIn(private_methods()), by_its_name);
INSTANTIATE_TEST_SUITE_P(LongEveryMethod, LongFitVerifies, ::testing::ValuesIn(private_methods()),
                         by_its_name);

// Pure shaped noise is chosen for these; the accountant gives less than was asked for, or nothing.
TEST(FitVerifies, ObjectivePerturbationWhoseNoiseIsPureThoughADeltaWasAsked) {
  const Method& method = find_method("limited-objective");
  for (const Neighbours neighbours : method.neighbours)
    for (const Approx& asked : {Approx{1, 0.01}, Approx{5, 0.01}, Approx{5.651, 0.01}, Approx{0.2335, 3e-4},
                                Approx{0.01, 0.3}, Approx{30, 0.3}})
      EXPECT_EQ(holding(method, neighbours, asked), 1);
}

}  // namespace
}  // namespace tacit
