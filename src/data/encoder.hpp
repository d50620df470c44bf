#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/core.hpp"
#include "tacit/data.hpp"

namespace tacit::inline v1 {

// Room for one record's entries: as many column numbers and values as Encoder::entries() says.
struct EncodedRow {
  std::uint32_t* columns = nullptr;
  double* values = nullptr;
};

// Turns a record's cells into features by the schema alone: a public map, which costs no privacy
// [docs/features.md]. Every column that is not ignored makes a block of features, and every part of a date
// and every pair one more; what a record has in a block, as stored, keeps the block's bound exactly:
//
//   number, knots unset  1 feature: u in [0, 1]                                    bound 1
//   number, 1 knot       1 feature: u − ½                                          bound ½
//   number, K knots      K hats, of which two neighbours may be above 0; sum 1     bound 1
//   categories           one for each, one of them 1; of `other` a part of it, of the others an equal share
//                        of the rest where they are few                            bound 1
//   hashed               one for each bucket, one of them 1                        bound 1
//   pair                 the products of two blocks' features                      product of the bounds
//
// An indicator of missing cells is one more feature of the block, 1 (½ beside u − ½) where all others are 0.
class TACIT_API Encoder {
 public:
  explicit Encoder(const Schema& schema);  // DataError when the schema is not valid, or makes 2^32 features
  Encoder(Encoder&&) noexcept;
  Encoder& operator=(Encoder&&) noexcept;
  ~Encoder();

  std::size_t features() const;
  std::size_t entries() const;  // stored for every row: two a hat block, mostly one a one-hot
  const std::vector<FeatureBlock>& blocks() const;  // in the order of the features, without the intercept
  const std::vector<std::string>& names() const;    // of the features: "age@17", "job=Sales", "job=other"

  // Whether the cells of this column of the schema are numbers.
  bool takes_numbers(std::size_t column) const;
  // Whether a cell that is no number, or no date, is taken for an empty one.
  bool unreadable_is_missing() const;

  // Encodes the cell that a record has in a column of the schema. An empty text and, in a column of numbers,
  // NaN are missing values; infinities are cut to the bounds. Returns what is wrong with the cell, if
  // anything. Ignored columns take anything.
  std::optional<std::string> encode(std::size_t column, double value, EncodedRow row) const;
  std::optional<std::string> encode(std::size_t column, std::string_view text, EncodedRow row) const;

  // To be called when all cells of the record are encoded.
  void encode_pairs(EncodedRow row) const;

  struct Parts;
  const Parts& parts() const { return *parts_; }

 private:
  std::unique_ptr<const Parts> parts_;
};

// Whether rows with so many of so many entries are kept sparse [heuristic: speed only].
inline bool kept_sparse(std::size_t entries, std::size_t features) {
  constexpr double sparse_below = 0.3;
  return static_cast<double>(entries) < sparse_below * static_cast<double>(features);
}

// A bound on the 2-norm of every row that an encoder makes with these blocks, rounded up.
TACIT_API double row_norm_bound(const std::vector<FeatureBlock>& blocks);

}  // namespace tacit::inline v1
