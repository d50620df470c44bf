#include <gtest/gtest.h>

#include <algorithm>

#include "model/digest.hpp"
#include "released_files.hpp"
#include "service/statement/shown_numbers.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/ledger.hpp"
#include "tacit/statistics.hpp"

namespace tacit {
namespace {

using ForgedJson = nlohmann::ordered_json;

class DescribeFile : public testing::ReleasedFiles<service::DescribeOptions> {
 protected:
  DescribeFile() {
    std::string rows = "age,job,who,y\n";
    for (int k = 0; k < 200; ++k)
      rows += fmt::format("{},{}\n", testing::person(k, 40), k % 2 == 0 ? "no" : "yes");
    reading.path = folder.write("people.csv", rows);
    reading.schema = parse_schema(
        R"({"columns": {"age": {"type": "numeric", "min": 0, "max": 100, "integer": true},
                        "job": {"type": "categorical", "categories": ["Sales", "Tech"]},
                        "who": {"type": "ignore"}},
            "target": {"column": "y", "classes": ["no", "yes"]}})",
        "schema");
    options.guarantee = Pure{5};
  }
};

TEST_F(DescribeFile, IsVerifiedUnderEveryRelationUnitAndNotion) {
  expect_verified_everywhere([&] { return service::describe_file(reading, options).json; });
}

TEST_F(DescribeFile, HasEveryStatisticWithItsInterval) {
  const auto json = ForgedJson::parse(service::describe_file(reading, options).json);
  EXPECT_TRUE(json["private"]);
  EXPECT_EQ(json["count"]["value"], 200);
  const auto& age = json["columns"]["age"];
  for (const char* key : {"count", "missing", "mean"}) {
    ASSERT_TRUE(age.contains(key)) << key;
    EXPECT_LE(age[key]["interval"][0], age[key]["value"]);
    EXPECT_GE(age[key]["interval"][1], age[key]["value"]);
  }
  EXPECT_EQ(age["quantiles"].size(), 5u);
  EXPECT_GT(age["histogram"]["counts"].size(), 10u);
  EXPECT_TRUE(json["columns"]["job"]["categories"].contains("Tech"));
  EXPECT_TRUE(json["columns"]["y"]["categories"].contains("yes"));
  EXPECT_FALSE(json["columns"].contains("who"));
}

// Whatever the first column is: how many there are is asked of all records.
TEST_F(DescribeFile, CountsRecordsWhoseFirstColumnIsIgnored) {
  std::ranges::rotate(reading.schema->columns, reading.schema->columns.begin() + 2);
  ASSERT_EQ(reading.schema->columns.front().name, "who");
  options.neighbours = Neighbours::add_remove;
  options.guarantee = Pure{50};
  const auto json = ForgedJson::parse(service::describe_file(reading, options).json);
  EXPECT_NEAR(json["count"]["value"].get<double>(), 200, 20);
}

TEST_F(DescribeFile, EveryColumnHasItsCountWhereTheRecordsAreNotCounted) {
  options.neighbours = Neighbours::add_remove;
  options.guarantee = Pure{200};
  for (const std::vector<std::string>& asked :
       {std::vector<std::string>{}, {"mean"}, {"histogram", "categories"}}) {
    options.statistics = asked;
    const auto json = ForgedJson::parse(service::describe_file(reading, options).json);
    const auto& age = json["columns"]["age"];
    ASSERT_TRUE(age.contains("count") && age.contains("missing"));
    EXPECT_NEAR(age["count"]["value"].get<double>(), 171, 5);  // 29 of 200 are empty
    EXPECT_NEAR(age["missing"]["value"].get<double>(), 29.0 / 200, 0.03);
    EXPECT_LE(age["missing"]["interval"][0], age["missing"]["value"]);
    EXPECT_GE(age["missing"]["interval"][1], age["missing"]["value"]);
  }
}

TEST_F(DescribeFile, WhatIsLeftOutIsNamedAndEmptyColumnsAreNotShown) {
  options.statistics = {"mean"};
  const service::Described found = service::describe_file(reading, options);
  const auto json = ForgedJson::parse(found.json);
  EXPECT_EQ(json["left_out"]["who"], "ignored by the schema");
  EXPECT_EQ(json["left_out"]["job"], "none of its statistics was asked for");
  EXPECT_TRUE(json["left_out"].contains("y"));
  EXPECT_FALSE(json["columns"].contains("job"));
  EXPECT_EQ(found.text.find("\njob\n"), std::string::npos);
  EXPECT_NE(found.text.find("Left out: job ("), std::string::npos) << found.text;
  EXPECT_NE(found.page.find("who (ignored by the schema)"), std::string::npos);
  EXPECT_NO_THROW(service::verify_file(save(found.json), ""));
  ForgedJson forgery = json;
  forgery["left_out"].erase("who");
  EXPECT_THROW(service::verify_file(forged(forgery), ""), VerificationError);
}

