#include <gtest/gtest.h>

#include "released_files.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/ledger.hpp"

// A table that nobody has looked at, described without a schema: one is found on the way, within the same
// guarantee.

namespace tacit {
namespace {

using UnseenJson = nlohmann::ordered_json;

class DescribeUnseen : public testing::ReleasedFiles<service::DescribeOptions> {
 protected:
  DescribeUnseen() {
    std::string rows = "age,job,who,day\n";
    for (int k = 0; k < 2000; ++k)
      rows += fmt::format("{},2024-0{}-11\n", testing::person(k, 400), 1 + k % 9);
    reading.path = folder.write("people.csv", rows);
    options.guarantee = Approx{20, 1e-6};
  }
  UnseenJson described() { return UnseenJson::parse(service::describe_file(reading, options).json); }
  std::string ledger_with(const LedgerTerms& terms, const Guarantee& limit) {
    const std::string path = (folder.path() / "people.ledger").string();
    const LedgerLimit limits[] = {{"people", limit}};
    create_ledger(path, terms, limits);
    return path;
  }
};

TEST_F(DescribeUnseen, IsVerifiedUnderEveryRelationUnitAndNotion) {
  expect_verified_everywhere([&] { return service::describe_file(reading, options).json; });
}

TEST_F(DescribeUnseen, FindsRangesCategoriesAndDates) {
  const UnseenJson json = described();
  EXPECT_TRUE(json["private"]);
  EXPECT_NEAR(json["columns"]["age"]["mean"]["value"].get<double>(), 44.5, 2);
  EXPECT_TRUE(json["columns"]["job"]["categories"].contains("Tech"));
  EXPECT_TRUE(json["columns"]["day"]["mean"].contains("date"));
  EXPECT_EQ(json["schema"]["columns"]["age"]["type"], "numeric");
  EXPECT_FALSE(json["schema"].contains("drafted_from_data"));
}

TEST_F(DescribeUnseen, TellsWhatEachPartCostAndWhatIsAssumed) {
  options.guarantee = Pure{4};
  options.range_share = 0.25;
  const service::Described found = service::describe_file(reading, options);
  const UnseenJson json = UnseenJson::parse(found.json);
  EXPECT_EQ(json["cost"]["schema"]["epsilon"], 1.0);
  EXPECT_NEAR(json["cost"]["description"]["epsilon"].get<double>(), 3.0, 1e-9);
  EXPECT_LE(json["guarantee"]["epsilon"].get<double>(), 4.0);
  ASSERT_EQ(json["certificate"]["steps"].size(), 2u);
  EXPECT_EQ(json["certificate"]["steps"][0]["mechanism"], "private-ranges");
  EXPECT_EQ(json["certificate"]["steps"][1]["mechanism"], "description");
  EXPECT_NE(found.text.find("Of this, epsilon = 1 found the schema and epsilon = 3 the numbers."),
            std::string::npos)
      << found.text;
  EXPECT_NE(found.page.find("epsilon = 1 found the schema"), std::string::npos);
  EXPECT_NE(found.text.find("the names of the columns are taken to be public"), std::string::npos);
}

TEST_F(DescribeUnseen, SaysThatTextNeedsADelta) {
  options.guarantee = Pure{20};
  const UnseenJson json = described();
  EXPECT_FALSE(json["columns"].contains("job"));
  EXPECT_NE(json["left_out"]["job"].get<std::string>().find("delta"), std::string::npos);
}

// Without a delta no categories are found: nothing is left to ask, and the statement still verifies.
TEST_F(DescribeUnseen, TellsTheCountWhereNothingIsLeftToAsk) {
  options.guarantee = Pure{5};
  options.statistics = {"categories"};
  const service::Described found = service::describe_file(reading, options);
  const UnseenJson json = UnseenJson::parse(found.json);
  EXPECT_EQ(json["count"]["value"], 2000);
  EXPECT_TRUE(json["columns"].empty());
  EXPECT_EQ(json["left_out"].size(), 4u);
  EXPECT_TRUE(json["released"].empty());
  EXPECT_NO_THROW(service::verify_file(save(found.json), ""));
}

// Whatever the noise hides, or makes up.
TEST_F(DescribeUnseen, IsVerifiedWhereNoiseHidesTheColumns) {
  options.guarantee = Pure{0.001};
  for (int k = 0; k < 5; ++k)
    EXPECT_NO_THROW(service::verify_file(save(service::describe_file(reading, options).json), ""));
}

TEST_F(DescribeUnseen, EveryEditIsFound) {
  const UnseenJson json = described();
  const auto refused = [&](const std::function<void(UnseenJson&)>& edit, const char* what) {
    UnseenJson forged = json;
    edit(forged);
    EXPECT_THROW(service::verify_file(this->forged(forged), ""), Error) << what;
  };
  EXPECT_NO_THROW(service::verify_file(forged(json), ""));
  refused([](auto& j) { j["schema"]["columns"]["age"]["max"] = 70.25; }, "a range");
  refused([](auto& j) { j["ranges"]["released"][0][0] = 1e6; }, "an answer of the first part");
  refused([](auto& j) { j["ranges"]["released"].erase(0); }, "an answer left out");
  refused([](auto& j) { j.erase("ranges"); }, "no answers");
  refused([](auto& j) { j["cost"]["schema"]["epsilon"] = 1.0; }, "a cost");
  refused([](auto& j) { j["certificate"]["options"]["range_epsilon"] = 1.0; }, "a share");
  refused([](auto& j) { j["certificate"]["options"].erase("range_epsilon"); }, "a share left out");
  refused([](auto& j) { j["certificate"]["steps"].erase(0); }, "a part left out");
  refused([](auto& j) { j["certificate"]["steps"][0]["inner"].erase(0); }, "a step within left out");
  refused([](auto& j) { j["columns"]["age"]["mean"]["value"] = 1; }, "a number");
  refused(
      [](auto& j) {
        for (auto* g : {&j["guarantee"], &j["certificate"]["guarantee"]}) (*g)["epsilon"] = 10.0;
      },
      "a smaller guarantee");
}

TEST_F(DescribeUnseen, ChargesTheWholeOnce) {
  options.ledger = service::LedgerUse{ledger_with({.accountant = "approx"}, Approx{20, 1e-6}), ""};
  const UnseenJson json = described();
  const Ledger ledger = read_ledger(options.ledger->path);
  ASSERT_EQ(ledger.budgets[0].charges.size(), 1u);
  const LedgerCharge& charge = ledger.budgets[0].charges[0];
  EXPECT_EQ(charge.method, "describe");
  EXPECT_EQ(std::get<Approx>(charge.amount).epsilon, 20);
  EXPECT_EQ(json["certificate"]["assumed_public"]["ledger_release"], charge.release);
  EXPECT_NO_THROW(service::verify_file(save(json.dump(2)), ""));
  EXPECT_THROW(described(), Error) << "the budget is spent";
  EXPECT_EQ(read_ledger(options.ledger->path).budgets[0].charges.size(), 1u);
}

TEST_F(DescribeUnseen, AFrameIsDescribedAsItsFileIs) {
  std::vector<double> age;
  ValueCells job;
  std::string rows = "age,job\n";
  for (int k = 0; k < 500; ++k) {
    age.push_back(20 + k % 50);
    job.emplace_back(std::string(k % 3 == 0 ? "Sales" : "Tech"));
    rows += fmt::format("{},{}\n", 20 + k % 50, k % 3 == 0 ? "Sales" : "Tech");
  }
  reading.path = folder.write("small.csv", rows);
  service::TableOfColumns table{.columns = {}, .rows = 500, .target = {}, .user = {}};
  table.columns.push_back({"age", NumberCells{age.data()}});
  table.columns.push_back({"job", job});
  const auto of_file = testing::seeded_bits(3), of_table = testing::seeded_bits(3);
  EXPECT_EQ(service::describe_file(reading, options, *of_file).json,
            service::describe_table(table, options, *of_table).json);
}

TEST_F(DescribeUnseen, RefusesBeforeAnythingIsCharged) {
  const std::string ledger = ledger_with({.unit = Unit::item}, Pure{30});
  const auto refused = [&](const std::function<void()>& set, const char* words) {
    options = {};
    options.guarantee = Pure{5};
    options.ledger = service::LedgerUse{ledger, ""};
    reading.user.clear();
    set();
    try {
      service::describe_file(reading, options);
      ADD_FAILURE() << words;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  refused([&] { options.range_share = 1; }, "the range share is 1");
  refused([&] { options.range_share = 0; }, "the range share is 0");
  refused([&] { options.guarantee = Pure{1e-14}; }, "too small");
  refused([&] { options.statistics = {"mode"}; }, "\"mode\" is unknown");
  refused([&] { options.group = LedgerGroup{"job", "Cook"}; }, "no record is in the group");
  refused([&] { options.group = LedgerGroup{"job", "missing"}; }, "what empty cells are called");
  options.ledger.reset();
  refused(
      [&] {
        options.ledger.reset();
        reading.user = "who";
        options.group = LedgerGroup{"job", "Tech"};
      },
      "groups are for records");
  EXPECT_TRUE(read_ledger(ledger).budgets[0].charges.empty());
  options = {};
  options.range_share = 0.3;
  reading.schema = parse_schema(R"({"columns": {"age": {"type": "numeric", "min": 0, "max": 100}}})", "s");
  EXPECT_THROW(service::describe_file(reading, options), UsageError) << "a share beside a schema";
}

// The schema's own release is told where its description is.
TEST_F(DescribeUnseen, ADescriptionTellsWhatItsSchemaCost) {
  const service::PrivateSchema schema = service::private_schema_file(reading, {.guarantee = Pure{3}});
  const auto path = folder.write("s.json", schema.json);
  reading.schema = parse_schema(schema.json, "s.json");
  options.guarantee = Pure{2};
  options.schema_release = service::schema_release(path);
  ASSERT_TRUE(options.schema_release);
  const service::Described found = service::describe_file(reading, options);
  const UnseenJson json = UnseenJson::parse(found.json);
  EXPECT_NEAR(json["schema_cost"]["schema"]["epsilon"].get<double>(), 3, 1e-9);
  EXPECT_NEAR(json["schema_cost"]["together"]["epsilon"].get<double>(), 5, 1e-9);
  for (const std::string& told : {found.text, found.page})
    EXPECT_NE(told.find("epsilon = 3 for the schema, epsilon = 5 together with this description"),
              std::string::npos)
        << told;
  EXPECT_NO_THROW(service::verify_file(save(found.json), ""));
  for (const char* fact : {"schema_epsilon", "schema_unit", "schema_cost", "schema_source"}) {
    UnseenJson forged = json;
    forged["certificate"]["assumed_public"].erase(fact);
    EXPECT_THROW(service::verify_file(this->forged(forged), ""), Error) << fact;
  }
  UnseenJson cheaper = json;
  cheaper["certificate"]["assumed_public"]["schema_epsilon"] = 0.3;
  EXPECT_THROW(service::verify_file(forged(cheaper), ""), VerificationError);
}

}  // namespace
}  // namespace tacit
