#include <gtest/gtest.h>

#include "tacit/data.hpp"
#include "temp_folder.hpp"

namespace tacit {
namespace {

using testing_data::message_of;
using Values = std::vector<double>;
using Names = std::vector<std::string>;

// With a schema the layout of a CSV file is found without a look at its records.
class SchemaLayout : public ::testing::Test {
 protected:
  SchemaLayout() { describe({"a", "b"}, "y"); }

  void describe(const Names& names, const std::string& target) {
    options_.schema = Schema{};
    for (const std::string& name : names)
      options_.schema->columns.push_back({name, NumericColumn{.min = 0, .max = 10}});
    options_.schema->target = SchemaTarget{.column = target, .min = 0, .max = 10};
  }
  ReadResult read(std::string_view content, const std::string& name = "t.csv") {
    options_.path = folder_.write(name, content);
    return read_dataset(options_);
  }
  Values values(std::string_view content, const std::string& name = "t.csv") {
    const ReadResult result = read(content, name);
    Values values = result.data.features.dense_rows().values;
    for (double& value : values) value *= 10;
    values.insert(values.end(), result.data.labels.begin(), result.data.labels.end());
    return values;
  }
  template <class E = DataError>
  std::string message(std::string_view content, const std::string& name = "t.csv") {
    const std::string text = message_of<E>([&] { read(content, name); });
    const std::string prefix = folder_.path().string() + "/";
    return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
  }

