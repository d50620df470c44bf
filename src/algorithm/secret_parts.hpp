#pragma once

// Disjoint parts of the records, assigned without a look at them, wherever they are: what parallel
// composition needs under replace_one.

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
  // `data` must outlive it; the sizes sum to at most its number of records.
  SecretParts(const Dataset& data, std::vector<std::size_t> sizes, BitSource& bits);
  ~SecretParts();
  SecretParts(SecretParts&&) noexcept;

  // Its records and labels; of records in shards, those that each has of it.
  Dataset part(std::size_t number) const;

 private:
  const Dataset* data_;
  std::vector<std::size_t> sizes_;
  std::vector<std::size_t> order_;  // of records that are here
  std::shared_ptr<RemoteParts> shards_;
};

// How a shard answers for parts of its records.
PassKind parts_pass();

}  // namespace tacit::inline v1
