#include <gtest/gtest.h>
#include <sqlite3.h>

#include "data/check.hpp"
#include "data/temp_folder.hpp"
#include "tacit/core.hpp"
#include "tacit/data.hpp"

namespace tacit {
namespace {

using testing_data::message_of;
using testing_data::TempFolder;

class Sqlite : public ::testing::Test {
 protected:
  Sqlite() {
    options_.path = folder_.path() / "people.db";
    options_.query = "select * from people";
    execute(
        "create table people (age, job text, y);"
        "insert into people values (10, 'Sales', 'no'), (20.5, 'Tech', 'yes'), (null, 'Baker', 'no'), "
        "('30', null, 'yes')");
    options_.schema = Schema{};
    options_.schema->columns = {
        {"age", NumericColumn{.min = 0, .max = 100, .missing = 50}},
        {"job", CategoricalColumn{.categories = {"Sales", "Tech"}, .missing = "other"}}};
    options_.schema->target = SchemaTarget{.column = "y", .classes = {"no", "yes"}};
  }

  void execute(const std::string& sql) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(options_.path.c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(database);
    sqlite3_close(database);
  }
  std::string usage_error() {
    return message_of<UsageError>([&] { read_dataset(options_); });
  }
  std::string data_error() {
    return message_of<DataError>([&] { read_dataset(options_); });
  }

