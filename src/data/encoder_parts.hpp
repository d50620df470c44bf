#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "data/dictionary.hpp"
#include "data/encoder.hpp"
#include "data/iso_date.hpp"

namespace tacit::inline v1 {

// One block of features that a column makes, and where its entries go.
struct BlockPlace {
  std::size_t first = 0;    // number of its first feature
  std::size_t size = 1;     // features
  std::size_t slot = 0;     // number of its first entry in a row
  std::size_t entries = 1;  // in every row
};

// A number's block. `place.size` counts the indicator of missing cells, which comes last.
struct NumberBlock {
  NumericColumn column;
  BlockPlace place;

  void put(double value, EncodedRow row) const;
  void put_missing(EncodedRow row) const;  // the indicator
  double bound() const;
  bool hats() const;           // else one straight line
  std::size_t curves() const;  // features without the indicator
};

// A block of which one feature is 1 and all others are 0. Where `other` is the one, it is `other_entry`, and
// all features before it are `shared`; a block in which that is not 0 is stored whole.
struct OneHotBlock {
  BlockPlace place;
  std::optional<std::size_t> other{};
  double other_entry = 1, shared = 0;  // their sum over the block is at most 1, so that the bound stays

  void put(std::size_t which, EncodedRow row) const;
};

// What each category of a column has where a value is not listed: with few categories an equal share of what
// `other` leaves of 1, so that such a value lies in their middle; the middle alone is mostly noise.
double shared_by_categories(const CategoricalColumn& column);

struct CategoryCell {
  Dictionary categories;  // the feature after the last one is "other"
  OneHotBlock block;
  std::optional<std::size_t> missing;  // what an empty cell stands for
  // By the number that a category is, the first of equals: for cells that are numbers, whose text may be
  // another ("2" for 2.0).
  std::map<double, std::size_t> numbers{};
};

struct HashedCell {
  HashedColumn column;
  OneHotBlock block;

  std::size_t bucket_of(std::string_view text) const;
};

struct DateCell {
  NumberBlock number;
  std::optional<OneHotBlock> month, weekday, hour;

  void put(const IsoDate& date, EncodedRow row) const;
  void put_missing(EncodedRow row) const;
};

struct PairBlock {
  BlockPlace first, second, place;
};

using CellPlan = std::variant<IgnoredColumn, NumberBlock, CategoryCell, HashedCell, DateCell>;

struct Encoder::Parts {
  std::vector<CellPlan> cells;  // one for each column of the schema
  std::vector<PairBlock> pairs;
  std::vector<FeatureBlock> blocks;
  std::vector<std::string> names;
  std::size_t features = 0, entries = 0;
  bool unreadable_missing = false;  // what is no number, or no date, is taken for an empty cell
};

}  // namespace tacit::inline v1
