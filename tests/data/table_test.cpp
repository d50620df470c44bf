#include "tacit/data.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "data/raw_table.hpp"
#include "temp_folder.hpp"

namespace tacit {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Schema schema(const std::string& missing = "", std::size_t categories = 2) {
  std::string names;
  for (std::size_t k = 0; k < categories; ++k) names += (k == 0 ? "\"c" : ", \"c") + std::to_string(k) + "\"";
  return parse_schema(R"({"columns": {"age": {"type": "numeric", "min": 0, "max": 10)" + missing +
                          R"(}, "job": {"type": "categorical", "categories": [)" + names +
                          R"(]}}, "target": {"column": "y", "classes": ["no", "yes"]}})",
                      "schema");
}

std::string message(std::span<const TableColumn> columns, const Schema& with) {
  return testing_data::message_of<DataError>([&] { encode_table(columns, 2, with); });
}

std::vector<double> dense(const Features& features) {
  std::vector<double> all(features.rows() * features.columns(), 0);
  for (std::size_t i = 0; i < features.rows(); ++i) {
    const RowView row = features.row(i);
    for (std::size_t k = 0; k < row.size; ++k)
      all[i * features.columns() + (row.columns ? row.columns[k] : k)] = row.values[k];
  }
  return all;
}

TEST(EncodeTable, MakesTheFeaturesThatTheSameCellsOfAFileMake) {
  const testing_data::TempFolder folder;
  const auto path = folder.write("t.csv", "job,age,y\nc1,2.5,no\nelse,99,yes\n");
  const std::vector<double> ages = {2.5, -1, 99, -1};  // every other one is the column
  const std::vector<TableColumn> columns = {{"job", ValueCells{"c1", "else"}},
                                            {"age", NumberCells{ages.data(), 2}}};
  for (const std::size_t categories : {2u, 20u}) {  // dense and sparse
    const Schema with = schema("", categories);
    const ReadResult file = read_dataset({.path = path, .schema = with});
    const ReadResult table = encode_table(columns, 2, with);
    EXPECT_EQ(table.data.features.sparse(), categories == 20);
    EXPECT_EQ(table.data.features.sparse(), file.data.features.sparse());
    EXPECT_EQ(dense(table.data.features), dense(file.data.features));
    EXPECT_EQ(table.data.names, file.data.names);
    EXPECT_EQ(table.row_norm_bound, file.row_norm_bound);
  }
}

// Typed columns have no text of their own: 2.0 is whichever category is that number. A text is only itself.
TEST(EncodeTable, ANumberIsTheCategoryThatIsAnyTextOfIt) {
  const Schema with = parse_schema(
      R"({"columns": {"code": {"type": "categorical", "categories": ["1.0", "02", "2e0", "3", "3.0", "x"]}}})",
      "schema");
  const ValueCells cells{1.0, 2.0, 3.0, 4.0, std::string("1"), std::string("2"), std::string("3.0")};
  const std::vector<std::size_t> expected{0, 1, 3, 6, 6, 6, 4};
  const Features features = encode_table(std::vector<TableColumn>{{"code", cells}}, 7, with).data.features;
  const std::vector<double> all = dense(features);
  for (std::size_t i = 0; i < expected.size(); ++i)
    for (std::size_t k = 0; k < features.columns(); ++k)
      EXPECT_EQ(all[i * features.columns() + k], k == expected[i] ? 1 : 0) << i << ' ' << k;
}

TEST(EncodeTable, ReadsNumbersInTextsAndTextsInNumbers) {
  const double codes[] = {7, 8};
  const Schema with = parse_schema(
      R"({"columns": {"age": {"type": "numeric", "min": 0, "max": 10}, "code": {"type": "categorical", "categories": ["7"]}}})",
      "schema");
  const std::vector<TableColumn> columns = {{"age", ValueCells{" 5 ", "1e1"}},
                                            {"code", NumberCells{codes, 1}}};
  EXPECT_EQ(dense(encode_table(columns, 2, with).data.features), (std::vector<double>{0.5, 1, 0, 1, 0, 1}));
}

TEST(EncodeTable, ANumberMeansTheSameBesideATextAndBesideNumbers) {
  const Schema with = parse_schema(
      R"({"columns": {"code": {"type": "categorical", "missing": "7",
          "categories": ["1", "0.5", "10000000000000000", "7", "0"]}}})",
      "schema");
  const double codes[] = {1, 0.5, 1e16, nan, -0.0, 2};
  const std::vector<TableColumn> numbers = {{"code", NumberCells{codes, 1}}};
  const std::vector<TableColumn> mixed = {{"code", ValueCells{1.0, 0.5, 1e16, nan, -0.0, "a text"}}};
  const auto encoded = dense(encode_table(numbers, 6, with).data.features);
  EXPECT_EQ(encoded, dense(encode_table(mixed, 6, with).data.features));
  for (std::size_t k = 0; k < 6; ++k) EXPECT_EQ(encoded[k * 6 + k], 1) << k;
}