TEST_F(DescribeFile, NamesReachATerminalEscaped) {
  reading.path = folder.write("odd.csv", "\"a\x1b[31m\nb\xe2\x80\xae\"\n1\n2\n");
  reading.schema = parse_schema(
      R"({"columns": {"a\u001b[31m\nb\u202e": {"type": "numeric", "min": 0, "max": 9}}})", "schema");
  const service::Described found = service::describe_file(reading, options);
  EXPECT_NE(found.text.find("a\\x1b[31m\\x0ab\\u202e\n"), std::string::npos) << found.text;
  for (const std::string& text : {found.text, found.page}) {
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    EXPECT_EQ(text.find("\xe2\x80\xae"), std::string::npos);
  }
  const std::string checked = service::check_schema(reading).text;
  EXPECT_EQ(checked.find('\x1b'), std::string::npos);
  EXPECT_NE(checked.find("\\u202e"), std::string::npos) << checked;
}

TEST_F(DescribeFile, DatesAreShownAsDates) {
  std::string rows = "day\n";
  for (int k = 0; k < 100; ++k) rows += fmt::format("2020-03-{:02}\n", 1 + k % 20);
  reading.path = folder.write("days.csv", rows);
  reading.schema = parse_schema(
      R"({"columns": {"day": {"type": "date", "min": "2020-01-01", "max": "2020-12-31"}}})", "schema");
  const service::Described found = service::describe_file(reading, options);
  const auto json = ForgedJson::parse(found.json);
  const auto& mean = json["columns"]["day"]["mean"];
  EXPECT_EQ(mean["date"].get<std::string>().substr(0, 5), "2020-");
  EXPECT_LE(mean["date_interval"][0].get<std::string>(), mean["date"].get<std::string>());
  EXPECT_EQ(json["columns"]["day"]["unit"], "seconds since 1970-01-01T00:00Z");
  EXPECT_NE(found.text.find("mean           2020-"), std::string::npos) << found.text;
  EXPECT_NE(found.text.find("  2020-01-01 to 2020-"), std::string::npos) << found.text;
  EXPECT_NE(found.page.find("<td>2020-"), std::string::npos);
  for (const std::string& text : {found.text, found.page})
    EXPECT_EQ(text.find("15832"), std::string::npos) << "seconds of March 2020 in " << text;
  EXPECT_NO_THROW(service::verify_file(save(found.json), ""));
}

TEST_F(DescribeFile, ATooSmallEpsilonIsRefusedBeforeTheChargeWithOneThatWouldDo) {
  const auto ledger = folder.path() / "people.ledger";
  const LedgerLimit limit{"people", Pure{6}};
  create_ledger(ledger, {}, {&limit, 1});
  options.ledger = service::LedgerUse{ledger, ""};
  options.guarantee = Pure{1e-9};
  try {
    service::describe_file(reading, options);
    FAIL();
  } catch (const UsageError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("epsilon is 1e-09"), std::string::npos) << message;
    const std::size_t at = message.find("at least ");
    ASSERT_NE(at, std::string::npos) << message;
    options.guarantee = Pure{std::stod(message.substr(at + 9))};
  }
  EXPECT_TRUE(read_ledger(ledger).budgets[0].charges.empty());
  EXPECT_NO_THROW(service::describe_file(reading, options));
}

TEST(ShownNumbers, AreInFullAndRoundedOutwards) {
  using service::shown_estimate;
  EXPECT_EQ(shown_estimate({{"value", 123456.0}, {"interval", {123455.0, 123457.0}}}),
            "123456 [123455, 123457]");
  EXPECT_EQ(shown_estimate({{"value", 0.1234567}, {"interval", {0.1234567, 0.1234512}}}),
            "0.12346 [0.12345, 0.12346]");
  EXPECT_EQ(shown_estimate({{"value", 1234567.5}, {"interval", {1234567.5, 1234567.5}}}),
            "1234568 [1234567, 1234568]");
  EXPECT_EQ(service::shown_low(0.5, service::Reading::date), "1970-01-01");
  EXPECT_EQ(service::shown_high(0.5, service::Reading::date), "1970-01-01T00:00:01Z");
}

