#pragma once

// A table with columns of every kind, written down and encoded.

#include <gtest/gtest.h>

#include <fstream>

#include "data/encoded/cells.hpp"
#include "data/encoded/format.hpp"
#include "data/temp_folder.hpp"
#include "tacit/core.hpp"
#include "tacit/data.hpp"

namespace tacit::testing_data {

inline const char* const every_kind = R"({
  "columns": {
    "age": {"type": "numeric", "min": 0, "max": 100},
    "pay": {"type": "numeric", "min": 0, "max": 1e5, "transform": "log1p", "missing": "indicator"},
    "steps": {"type": "numeric", "min": 0, "max": 4, "transform": "log1p", "integer": true, "missing": 2},
    "score": {"type": "numeric", "min": -1, "max": 1, "knots": [-1, -0.25, 0.5, 1]},
    "job": {"type": "categorical", "categories": ["Sales", "Tech"], "missing": "indicator"},
    "town": {"type": "hashed", "buckets": 37, "hash_key": "000102030405060708090a0b0c0d0e0f", "missing": "?"},
    "when": {"type": "date", "min": "2020-01-01", "max": "2024-12-31", "parts": ["month", "hour"],
             "missing": "indicator"},
    "note": {"type": "ignore"}},
  "pairs": [["age", "job"], ["when.hour", "score"]],
  "target": {"column": "y", "min": -5, "max": 5},
  "user": {"column": "who"}})";

class EncodedCells : public ::testing::Test {
 protected:
  // Records whose cells take every turn that their columns have.
  std::string table(std::size_t records) const {
    std::string text = "who,age,pay,steps,score,job,town,when,note,y\n";
    const auto one_of = [](std::size_t i, std::initializer_list<const char*> list) {
      return list.begin()[i * 7 % list.size()];
    };
    for (std::size_t i = 0; i < records; ++i)
      text += fmt::format(
          "u{},{},{},{},{},{},{},{},free text {},{}\n", i * i % 23, 0.37 * static_cast<double>(i) - 3,
          one_of(i, {"", "0", "1e9", "-4", "77.25", "inf"}), one_of(i, {"0", "1", "2", "3", "4", "", "9"}),
          one_of(i, {"-1", "-0.3", "0.1", "2", "0.5"}), one_of(i, {"Sales", "Tech", "", "Law", "other"}),
          one_of(i, {"Rome", "", "Ulm", "Wien"}),
          one_of(i, {"2021-05-31", "", "2024-02-29T08:15Z", "1999-01-01", "2022-07-01T23:00+02"}), i,
          one_of(i, {"1.5", "-9", "inf", "0"}));
    return text;
  }

  ReadOptions csv(std::size_t records = 300) const {
    return {.path = folder_.write("t.csv", table(records)),
            .schema = parse_schema(every_kind, "s"),
            .threads = 2,
            .chunk_bytes = 1000};
  }
  std::filesystem::path encoded(const ReadOptions& options) const {
    encode_file(options, folder_.path() / "t.tacit");
    return folder_.path() / "t.tacit";
  }
  std::string message(const ReadOptions& options) const {
    return message_of<DataError>([&] { read_dataset(options); });
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_.path()), {}));
  }

  TempFolder folder_;
};

}  // namespace tacit::testing_data