TEST(EncodeTable, EmptyCellsStandForTheSchemasMissingValueOrAreNamed) {
  const double ages[] = {1, nan};
  const std::vector<TableColumn> columns = {{"age", NumberCells{ages, 1}}, {"job", ValueCells{"c0", "c1"}}};
  EXPECT_EQ(encode_table(columns, 2, schema(", \"missing\": 4")).data.features.row(1).values[0], 0.4);
  EXPECT_EQ(message(columns, schema()),
            "row 1, column \"age\": the cell is empty and the schema gives no \"missing\" value");
  const std::vector<TableColumn> no_job = {{"age", ValueCells{"1", "2"}}, {"job", ValueCells{"", "c1"}}};
  EXPECT_EQ(message(no_job, schema()),
            "row 0, column \"job\": the cell is empty and the schema gives no \"missing\" value");
}

TEST(EncodeTable, CutsNumbersHoweverFarBeyondTheBounds) {
  const ValueCells jobs = {"c0", "c1"};
  const double ages[] = {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  for (const auto& cells : {std::variant<NumberCells, ValueCells>(NumberCells{ages, 1}),
                            std::variant<NumberCells, ValueCells>(ValueCells{"-1e309", "1e309"})}) {
    const ReadResult result =
        encode_table(std::vector<TableColumn>{{"age", cells}, {"job", jobs}}, 2, schema());
    EXPECT_EQ(result.data.features.row(0).values[0], 0);
    EXPECT_EQ(result.data.features.row(1).values[0], 1);
  }
}

TEST(EncodeTable, NamesWhatDoesNotSuitTheSchema) {
  const ValueCells jobs = {"c0", "c1"};
  const std::vector<TableColumn> text = {{"age", ValueCells{"1", "old"}}, {"job", jobs}};
  EXPECT_EQ(message(text, schema()).substr(0, 29), "row 1, column \"age\": \"old\" is");
  const std::vector<TableColumn> lacking = {{"job", jobs}};
  EXPECT_NE(message(lacking, schema()).find("there is no column \"age\""), std::string::npos);
  const std::vector<TableColumn> more = {{"age", ValueCells{"1", "2"}}, {"job", jobs}, {"pay", jobs}};
  EXPECT_NE(message(more, schema()).find("does not name column \"pay\""), std::string::npos);
}

// One that is short was read past its end.
TEST(EncodeTable, NamesAColumnThatHasNotACellForEachRow) {
  const std::vector<double> ages = {1, 2};
  for (const std::size_t cells : {1, 3}) {
    const std::vector<TableColumn> columns = {{"age", NumberCells{ages.data()}},
                                              {"job", ValueCells(cells, std::string("c0"))}};
    EXPECT_EQ(message(columns, schema()),
              "the column \"job\" has " + std::to_string(cells) + " cells, expected 2");
  }
  const std::vector<TableColumn> columns = {{"age", NumberCells{}},
                                            {"job", ValueCells(2, std::string("c0"))}};
  EXPECT_EQ(message(columns, schema()), "the column \"age\" has no cells, expected 2");
  EXPECT_EQ(testing_data::message_of<DataError>([&] { raw_table(columns, 2, "", ""); }),
            "the column \"age\" has no cells, expected 2");
}

}  // namespace
}  // namespace tacit
