#include <fmt/format.h>
#include <gtest/gtest.h>

#include "data/check.hpp"
#include "data/temp_folder.hpp"
#include "tacit/core.hpp"
#include "tacit/data.hpp"

namespace tacit {
namespace {

using testing_data::message_of;
using testing_data::TempFolder;

class DecimalComma : public ::testing::Test {
 protected:
  ReadOptions options(const std::string& content) {
    ReadOptions options;
    options.path = folder_.write("t.csv", content);
    options.decimal = ',';
    options.target = "y";
    options.wish = TargetWish::numeric;
    return options;
  }
  static Schema schema() {
    Schema schema;
    schema.columns = {{"a", NumericColumn{.min = 0, .max = 4, .missing = 2}}};
    schema.target = SchemaTarget{.column = "y", .min = 0, .max = 10};
    return schema;
  }

  TempFolder folder_;
};

TEST_F(DecimalComma, ReadsFeaturesAndLabels) {
  const ReadResult read = read_dataset(options("a;y\n1,5;2,25\n-3;,5\n\"2,\";1,5e1\n"));
  EXPECT_EQ(read.data.features.row(0).values[0], 1.5);
  EXPECT_EQ(read.data.features.row(1).values[0], -3);
  EXPECT_EQ(read.data.features.row(2).values[0], 2);
  EXPECT_EQ(read.data.labels, (std::vector<double>{2.25, 0.5, 15}));
}

TEST_F(DecimalComma, ReadsByASchemaEveryKindOfCell) {
  ReadOptions how = options("a;y\n1,0;1\n;2\nnan;3\n+inf;4\n1e309;5\n 3,0 ;6,5\n");
  how.schema = schema();
  const ReadResult read = read_dataset(how);
  const std::vector<double> u{0.25, 0.5, 0.5, 1, 1, 0.75};
  for (std::size_t i = 0; i < u.size(); ++i) EXPECT_EQ(read.data.features.row(i).values[0], u[i]) << i;
  EXPECT_EQ(read.data.labels[5], 6.5);
}

TEST_F(DecimalComma, ReadsLongNumbers) {
  const std::string digits(1000, '3');
  const ReadResult read =
      read_dataset(options("a;y\n0," + digits + ";1\n1" + digits.substr(0, 30) + ",5;1\n"));
  EXPECT_EQ(read.data.features.row(0).values[0], 1.0 / 3);
  EXPECT_EQ(read.data.features.row(1).values[0], 1333333333333333333333333333333.5);
}

TEST_F(DecimalComma, APointIsNoMark) {
  ReadOptions how = options("a;y\n1,5;2\n1.5;2\n");
  const std::string expected =
      how.path.string() + ":3:1: column \"a\": \"1.5\" is not a number with a decimal comma";
  EXPECT_EQ(message_of<DataError>([&] { read_dataset(how); }),
            expected +
                "; text needs a schema (`tacit schema FILE --epsilon E` finds one, with --user for "
                "people; without an epsilon it drafts one)");
  how.schema = schema();
  EXPECT_EQ(message_of<DataError>([&] { read_dataset(how); }), expected + ", expected one");
  how.path = folder_.write("t.csv", "a;y\n1.234,5;2\n");
  EXPECT_THROW(read_dataset(how), DataError);
}

TEST_F(DecimalComma, BesideCommasBetweenCellsNumbersStandInQuotes) {
  ReadOptions how = options("a,y\n\"1,5\",\"2,5\"\n3,4\n");
  how.separator = ',';
  const ReadResult read = read_dataset(how);
  EXPECT_EQ(read.data.features.row(0).values[0], 1.5);
  EXPECT_EQ(read.data.features.row(1).values[0], 3);
  EXPECT_EQ(read.data.labels, (std::vector<double>{2.5, 4}));
}

TEST_F(DecimalComma, WithoutAHeaderSemicolonsSeparate) {
  ReadOptions how = options("1,5;2\n2,5;3\n");
  how.schema = schema();
  how.schema->columns[0].name = "0";
  how.schema->target->column = how.target = "1";
  EXPECT_EQ(read_dataset(how).data.labels, (std::vector<double>{2, 3}));
}

TEST_F(DecimalComma, ADraftAndACheckReadItToo) {
  ReadOptions how = options("a;y\n1,5;0,5\n3,5;1,5\n9;2,5\n");
  const Schema drafted = draft_schema({.file = how});
  const auto& column = std::get<NumericColumn>(drafted.columns[0].kind);
  EXPECT_EQ(column.min, 1.5);
  EXPECT_EQ(column.max, 9);
  EXPECT_EQ(drafted.target->max, 2.5);
  EXPECT_EQ(drafted.decimal, ',');
  how.schema = schema();
  how.target.clear();
  EXPECT_DOUBLE_EQ(check_cells(how)[0].outside_share, 1.0 / 3);
}

// A forgotten mark would make every number with a fraction unreadable, which a schema may take for empty.
TEST_F(DecimalComma, ASchemaThatStatesItNeedsNoOption) {
  ReadOptions how = options("a;y\n1,0;2,25\n3,0;2\n");
  how.decimal.reset();
  how.schema = schema();
  how.schema->unreadable_missing = true;
  how.schema->decimal = ',';
  const ReadResult read = read_dataset(how);
  EXPECT_EQ(read.data.features.row(0).values[0], 0.25);
  EXPECT_EQ(read.data.features.row(1).values[0], 0.75);
  EXPECT_EQ(read.data.labels, (std::vector<double>{2.25, 2}));
  EXPECT_EQ(read.schema->decimal, ',');  // a model keeps it
  how.decimal = ',';
  EXPECT_EQ(read_dataset(how).data.labels, read.data.labels);
  how.decimal = '.';
  EXPECT_EQ(
      message_of<UsageError>([&] { read_dataset(how); }),
      "the decimal mark is given as \".\", but the schema says \",\": leave it out, or convert the file, "
      "or state the other mark in the schema");
}

TEST_F(DecimalComma, ASchemaThatDoesNotStateItLeavesItToTheOption) {
  ReadOptions how = options("a;y\n1,0;2,25\n");
  how.schema = schema();
  EXPECT_FALSE(read_dataset(how).schema->decimal);
  EXPECT_EQ(schema_to_json(schema()).find("decimal"), std::string::npos);
}

TEST_F(DecimalComma, IsStatedInASchemasText) {
  Schema stated = schema();
  stated.decimal = ',';
  EXPECT_EQ(parse_schema(schema_to_json(stated), "s").decimal, ',');
  EXPECT_EQ(parse_schema(R"({"columns": {}, "decimal": "."})", "s").decimal, '.');
  for (const char* wrong : {"\";\"", "\"\"", "1", "\",,\""})
    EXPECT_THROW(parse_schema(fmt::format(R"({{"columns": {{}}, "decimal": {}}})", wrong), "s"), DataError)
        << wrong;
  stated.decimal = ';';
  EXPECT_THROW(validate(stated), DataError);
}

TEST_F(DecimalComma, TextsOfATableInMemoryHaveTheSchemasMark) {
  Schema stated = schema();
  stated.decimal = ',';
  const std::vector<TableColumn> columns{{"a", ValueCells{std::string("1,0"), 3.0, std::string("")}}};
  const ReadResult read = encode_table(columns, 3, stated);
  EXPECT_EQ(read.data.features.row(0).values[0], 0.25);
  EXPECT_EQ(read.data.features.row(1).values[0], 0.75);
  EXPECT_EQ(read.data.features.row(2).values[0], 0.5);
  const std::vector<TableColumn> points{{"a", ValueCells{std::string("1.5")}}};
  EXPECT_EQ(message_of<DataError>([&] { encode_table(points, 1, stated); }),
            "row 0, column \"a\": \"1.5\" is not a number with a decimal comma, expected one");
}

TEST_F(DecimalComma, EncodedCellsWereReadWithTheirSchemasMark) {
  ReadOptions how = options("a;y\n1,0;2,25\n3,0;2\n");
  how.decimal.reset();
  how.target.clear();
  how.schema = schema();
  how.schema->decimal = ',';
  const auto file = folder_.path() / "t.tacit";
  encode_file(how, file);
  EXPECT_EQ(read_dataset({.path = file}).data.labels, (std::vector<double>{2.25, 2}));
  how.path = file;
  how.schema->decimal = '.';
  EXPECT_NE(message_of<UsageError>([&] { read_dataset(how); }).find("another decimal mark"),
            std::string::npos);
}

TEST_F(DecimalComma, LabelsWithAFractionAreNoClasses) {
  ReadOptions how = options("a;y\n1,5;0,5\n3,5;1,5\n");
  how.wish = TargetWish::classes;
  EXPECT_THROW(read_dataset(how), DataError);
}

TEST_F(DecimalComma, OtherMarksAreRefused) {
  ReadOptions how = options("a;y\n1;2\n");
  how.decimal = ';';
  EXPECT_EQ(message_of<UsageError>([&] { read_dataset(how); }), "decimal is \";\", expected . or ,");
}

}  // namespace
}  // namespace tacit
