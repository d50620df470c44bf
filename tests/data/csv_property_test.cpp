#include <gtest/gtest.h>

#include <fmt/core.h>

#include <random>

#include "tacit/data.hpp"
#include "temp_folder.hpp"

namespace tacit {
namespace {

using testing_data::gzip;
using testing_data::TempFolder;
using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t count) { return random() % count; }

// Text as hard to parse as RFC 4180 allows, never blank and without blanks at its ends.
std::string hard_text(Random& random) {
  static const std::vector<std::string> pieces{"a",  "b",    "\"", "\"\"", ",",  ";",
                                               "\n", "\r\n", " ",  "é",    "\t", "1"};
  std::string text = "<";
  for (std::size_t i = below(random, 6); i > 0; --i) text += pieces[below(random, pieces.size())];
  return text + ">";
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

// A table and the CSV text that a careless but correct writer might make of it.
struct Table {
  std::vector<std::string> names{"x", "label", "user", "z"};
  std::vector<double> x, z;
  std::vector<std::string> label, user;

  Table(Random& random, std::size_t rows) {
    std::vector<std::string> labels{"yes", "no"}, users;
    for (int i = 0; i < 5; ++i) labels.push_back(hard_text(random)), users.push_back(hard_text(random));
    for (auto& name : names) name += hard_text(random);
    for (std::size_t i = 0; i < rows; ++i) {
      x.push_back(std::normal_distribution<double>(0, 1e3)(random));
      z.push_back(static_cast<double>(below(random, 10)));
      label.push_back(labels[i < 2 ? i : below(random, labels.size())]);
      user.push_back(users[below(random, users.size())]);
    }
  }

  std::string csv(Random& random, char separator) const {
    const auto padding = [&] { return std::string(below(random, 4) == 0 ? below(random, 3) : 0, ' '); };
    const auto line_end = [&] {
      std::string end = below(random, 2) ? "\r\n" : "\n";
      while (below(random, 8) == 0) end += "  \n";
      return end;
    };
    const auto number = [&](double value) {
      const std::string text = fmt::format("{}", value);
      return padding() + (below(random, 3) == 0 ? quoted(text) : text) + padding();
    };
    std::string text;
    for (const auto& name : names)
      text += (text.empty() ? std::string() : std::string(1, separator)) + quoted(name);
    text += line_end();
    for (std::size_t i = 0; i < x.size(); ++i) {
      text += number(x[i]) + separator + padding() + quoted(label[i]) + padding() + separator +
              quoted(user[i]) + separator + number(z[i]);
      if (i + 1 < x.size() || below(random, 2)) text += line_end();
    }
    return text;
  }
};

void expect_equal(const Table& table, const ReadResult& result) {
  const Dataset& data = result.data;
  ASSERT_EQ(data.size(), table.x.size());
  EXPECT_EQ(data.names, (std::vector<std::string>{table.names[0], table.names[3]}));
  for (std::size_t i = 0; i < data.size(); ++i) {
    EXPECT_EQ(data.features.row(i).values[0], table.x[i]);
    EXPECT_EQ(data.features.row(i).values[1], table.z[i]);
    EXPECT_EQ(data.classes.at(static_cast<std::size_t>(data.labels[i])), table.label[i]);
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_EQ(data.users[i] == data.users[j], table.user[i] == table.user[j]);
  }
}

// 300 random tables, each cut into chunks of every small size, so that chunk ends fall on every byte of
// quoted cells.
TEST(CsvProperty, WhatAWriterQuotesIsReadBackWhateverTheChunksAndThreads) {
  const TempFolder folder;
  Random random(20240501);
  for (int trial = 0; trial < 300 && !::testing::Test::HasFailure(); ++trial) {
    const Table table(random, 2 + below(random, 12));
    const char separator = ",;\t|"[below(random, 4)];
    const std::string text = table.csv(random, separator);
    SCOPED_TRACE(fmt::format("trial {}:\n{}", trial, text));
    ReadOptions options;
    options.path = folder.write("t.csv", trial % 3 == 0 ? gzip(text) : text);
    options.separator = separator;
    options.target = table.names[1];
    options.user = table.names[2];
    for (const std::size_t chunk :
         {std::size_t{1}, 1 + below(random, 20), 1 + below(random, 100), std::size_t{1} << 20}) {
      options.chunk_bytes = chunk;
      options.threads = static_cast<unsigned>(1 + below(random, 4));
      expect_equal(table, read_dataset(options));
    }
  }
}

TEST(CsvProperty, TheSeparatorOfANumericTableIsFound) {
  const TempFolder folder;
  Random random(7);
  for (int trial = 0; trial < 200; ++trial) {
    const char separator = ",;\t| "[below(random, 5)];
    const std::size_t columns = 2 + below(random, 5), rows = 1 + below(random, 30);
    std::string text;
    std::vector<double> expected;
    for (std::size_t k = 0; k < rows * columns; ++k) {
      expected.push_back(std::normal_distribution<double>()(random));
      text += fmt::format("{}{}", expected.back(), (k + 1) % columns == 0 ? '\n' : separator);
    }
    ReadOptions options;
    options.path = folder.write("t.csv", text);
    EXPECT_EQ(read_dataset(options).data.features.dense_rows().values, expected) << text;
  }
}

// Random damage to valid files of each format: a result or an Error, never a crash, an endless loop or
// another exception. (The sanitizers in `make check` make more of it.)
TEST(CsvProperty, GarbageNeverCrashesAReader) {
  const TempFolder folder;
  Random random(99);
  const Schema schema = parse_schema(
      R"({"columns": {"x": {"type": "numeric", "min": 0, "max": 9}, "c": {"type": "categorical", "categories": ["a"]}},
          "target": {"column": "y", "classes": ["0", "1"]}, "others": "ignore"})",
      "schema");
  const std::string csv = "x,c,y,u\n1,a,0,p\n\"2\",\"b \"\"q\"\"\",1,\"r\ns\"\n3,,1,t\n";
  const std::string idx(
      "\0\0\x08\x02\0\0\0\x02\0\0\0\x03"
      "abcdef",
      18);
  const std::vector<std::pair<Format, std::string>> seeds{{Format::csv, csv},
                                                          {Format::csv, gzip(csv)},
                                                          {Format::libsvm, "+1 1:2 3:4.5 # c\n-1 2:1e3\n"},
                                                          {Format::idx, idx}};
  const std::string interesting(
      "\"\n\r,;:# \t\0\xff\x1f\x8b"
      "-+.eE019ani",
      25);
  std::size_t read = 0, refused = 0;
  for (int trial = 0; trial < 20'000; ++trial) {
    auto [format, content] = seeds[below(random, seeds.size())];
    for (std::size_t edits = 1 + below(random, 6); edits > 0; --edits) {
      const std::size_t at = below(random, content.size() + 1);
      const char byte =
          below(random, 3) ? interesting[below(random, interesting.size())] : static_cast<char>(random());
      switch (below(random, 4)) {
        case 0:
          content.insert(at, 1, byte);
          break;
        case 1:
          content.erase(at, 1 + below(random, 4));
          break;
        case 2:
          content = content.substr(0, at);
          break;
        default:
          if (at < content.size()) content[at] = byte;
      }
    }
    ReadOptions options;
    options.path = folder.write("t", content);
    options.format = format;
    options.threads = 1;
    options.chunk_bytes = 1 + below(random, 30);
    if (format == Format::csv && below(random, 2)) options.schema = schema;
    if (format == Format::csv && !options.schema && below(random, 2))
      options.target = "y", options.user = "u";
    try {
      const auto result = read_dataset(options);
      EXPECT_GT(result.data.size(), 0u);
      ++read;
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
      ++refused;
    }
  }
  // The damage is neither so light nor so heavy that one of the two outcomes is untried.
  EXPECT_GT(read, 500u);
  EXPECT_GT(refused, 500u);
}

}  // namespace
}  // namespace tacit
