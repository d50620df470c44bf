#include <gtest/gtest.h>
#include <sys/stat.h>

#include <random>
#include <thread>

#include "tacit/data.hpp"
#include "temp_folder.hpp"

namespace tacit {
namespace {

using testing_data::gzip;
using testing_data::message_of;

class Csv : public ::testing::Test {
 protected:
  ReadOptions file(std::string_view content, const std::string& name = "t.csv") {
    ReadOptions options;
    options.path = folder_.write(name, content);
    return options;
  }
  ReadResult read(std::string_view content) { return read_dataset(file(content)); }
  static std::vector<double> values(const ReadResult& result) {
    return result.data.features.dense_rows().values;
  }

  testing_data::TempFolder folder_;
};

using Values = std::vector<double>;
using Names = std::vector<std::string>;

TEST_F(Csv, HeaderGivesTheNames) {
  const auto result = read("a,b\n1,2\n3,4\n");
  EXPECT_EQ(values(result), (Values{1, 2, 3, 4}));
  EXPECT_EQ(result.data.names, (Names{"a", "b"}));
  EXPECT_EQ(result.data.features.rows(), 2u);
  EXPECT_FALSE(result.has_target);
  EXPECT_FALSE(result.row_norm_bound.has_value());
  EXPECT_TRUE(result.read_off_data.empty());
}

TEST_F(Csv, AFirstRecordWithANumberIsNoHeader) {
  const auto result = read("1,2\n3,4");
  EXPECT_EQ(values(result), (Values{1, 2, 3, 4}));
  EXPECT_TRUE(result.data.names.empty());
}

TEST_F(Csv, TheCallerDecidesAboutTheHeader) {
  auto options = file("1,2\n3,4\n");
  options.header = true;
  const auto result = read_dataset(options);
  EXPECT_EQ(values(result), (Values{3, 4}));
  EXPECT_EQ(result.data.names, (Names{"1", "2"}));
}

TEST_F(Csv, EverySeparatorIsFound) {
  for (const std::string separator : {",", ";", "\t", "|", " ", "   ", " \t "}) {
    const auto s = separator;
    EXPECT_EQ(values(read("x" + s + "y" + s + "z\n1" + s + "2.5" + s + "-3\n4" + s + "5" + s + "6\n")),
              (Values{1, 2.5, -3, 4, 5, 6}))
        << s;
  }
}

TEST_F(Csv, ASeparatorInsideQuotesDoesNotCount) {
  const auto result = read("\"a;x;y\",b\n1,2\n3,4\n");
  EXPECT_EQ(result.data.names, (Names{"a;x;y", "b"}));
}

TEST_F(Csv, AGivenSeparatorWins) {
  auto options = file("a:b\n1:2\n");
  options.separator = ':';
  EXPECT_EQ(values(read_dataset(options)), (Values{1, 2}));
  options.separator = 'x';
  EXPECT_NE(message_of<UsageError>([&] { read_dataset(options); }).find("separator"), std::string::npos);
}

TEST_F(Csv, BlanksLineEndsAndByteOrderMarkAreTolerated) {
  EXPECT_EQ(values(read("\xef\xbb\xbf"
                        "a, b\r\n 1 ,\t2 \r\n\r\n   \n3, 4  \r\n\n")),
            (Values{1, 2, 3, 4}));
  EXPECT_EQ(read("\xef\xbb\xbf"
                 "a,b\n1,2\n")
                .data.names,
            (Names{"a", "b"}));
}

// Of every record: which of them is the first in its file is not its own doing.
TEST_F(Csv, AByteOrderMarkIsDroppedBeforeEveryRecord) {
  const std::string mark = "\xef\xbb\xbf";
  const Values rows{1, 2, 3, 4};
  EXPECT_EQ(values(read("1,2\n" + mark + "3,4\n")), rows);
  EXPECT_EQ(values(read(mark + "1,2\n3,4\n")), rows);
  EXPECT_EQ(values(read("a,b\n1,2\n" + mark + "\"3\",4\n")), rows);
}

// The first records tell how the file is made; a line of a mark alone is none of them.
TEST_F(Csv, LinesOfByteOrderMarksAloneHideNoRecords) {
  const std::string mark = "\xef\xbb\xbf";
  std::string marks;
  for (int k = 0; k < 30000; ++k) marks += mark + "\n";  // more than is read at first
  const Values rows{1, 2, 3, 4};
  EXPECT_EQ(values(read("a;b\n" + marks + "1;2\n3;4\n")), rows);
  EXPECT_EQ(values(read("1;2\n" + marks + "3;4\n")), rows);
}

TEST_F(Csv, QuotedCellsMayHoldSeparatorsQuotesAndLineEnds) {
  const auto result = read("\"a \"\"q\"\"\",\"two\nlines\"\r\n\"1\", \"2\" \r\n3,4\n");
  EXPECT_EQ(result.data.names, (Names{"a \"q\"", "two\nlines"}));
  EXPECT_EQ(values(result), (Values{1, 2, 3, 4}));
}

TEST_F(Csv, NumbersAreReadToTheLastBit) {
  const auto got =
      values(read("0.1,+1e-3,4.9e-324,1.7976931348623157e308,-.5\n5.,1E5,-0,1e-999,12345678901234567890\n"));
  EXPECT_EQ(got, (Values{0.1, 1e-3, 4.9e-324, 1.7976931348623157e308, -.5, 5, 1e5, -0.0, 0,
                         12345678901234567890.0}));
}

TEST_F(Csv, SkipLinesLeavesOutTheTopOfTheFile) {
  auto options = file("# made by \"us\n\na,b\n1,x\n");
  options.skip_lines = 1;
  EXPECT_NE(message_of<DataError>([&] { read_dataset(options); }).find("t.csv:4:2: column \"b\""),
            std::string::npos);
  options.target = "b";
  options.classes = {"x", "y"};
  EXPECT_EQ(read_dataset(options).data.labels, (Values{0}));
}

TEST_F(Csv, TheTargetIsChosenByNameOrNumber) {
  for (const std::string target : {"b", "1", "-2"}) {
    auto options = file("a,b,c\n1,2,3\n4,5,6\n");
    options.target = target;
    const auto result = read_dataset(options);
    EXPECT_EQ(result.data.labels, (Values{2, 5}));
    EXPECT_EQ(result.data.target_kind, TargetKind::numeric);
    EXPECT_EQ(values(result), (Values{1, 3, 4, 6}));
    EXPECT_EQ(result.data.names, (Names{"a", "c"}));
    EXPECT_TRUE(result.read_off_data.empty());
  }
}

TEST_F(Csv, ANameIsPreferredToANumber) {
  auto options = file("b,1,0\n1,2,3\n");
  options.header = true;
  options.target = "0";
  EXPECT_EQ(read_dataset(options).data.labels, (Values{3}));
}

TEST_F(Csv, ATextTargetHasClassesReadOffTheData) {
  auto options = file("y,x\nno,1\nyes,2\n\" no \",3\nmaybe,4\n");
  options.target = "y";
  const auto result = read_dataset(options);
  EXPECT_EQ(result.data.target_kind, TargetKind::classes);
  EXPECT_EQ(result.data.classes, (Names{"maybe", "no", "yes"}));
  EXPECT_EQ(result.data.labels, (Values{1, 2, 1, 0}));
  EXPECT_EQ(result.read_off_data, (Names{"classes"}));
}

TEST_F(Csv, NumbersAsClassesAreSortedAsNumbers) {
  auto options = file("x,y\n1,10\n2,9\n3,-1\n4,10\n");
  options.target = "y";
  options.wish = TargetWish::classes;
  const auto result = read_dataset(options);
  EXPECT_EQ(result.data.classes, (Names{"-1", "9", "10"}));
  EXPECT_EQ(result.data.labels, (Values{2, 1, 0, 2}));
}

TEST_F(Csv, OneClassOnlyIsAnErrorWhenClassesAreReadOffTheData) {
  auto options = file("x,y\n1,a\n2,a\n");
  options.target = "y";
  EXPECT_NE(message_of<DataError>([&] { read_dataset(options); }).find("only one class"), std::string::npos);
}

TEST_F(Csv, ClassesOfAModelFixTheLabels) {
  auto options = file("x,y\n1,b\n2,b\n");
  options.target = "y";
  options.classes = {"a", "b"};
  const auto result = read_dataset(options);
  EXPECT_EQ(result.data.labels, (Values{1, 1}));
  EXPECT_TRUE(result.read_off_data.empty());
  options.classes = {"a", "c"};
  EXPECT_NE(message_of<DataError>([&] {
              read_dataset(options);
            }).find("t.csv:2:2: column \"y\": \"b\" is not a class"),
            std::string::npos);
}

TEST_F(Csv, ForPredictionTheTargetMayBeMissingOrLeftUnread) {
  auto options = file("x\n1\n");
  options.target = "y";
  options.target_optional = true;
  EXPECT_FALSE(read_dataset(options).has_target);

  options = file("x,y\n1,\n");
  options.target = "y";
  options.wish = TargetWish::none;
  const auto result = read_dataset(options);
  EXPECT_FALSE(result.has_target);
  EXPECT_TRUE(result.data.labels.empty());
  EXPECT_EQ(values(result), (Values{1}));
}

TEST_F(Csv, UsersAreNumberedInOrderOfAppearanceWhateverTheChunks) {
  auto options = file("id,x\nzoe,1\nadam,2\nzoe,3\n7,4\nadam,5\n");
  options.user = "id";
  for (const std::size_t chunk : {1u, 9u, 1000u}) {
    options.chunk_bytes = chunk;
    const auto result = read_dataset(options);
    EXPECT_EQ(result.data.users, (std::vector<std::uint32_t>{0, 1, 0, 2, 1}));
    EXPECT_EQ(result.data.user_count, 3u);
  }
}

TEST_F(Csv, GzipIsFoundByContentAndMembersAreJoined) {
  const std::string content = gzip("a,b\n1,2\n") + gzip("3,4\n") + gzip("");
  for (const std::string name : {"t.csv.gz", "t.csv"})
    EXPECT_EQ(values(read_dataset(file(content, name))), (Values{1, 2, 3, 4}));
  EXPECT_EQ(values(read_dataset(file(content + std::string(100, '\0'), "padded.csv.gz"))),
            (Values{1, 2, 3, 4}));
}

TEST_F(Csv, APipeIsRead) {
  const auto path = folder_.path() / "pipe.csv";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::jthread writer([&] { std::ofstream(path) << "a,b\n1,2\n"; });
  ReadOptions options;
  options.path = path;
  EXPECT_EQ(values(read_dataset(options)), (Values{1, 2}));
}

TEST_F(Csv, AHeaderLongerThanAnyBufferIsRead) {
  constexpr std::size_t count = 40'000;
  std::string names, numbers;
  for (std::size_t i = 0; i < count; ++i) {
    names += (i ? "," : "") + ("column_number_" + std::to_string(i));
    numbers += (i ? "," : "") + std::to_string(i);
  }
  const auto result = read(names + "\n" + numbers + "\n" + numbers + "\n");
  ASSERT_EQ(result.data.features.columns(), count);
  EXPECT_EQ(result.data.features.row(1).values[count - 1], count - 1);
}

TEST_F(Csv, ColumnsWithoutANameGoByTheirNumber) {
  EXPECT_EQ(read(",a\n1,2\n").data.names, (Names{"0", "a"}));
}

}  // namespace
}  // namespace tacit
