#include "sampler/record_sums.hpp"

#include "core/ordered_parts.hpp"
#include "sampler/records_here.hpp"
#include "sampler/sharded_records.hpp"

namespace tacit::inline v1::sampler {

RiseSums& RiseSums::operator+=(const RiseSums& more) {
  sum += more.sum;
  size += more.size;
  error += more.error;
  return *this;
}

std::size_t RecordSums::rise_depth() const {
  return rise_block + records() / rise_block + OrderedParts::most + 8 + joining_depth(shards_);
}

std::size_t RecordSums::moment_depth() const {
  return rows_.block() + rows_.rows() / rows_.block() + 16 + joining_depth(shards_);
}

std::unique_ptr<RecordSums> record_sums(const Target& target, unsigned threads) {
  if (target.problem->data->shards) return std::make_unique<ShardedRecords>(target);
  return std::make_unique<RecordsHere>(*target.problem, target.limits, target.inverse_temperature, threads);
}

}  // namespace tacit::inline v1::sampler
