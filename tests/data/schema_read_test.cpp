#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tacit/data.hpp"
#include "temp_folder.hpp"

namespace tacit {
namespace {

using testing_data::message_of;
using Values = std::vector<double>;
using Names = std::vector<std::string>;

class SchemaRead : public ::testing::Test {
 protected:
  SchemaRead() {
    options_.schema = parse_schema(
        R"({"columns": {"age": {"type": "numeric", "min": 0, "max": 100, "missing": 50},
                        "job": {"type": "categorical", "categories": ["Sales", "Tech"]},
                        "note": {"type": "ignore"}},
            "target": {"column": "y", "classes": ["no", "yes"]}, "user": {"column": "id"}})",
        "s");
  }
  ReadResult read(std::string_view content) {
    options_.path = folder_.write("t.csv", content);
    return read_dataset(options_);
  }
  template <class E = DataError>
  std::string message(std::string_view content) {
    const std::string text = message_of<E>([&] { read(content); });
    const std::string prefix = folder_.path().string() + "/";
    return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
  }
  static Values row(const ReadResult& result, std::size_t i) {
    const RowView view = result.data.features.row(i);
    Values values(result.data.features.columns(), 0.0);
    for (std::size_t k = 0; k < view.size; ++k) values[view.columns ? view.columns[k] : k] = view.values[k];
    return values;
  }

  testing_data::TempFolder folder_;
  ReadOptions options_;
};

TEST_F(SchemaRead, FeaturesComeInTheSchemasOrder) {
  for (const std::string file :
       {"age,job,note,y,id\n25,Sales,\"a\nb\",yes,p\n", "id,y,note,job,age\np, yes ,,Sales,25\n"}) {
    const auto result = read(file);
    EXPECT_EQ(result.data.names, (Names{"age", "job=Sales", "job=Tech", "job=other"}));
    EXPECT_EQ(row(result, 0), (Values{0.25, 1, 0, 0}));
    EXPECT_EQ(result.data.labels, (Values{1}));
    EXPECT_EQ(result.data.classes, (Names{"no", "yes"}));
    EXPECT_EQ(result.data.user_count, 1u);
    EXPECT_TRUE(result.read_off_data.empty());
    EXPECT_FALSE(result.drafted_schema);
    EXPECT_EQ(result.row_norm_bound, row_norm_bound(*options_.schema));
  }
}

TEST_F(SchemaRead, ValuesAreClampedUnknownOnesAreOtherAndEmptyOnesAsTheSchemaSays) {
  const auto result = read("age,job,y,id\n-5,Tech,no,p\n1e300,Baker,no,p\n,Sales,no,p\n");
  EXPECT_EQ(row(result, 0), (Values{0, 0, 1, 0}));
  EXPECT_EQ(row(result, 1), (Values{1, 0, 0, 1}));
  EXPECT_EQ(row(result, 2), (Values{0.5, 1, 0, 0}));
  EXPECT_EQ(message("age,job,y,id\n1,Sales,no,p\n1, ,no,p\n"),
            "t.csv:3:2: column \"job\": the cell is empty and the schema gives no \"missing\" value");
  std::get<CategoricalColumn>(options_.schema->columns[1].kind).missing = "other";
  EXPECT_EQ(row(read("age,job,y,id\n1,,no,p\n"), 0), (Values{0.01, 0, 0, 1}));
  std::get<CategoricalColumn>(options_.schema->columns[1].kind).missing = "Tech";
  EXPECT_EQ(row(read("age,job,y,id\n1,\"\",no,p\n"), 0), (Values{0.01, 0, 1, 0}));
  std::get<NumericColumn>(options_.schema->columns[0].kind).missing.reset();
  EXPECT_EQ(message("age,job,y,id\n,Sales,no,p\n"),
            "t.csv:2:1: column \"age\": the cell is empty and the schema gives no \"missing\" value");
}

