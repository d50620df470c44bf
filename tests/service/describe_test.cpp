#include <gtest/gtest.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "data/temp_folder.hpp"
#include "model/digest.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/ledger.hpp"
#include "tacit/statistics.hpp"

namespace tacit {
namespace {

using testing_data::TempFolder;
using ForgedJson = nlohmann::ordered_json;

class DescribeFile : public ::testing::Test {
 protected:
  DescribeFile() {
    std::string rows = "age,job,who,y\n";
    for (int k = 0; k < 200; ++k)
      rows += fmt::format("{},{},{},{}\n", k % 7 == 0 ? "" : std::to_string(20 + k % 50),
                          k % 3 == 0 ? "Sales" : "Tech", k % 40, k % 2 == 0 ? "no" : "yes");
    reading.path = folder.write("people.csv", rows);
    reading.schema = parse_schema(
        R"({"columns": {"age": {"type": "numeric", "min": 0, "max": 100, "integer": true},
                        "job": {"type": "categorical", "categories": ["Sales", "Tech"]},
                        "who": {"type": "ignore"}},
            "target": {"column": "y", "classes": ["no", "yes"]}})",
        "schema");
    options.guarantee = Pure{5};
  }
  std::string save(const std::string& text) { return folder.write("d.json", text).string(); }
  std::string forged(const ForgedJson& json) {
    ForgedJson sealed = json;
    sealed["digest"] = sha256(sealed_bytes(sealed));
    return save(layout(sealed));
  }

  TempFolder folder;
  ReadOptions reading;
  service::DescribeOptions options;
};

TEST_F(DescribeFile, IsVerifiedUnderEveryRelationUnitAndNotion) {
  for (const Guarantee& guarantee : {Guarantee(Pure{5}), Guarantee(Approx{5, 1e-6})})
    for (const Neighbours relation : {Neighbours::zero_out, Neighbours::replace_one, Neighbours::add_remove})
      for (const char* user : {"", "who"}) {
        options.guarantee = guarantee;
        options.neighbours = relation;
        ReadOptions how = reading;
        how.user = user;
        const service::Described found = service::describe_file(how, options);
        const service::VerifiedFile verified = service::verify_file(save(found.json), "");
        EXPECT_EQ(verified.certificate.unit, *user ? Unit::user : Unit::item);
        EXPECT_EQ(verified.certificate.neighbours, relation);
      }
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

TEST_F(DescribeFile, NeedsASchemaAndKnownStatistics) {
  options.statistics = {"median"};
  EXPECT_THROW(service::describe_file(reading, options), UsageError);
  options.statistics = {"mean"};
  EXPECT_NO_THROW(service::describe_file(reading, options));
  reading.schema.reset();
  EXPECT_THROW(service::describe_file(reading, options), UsageError);
}

}  // namespace
}  // namespace tacit
