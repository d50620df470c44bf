#pragma once

// Disjoint parts of the records, assigned without a look at them, wherever they are: what parallel
// composition needs under replace_one and zero_out.

#include <cstddef>
#include <memory>
#include <vector>

#include "algorithm/own_parts.hpp"
#include "tacit/core.hpp"
#include "tacit/data.hpp"
#include "tacit/meter.hpp"

namespace tacit::inline v1 {

class RemoteParts;

class TACIT_API SecretParts {
 public:
  // `data` must outlive it; the sizes sum to at most the number of places, 0: as many as there are records.
  // A place without a record is null: it is in a part as a record would be, and no row of it.
  SecretParts(const Dataset& data, std::vector<std::size_t> sizes, BitSource& bits, std::size_t places = 0);
  ~SecretParts();
  SecretParts(SecretParts&&) noexcept;

  // Its records and labels, no more than it has places; of records in shards, those that each has of it, and
  // the number of places as their number.
  Dataset part(std::size_t number) const;

 private:
  const Dataset* data_;
  std::vector<std::size_t> sizes_;
  std::vector<std::size_t> order_;  // of the places, where the records are here
  std::shared_ptr<RemoteParts> shards_;
};

// How a shard answers for parts of its records.
PassKind parts_pass();

}  // namespace tacit::inline v1
