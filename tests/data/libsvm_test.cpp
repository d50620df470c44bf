#include <gtest/gtest.h>

#include "tacit/data.hpp"
#include "temp_folder.hpp"

namespace tacit {
namespace {

using testing_data::gzip;
using testing_data::message_of;

class Libsvm : public ::testing::Test {
 protected:
  ReadOptions file(std::string_view content, const std::string& name = "t.libsvm") {
    ReadOptions options;
    options.path = folder_.write(name, content);
    return options;
  }
  std::string message(std::string_view content) {
    const auto options = file(content);
    const std::string text = message_of<DataError>([&] { read_dataset(options); });
    return text.substr(std::min(text.size(), folder_.path().string().size() + 1));
  }

  testing_data::TempFolder folder_;
};

using Values = std::vector<double>;
using Names = std::vector<std::string>;

TEST_F(Libsvm, RowsAreSparseAndLabelsNumbers) {
  for (const std::size_t chunk : {1u, 1000u}) {
    auto options = file("+1 1:0.5 3:2\r\n\n-1\n# comment only\n2.5 2:-1e3 # a:b\n");
    options.chunk_bytes = chunk;
    const auto result = read_dataset(options);
    const SparseRows& rows = result.data.features.sparse_rows();
    EXPECT_EQ(rows.rows, 3u);
    EXPECT_EQ(rows.columns, 3u);
    EXPECT_EQ(rows.start, (std::vector<std::uint64_t>{0, 2, 2, 3}));
    EXPECT_EQ(rows.column, (std::vector<std::uint32_t>{0, 2, 1}));
    EXPECT_EQ(rows.value, (Values{0.5, 2, -1e3}));
    EXPECT_EQ(result.data.labels, (Values{1, -1, 2.5}));
    EXPECT_EQ(result.data.target_kind, TargetKind::numeric);
    EXPECT_EQ(result.read_off_data, (Names{"columns"}));
    EXPECT_FALSE(result.row_norm_bound.has_value());
  }
}

TEST_F(Libsvm, EveryNameOfTheFormatAndGzipAreKnown) {
  for (const std::string name : {"t.libsvm", "t.svm", "a9a.t", "t.svm.gz"})
    EXPECT_EQ(read_dataset(file(name.ends_with("gz") ? gzip("1 1:2\n") : "1 1:2\n", name)).data.labels,
              (Values{1}));
  auto options = file("1 1:2\n", "a9a");
  options.format = Format::libsvm;
  EXPECT_EQ(read_dataset(options).data.labels, (Values{1}));
}

TEST_F(Libsvm, TheCallerFixesTheNumberOfColumns) {
  auto options = file("1 1:1\n0 2:1\n");
  options.columns = 5;
  const auto result = read_dataset(options);
  EXPECT_EQ(result.data.features.columns(), 5u);
  EXPECT_TRUE(result.read_off_data.empty());
  options.columns = 1;
  EXPECT_NE(
      message_of<DataError>([&] { read_dataset(options); }).find(":2:2: the index is 2, expected at most 1"),
      std::string::npos);
}

TEST_F(Libsvm, ClassesComeFromTheSchemaOrFromTheData) {
  auto options = file("+1 1:1\n1 1:2\n1.0 1:3\n");
  options.columns = 1;
  options.schema = parse_schema(R"({"target": {"classes": ["-1", "1"]}})", "s");
  const auto result = read_dataset(options);
  EXPECT_EQ(result.data.labels, (Values{1, 1, 1}));
  EXPECT_EQ(result.data.classes, (Names{"-1", "1"}));
  EXPECT_TRUE(result.read_off_data.empty());

  options = file("3 1:1\n-1 1:2\n10 1:2\n");
  options.wish = TargetWish::classes;
  const auto found = read_dataset(options);
  EXPECT_EQ(found.data.labels, (Values{1, 0, 2}));
  EXPECT_EQ(found.data.classes, (Names{"-1", "3", "10"}));
  EXPECT_EQ(found.read_off_data, (Names{"columns", "classes"}));
  options.schema = parse_schema(R"({"target": {"classes": ["-1", "3"]}})", "s");
  EXPECT_NE(message_of<DataError>([&] { read_dataset(options); }).find(":3:1: the label 10 is not a class"),
            std::string::npos);
}

TEST_F(Libsvm, BadLinesAreRefusedWithTheirPlace) {
  EXPECT_EQ(message("1 1:1\n1 0:1\n"), "t.libsvm:2:2: the index is 0, expected 1 or more");
  EXPECT_EQ(message("1 2:1 1:1\n"), "t.libsvm:1:3: the index 1 follows 2, expected ascending indices");
  EXPECT_EQ(message("1 2:1 2:1\n"), "t.libsvm:1:3: the index 2 follows 2, expected ascending indices");
  for (const std::string token : {"3", ":", "x:1", "-1:1", "1.5:1", "99999999999:1", "qid:3"})
    EXPECT_EQ(message("1 " + token + "\n"), "t.libsvm:1:2: \"" + token + "\", expected index:value");
  EXPECT_EQ(message("1 1:\n"), "t.libsvm:1:2: the value \"\" is empty, expected a finite number");
  EXPECT_EQ(message("1 1:nan\n"),
            "t.libsvm:1:2: the value \"nan\" is NaN or infinite, expected a finite number");
  EXPECT_EQ(message("1 1:1e999\n"),
            "t.libsvm:1:2: the value \"1e999\" is too large for a double, expected a finite number");
  EXPECT_EQ(message("1:1 2:1\n"),
            "t.libsvm:1:1: the label \"1:1\" is not a number, expected a finite number");
  EXPECT_EQ(message("# nothing\n"), "t.libsvm: the file has no records");
  EXPECT_EQ(message("1\n2\n"), "t.libsvm: no record has a feature");
  EXPECT_EQ(message(std::string("1 1:1\n\0", 7)), "t.libsvm:2: a NUL byte, expected text in UTF-8");
}

TEST_F(Libsvm, OptionsOfOtherFormatsAreRefused) {
  auto options = file("1 1:1\n");
  options.target = "0";
  EXPECT_THROW(read_dataset(options), UsageError);
  options.target.clear();
  options.schema = parse_schema(R"({"columns": {"1": {"type": "numeric", "min": 0, "max": 1}}})", "s");
  EXPECT_THROW(read_dataset(options), UsageError);
  options.schema = parse_schema(R"({"user": {"column": "id"}})", "s");
  EXPECT_THROW(read_dataset(options), UsageError);
}

}  // namespace
}  // namespace tacit
