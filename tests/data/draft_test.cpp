#include "tacit/data.hpp"

#include <gtest/gtest.h>

#include "data/check.hpp"
#include "tacit/core.hpp"
#include "temp_folder.hpp"

namespace tacit {
namespace {

using testing_data::message_of;
using Names = std::vector<std::string>;

struct HeardOfDrafts : WorkListener {
  void announced(const std::string& what) override { lines.push_back(what); }
  void advanced(std::uint64_t, std::uint64_t) override {}
  std::vector<std::string> lines;
};

class Draft : public ::testing::Test {
 protected:
  Schema draft(std::string_view content, const std::string& target = "", const std::string& user = "") {
    options_.file.path = folder_.write("t.csv", content);
    options_.file.target = target;
    options_.file.user = user;
    return draft_schema(options_);
  }

  testing_data::TempFolder folder_;
  DraftOptions options_;
};

TEST_F(Draft, KindsAndBoundsAreThoseOfTheData) {
  const Schema schema = draft("age,job,flat,gap,mixed\n20,b,1,,1\n60,a,1,3,x\n30.5,b,1,5,2\n");
  EXPECT_TRUE(schema.drafted_from_data);
  ASSERT_EQ(schema.columns.size(), 5u);
  EXPECT_EQ(std::get<NumericColumn>(schema.columns[0].kind).min, 20);
  EXPECT_EQ(std::get<NumericColumn>(schema.columns[0].kind).max, 60);
  EXPECT_FALSE(std::get<NumericColumn>(schema.columns[0].kind).missing.has_value());
  EXPECT_EQ(std::get<CategoricalColumn>(schema.columns[1].kind).categories, (Names{"a", "b"}));
  EXPECT_TRUE(std::holds_alternative<IgnoredColumn>(schema.columns[2].kind));
  EXPECT_EQ(std::get<NumericColumn>(schema.columns[3].kind).missing, 4);
  EXPECT_EQ(std::get<CategoricalColumn>(schema.columns[4].kind).categories, (Names{"1", "2", "x"}));
  EXPECT_FALSE(schema.target.has_value());
}

// A few texts that stand for no number do not make numbers categories, nor dates texts.
TEST_F(Draft, NumbersWithGapsInWordsAreNumbers) {
  std::string rows = "age,code,when\n";
  for (int k = 0; k < 200; ++k)
    rows +=
        fmt::format("{},{},{}\n",
                    k % 10 == 0   ? "NA"
                    : k % 10 == 1 ? "?"
                                  : std::to_string(20 + k % 60),
                    k % 4 == 0 ? "a" : std::to_string(k % 3),
                    k % 9 == 0 ? "NA" : fmt::format("20{:02}-{:02}-{:02}", k % 25, 1 + k % 12, 1 + k % 28));
  HeardOfDrafts heard;
  const ListenScope scope(&heard);
  const Schema schema = draft(rows);
  ASSERT_EQ(heard.lines.size(), 2u);
  EXPECT_NE(heard.lines[0].find("\"age\" holds numbers, and \"NA\", \"?\","), std::string::npos)
      << heard.lines[0];
  EXPECT_NE(heard.lines[1].find("make its type \"date\""), std::string::npos) << heard.lines[1];
  const auto& age = std::get<NumericColumn>(schema.columns[0].kind);
  EXPECT_EQ(age.min, 22);
  EXPECT_TRUE(age.missing);
  EXPECT_TRUE(schema.unreadable_missing);
  EXPECT_TRUE(std::holds_alternative<CategoricalColumn>(schema.columns[1].kind)) << "a quarter are words";
  EXPECT_TRUE(std::holds_alternative<IgnoredColumn>(schema.columns[2].kind));
  ReadOptions how = options_.file;
  how.schema = schema;
  EXPECT_NO_THROW(read_dataset(how));
}

TEST_F(Draft, CommasBetweenThousandsAreNoDecimalCommas) {
  const auto advice = [&](const std::string& first, const std::string& second) {
    std::string rows = "pay,y\n";
    for (int i = 0; i < 40; ++i)
      rows += fmt::format("\"{}\",{}\n", i % 2 == 0 ? first : second, i % 2 == 0 ? "no" : "yes");
    HeardOfDrafts heard;
    const ListenScope scope(&heard);
    draft(rows);
    return heard.lines.empty() ? "" : heard.lines.front();
  };
  EXPECT_NE(advice("47,993", "51").find("commas between thousands"), std::string::npos);
  EXPECT_NE(advice("$1,234.00", "$12").find("write them as 47993"), std::string::npos);
  EXPECT_NE(advice("47,9", "51,25").find("with a decimal comma"), std::string::npos);
}

TEST_F(Draft, ACheckCountsWhatToTellOf) {
  ReadOptions how;
  std::string rows = "smoker,age\n";
  for (int i = 0; i < 12; ++i) rows += i < 9 ? "TRUE,200\n" : "true,20\n";
  how.path = folder_.write("told.csv", rows);
  how.schema = parse_schema(
      R"({"columns": {"smoker": {"type": "categorical", "categories": ["false", "true"]},
                      "age": {"type": "numeric", "min": 0, "max": 90}}})",
      "schema");
  const auto told = told_of_cells(check_cells(how));
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(
      told[0],
      "column \"smoker\": 9 of its 12 cells are not one of the categories \"false\", \"true\"; are they "
      "written as in the fit?");
  EXPECT_EQ(told[1],
            "column \"age\": 9 of its 12 cells are not within 0 to 90; are they written as in the fit?");
  const std::vector<double> ages(12, 200);
  const std::vector<TableColumn> table{{"smoker", ValueCells(12, std::string("TRUE"))},
                                       {"age", NumberCells{ages.data()}}};
  const auto of_table = told_of_cells(check_cells(table, 12, *how.schema));
  ASSERT_EQ(of_table.size(), 2u);
  EXPECT_NE(of_table[0].find("none of its 12 cells is one of the categories"), std::string::npos);
  EXPECT_TRUE(told_of_cells(check_cells(table, 9, *how.schema)).empty()) << "of few, many may be rare ones";
}

