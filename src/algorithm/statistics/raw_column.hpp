#pragma once

// What is asked about a column of which nothing is known but its name, and what is made of the answers
// [docs/private_schema.md].

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithm/statistics/columns.hpp"
#include "data/raw_table.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::statistics {

// Whose records they are and how much each counts; without records all of it is empty.
struct RawUnits {
  std::span<const std::int64_t> weights;
  std::span<const std::uint32_t> users;  // empty: each record is a unit
};

enum class ColumnKind { unknown, blank, number, date, comma, text };

struct RawFindings {
  ColumnKind kind = ColumnKind::unknown;  // that most cells have; unknown where noise hides it
  bool gaps = false;                      // more empty cells than noise would show
  bool unique = false;                    // most values occur once
  bool hidden = false;                    // numbers, as is known, but noise hides which: [0, 1]

  // numbers and dates
  double low = 0, high = 0;
  double usual = 0;  // within
  bool whole = false, log1p = false;
  bool coarse = false;         // the noise hides where in the range of the public grid they are
  bool unshown = false;        // no part of that range shows above the noise, and all of it is kept
  bool many = false;           // whole numbers, most of them different: surely, as noise goes
  std::vector<double> values;  // whole numbers that each are a cell: those that occur
  double covered = 0;          // the share of all units that they have,
  double covered_noise = 0;    // and the deviation of its noise

  // text
  double crowded = 0;        // about how many different ones, where they are more than buckets; else 0
  noise::TextCounts texts;   // with a delta: those that are frequent
  std::size_t occupied = 0;  // without: buckets of `text_buckets` that are not empty
};

inline constexpr std::size_t text_buckets = 64;

struct RawAsking {
  double failure = 0;   // of the texts; 0: no texts are told
  double share = 1;     // of the column, against the others'
  bool target = false;  // the numbers beside the few that show are looked at, too: labels are cut to a range
  bool number = false;  // that cells are numbers is known: where noise hides which, they are cut to [0, 1]
};

// Three questions, whose costs do not depend on any answer: how many cells are of each class of the public
// grid; how many different values there are; and then, by what the first found, how many cells are in each
// part of the range, or which texts are frequent.
TACIT_API RawFindings ask_raw_column(const RawColumn* column, const RawUnits& units, const RawAsking& asking,
                                     const Terms& terms, Answers& answers);

// Whether a text may be told at all: a rule for the text alone.
TACIT_API bool may_be_told(std::string_view text);

}  // namespace tacit::inline v1::statistics
