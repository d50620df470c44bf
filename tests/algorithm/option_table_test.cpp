#include "tacit/method.hpp"

#include <gtest/gtest.h>

#include "algorithm/clipping/options.hpp"
#include "algorithm/heavy_tails/options.hpp"
#include "algorithm/user_level/user_erm.hpp"
#include "algorithm/user_level/user_sgd.hpp"
#include "tacit/core.hpp"

namespace tacit {
namespace {

enum class Color { red, blue };
std::string_view name(Color color) { return color == Color::red ? "red" : "blue"; }

struct Part {
  double share = 0.25;
};

struct Options {
  Guarantee target = Pure{1};
  double weight = 2;
  std::optional<double> width;
  std::int64_t rounds = 7;
  std::optional<double> clip;
  Color color = Color::red;
  Part part;

  static const OptionTable<Options>& table() {
    static const OptionTable<Part> parts = {field(&Part::share, "share", open(0, 1), "of something")};
    static const OptionTable<Options> table = {
        budget(&Options::target),
        field(&Options::weight, "weight", above(0), "heavy"),
        field(&Options::width, "width", between(1, 10), "wide")
            .otherwise("by rule")
            .only_with("color = blue", [](const Options& o) { return o.color == Color::blue; }),
        field(&Options::rounds, "rounds", between(1, 100), "often"),
        auto_or_number(&Options::clip, "clip-norm", positive(1e-3, 1e3), "short"),
        choice(&Options::color, "color", {Color::red, Color::blue}, "bright"),
        within(&Options::part, parts),
        planned("noise")};
    return table;
  }
  void validate() const { table().validate(*this); }
};

Facts facts(std::initializer_list<std::pair<const char*, FactValue>> values) {
  Facts all;
  all.set("epsilon", 1.0);
  for (const auto& [key, value] : values) all.set(key, value);
  return all;
}

std::string message_of(std::initializer_list<std::pair<const char*, FactValue>> values) {
  try {
    Options::table().read(facts(values));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "read";
}

const OptionSpec& line(std::string_view name) {
  static const std::vector<OptionSpec> flags = Options::table().flags();
  return *std::ranges::find(flags, name, &OptionSpec::name);
}

TEST(OptionTable, ReadsEveryKindOfValue) {
  const Options o = Options::table().read(facts({{"weight", 3.0},
                                                 {"rounds", 9.0},
                                                 {"clip_norm", std::string("0.5")},
                                                 {"color", std::string("blue")},
                                                 {"width", std::int64_t{2}},
                                                 {"share", 0.5}}));
  EXPECT_EQ(std::get<Pure>(o.target).epsilon, 1);
  EXPECT_EQ(o.weight, 3);
  EXPECT_EQ(o.rounds, 9);
  EXPECT_EQ(o.clip, 0.5);
  EXPECT_EQ(o.color, Color::blue);
  EXPECT_EQ(o.width, 2.0);
  EXPECT_EQ(o.part.share, 0.5);
}

TEST(OptionTable, WholeNumbersRefuseFractions) {
  EXPECT_EQ(message_of({{"rounds", 9.5}}), "rounds is 9.5, expected a whole number, 1 to 100");
  EXPECT_EQ(message_of({{"rounds", std::string("9")}}), "rounds is 9, expected a whole number, 1 to 100");
  EXPECT_EQ(message_of({{"rounds", 1e300}}), "rounds is 1e300, expected a whole number, 1 to 100");
}

TEST(OptionTable, RefusesWhatIsOutOfRange) {
  EXPECT_EQ(message_of({{"weight", 0.0}}), "weight is 0, expected > 0");
  EXPECT_EQ(message_of({{"weight", std::numeric_limits<double>::infinity()}}), "weight is inf, expected > 0");
  EXPECT_EQ(message_of({{"rounds", std::int64_t{101}}}), "rounds is 101, expected 1 to 100");
  EXPECT_EQ(message_of({{"share", 1.0}}), "share is 1, expected between 0 and 1");
  EXPECT_EQ(message_of({{"clip_norm", std::string("2000")}}),
            "clip-norm is 2000, expected a number above 0, from 0.001 to 1000");
  EXPECT_EQ(message_of({{"clip_norm", std::string("-1")}}), "clip-norm is -1, expected a number above 0");
  EXPECT_EQ(message_of({{"clip_norm", std::string("long")}}), "clip-norm is \"long\", expected > 0 or auto");
  EXPECT_EQ(message_of({{"color", std::string("green")}}), "color is \"green\", expected red or blue");
}

TEST(OptionTable, RefusesWhatIsOfAnotherKind) {
  EXPECT_EQ(message_of({{"weight", std::string("x")}}), "weight is \"x\", expected a number > 0");
  EXPECT_EQ(message_of({{"weight", true}}), "weight is true, expected a number > 0");
  EXPECT_EQ(message_of({{"color", 3.0}}), "color is 3, expected red or blue");
  EXPECT_EQ(message_of({{"clip_norm", true}}), "clip-norm is true, expected > 0 or auto");
}

TEST(OptionTable, RefusesWhatHasNoEffect) {
  EXPECT_EQ(message_of({{"width", 2.0}}), "width has no effect without color = blue");
}

TEST(OptionTable, TellsRangesAndDefaults) {
  EXPECT_EQ(line("weight").range, "> 0");
  EXPECT_EQ(line("weight").fallback, "2");
  EXPECT_EQ(line("width").fallback, "by rule");
  EXPECT_EQ(line("clip-norm").range, "> 0 or auto");
  EXPECT_EQ(line("clip-norm").fallback, "auto");
  EXPECT_EQ(line("color").range, "red or blue");
  EXPECT_EQ(shown(1e7), "1e7");
  EXPECT_EQ(shown(1e-7), "1e-7");
  EXPECT_EQ(shown(std::int64_t{65536}), "65536");
}

TEST(OptionTable, CertifiesWhatIsSetAndMattersAndWhatIsDeclared) {
  Options o;
  o.width = 3;
  Facts noise;
  noise.set("noise", 0.5);
  const Facts stated = Options::table().certified(o, noise);
  EXPECT_EQ(stated.number("noise"), 0.5);
  EXPECT_EQ(stated.text("clip_norm"), "auto");
  EXPECT_FALSE(stated.has("width"));
  o.color = Color::blue;
  EXPECT_TRUE(Options::table().certified(o).has("width"));
  Facts undeclared;
  undeclared.set("approved_by", std::string("everyone"));
  EXPECT_THROW(Options::table().certified(o, undeclared), Error);
}

TEST(OptionTable, WhatIsCertifiedReadsBackTheSame) {
  Options o;
  o.weight = 0.1;
  o.clip = 1e-3;
  o.color = Color::blue;
  const Facts stated = Options::table().certified(o);
  EXPECT_EQ(Options::table().certified(Options::table().read(stated)).entries(), stated.entries());
}

// Every option of every method has a help text, a range and a default, and its default is in the range.
TEST(OptionTables, AreComplete) {
  for (const Method& method : methods()) {
    EXPECT_NE(method.rebuild_options, nullptr) << method.name;
    for (const OptionSpec& spec : method.options) {
      EXPECT_FALSE(spec.help.empty()) << method.name << " " << spec.name;
      EXPECT_FALSE(spec.range.empty()) << method.name << " " << spec.name;
      EXPECT_FALSE(spec.fallback.empty()) << method.name << " " << spec.name;
    }
  }
}

TEST(OptionTables, CountsOfUsersRefuseFractions) {
  Facts given = facts({{"delta", 1e-5}, {"sampling", std::string("sample")}, {"batch", 100.9}});
  EXPECT_THROW(user_level::ErmOptions::from(given), UsageError);
  given.set("batch", 100.0);
  EXPECT_EQ(user_level::ErmOptions::from(given).batch, 100);
}

TEST(OptionTables, RefuseUnknownWords) {
  EXPECT_THROW(heavy_tails::Options::from(facts({{"oracle", std::string("exact")}})), UsageError);
  EXPECT_THROW(user_level::SgdOptions::from(facts({{"delta", 1e-5}, {"weighting", std::string("mean")}})),
               UsageError);
  EXPECT_THROW(clipping::Options::from(facts({{"delta", 1e-5}, {"iterate", std::string("best")}})),
               UsageError);
}

}  // namespace
}  // namespace tacit