TEST_F(Draft, ACheckTakesForEmptyWhatTheSchemaTakesForEmpty) {
  ReadOptions how;
  how.path = folder_.write("t.csv", "age,y\n20,1\nNA,1\n?,0\n90,1\n\"\",0\n");
  how.schema = parse_schema(
      R"({"columns": {"age": {"type": "numeric", "min": 0, "max": 50, "missing": 0}}, "unreadable": "missing",
          "target": {"column": "y", "classes": ["0", "1"]}})",
      "schema");
  EXPECT_EQ(check_cells(how)[0].outside_share, 0.5);
  EXPECT_EQ(check_cells(how)[0].missing_share, 0.6);
  how.schema->unreadable_missing = false;
  EXPECT_EQ(check_cells(how)[0].outside_share, 0.75);
}

TEST_F(Draft, OnlyVerySkewedPositiveColumnsGetALogarithm) {
  std::string file = "skewed,even,negative,rare\n";
  for (int i = 0; i < 200; ++i)
    file += std::to_string(i == 7 ? 50'000 : i % 3) + "," + std::to_string(i) + "," +
            std::to_string(i == 7 ? 50'000 : -1) + "," + (i == 7 ? "1" : "0") + "\n";
  const Schema schema = draft(file);
  EXPECT_TRUE(std::get<NumericColumn>(schema.columns[0].kind).log1p);
  for (const int k : {1, 2, 3})
    EXPECT_FALSE(std::get<NumericColumn>(schema.columns[static_cast<std::size_t>(k)].kind).log1p);
}

TEST_F(Draft, ATextColumnWithTooManyValuesIsIgnored) {
  options_.largest_category_set = 2;
  const Schema schema = draft("a,b\nx,x\ny,y\nx,z\n");
  EXPECT_EQ(std::get<CategoricalColumn>(schema.columns[0].kind).categories, (Names{"x", "y"}));
  EXPECT_TRUE(std::holds_alternative<IgnoredColumn>(schema.columns[1].kind));
}

TEST_F(Draft, TheTargetHasClassesWhenItIsTextOrAFewIntegers) {
  EXPECT_EQ(draft("x,y\n1,no\n2,yes\n", "y").target->classes, (Names{"no", "yes"}));
  EXPECT_EQ(draft("x,y\n1,10\n2,9\n", "-1").target->classes, (Names{"9", "10"}));
  const Schema real = draft("x,y\n1,0.5\n2,9\n", "y");
  EXPECT_TRUE(real.target->classes.empty());
  EXPECT_EQ(real.target->min, 0.5);
  EXPECT_EQ(real.target->max, 9);
  options_.most_integer_classes = 2;
  EXPECT_TRUE(draft("x,y\n1,1\n2,2\n3,3\n", "y").target->classes.empty());
  EXPECT_NE(message_of<DataError>([&] { draft("x,y\n1,a\n2,a\n", "y"); }).find("expected 2 to 100"),
            std::string::npos);
  EXPECT_NE(message_of<DataError>([&] { draft("x,y\n1,a\n2,b\n", "z"); }).find("no target column \"z\""),
            std::string::npos);
}

TEST_F(Draft, WhatWasDraftedReadsTheFileItWasDraftedFrom) {
  const std::string file = "id,age,job,extra,y\nu1,20,other,?,a\nu2,,\" x \",?,b\nu1,31,é,,a\n";
  const Schema drafted = parse_schema(schema_to_json(draft(file, "y", "id")), "drafted");
  EXPECT_EQ(drafted.user, "id");
  ReadOptions options = options_.file;
  options.schema = drafted;
  const auto result = read_dataset(options);
  EXPECT_TRUE(result.drafted_schema);
  EXPECT_EQ(result.data.user_count, 2u);
  EXPECT_EQ(result.data.labels, (std::vector<double>{0, 1, 0}));
}

TEST_F(Draft, BadFilesAndOptionsAreRefused) {
  EXPECT_NE(message_of<DataError>([&] {
              draft("a,b\n1\n");
            }).find("t.csv:2:2: column \"b\" is missing: the record has 1 cell, expected 2"),
            std::string::npos);
  options_.file.format = Format::libsvm;
  EXPECT_THROW(draft("1 1:1\n"), UsageError);
  options_.file.format = Format::by_name;
  options_.most_integer_classes = 1;
  EXPECT_THROW(draft("a,b\n1,2\n"), UsageError);
}

}  // namespace
}  // namespace tacit
