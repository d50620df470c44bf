#include "data/raw_table.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "data/temp_folder.hpp"
#include "tacit/core.hpp"

namespace tacit {
namespace {

using testing_data::TempFolder;

CellKind kind(std::string_view text, char decimal = '.') {
  double value = 0;
  return kind_of(text, decimal, value);
}

TEST(RawCells, AreTakenForWhatTheyAreByThemselves) {
  for (const char* text : {"", "nan", "NaN"}) EXPECT_EQ(kind(text), CellKind::empty) << text;
  for (const char* text : {"0", "7", "-12", "9007199254740991"})
    EXPECT_EQ(kind(text), CellKind::whole) << text;
  for (const char* text : {"7.0", "007", "1e3", "+7", "inf", "1e308", "1e309", "9007199254740993000", "-1.5"})
    EXPECT_EQ(kind(text), CellKind::number) << text;
  for (const char* text : {"2024-05-31", "2024-05-31T08:15Z"}) EXPECT_EQ(kind(text), CellKind::date) << text;
  EXPECT_EQ(kind("1,5"), CellKind::comma);
  EXPECT_EQ(kind("1,5", ','), CellKind::number);
  for (const char* text : {"?", "NA", "31.05.2024", "0x10", "1.234,5", "Sales"})
    EXPECT_EQ(kind(text), CellKind::text) << text;
}

TEST(RawTables, AreLaidOutAsTheHeaderSays) {
  TempFolder folder;
  ReadOptions reading{.path = folder.write("t.csv", "a;b,c;who\n1;x,y;u\n2,5;;v\n;z;u\n")};
  reading.target = "b,c";
  reading.user = "who";
  const RawTable table = read_raw_table(reading, RawLayout::by_names);
  ASSERT_EQ(table.columns.size(), 2u);
  EXPECT_EQ(table.columns[1].name, "b,c");
  EXPECT_EQ(table.target, "b,c");
  EXPECT_EQ(table.records, 3u);
  EXPECT_EQ(table.user_count, 2u);
  EXPECT_EQ(table.users, (std::vector<std::uint32_t>{0, 1, 0}));
  EXPECT_EQ(table.columns[0].kinds, (std::vector{CellKind::whole, CellKind::comma, CellKind::empty}));
  EXPECT_EQ(table.columns[1].texts, (std::vector<std::string>{"x,y", "z"}));
}

TEST(RawTables, WithoutAHeaderGoByNumbersAndFixedSeparators) {
  TempFolder folder;
  ReadOptions reading{.path = folder.write("t.csv", "1,2;3\n4,5;6\n")};
  reading.header = false;
  const RawTable table = read_raw_table(reading, RawLayout::by_names);
  EXPECT_FALSE(table.header);
  ASSERT_EQ(table.columns.size(), 2u);
  EXPECT_EQ(table.columns[1].texts, (std::vector<std::string>{"2;3", "5;6"}));
}

TEST(RawTables, SayWhatIsWrongWithARecord) {
  TempFolder folder;
  ReadOptions reading{.path = folder.write("t.csv", "a,who\n1,x\n2,\n")};
  reading.user = "who";
  EXPECT_THROW(read_raw_table(reading, RawLayout::by_names), DataError);
  reading.user.clear();
  EXPECT_NO_THROW(read_raw_table(reading, RawLayout::by_names));
  reading.path = folder.write("ragged.csv", "a,b\n1,2\n3\n");
  EXPECT_THROW(read_raw_table(reading, RawLayout::by_names), DataError);
}

TEST(RawTables, ARecordIsNotTakenForNames) {
  TempFolder folder;
  ReadOptions reading{.path = folder.write("t.csv", "17,Sales\n18,Tech\n")};
  EXPECT_THROW(read_raw_table(reading, RawLayout::by_names), UsageError);
  EXPECT_EQ(read_raw_table(reading, RawLayout::guessed).records, 2u);
  reading.header = true;
  EXPECT_EQ(read_raw_table(reading, RawLayout::by_names).records, 1u);
}

Schema forgiving(bool forgives) {
  return parse_schema(fmt::format(R"({{"columns": {{
           "x": {{"type": "numeric", "min": 0, "max": 10, "missing": 5}},
           "d": {{"type": "date", "min": "2020-01-01", "max": "2021-01-01", "missing": "indicator"}}}}{}}})",
                                  forgives ? R"(, "unreadable": "missing")" : ""),
                      "schema");
}

TEST(UnreadableCells, AreMissingWhereTheSchemaSaysSo) {
  TempFolder folder;
  ReadOptions reading{.path = folder.write("t.csv", "x,d\n?,2020-07-01\n10,yesterday\n5,\n")};
  reading.schema = forgiving(true);
  const ReadResult read = read_dataset(reading);
  EXPECT_EQ(read.data.features.row(0).values[0], 0.5) << "the missing value, 5 of 0 to 10";
  EXPECT_EQ(read.data.features.row(1).values[2], 1) << "the indicator";
  reading.schema = forgiving(false);
  EXPECT_THROW(read_dataset(reading), DataError);
  reading.schema = forgiving(true);
  reading.decimal = ',';
  reading.path = folder.write("u.csv", "x;d\n2.5;2020-07-01\n2,5;2020-07-01\n");
  const ReadResult marked = read_dataset(reading);
  EXPECT_EQ(marked.data.features.row(0).values[0], 0.5);
  EXPECT_EQ(marked.data.features.row(1).values[0], 0.25);
}

TEST(UnreadableCells, StayInTheSchemasText) {
  const std::string text = schema_to_json(forgiving(true));
  EXPECT_NE(text.find(R"("unreadable": "missing")"), std::string::npos);
  EXPECT_TRUE(parse_schema(text, "again").unreadable_missing);
  EXPECT_THROW(parse_schema(R"({"unreadable": "fine"})", "s"), DataError);
}

}  // namespace
}  // namespace tacit