TEST_F(DescribeFile, ForgeriesAreFound) {
  const auto honest = ForgedJson::parse(service::describe_file(reading, options).json);
  ASSERT_NO_THROW(service::verify_file(forged(honest), ""));
  const auto refused = [&](auto edit, const char* what) {
    ForgedJson json = honest;
    edit(json);
    EXPECT_THROW(service::verify_file(forged(json), ""), VerificationError) << what;
  };
  refused([](auto& j) { j["columns"]["age"]["mean"]["value"] = 1.0; }, "a number");
  refused([](auto& j) { j["columns"]["age"]["mean"]["interval"][0] = 1.0; }, "an interval");
  refused([](auto& j) { j["released"][0][0] = 0.123456789; }, "off its grid");
  refused([](auto& j) { j["released"].erase(j["released"].size() - 1); }, "an answer left out");
  refused([](auto& j) { j["certificate"]["steps"].erase(0); }, "a step left out");
  refused(
      [](auto& j) {
        j["certificate"]["guarantee"]["epsilon"] = 0.1;
        j["guarantee"]["epsilon"] = 0.1;
      },
      "epsilon");
  refused([](auto& j) { j["certificate"]["options"]["epsilon"] = 0.1; }, "the option");
  refused([](auto& j) { j["certificate"]["options"].erase("bins"); }, "an option left out");
  refused([](auto& j) { j["certificate"]["options"]["cells"] = 32; }, "an option of another statement");
  refused([](auto& j) { j["certificate"]["steps"][0]["sensitivity"]["value"] = 0.1; }, "a sensitivity");
  refused(
      [](auto& j) {
        j["certificate"]["neighbours"] = "replace_one";
        j["neighbours"] = "replace_one";
      },
      "relation");
  refused([](auto& j) { j["certificate"]["assumed_public"]["records"] = 7; }, "the records");
  refused([](auto& j) { j["schema"]["columns"]["age"]["max"] = 1000; }, "the schema");
  refused([](auto& j) { j["extra"] = 1; }, "a member too many");
  EXPECT_THROW(service::verify_file(save(layout(ForgedJson(honest).patch(ForgedJson::parse(
                                        R"([{"op": "replace", "path": "/confidence", "value": 0.5}])")))),
                                    ""),
               VerificationError);
}

TEST_F(DescribeFile, SeededBitsAreNotPrivate) {
  const auto bits = testing::seeded_bits(1);
  const service::Described found = service::describe_file(reading, options, *bits);
  EXPECT_THROW(service::verify_file(save(found.json), ""), VerificationError);
}

TEST_F(DescribeFile, ChargesTheLedgerOnceAndUnderItsRelation) {
  const auto ledger = folder.path() / "people.ledger";
  const LedgerLimit limit{"people", Pure{6}};
  create_ledger(ledger, {.neighbours = Neighbours::replace_one}, {&limit, 1});
  options.ledger = service::LedgerUse{ledger, ""};
  const auto json = ForgedJson::parse(service::describe_file(reading, options).json);
  EXPECT_EQ(json["neighbours"], "replace_one");
  const Ledger after = read_ledger(ledger);
  ASSERT_EQ(after.budgets[0].charges.size(), 1u);
  EXPECT_EQ(after.budgets[0].charges[0].release, json["certificate"]["assumed_public"]["ledger_release"]);
  EXPECT_THROW(service::describe_file(reading, options), BudgetError);
}

// Without a schema: describe_unseen_test.cpp.
TEST_F(DescribeFile, NeedsKnownStatistics) {
  options.statistics = {"median"};
  EXPECT_THROW(service::describe_file(reading, options), UsageError);
  options.statistics = {"mean"};
  EXPECT_NO_THROW(service::describe_file(reading, options));
}

// A table that was not made by `schema_to_describe` was read beyond its rows' ends.
TEST_F(DescribeFile, RecordsInMemoryMustHaveTheFeaturesOfTheSchemaThatIsDescribed) {
  const auto ledger = folder.path() / "people.ledger";
  const LedgerLimit limit{"people", Pure{6}};
  create_ledger(ledger, {}, {&limit, 1});
  options.ledger = service::LedgerUse{ledger, ""};
  Dataset data;
  for (const std::size_t features : {1, 9, 11}) {  // age has 2, job and y 4 each
    data.features = Features(DenseRows{20, features, std::vector<double>(20 * features, 0)});
    EXPECT_THROW(service::describe_records(*reading.schema, data, options), DataError) << features;
  }
  EXPECT_TRUE(read_ledger(ledger).budgets[0].charges.empty());
  data.features = Features(DenseRows{20, 10, std::vector<double>(20 * 10, 0)});
  EXPECT_NO_THROW(service::describe_records(*reading.schema, data, options));
}

}  // namespace
}  // namespace tacit
