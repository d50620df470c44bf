#pragma once

#include <memory>

#include "solver/clipped_sums.hpp"
#include "solver/shard_pass.hpp"

// Sums over random batches of records, or of users, that are drawn where the records are: who was drawn, and
// how many, never leaves a shard.

namespace tacit::inline v1 {

// On a shard: `units` records or users, whose coins are thrown with the shard's own bits. `kept` lives as
// long as the pass.
class BatchPass final : public ShardPass {
 public:
  BatchPass(BatchSums sums, std::size_t units, BitSource& bits, std::shared_ptr<const void> kept = nullptr)
      : kept_(std::move(kept)), sums_(std::move(sums)), units_(units), bits_(&bits) {}

  void answer(MessageReader& question, MessageWriter& answer) override;

 private:
  std::shared_ptr<const void> kept_;
  BatchSums sums_;
  std::size_t units_;
  BitSource* bits_;
  std::vector<std::uint32_t> batch_;
  Vector sum_;
};

// For those who ask: each unit joins with probability `rate`; 1 is all of them.
class RemoteBatches {
 public:
  RemoteBatches(const Problem& problem, std::string_view kind, const MessageWriter& settings)
      : parameters_(shape_of(problem).parameters()), pass_(problem.data->shards, kind, settings) {}

  void sum(double rate, const Vector& w, Vector& sum) const {
    pass_.sum(MessageWriter().put(rate).put(w), parameters_, sum);
  }

 private:
  std::size_t parameters_;
  RemotePass pass_;
};

MessageWriter& put(MessageWriter& message, const Clip& clip);
Clip get_clip(MessageReader& message);

// clipped_sums() of records in shards, and how a shard answers for its own.
std::shared_ptr<const RemoteBatches> remote_clipped_sums(const Problem& problem, const Clip& clip);
PassKind clipped_sums_pass();

}  // namespace tacit::inline v1
