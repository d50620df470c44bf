#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "service/fit/schema_cost.hpp"
#include "service/shards/terms.hpp"
#include "solver/shard_pass.hpp"

namespace tacit::inline v1::service {

// Where a shard's records come from. All may be called more than once.
struct ShardSource {
  std::function<std::size_t()> count;
  std::function<ReadResult(const ReadTerms& terms)> read;
  std::function<Origin()> origin = {};  // of its files; none: they lie in memory
};

// The files of one shard among `use.count`, or its stretch of the one file.
ShardSource source_of(const ReadOptions& reading, const ShardUse& use, std::size_t number);
// Of the names of all files, in their order; 0: the one file is cut.
std::uint64_t fingerprint_of_files(const ShardUse& use);
// What messages call it: "shard 2 (part-2.csv)".
std::string shard_name(const ReadOptions& reading, const ShardUse& use, std::size_t number);

// One shard: its records, and answers to questions about them. It is told what to do by the place that
// draws the noise, and tells nobody else anything.
class HeldShard {
 public:
  // `bits` are this shard's own.
  HeldShard(ShardSource source, std::unique_ptr<BitSource> bits, unsigned threads)
      : source_(std::move(source)), bits_(std::move(bits)), threads_(threads) {}

  std::string answer(std::string_view question);

 private:
  void read(const ReadTerms& terms, MessageWriter& answer);
  void take_place(MessageReader& question);
  void tell_users(MessageReader& question, MessageWriter& answer) const;

  ShardSource source_;
  std::unique_ptr<BitSource> bits_;
  unsigned threads_;
  FitRecords records_;
  std::vector<std::string> user_names_;
  Problem problem_;
  std::uint64_t mark_ = 0;  // tells this shard from the others
  std::optional<PassHost> passes_;
};

// What a shard tells of its records once they are read.
struct ShardFacts {
  std::uint64_t mark = 0;  // random
  std::size_t records = 0, columns = 0, users = 0;
  bool sparse = false, seeded = false;
  Origin origin = {};
};
ShardFacts get_shard_facts(MessageReader& answer);

}  // namespace tacit::inline v1::service
