#pragma once

#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string_view>

#include "core/shards.hpp"
#include "tacit/meter.hpp"
#include "tacit/problem.hpp"

// A pass over records that are in several parts. What asks for sums has one RemotePass; on each shard a
// ShardPass of the same kind answers it. Nothing else of a method knows of shards.

namespace tacit::inline v1 {

// What begins a question, after the numbers to forget.
enum class ShardQuestion : std::uint8_t { count, read, place, users, open_pass, ask_pass, end };

inline constexpr std::int64_t most_shards = 65536;  // far beyond any use

// Sums of `shards` parts are added pairwise: so many additions each of them goes through, at most.
constexpr std::size_t joining_depth(std::size_t shards) {
  return shards <= 1 ? 0 : 2 * static_cast<std::size_t>(std::bit_width(shards));
}

// What a shard has to answer with. Its bits are its own: they choose among its records.
struct ShardRecords {
  const Problem* problem = nullptr;
  BitSource* bits = nullptr;
  unsigned threads = 0;
  // Its records are those of the numbers first, first + 1, … among all.
  std::size_t first = 0, all = 0;
};

class ShardPass {
 public:
  ShardPass() = default;
  ShardPass(const ShardPass&) = delete;
  ShardPass& operator=(const ShardPass&) = delete;
  virtual ~ShardPass() = default;
  virtual void answer(MessageReader& question, MessageWriter& answer) = 0;
};

struct PassKind {
  std::string_view name;
  std::unique_ptr<ShardPass> (*make)(const ShardRecords& records, MessageReader& settings);
};

// The passes that are open on one shard.
class TACIT_API PassHost {
 public:
  PassHost(const ShardRecords& records, std::span<const PassKind> kinds) : records_(records), kinds_(kinds) {}

  void forget(std::uint64_t number) { open_.erase(number); }
  // A question that begins with what to forget, and opens or asks a pass.
  void hear(MessageReader& question, MessageWriter& answer);
  void open(MessageReader& question);
  // A shard without records adds nothing, and says so by an empty answer.
  void ask(MessageReader& question, MessageWriter& answer);

 private:
  ShardRecords records_;
  std::span<const PassKind> kinds_;
  std::map<std::uint64_t, std::unique_ptr<ShardPass>> open_;
};

// One pass on all shards of the data, for as long as this lives.
class TACIT_API RemotePass {
 public:
  RemotePass(std::shared_ptr<Shards> shards, std::string_view kind, const MessageWriter& settings);
  RemotePass(const RemotePass&) = delete;
  RemotePass& operator=(const RemotePass&) = delete;
  ~RemotePass() { shards_->forget(number_); }

  // The sum of the shards' answers, vectors of this size, pairwise in the order of the shards' numbers.
  void sum(const MessageWriter& question, std::size_t size, Vector& total) const;
  // A question that needs no answer.
  void tell(const MessageWriter& question) const;
  // take(k, answer) for each shard, ascending; a shard without records has an empty answer.
  void each(const MessageWriter& question, const Shards::Take& take) const;

 private:
  MessageWriter addressed(const MessageWriter& question) const;

  std::shared_ptr<Shards> shards_;
  std::uint64_t number_;
};

}  // namespace tacit::inline v1
