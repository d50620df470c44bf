#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/message.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

// Who holds which records, where they are in several parts. A question goes to every shard, and the answers
// are taken in the order of the shards' numbers, so that what is summed does not depend on who was first.
// Questions and answers are sensitive: whoever carries them is trusted (docs/clusters.md).
class TACIT_API Shards {
 public:
  Shards() = default;
  Shards(const Shards&) = delete;
  Shards& operator=(const Shards&) = delete;
  virtual ~Shards() = default;

  virtual std::size_t count() const = 0;

  // take(k, answer) for each shard k, ascending. When a shard fails, its error is thrown, with the shard's
  // name in front; never is one left out, and after a failure nothing is asked any more.
  using Take = std::function<void(std::size_t shard, MessageReader& answer)>;
  void ask(const MessageWriter& question, const Take& take);

  // Numbers for what shards keep between questions, and what they need not keep any more: told with the next
  // question.
  std::uint64_t new_number() { return next_number_++; }
  void forget(std::uint64_t number) { forgotten_.push_back(number); }

 private:
  // Sends the question to all shards, and hands over their answers, ascending. Throws when one is lost.
  using TakeText = std::function<void(std::size_t shard, std::string_view answer)>;
  virtual void carry(std::string_view question, const TakeText& take) = 0;
  // What messages call a shard: "shard 2 (part-2.csv)".
  virtual std::string name_of(std::size_t shard) const = 0;

  std::uint64_t next_number_ = 0;
  std::vector<std::uint64_t> forgotten_;
  bool failed_ = false;
};

// The other end: an answer as it travels. What `work` throws travels too.
TACIT_API std::string answer_with(const std::function<void(MessageWriter& answer)>& work);

// The numbers to forget, which come first in every question.
TACIT_API std::vector<std::uint64_t> take_forgotten(MessageReader& question);

}  // namespace tacit::inline v1
