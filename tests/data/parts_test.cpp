#include <gtest/gtest.h>

#include <map>

#include "data/joined.hpp"
#include "data/readers.hpp"
#include "tacit/data.hpp"
#include "temp_folder.hpp"

// A file's records in parts: every record in one of them, once, whatever its cells hold.

namespace tacit {
namespace {

using testing_data::TempFolder;

const char* const schema_text = R"({"columns": {"x": {"type": "numeric", "min": 0, "max": 1000},
  "note": {"type": "ignore"}}, "target": {"column": "y", "min": 0, "max": 1000}, "user": {"column": "who"}})";

std::string table(int records) {
  std::string text = "x,note,who,y\n";
  for (int i = 0; i < records; ++i)
    text += std::to_string(i) + (i % 5 == 0 ? ",\"two\nlines, \"\"quoted\"\"\"" : ",plain") + ",u" +
            std::to_string(i % 7) + ',' + std::to_string(i) + '\n';
  return text;
}

ReadOptions reading(const std::filesystem::path& path) {
  ReadOptions options{.path = path};
  options.schema = parse_schema(schema_text, "schema");
  options.keep_user_names = true;
  options.threads = 1;
  return options;
}

TEST(RecordPart, PartsOfACsvFileHoldEveryRecordOnce) {
  const TempFolder folder;
  for (const int records : {1, 3, 200}) {
    const auto file = folder.write("t.csv", table(records));
    for (const std::size_t of : {1u, 2u, 3u, 8u}) {
      std::map<double, int> seen;
      std::size_t largest = 0;
      for (std::size_t number = 0; number < of; ++number) {
        ReadOptions options = reading(file);
        options.part = {number, of};
        const ReadResult part = read_dataset(options);
        EXPECT_EQ(part.data.size(), part.data.labels.size());
        EXPECT_EQ(part.data.size(), part.data.users.size());
        EXPECT_EQ(count_records(options), part.data.size());
        largest = std::max(largest, part.data.size());
        for (std::size_t i = 0; i < part.data.size(); ++i) {
          const double y = part.data.labels[i];
          ++seen[y];
          // Its own row and its own user.
          EXPECT_EQ(part.user_names[part.data.users[i]], "u" + std::to_string(static_cast<int>(y) % 7));
          RowRoom room;
          EXPECT_DOUBLE_EQ(part.data.features.row(i, room).values[0] * 1000, y);
        }
      }
      EXPECT_EQ(seen.size(), static_cast<std::size_t>(records));
      for (const auto& [y, times] : seen) EXPECT_EQ(times, 1) << y;
      if (records == 200) {
        EXPECT_LE(largest, 200 / of + 200 / (4 * of) + 1);
      }
    }
  }
}

TEST(RecordPart, PartsOfAnEncodedFileHoldEveryRecordOnce) {
  const TempFolder folder;
  ReadOptions options{.path = folder.write("t.csv", table(100))};
  Schema schema = parse_schema(schema_text, "schema");
  schema.user.clear();
  schema.ignore_others = true;
  options.schema = schema;
  encode_file(options, folder.path() / "t.tacit");
  std::vector<double> labels;
  for (std::size_t number = 0; number < 3; ++number) {
    ReadOptions part{.path = folder.path() / "t.tacit"};
    part.part = {number, 3};
    const ReadResult read = read_dataset(part);
    EXPECT_EQ(read.data.size(), count_records(part));
    RowRoom room;
    for (std::size_t i = 0; i < read.data.size(); ++i) {
      labels.push_back(read.data.labels[i]);
      EXPECT_DOUBLE_EQ(read.data.features.row(i, room).values[0] * 1000, read.data.labels[i]);
    }
  }
  ASSERT_EQ(labels.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(labels[static_cast<std::size_t>(i)], i);
}

TEST(RecordPart, OtherFormatsAreNotCut) {
  const TempFolder folder;
  ReadOptions options{.path = folder.write("t.svm", "1 1:2\n")};
  options.part = {0, 2};
  EXPECT_THROW(read_dataset(options), UsageError);
}

TEST(Joined, IsWhatOneFileWouldHaveBeen) {
  const TempFolder folder;
  const std::string all = table(30), header = all.substr(0, all.find('\n') + 1);
  const std::size_t cut = all.find("\n15,") + 1;
  const auto whole = read_dataset(reading(folder.write("all.csv", all)));
  std::vector<ReadResult> parts;
  parts.push_back(read_dataset(reading(folder.write("a.csv", all.substr(0, cut)))));
  parts.push_back(read_dataset(reading(folder.write("b.csv", header + all.substr(cut)))));
  const ReadResult both = joined(std::move(parts));
  EXPECT_EQ(both.data.labels, whole.data.labels);
  EXPECT_EQ(both.data.users, whole.data.users);
  EXPECT_EQ(both.data.user_count, whole.data.user_count);
  EXPECT_EQ(both.user_names, whole.user_names);
  RowRoom a, b;
  for (std::size_t i = 0; i < 30; ++i)
    EXPECT_EQ(both.data.features.row(i, a).values[0], whole.data.features.row(i, b).values[0]);
}

}  // namespace
}  // namespace tacit
