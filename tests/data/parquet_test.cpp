#include <gtest/gtest.h>

#include <cstdlib>

#include "data/neutrality.hpp"
#include "data/temp_folder.hpp"
#include "tacit/core.hpp"
#include "tacit/data.hpp"

namespace tacit {
namespace {

using testing_data::message_of;
using testing_data::TempFolder;

// The table of tests/data/fake_duckdb.
class Parquet : public ::testing::Test {
 protected:
  Parquet() {
    ::setenv("TACIT_DUCKDB", TACIT_FAKE_DUCKDB, 1);
    options_.path = folder_.write("people.parquet", "PAR1 and so on");
    options_.schema = Schema{};
    options_.schema->columns = {
        {"age", NumericColumn{.min = 0, .max = 100, .missing = 50}},
        {"pay", NumericColumn{.min = 0, .max = 1}},
        {"job", CategoricalColumn{.categories = {"a job of more than twelve bytes", "Say \"x\", y"},
                                  .missing = "other"}},
        {"bo\"rn", DateColumn{.number = {.min = 0, .max = 86400 * 20.0}}},
    };
    options_.schema->target = SchemaTarget{.column = "y", .classes = {"no", "yes"}};
  }
  std::string usage_error() {
    return message_of<UsageError>([&] { read_dataset(options_); });
  }

  TempFolder folder_;
  ReadOptions options_;
};

TEST_F(Parquet, EachCellIsReadByItsOwnValue) {
  const ReadResult read = read_dataset(options_);
  ASSERT_EQ(read.data.size(), 72u);
  const std::vector<double> usual{0.2, 0.5, 1, 0, 0, 0.5};
  for (std::size_t i = 0; i < 70; ++i) {
    std::vector<double> expected = usual;
    if (i == 69) expected[0] = 0.5;  // missing
    ASSERT_EQ(neutrality::row(read, i), expected) << i;
    ASSERT_EQ(read.data.labels[i], 0) << i;
  }
  EXPECT_EQ(neutrality::row(read, 70), (std::vector<double>{1, 1, 0, 0, 1, 0}));
  EXPECT_EQ(neutrality::row(read, 71), (std::vector<double>{0, 1, 0, 1, 0, 1}));
}

TEST_F(Parquet, TypesAndNamesAreCheckedBeforeRecords) {
  options_.schema->columns[3].kind = NumericColumn{};
  EXPECT_EQ(usage_error(), options_.path.string() +
                               ": column \"bo\"rn\" has the type DATE, which cannot be a number; describe it "
                               "otherwise in the schema, or convert it first");
  options_.query = "select 1";
  EXPECT_NE(usage_error().find("a query goes with a SQLite file"), std::string::npos);
  options_.query.clear();
  options_.separator = ';';
  EXPECT_NE(usage_error().find("go with CSV only"), std::string::npos);
}

TEST_F(Parquet, WhatCannotBeReadIsSaidInOneLine) {
  options_.path = folder_.write("x.parquet", "age,pay\n");
  EXPECT_EQ(message_of<DataError>([&] { read_dataset(options_); }),
            options_.path.string() + ": cannot be read: Invalid Input Error: no magic bytes");
  options_.path = folder_.path() / "none.parquet";
  EXPECT_EQ(message_of<NotFoundError>([&] { read_dataset(options_); }),
            options_.path.string() + ": no such file");
  options_.path = folder_.write("part[1].parquet", "PAR1");
  EXPECT_NE(usage_error().find("stand for many files"), std::string::npos);
}

// Once loaded, the library stays: in a process of its own.
TEST_F(Parquet, ALibraryThatIsNotThereIsNamed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  ::setenv("TACIT_DUCKDB", "/nonexistent/libduckdb.so", 1);
  EXPECT_EXIT(
      {
        try {
          read_dataset(options_);
        } catch (const NotFoundError& error) {
          std::fputs(error.what(), stderr);
          std::_Exit(66);
        }
        std::_Exit(0);
      },
      ::testing::ExitedWithCode(66),
      "people.parquet: /nonexistent/libduckdb.so cannot be loaded; Parquet needs DuckDB's C library: install "
      "libduckdb.so "
      "where libraries are looked for, or name it in TACIT_DUCKDB$");
}

}  // namespace
}  // namespace tacit