  TempFolder folder_;
  ReadOptions options_;
};

TEST_F(Sqlite, IsReadAsAFileWithTheSameCells) {
  ReadOptions csv = options_;
  csv.query.clear();
  csv.path = folder_.write("people.csv", "age,job,y\n10,Sales,no\n20.5,Tech,yes\n,Baker,no\n30,,yes\n");
  const ReadResult a = read_dataset(options_), b = read_dataset(csv);
  ASSERT_EQ(a.data.size(), 4u);
  EXPECT_EQ(a.data.labels, b.data.labels);
  EXPECT_EQ(a.data.names, b.data.names);
  for (std::size_t i = 0; i < 4; ++i) {
    const RowView x = a.data.features.row(i), y = b.data.features.row(i);
    EXPECT_TRUE(std::equal(x.values, x.values + x.size, y.values, y.values + y.size)) << i;
  }
}

TEST_F(Sqlite, AFileOfAnyNameIsTakenWithAQuery) {
  const auto other = folder_.path() / "people.bin";
  std::filesystem::copy(options_.path, other);
  options_.path = other;
  EXPECT_EQ(read_dataset(options_).data.size(), 4u);
}

TEST_F(Sqlite, WithoutASchemaNumbersAreTakenAsTheyStand) {
  options_.schema.reset();
  options_.query = "select age, y = 'yes' as label from people where age > 0";
  options_.target = "label";
  const ReadResult read = read_dataset(options_);
  EXPECT_EQ(read.data.features.row(1).values[0], 20.5);
  EXPECT_EQ(read.data.labels, (std::vector<double>{0, 1, 1}));
}

TEST_F(Sqlite, WholeNumbersAreTextInDigits) {
  execute("create table n (k, y); insert into n values (2.0, 'no'), (9007199254740993, 'yes')");
  options_.query = "select * from n";
  options_.schema->columns = {{"k", CategoricalColumn{.categories = {"2", "9007199254740993"}}}};
  const ReadResult read = read_dataset(options_);
  EXPECT_EQ(read.data.features.row(0).values[0], 1);
  EXPECT_EQ(read.data.features.row(1).values[1], 1);
}

TEST_F(Sqlite, BadCellsAreNamedByRowAndColumn) {
  execute("insert into people values ('old', 'Sales', 'no')");
  EXPECT_EQ(data_error(), options_.path.string() +
                              ": row 5, column \"age\": \"old\" is not a number, expected one"
                              " (\"unreadable\": \"missing\" in the schema takes it for an empty cell)");
  options_.query = "select x'0aff' as age, job, y from people";
  EXPECT_EQ(data_error(), options_.path.string() +
                              ": row 1, column \"age\": \"\\x0aff\" is not a number, expected one"
                              " (\"unreadable\": \"missing\" in the schema takes it for an empty cell)");
  options_.query = "select age, char(0) as job, y from people";
  EXPECT_EQ(data_error(),
            options_.path.string() + ": row 1, column \"job\": a NUL byte, expected text in UTF-8");
}

TEST_F(Sqlite, MistakesInTheQueryAreFoundBeforeAnyRecord) {
  const std::string file = options_.path.string() + ": ";
  options_.query = "select * from peopl";
  EXPECT_EQ(usage_error(), file + "the query cannot be run: no such table: peopl");
  options_.query = "select wage from people";
  EXPECT_EQ(usage_error(), file + "the query cannot be run: no such column: wage");
  for (const char* query : {"delete from people", "select 1; select 2", "", " ;", "attach 'x' as y"}) {
    options_.query = query;
    options_.format = Format::sqlite;
    EXPECT_NE(usage_error(), "") << query;
  }
  options_.query = "select * from people";
  EXPECT_EQ(read_dataset(options_).data.size(), 4u);  // nothing was deleted
}

TEST_F(Sqlite, FailuresOnRecordsAreErrorsInTheData) {
  options_.query =
      "select abs(case when age = 20.5 then -9223372036854775808 else 1 end) as age, job, y from people";
  EXPECT_EQ(data_error(), options_.path.string() + ": the query failed at row 2: integer overflow");
  options_.query = "select job, y from people";
  EXPECT_NE(data_error().find("there is no column \"age\", which the schema describes"), std::string::npos);
  options_.query = "select 1 as one, 2 as two";  // an answer has no separators that one could mistake
  EXPECT_EQ(data_error(),
            options_.path.string() + ": has none of the schema's columns, expected \"age\", \"job\", \"y\"");
  options_.query = "select * from people where y = 'maybe'";
  EXPECT_NE(data_error().find("the query has no records"), std::string::npos);
}

// SQLite asks for as much memory as a damaged file says. (The first byte of a fuzz target's input is its
// own.)
TEST_F(Sqlite, AFileThatClaimsMoreThanThereIsMemoryIsToldOf) {
  for (const char* name : {"a_value_of_no_size", "a_description_of_no_size"}) {
    const std::string input = read_file(std::string(TACIT_SOURCE_DIR "/tests/fuzz/corpus/sql/") + name);
    ReadOptions options{.path = folder_.write("t.db", input.substr(1))};
    options.query = "select * from t";
    EXPECT_NE(message_of<Error>([&] { read_dataset(options); }).find("out of memory, or the file is damaged"),
              std::string::npos)
        << name;
  }
}

TEST_F(Sqlite, WhatIsNoDatabaseIsSaidToBeNone) {
  options_.path = folder_.write("x.db", "age,job,y\n1,2,3\n");
  EXPECT_EQ(message_of<NotFoundError>([&] { read_dataset(options_); }),
            options_.path.string() + ": is not a SQLite file");
  options_.path = folder_.path() / "none.db";
  EXPECT_EQ(message_of<NotFoundError>([&] { read_dataset(options_); }),
            options_.path.string() + ": no such file");
}

TEST_F(Sqlite, OptionsOfOtherFormatsAreRefused) {
  options_.decimal = ',';
  EXPECT_NE(usage_error().find("go with CSV only"), std::string::npos);
  options_.decimal = '.';
  options_.query.clear();
  EXPECT_NE(usage_error().find("which records? Give a query, a select"), std::string::npos);
  options_.query = "select 1";
  options_.path = folder_.write("t.csv", "a,y\n1,2\n");
  options_.format = Format::csv;
  EXPECT_NE(usage_error().find("a query goes with a SQLite file"), std::string::npos);
}

TEST_F(Sqlite, ADraftAndACheckReadItToo) {
  ReadOptions how = options_;
  how.schema.reset();
  how.target = "y";
  const Schema drafted = draft_schema({.file = how});
  EXPECT_EQ(std::get<NumericColumn>(drafted.columns[0].kind).max, 30);
  EXPECT_EQ(check_cells(options_)[1].unmatched, std::vector<std::string>{"Baker"});
}

}  // namespace
}  // namespace tacit