  testing_data::TempFolder folder_;
  ReadOptions options_;
};

TEST_F(SchemaLayout, TheSeparatorIsTheOneUnderWhichTheHeaderHasTheSchemasNames) {
  for (const std::string s : {",", ";", "\t", "|", ":", " ", ", ", ",\t", ";  "})
    EXPECT_EQ(values("a" + s + "b" + s + "y\n1" + s + "2" + s + "3\n"), (Values{1, 2, 3})) << s;
  describe({"a;1", "b c"}, "y");
  EXPECT_EQ(values("a;1,b c,y\n1,2,3\n"), (Values{1, 2, 3}));
  EXPECT_EQ(values("\"a;1\";b c;y\n1;2;3\n"), (Values{1, 2, 3}));
}

TEST_F(SchemaLayout, RecordsThatLookOtherwiseSeparatedChangeNothing) {
  // Tabs in all records but one, and the other way round: neither is a separator.
  for (const std::string odd : {"1,\t2,\t3", "1, 2, 3", "1,2,3"}) {
    std::string padded = "a,\tb,\ty\n", plain = "a,b,y\n";
    Values expected;
    for (int i = 0; i < 30; ++i) {
      padded += i == 7 ? odd + "\n" : "1,\t2,\t3\n";
      plain += i == 0 ? odd + "\n" : "1,2,3\n";
    }
    EXPECT_EQ(read(padded).data.size(), 30u);
    EXPECT_EQ(values(padded), values(plain));
  }
}

TEST_F(SchemaLayout, AHeaderThatDoesNotFitGivesOneErrorWhateverTheRecords) {
  for (const std::string records : {"1,2,3\n", "1\t2\t3\n", "\"1\n2\"\n", "x\n"}) {
    EXPECT_EQ(message("a;b\n" + records), "t.csv: there is no target column \"y\" in the header");
    EXPECT_EQ(message("red 1,blue 2\n" + records),
              "t.csv: the first line has none of the schema's names, expected a header with \"a\", \"b\", "
              "\"y\" (or say how the file is laid out: its separator, that it has no header, how many lines "
              "to skip)");
    EXPECT_EQ(message("a,b,\"y\n" + records), "t.csv:1:3: the quote that opens here is never closed");
  }
}

TEST_F(SchemaLayout, AQuotedLineEndInTheHeaderIsForTheSchemaToName) {
  describe({"a\n1", "b"}, "y");
  EXPECT_EQ(values("\"a\n1\",b,y\n1,2,3\n"), (Values{1, 2, 3}));
}

TEST_F(SchemaLayout, WithoutAHeaderTheSeparatorFollowsTheNameOfTheFile) {
  describe({"0", "1"}, "2");
  EXPECT_EQ(values("1,2,3\n"), (Values{1, 2, 3}));
  EXPECT_EQ(values("1\t2\t3\n", "t.tsv"), (Values{1, 2, 3}));
  EXPECT_EQ(values(testing_data::gzip("1\t2\t3\n"), "t.TSV.gz"), (Values{1, 2, 3}));
  EXPECT_EQ(message("1;2;3\n"),
            "t.csv:1:1: column \"0\": \"1;2;3\" is not a number, expected one"
            " (\"unreadable\": \"missing\" in the schema takes it for an empty cell)");
  options_.separator = ';';
  EXPECT_EQ(values("1;2;3\n"), (Values{1, 2, 3}));
}

TEST_F(SchemaLayout, WithoutAHeaderTheSchemaCountsTheColumns) {
  describe({"0", "1"}, "2");
  EXPECT_EQ(message("1,2,3,4\n1,2,3\n"), "t.csv:1:4: the record has 4 cells, expected 3");
  EXPECT_EQ(
      message("1,2,3\n1,2,3,4\n"),
      "t.csv:2:4: the record has 4 cells, expected 3; if the first line has counts, as in scikit-learn's "
      "files, skip it and say that there is no header");
  options_.schema->ignore_others = true;  // then each record may have more
  EXPECT_EQ(values("1,2,3,4\n1,2,3\n1,2,3,x,y\n"), (Values{1, 2, 1, 2, 1, 2, 3, 3, 3}));
  EXPECT_EQ(message("1,2,3,4\n1,2\n"),
            "t.csv:2:3: column \"2\" is missing: the record has 2 cells, expected 3");
}

TEST_F(SchemaLayout, AChosenTargetCountsAsAColumn) {
  describe({"0", "1"}, "");
  options_.schema->target.reset();
  for (const std::string target : {"2", "-1"}) {
    options_.target = target;
    EXPECT_EQ(values("1,2,3\n4,5,6\n"), (Values{1, 2, 4, 5, 3, 6})) << target;
  }
  options_.schema->ignore_others = true;
  EXPECT_EQ(
      message<UsageError>("1,2,3\n"),
      "column \"-1\" counts from the end of a record, whose length is not stated; count it from the front");
}

TEST_F(SchemaLayout, ForPredictionAFileWithoutAHeaderMayLackTheTarget) {
  describe({"0", "1"}, "2");
  options_.target_optional = true;
  options_.wish = TargetWish::none;
  EXPECT_EQ(values("1,2\n3,4\n"), (Values{1, 2, 3, 4}));
}

// The first bytes of a file without a header are a record's.
TEST_F(SchemaLayout, GzipDataWithoutAHeaderIsAnnouncedByTheName) {
  describe({"0", "1"}, "2");
  EXPECT_EQ(values(testing_data::gzip("1,2,3\n"), "t.csv.gz"), (Values{1, 2, 3}));
  options_.schema->columns[0].kind = CategoricalColumn{.categories = {"1"}};
  EXPECT_EQ(values("\x1f\x8b,2,3\n1,2,3\n"), values("\x1e\x8b,2,3\n1,2,3\n"));  // no category, both
  describe({"a", "b"}, "y");
  EXPECT_EQ(values(testing_data::gzip("a,b,y\n1,2,3\n")), (Values{1, 2, 3}));
}

TEST_F(SchemaLayout, WhatIsGuessedWithoutASchemaIsTold) {
  options_.schema.reset();
  EXPECT_EQ(read("1,2\n").read_off_data, (Names{"columns"}));
  EXPECT_TRUE(read("a,b\n1,2\n").read_off_data.empty());
}

// A record that was taken for a header is not shown.
TEST_F(SchemaLayout, AnUnknownTargetShowsNamesAndNoRecord) {
  options_.schema.reset();
  options_.target = "y";
  EXPECT_EQ(message("1 2 red,blue\n1 2 3\n"), "t.csv: there is no target column \"y\" in the header");
  EXPECT_EQ(message("a,b\n1,2\n"), "t.csv: there is no target column \"y\", expected one of \"a\", \"b\"");
}

}  // namespace
}  // namespace tacit
