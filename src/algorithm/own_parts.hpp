#pragma once

// Which records of a shard are in which part, when all records are divided at random.

#include <cstddef>
#include <span>
#include <vector>

#include "data/siphash.hpp"
#include "solver/shard_pass.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

// Disjoint parts of all records, of these sizes; the others are in none. Given the key, the part of a record
// is a function of its number alone: no record is looked at. Over random keys every division is equally
// likely.
struct PartTerms {
  HashKey key{};
  std::vector<std::size_t> sizes;
};
PartTerms draw_parts(std::vector<std::size_t> sizes, BitSource& bits);
void put(MessageWriter& message, const PartTerms& terms);
PartTerms get_part_terms(MessageReader& message);

// On a shard. It goes through the numbers of all records, and keeps what concerns its own.
class TACIT_API OwnParts {
 public:
  OwnParts(const ShardRecords& records, const PartTerms& terms);

  // The shard's records of a part, ascending.
  std::span<const std::uint32_t> rows(std::size_t part) const;
  // How many of the part's records come before the shard's.
  std::size_t first(std::size_t part) const { return first_[part]; }

 private:
  std::vector<std::uint32_t> rows_;  // by part
  std::vector<std::size_t> start_, first_;
};

}  // namespace tacit::inline v1