// However far beyond the bounds a number is, it is cut to them; the table is that of docs/schema.md.
TEST_F(SchemaRead, EveryNumberIsCutAndNothingElseIsOne) {
  const auto age = [&](const std::string& cell) {
    return row(read("age,job,y,id\n" + cell + ",Sales,no,p\n"), 0).front();
  };
  const std::string nines(10'000, '9');
  for (const std::string& cell :
       std::vector<std::string>{"1e308", "1e309", "1e99999999999999999999", "inf", "+inf", "Infinity", nines})
    EXPECT_EQ(age(cell), 1) << cell;
  for (const std::string& cell : std::vector<std::string>{"-1e309", "-inf", "-" + nines, "1e-400", "-0", "0"})
    EXPECT_EQ(age(cell), 0) << cell;
  for (const std::string cell : {"25", "+25", " 25 ", "\t25", "\"25\"", "\" 25 \"", "2.5e1", "25.", "025"})
    EXPECT_EQ(age(cell), 0.25) << cell;
  for (const std::string cell : {"", "  ", "\"\"", "nan", "NaN", "-nan"}) EXPECT_EQ(age(cell), 0.5) << cell;
  for (const std::string cell :
       {"0x10", "0x1p3", "1_000", "１", "1 000", "1e", "+-1", "NA", "?", "∞", "1.5f"})
    EXPECT_EQ(message("age,job,y,id\n" + cell + ",Sales,no,p\n"),
              "t.csv:2:1: column \"age\": \"" + cell +
                  "\" is not a number, expected one"
                  " (\"unreadable\": \"missing\" in the schema takes it for an empty cell)");
  EXPECT_EQ(message("age;job;y;id\n1,5;Sales;no;p\n"),
            "t.csv:2:1: column \"age\": \"1,5\" is not a number, expected one"
            " (\"unreadable\": \"missing\" in the schema takes it for an empty cell)");
  EXPECT_EQ(message("age,job,y,id\n1,5,no,p,x\n"), "t.csv:2:5: the record has 5 cells, expected 4");
  std::get<NumericColumn>(options_.schema->columns[0].kind).missing.reset();
  EXPECT_EQ(message("age,job,y,id\nnan,Sales,no,p\n"),
            "t.csv:2:1: column \"age\": the cell is empty and the schema gives no \"missing\" value");
}

TEST_F(SchemaRead, OneClassOnlyIsNoError) {
  EXPECT_EQ(read("age,job,y,id\n1,Sales,yes,p\n").data.labels, (Values{1}));
}

TEST_F(SchemaRead, WhatTheSchemaRulesOutIsRefused) {
  EXPECT_EQ(message("age,job,y,id\n1,Sales,YES,p\n"),
            "t.csv:2:3: column \"y\": \"YES\" is not a class, expected one of \"no\", \"yes\"");
  EXPECT_EQ(message("age,job,y,id\nx,Sales,yes,p\n"),
            "t.csv:2:1: column \"age\": \"x\" is not a number, expected one"
            " (\"unreadable\": \"missing\" in the schema takes it for an empty cell)");
  EXPECT_EQ(message("age,y,id\n1,yes,p\n"), "t.csv: there is no column \"job\", which the schema describes");
  EXPECT_EQ(message("age,work,y,id\n1,Sales,yes,p\n"),
            "t.csv: there is no column \"job\", which the schema describes; the header has \"work\", which "
            "it does not");
  for (const std::string first : {"age,7,y,id", "age,Sales,yes,p"})  // which may be a record
    EXPECT_EQ(message(first + "\n1,Sales,yes,p\n").find("Sales"), std::string::npos) << first;
  EXPECT_EQ(message("age,7,y,id\n1,Sales,yes,p\n"),
            "t.csv: there is no column \"job\", which the schema describes");
  EXPECT_EQ(message("age,job,id\n1,Sales,p\n"), "t.csv: there is no target column \"y\" in the header");
  EXPECT_EQ(message("age,job,y\n1,Sales,no\n"), "t.csv: there is no user column \"id\" in the header");
  EXPECT_EQ(
      message("age,job,y,id,extra\n1,Sales,no,p,1\n"),
      "t.csv: the schema does not name column \"extra\"; describe it there, or set \"others\": \"ignore\"");
  options_.schema->ignore_others = true;
  EXPECT_EQ(row(read("age,job,y,id,extra\n1,Sales,no,p,1\n"), 0), (Values{0.01, 1, 0, 0}));
}

TEST_F(SchemaRead, ForPredictionTargetAndUserMayBeMissing) {
  options_.target_optional = true;
  const auto result = read("age,job\n1,Sales\n");
  EXPECT_FALSE(result.has_target);
  EXPECT_TRUE(result.data.users.empty());
  EXPECT_EQ(result.data.target_kind, TargetKind::none);
}

TEST_F(SchemaRead, OptionsMustAgreeWithTheSchema) {
  const std::string file = "age,job,y,id\n1,Sales,no,p\n";
  options_.target = "2";
  EXPECT_EQ(read(file).data.labels, (Values{0}));
  options_.target = "age";
  EXPECT_EQ(message<UsageError>(file), "the target column is given as \"age\", but the schema says \"y\"");
  options_.target.clear();
  options_.user = "job";
  EXPECT_EQ(message<UsageError>(file), "the user column is given as \"job\", but the schema says \"id\"");
  options_.user.clear();
  options_.wish = TargetWish::numeric;
  EXPECT_EQ(message<UsageError>(file), "a numeric target is wanted, but the schema gives the target classes");
  options_.wish = TargetWish::classes;
  options_.schema->target->column.clear();
  EXPECT_EQ(message<UsageError>(file), "the schema's target has no column, which a CSV file needs");
  options_.target = "y";
  EXPECT_EQ(read(file).data.labels, (Values{0}));
  options_.schema->target.reset();
  options_.target = "age";
  EXPECT_EQ(
      message<UsageError>("age,job,id\n1,Sales,p\n"),
      "column \"age\" is the target or user column, but the schema describes it as a feature; make its type "
      "\"ignore\" there, and fit with that");
}

TEST_F(SchemaRead, ANumericTargetIsClampedToItsBoundsAndNotRescaled) {
  options_.schema = parse_schema(
      R"({"columns": {"x": {"type": "numeric", "min": 0, "max": 1}}, "target": {"column": "y", "min": 10, "max": 20}})",
      "s");
  EXPECT_EQ(read("x,y\n0,5\n0,12.5\n0,1e9\n").data.labels, (Values{10, 12.5, 20}));
  EXPECT_EQ(read("x,y\n0,-1e309\n0,inf\n0,1e999\n").data.labels, (Values{10, 20, 20}));
  EXPECT_EQ(message("x,y\n0,nan\n"),
            "t.csv:2:2: column \"y\": \"nan\" is NaN or infinite, expected a number as the target; rows "
            "whose target is not known must be left out");
  EXPECT_EQ(message("x,y\n0,low\n"),
            "t.csv:2:2: column \"y\": \"low\" is not a number, expected a number as the target; if it has "
            "classes, list them as \"classes\" of the schema's target");
  options_.schema->target->min.reset();
  options_.schema->target->max.reset();
  EXPECT_EQ(read("x,y\n0,5\n0,-1e9\n").data.labels, (Values{5, -1e9}));
  EXPECT_EQ(message("x,y\n0,1e309\n"),
            "t.csv:2:2: column \"y\": \"1e309\" is too large for a double, expected a number as the target");
  EXPECT_EQ(message("x,y\n0,low\n0,1\n"),
            "t.csv:2:2: column \"y\": \"low\" is not a number, expected a number as the target; if it has "
            "classes, list them as \"classes\" of the schema's target");
}

TEST_F(SchemaRead, AFileWithoutAHeaderHasNumberedColumns) {
  options_.schema = parse_schema(
      R"({"columns": {"1": {"type": "numeric", "min": 0, "max": 2}}, "target": {"column": "0", "classes": ["a", "b"]}})",
      "s");
  options_.header = false;
  const auto result = read("b,1\na,2\n");
  EXPECT_EQ(result.data.labels, (Values{1, 0}));
  EXPECT_EQ(result.data.features.dense_rows().values, (Values{0.5, 1}));
}

TEST_F(SchemaRead, AHeaderOfNumbersIsKnownByTheSchema) {
  options_.schema = parse_schema(
      R"({"columns": {"2020": {"type": "numeric", "min": 0, "max": 2}, "2021": {"type": "numeric", "min": 0, "max": 2}}})",
      "s");
  EXPECT_EQ(read("2021,2020\n0,1\n").data.features.dense_rows().values, (Values{0.5, 0}));
}

TEST_F(SchemaRead, ADraftedSchemaIsReported) {
  options_.schema->drafted_from_data = true;
  EXPECT_TRUE(read("age,job,y,id\n1,Sales,no,p\n").drafted_schema);
}

// Sparse or dense is decided by the schema alone; both hold the same rows.
TEST_F(SchemaRead, ManyCategoriesGiveSparseRows) {
  Schema& schema = *options_.schema;
  EXPECT_FALSE(read("age,job,y,id\n1,Sales,no,p\n").data.features.sparse());
  auto& categories = std::get<CategoricalColumn>(schema.columns[1].kind).categories;
  for (int i = 0; i < 20; ++i) categories.push_back(fmt::format("c{}", i));
  const auto result = read("job,age,y,id\nc3,100,no,p\nnone,0,yes,q\nSales,50,no,p\n");
  ASSERT_TRUE(result.data.features.sparse());
  const SparseRows& rows = result.data.features.sparse_rows();
  EXPECT_EQ(rows.columns, encoded_columns(schema));
  EXPECT_EQ(rows.start, (std::vector<std::uint64_t>{0, 2, 4, 6}));
  EXPECT_EQ(rows.column, (std::vector<std::uint32_t>{0, 6, 0, 23, 0, 1}));
  EXPECT_EQ(rows.value, (Values{1, 1, 0, 1, 0.5, 1}));
}

// A record's features and label depend on that record and the schema alone: not on the other records, its
// place, the chunks or the threads.
TEST_F(SchemaRead, ARecordIsEncodedTheSameAloneAndAmongOthers) {
  const std::vector<std::string> records{"12.5,Sales,yes,p", ",Tech,no,q", "1e9,\"Baker, \"\"x\"\"\",no,p",
                                         "99,\"two\nlines\",yes,r", "0.1,Tech,yes,q"};
  const std::string header = "age,job,y,id\n";
  std::vector<std::pair<Values, double>> alone;
  for (const auto& record : records) {
    const auto result = read(header + record + "\n");
    alone.emplace_back(row(result, 0), result.data.labels[0]);
  }
  std::vector<std::size_t> order{0, 1, 2, 3, 4};
  do {
    std::string file = header;
    for (const auto i : order) file += records[i] + "\n";
    options_.chunk_bytes = 1 + order[0] * 13;
    options_.threads = 1 + static_cast<unsigned>(order[1]);
    const auto result = read(file);
    for (std::size_t k = 0; k < order.size(); ++k) {
      EXPECT_EQ(row(result, k), alone[order[k]].first);
      EXPECT_EQ(result.data.labels[k], alone[order[k]].second);
    }
  } while (std::ranges::next_permutation(order).found);
}

TEST_F(SchemaRead, EveryRowIsWithinTheNormBound) {
  const auto result = read("age,job,y,id\n100,Sales,no,p\n-1,zzz,no,p\n1e308,Tech,yes,p\n");
  for (std::size_t i = 0; i < result.data.size(); ++i) {
    double squares = 0;
    for (const double value : row(result, i)) squares += value * value;
    EXPECT_LE(std::sqrt(squares), *result.row_norm_bound);
  }
}

}  // namespace
}  // namespace tacit
