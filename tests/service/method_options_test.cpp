// What a caller asks of a method, by name: every option of every method in the table.

#include <gtest/gtest.h>

#include <algorithm>

#include "tacit/core.hpp"
#include "tacit/fit.hpp"
#include "tacit/method.hpp"
#include "tacit/service.hpp"

namespace tacit {
namespace {

ReadOptions table_for(const Method& method) {
  ReadOptions reading;
  reading.path = "not-there.csv";  // a plan reads nothing
  reading.schema = parse_schema(R"({"columns": {"a": {"type": "numeric", "min": 0, "max": 1},
                                                "b": {"type": "numeric", "min": 0, "max": 1}},
                                    "target": {"column": "y", "classes": ["no", "yes"]}})",
                                "schema");
  if (method.unit == Unit::user) reading.user = "who";
  return reading;
}

Guarantee guarantee_for(const Method& method) {
  switch (method.notions.front()) {
    case Notion::none:
      return NoPrivacy{};
    case Notion::pure:
      return Pure{2};
    case Notion::gaussian:
      return Gaussian{2};
    default:
      return Approx{2, 1e-6};
  }
}

Facts one(const std::string& name, const FactValue& value) {
  Facts facts;
  facts.set(name, value);
  return facts;
}

// What a fit with these options would do, or why it is refused.
std::string outcome(const Method& method, const Facts& given) {
  service::FitOptions options;
  options.method = method.name;
  options.guarantee = guarantee_for(method);
  options.method_options = given;
  try {
    return service::plan_json(service::plan_fit(table_for(method), options, 20000));
  } catch (const Error& error) {
    return error.what();
  }
}

bool may_be(const OptionSpec& spec, const FactValue& value) {
  try {
    require_in_range(spec, value);
  } catch (const UsageError&) {
    return false;
  }
  return !spec.fallback.starts_with(shown(value));
}

// One that is not the default.
FactValue value_for(const OptionSpec& spec) {
  if (spec.name == "domain") return std::string("ball:2");
  if (spec.name == "settings") return std::string("limited-output:radius=3; limited-output:radius=5");
  std::vector<FactValue> tried;
  if (spec.kind == OptionKind::integer) tried = {std::int64_t{30000}, std::int64_t{40}, std::int64_t{2}};
  if (spec.kind == OptionKind::number) tried = {0.3, 3.0, 1e-3, 50.0, 0.9, 0.0};
  if (spec.kind == OptionKind::text) tried = {std::string("0.7")};
  for (const std::string& word : spec.words) tried.emplace_back(word);
  const auto found = std::ranges::find_if(tried, [&](const FactValue& value) { return may_be(spec, value); });
  if (found != tried.end()) return *found;
  ADD_FAILURE() << "no value for " << spec.name;
  return 1.0;
}

// Not every option shows in a plan of this table; most do.
TEST(MethodOptions, AreTakenInEitherSpellingWithTheSameEffect) {
  std::size_t spelled_two_ways = 0, in_plans = 0;
  for (const Method& method : methods()) {
    const std::string without = outcome(method, {});
    for (const OptionSpec& spec : method.options) {
      if (spec.name == spec.fact()) continue;
      const FactValue value = value_for(spec);
      const std::string given = outcome(method, one(spec.fact(), value));
      EXPECT_TRUE(outcome(method, one(spec.name, value)) == given) << method.name << " " << spec.name;
      ++spelled_two_ways;
      in_plans += given != without ? 1 : 0;
    }
  }
  EXPECT_GT(spelled_two_ways, 50U);
  EXPECT_GT(2 * in_plans, spelled_two_ways);
}

TEST(MethodOptions, OfAMadeUpNameAreRefusedWithTheNamesThereAre) {
  for (const Method& method : methods())
    for (const char* name : {"colour", "slope-limits", "slope limit"}) {
      const std::string refused = outcome(method, one(name, 1.0));
      EXPECT_NE(refused.find(std::string(name) == "slope-limits" ? "slope_limits" : name), std::string::npos)
          << refused;
      EXPECT_NE(refused.find("is not an option of the method " + method.name), std::string::npos) << refused;
      for (const OptionSpec& spec : method.options)
        EXPECT_NE(refused.find(spec.fact()), std::string::npos) << refused;
      service::AuditOptions audited;
      audited.method = method.name;
      audited.method_options = one(name, 1.0);
      EXPECT_THROW(service::audit(audited), UsageError) << method.name;
    }
}

TEST(MethodOptions, GivenInBothSpellingsAreRefused) {
  Facts both = one("slope_limit", 1.0);
  both.set("slope-limit", 2.0);
  EXPECT_EQ(outcome(find_method("limited-output"), both), "the option slope_limit is given twice");
}

TEST(MethodOptions, OfAnotherKindAreUsageErrorsThatNameWhatIsExpected) {
  const auto refused = [](const char* method, const char* name, const FactValue& value) {
    service::FitOptions options;
    options.method = method;
    options.guarantee = guarantee_for(find_method(method));
    options.method_options = one(name, value);
    try {
      service::plan_fit(table_for(find_method(method)), options, 20000);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string("taken");
  };
  EXPECT_EQ(refused("limited-output", "radius", std::string("x")), "radius is \"x\", expected a number > 0");
  EXPECT_EQ(refused("limited-output", "radius", true), "radius is true, expected a number > 0");
  EXPECT_EQ(refused("limited-output", "radius", -1.0), "radius is -1, expected a number above 0");
  EXPECT_EQ(refused("limited-output", "radius", 1e31),
            "radius is 1e31, expected a number above 0, from 7.9e-31 to 1.3e30");
  EXPECT_EQ(refused("limited-output", "domain", 3.0), "domain is 3, expected a text");
  EXPECT_EQ(refused("dp-sgd", "iterate", 3.0), "iterate is 3, expected average, last or random");
  EXPECT_EQ(refused("dp-sgd", "clip-norm", true), "clip-norm is true, expected > 0, auto or private-min");
  EXPECT_EQ(refused("dp-sgd", "clip-norm", 0.5), "taken") << "a number for a text that may be one";
  // Every option refuses what is no value of anything.
  for (const Method& method : methods())
    for (const OptionSpec& spec : method.options)
      EXPECT_NE(refused(method.name.c_str(), spec.name.c_str(), true).find(spec.name + " is true, expected "),
                std::string::npos)
          << method.name << " " << spec.name;
}

}  // namespace
}  // namespace tacit
