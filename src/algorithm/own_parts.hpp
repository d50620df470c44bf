#pragma once

// Which records of a shard are in which part, when all records are divided at random.

#include <cstddef>
#include <span>
#include <vector>

#include "noise/keyed_bits.hpp"
#include "solver/shard_pass.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

// Disjoint parts of all records, of these sizes; the others are in none. Given the key, the part of a record
// is a function of its number alone: no record is looked at. Over random keys every division is equally
// likely, so that where a record is missing, and those after it have other numbers, the others' parts have
// the same law.
struct PartTerms {
  noise::BitsKey key{};
  std::vector<std::size_t> sizes;
  // Of which the records have the first, and null ones the others: a part then has as many places as its
  // size says, and at most as many records. 0: as many as there are records.
  std::size_t places = 0;
};
PartTerms draw_parts(std::vector<std::size_t> sizes, BitSource& bits, std::size_t places = 0);
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
