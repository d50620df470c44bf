#pragma once

// Each record by itself. A pair of inputs that differ in one record must give results that differ in that
// record's row alone: the other rows, labels and users, the number of records, names, classes and everything
// else that is read are the same. What becomes of the record is what becomes of it alone in a file, and so is
// the error, if it gives one.

#include <gtest/gtest.h>

#include <fmt/core.h>

#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "data/temp_folder.hpp"
#include "tacit/data.hpp"

namespace tacit::neutrality {

using Random = std::mt19937_64;
using testing_data::TempFolder;

inline std::size_t below(Random& random, std::size_t count) { return random() % count; }
inline bool one_in(Random& random, std::size_t count) { return below(random, count) == 0; }
template <class T>
const T& one_of(Random& random, const std::vector<T>& list) {
  return list[below(random, list.size())];
}

// A dataset as files; those beside the data only where the options name them.
struct Files {
  std::string data{}, labels{}, users{};
};

struct Pair {
  ReadOptions options{};  // its paths are names within a folder
  Files ordinary{};       // is read without an error
  Files hostile{};        // the same but for one record
  Files alone{};          // that record as the only one, in the same place
  std::size_t record = 0;
  std::string place{};        // where an error must say that the record is
  std::string alone_place{};  // and where in the file that has it alone
  std::optional<bool>
      legal{};            // whether the documentation says that the record is read, where it is known to
  bool swallows = false;  // it opens a quote and does not close it: an error, on its line or later
  bool encoded = false;   // by way of a file of encoded cells
};

struct Outcome {
  std::optional<ReadResult> result{};
  std::string error{};
};

inline Outcome read(const TempFolder& folder, ReadOptions options, const Files& files, Random& random,
                    bool encoded) {
  const auto write = [&](std::filesystem::path& path, const std::string& content) {
    if (!path.empty()) path = folder.write(path.string(), content);
  };
  if (options.format == Format::postgresql)
    options.query = files.data;  // one database has all tables
  else
    write(options.path, files.data);
  write(options.labels_path, files.labels);
  write(options.users_path, files.users);
  options.threads = static_cast<unsigned>(one_in(random, 4) ? 2 + below(random, 3) : 1);
  options.chunk_bytes = one_in(random, 2) ? std::size_t{1} << 20 : 1 + below(random, 200);
  Outcome outcome;
  try {
    if (encoded) {
      const std::filesystem::path made = folder.path() / "cells.tacit";
      encode_file(options, made);
      options = ReadOptions{.path = made, .schema = options.schema, .threads = options.threads};
    }
    outcome.result = read_dataset(options);
  } catch (const DataError& error) {
    outcome.error = error.what();
  }
  return outcome;
}

inline std::vector<double> row(const ReadResult& result, std::size_t i) {
  RowRoom room;
  const RowView view = result.data.features.row(i, room);
  std::vector<double> values(result.data.features.columns(), 0.0);
  for (std::size_t k = 0; k < view.size; ++k) values[view.columns ? view.columns[k] : k] = view.values[k];
  return values;
}

// Users by the first of the other records that they have.
inline std::vector<std::size_t> users_of_others(const Dataset& data, std::size_t but) {
  std::map<std::uint32_t, std::size_t> first;
  std::vector<std::size_t> users;
  for (std::size_t i = 0; i < data.users.size(); ++i)
    users.push_back(i == but ? 0 : first.try_emplace(data.users[i], i).first->second);
  return users;
}

// The first difference outside the record's own row; empty when there is none.
inline std::string difference(const ReadResult& a, const ReadResult& b, std::size_t but) {
  if (a.data.size() != b.data.size()) return "number of records";
  if (a.data.features.columns() != b.data.features.columns()) return "number of features";
  if (a.data.features.sparse() != b.data.features.sparse()) return "sparse or dense";
  if (a.data.names != b.data.names) return "names";
  if (a.data.classes != b.data.classes) return "classes";
  if (a.data.target_kind != b.data.target_kind || a.has_target != b.has_target) return "kind of target";
  if (a.row_norm_bound != b.row_norm_bound) return "bound of rows";
  if (a.read_off_data != b.read_off_data || a.drafted_schema != b.drafted_schema) return "what was read off";
  if (a.data.labels.size() != b.data.labels.size()) return "number of labels";
  if (users_of_others(a.data, but) != users_of_others(b.data, but)) return "users of other records";
  for (std::size_t i = 0; i < a.data.size(); ++i) {
    if (i == but) continue;
    if (row(a, i) != row(b, i)) return fmt::format("row {}", i);
    if (!a.data.labels.empty() && a.data.labels[i] != b.data.labels[i]) return fmt::format("label {}", i);
  }
  return "";
}

// What is wrong with how the pair is read; empty when nothing is.
inline std::string broken(const TempFolder& folder, const Pair& pair, Random& random) {
  const Outcome ordinary = read(folder, pair.options, pair.ordinary, random, pair.encoded);
  if (!ordinary.result) return "the ordinary file is refused: " + ordinary.error;
  const Outcome hostile = read(folder, pair.options, pair.hostile, random, pair.encoded);
  if (pair.swallows) return hostile.result ? "a quote that is never closed is taken" : "";
  Outcome alone = read(folder, pair.options, pair.alone, random, pair.encoded);
  if (const auto at = alone.error.find(pair.alone_place); at != std::string::npos)
    alone.error.replace(at, pair.alone_place.size(), pair.place);
  if (hostile.error != alone.error)
    return fmt::format("among others: \"{}\", alone: \"{}\"", hostile.error, alone.error);
  if (pair.legal && *pair.legal != hostile.result.has_value())
    return *pair.legal ? "a record that must be read is refused: " + hostile.error
                       : "a record that must be refused is read";
  if (!hostile.result)
    return hostile.error.find(pair.place) == std::string::npos ? "the error is elsewhere: " + hostile.error
                                                               : "";
  if (const std::string what = difference(*ordinary.result, *hostile.result, pair.record); !what.empty())
    return "one record changes: " + what;
  if (row(*hostile.result, pair.record) != row(*alone.result, 0)) return "the row is another alone";
  if (hostile.result->has_target && hostile.result->data.labels[pair.record] != alone.result->data.labels[0])
    return "the label is another alone";
  return "";
}

// Runs many pairs of one way in. Both outcomes must occur often: a net that only sees errors, or none, is
// none.
template <class Make>
void expect_neutral(std::size_t pairs, std::uint64_t seed, Make make) {
  const TempFolder folder;
  Random random(seed);
  std::size_t refused = 0;
  for (std::size_t trial = 0; trial < pairs; ++trial) {
    const Pair pair = make(random);
    const std::string found = broken(folder, pair, random);
    if (pair.swallows || !read(folder, pair.options, pair.hostile, random, pair.encoded).result) ++refused;
    ASSERT_EQ(found, "") << "trial " << trial << ", record " << pair.record << "\n== ordinary\n"
                         << pair.ordinary.data.substr(0, 2000) << "\n== hostile\n"
                         << pair.hostile.data.substr(0, 2000);
  }
  EXPECT_GT(refused, pairs / 20);
  EXPECT_LT(refused, pairs - pairs / 20);
}

}  // namespace tacit::neutrality
