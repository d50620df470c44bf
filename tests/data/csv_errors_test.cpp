#include <gtest/gtest.h>

#include "tacit/data.hpp"
#include "temp_folder.hpp"

namespace tacit {
namespace {

using testing_data::gzip;
using testing_data::message_of;

// Each bad input gives one line that says where it is and what was expected.
class CsvErrors : public ::testing::Test {
 protected:
  // The message without the folder's name.
  template <class E = DataError>
  std::string message(std::string_view content, const std::string& name = "t.csv",
                      const std::string& target = "") {
    ReadOptions options;
    options.path = folder_.write(name, content);
    options.target = target;
    return without_folder(message_of<E>([&] { read_dataset(options); }));
  }
  std::string without_folder(const std::string& text) {
    const std::string prefix = folder_.path().string() + "/";
    EXPECT_TRUE(text.starts_with(prefix)) << text;
    return text.substr(std::min(prefix.size(), text.size()));
  }

  testing_data::TempFolder folder_;
};

TEST_F(CsvErrors, MissingFile) {
  ReadOptions options;
  options.path = folder_.path() / "none.csv";
  EXPECT_EQ(without_folder(message_of<NotFoundError>([&] { read_dataset(options); })),
            "none.csv: no such file");
}

TEST_F(CsvErrors, Directory) {
  ReadOptions options;
  options.path = folder_.path();
  EXPECT_NE(message_of<DataError>([&] { read_dataset(options); }).find(": is a directory, expected a file"),
            std::string::npos);
}

TEST_F(CsvErrors, NoPathAndUnknownFormat) {
  EXPECT_EQ(message_of<UsageError>([&] { read_dataset({}); }), "no file is given");
  EXPECT_EQ(message<UsageError>("1,2\n", "t.xyz"),
            "t.xyz: the file name does not say the format; state it: csv, libsvm, idx, npy, "
            "sqlite, parquet or tacit");
}

TEST_F(CsvErrors, EmptyFile) {
  EXPECT_EQ(message(""), "t.csv: the file is empty");
  EXPECT_EQ(message("\n \r\n"), "t.csv: the file has no records");
  EXPECT_EQ(message("\xef\xbb\xbf"), "t.csv: the file has no records");
  EXPECT_EQ(message(gzip(""), "t.csv.gz"), "t.csv.gz: the file has no records");
}

TEST_F(CsvErrors, HeaderOnly) {
  EXPECT_EQ(message("a,b\n"), "t.csv: the file has a header but no records");
  EXPECT_EQ(message("a,b"), "t.csv: the file has a header but no records");
}

TEST_F(CsvErrors, RaggedRecords) {
  EXPECT_EQ(message("a,b\n1,2\n3\n"),
            "t.csv:3:2: column \"b\" is missing: the record has 1 cell, expected 2");
  EXPECT_EQ(message("a,b\n1,2\n\n3,4,5,6\n"), "t.csv:4:3: the record has 4 cells, expected 2");
  EXPECT_EQ(message("a,b\n1,2,\n"), "t.csv:2:3: the record has 3 cells, expected 2");
}

TEST_F(CsvErrors, ALayoutThatWasNotSeenIsAskedFor) {
  EXPECT_NE(message("150,4,7\n1,2,3,4,5\n").find("skip it and say that there is no header"),
            std::string::npos);
  EXPECT_NE(message("1,2\n3\n").find("state the separator"), std::string::npos);
}

TEST_F(CsvErrors, NumbersThatCannotBeStored) {
  const auto cell = [&](const std::string& text) { return message("a,b\n1,2\n3," + text + "\n"); };
  EXPECT_EQ(cell("nan"), "t.csv:3:2: column \"b\": \"nan\" is NaN or infinite, expected a finite number");
  EXPECT_EQ(cell("-inf"), "t.csv:3:2: column \"b\": \"-inf\" is NaN or infinite, expected a finite number");
  EXPECT_EQ(cell("1e999"),
            "t.csv:3:2: column \"b\": \"1e999\" is too large for a double, expected a finite number");
  EXPECT_EQ(cell("-1e999"),
            "t.csv:3:2: column \"b\": \"-1e999\" is too large for a double, expected a finite number");
  EXPECT_EQ(cell(""), "t.csv:3:2: column \"b\": \"\" is empty, expected a finite number");
  for (const std::string text : {"1x", "0x10", "1 2", "+-1", "--1", "1e", "+", "-", "."}) {
    EXPECT_EQ(cell(text),
              "t.csv:3:2: column \"b\": \"" + text +
                  "\" is not a number; text needs a schema (`tacit schema FILE --epsilon E` finds "
                  "one, with --user for people; without an epsilon it drafts one)");
  }
}

TEST_F(CsvErrors, TextWithoutASchema) {
  EXPECT_EQ(message("age,job\n1,Sales\n"),
            "t.csv:2:2: column \"job\": \"Sales\" is not a number; text needs a schema (`tacit schema FILE "
            "--epsilon E` finds one, with --user for people; without an epsilon it drafts one)");
}

TEST_F(CsvErrors, ALongOrUnprintableCellIsShownOnOneShortLine) {
  EXPECT_EQ(message("a,b\n1,\"x\ny\"\n").find("\"x\\x0ay\" is not a number") != std::string::npos, true);
  EXPECT_LT(message("a,b\n1," + std::string(100'000, 'x') + "\n").size(), 250u);
}

TEST_F(CsvErrors, UnknownTarget) {
  EXPECT_EQ(message("a,b\n1,2\n", "t.csv", "c"),
            "t.csv: there is no target column \"c\", expected one of \"a\", \"b\"");
  EXPECT_EQ(message("a,b\n1,2\n", "t.csv", "2"),
            "t.csv: there is no target column \"2\", expected one of \"a\", \"b\"");
}

TEST_F(CsvErrors, TargetsThatCannotBeUsed) {
  EXPECT_EQ(message("a,b\n1,2\n1,\n", "t.csv", "b"),
            "t.csv:3:2: column \"b\": the target is empty; rows whose target is not known must be left out");
  EXPECT_EQ(message("a,b\n1,2\n1,NA\n", "t.csv", "b"),
            "t.csv:3:2: column \"b\": \"NA\" is not a number, expected a number as the target; rows whose "
            "target is not known must be left out");
  EXPECT_EQ(message("a,b\n1,2\n1,x\n", "t.csv", "b"),
            "t.csv:3:2: column \"b\": \"x\" is not a number, expected a number as the target; if it has "
            "classes, list them as \"classes\" of the schema's target");
  EXPECT_EQ(message("a,b\n1,2\n1,inf\n", "t.csv", "b"),
            "t.csv:3:2: column \"b\": \"inf\" is NaN or infinite, expected a number as the target");
  EXPECT_EQ(message("b\n1\n", "t.csv", "b"), "t.csv: no column is left as a feature");
}

TEST_F(CsvErrors, AMissingUserIdNamesTheLine) {
  ReadOptions options;
  options.path = folder_.write("t.csv", "a,id\n1,x\n\n2,\n");
  options.user = "id";
  EXPECT_EQ(
      without_folder(message_of<DataError>([&] { read_dataset(options); })),
      "t.csv:4:2: column \"id\": the user id is empty; give the record one, or leave it out of the data");
}

// A record whose only cell is empty must not vanish: how many there are would tell of it.
TEST_F(CsvErrors, ABlankLineIsARecordOfATableOfOneColumn) {
  const auto rows = [&](const std::string& text) {
    ReadOptions options;
    options.path = folder_.write("t.csv", text);
    options.schema = parse_schema(
        R"({"columns": {"a": {"type": "numeric", "min": 0, "max": 9, "missing": "indicator"}}})", "s");
    options.wish = TargetWish::none;
    return read_dataset(options).data.size();
  };
  EXPECT_EQ(rows("a\n1\n2\n3\n"), 3U);
  EXPECT_EQ(rows("a\n1\n\n3\n"), 3U);
  EXPECT_EQ(rows("a\n1\n \r\n3"), 3U);
  EXPECT_EQ(rows("a\n\n\n\n"), 3U);
  EXPECT_EQ(rows("a\n1\n\"\"\n3\n"), 3U);
}

TEST_F(CsvErrors, CarriageReturnsAloneEndNoLines) {
  const std::string said =
      "t.csv:1: a line ends with a carriage return alone, expected a line feed; tr '\\r' '\\n' makes them";
  EXPECT_EQ(message("a,b\r1,2\r3,4\r", "t.csv", "b"), said);
  ReadOptions options;
  options.path = folder_.write("t.csv", "a,b\r1,2\r3,4\r");
  options.schema = parse_schema(
      R"({"columns": {"a": {"type": "numeric", "min": 0, "max": 9}}, "target": {"column": "b", "min": 0, "max": 9}})",
      "s");
  EXPECT_EQ(without_folder(message_of<DataError>([&] { read_dataset(options); })), said);
  // Neither a doubled one, nor one in a name's quotes, nor anything in a record.
  for (const char* fine : {"a,b\r\r\n1,2\r\r\n", "a,b,\"c\rd\"\n1,2,3\n", "a,b\n1,2\n3\r,4\n"}) {
    options = {};
    options.path = folder_.write("t.csv", fine);
    options.target = "b";
    EXPECT_NO_THROW(read_dataset(options)) << fine;
  }
}

TEST_F(CsvErrors, Quotes) {
  EXPECT_EQ(message("a,b\n1,2\n3,\"4\n5,6\n7,8\n"),
            "t.csv:3:2: column \"b\": the quote that opens here is never closed");
  EXPECT_EQ(message("a,\"b\n1,2\n"), "t.csv:1:2: the quote that opens here is never closed");
  EXPECT_EQ(
      message("a,b\n1,\"2\"x\n"),
      "t.csv:2:2: column \"b\": text after the closing quote, expected a separator or the end of the line");
  EXPECT_EQ(message("a,b\n1,2\"\n3,4\n"),
            "t.csv:2:2: column \"b\": a quote inside a cell, expected the whole cell in quotes and its "
            "quotes doubled");
}

TEST_F(CsvErrors, LinesAreCountedThroughQuotedLineEnds) {
  EXPECT_EQ(message("\"a\n\n\",b\n1,2\n\n3,x\n").substr(0, 8), "t.csv:6:");
}

TEST_F(CsvErrors, DuplicateAndUnreadableColumnNames) {
  EXPECT_EQ(message("a,b,a\n1,2,3\n"),
            "t.csv:1:3: the column name \"a\" appears twice in the header; if that line is a record, say "
            "that there is no header");
  EXPECT_EQ(message("a,b\xff\n1,2\n"), "t.csv:1:2: the column name is not UTF-8 text");
}

TEST_F(CsvErrors, NulBytes) {
  EXPECT_EQ(message(std::string("a,b\n1,2\n3,\0\n", 11)), "t.csv:3: a NUL byte, expected text in UTF-8");
  const std::string far(300'000, '\n');
  EXPECT_EQ(message("a,b\n1,2\n1,2\n" + far + std::string(1, '\0')),
            "t.csv:300004: a NUL byte, expected text in UTF-8");
}

TEST_F(CsvErrors, BadGzip) {
  std::string table = "a,b\n";
  for (int i = 0; i < 50'000; ++i) table += std::to_string(i) + "," + std::to_string(i * 7919 % 10007) + "\n";
  const std::string packed = gzip(table);
  for (const std::size_t size : {std::size_t{10}, packed.size() / 2, packed.size() - 1})
    EXPECT_EQ(message(packed.substr(0, size), "t.csv.gz"),
              "t.csv.gz: the gzip data ends early, is the file truncated?");
  std::string damaged = packed;
  damaged[packed.size() - 6] ^= 1;
  EXPECT_EQ(message(damaged, "t.csv.gz"), "t.csv.gz: the gzip data is damaged: incorrect data check");
  EXPECT_EQ(message(packed + "rest", "t.csv.gz"), "t.csv.gz: bytes that are not gzip follow the gzip data");
  EXPECT_EQ(message("a,b\n1,2\n", "t.csv.gz"), "t.csv.gz: is not gzip data, though named .gz");
}

TEST_F(CsvErrors, TheFirstErrorInTheFileIsReportedOnAnyNumberOfThreads) {
  std::string table = "a,b\n";
  for (int i = 0; i < 2000; ++i) table += i % 100 == 77 ? "1,x\n" : "1,2\n";
  ReadOptions options;
  options.path = folder_.write("t.csv", table);
  options.chunk_bytes = 16;
  for (const unsigned threads : {1u, 2u, 8u})
    for (int repeat = 0; repeat < 5; ++repeat) {
      options.threads = threads;
      EXPECT_TRUE(
          without_folder(message_of<DataError>([&] { read_dataset(options); })).starts_with("t.csv:79:2: "));
    }
}

}  // namespace
}  // namespace tacit
