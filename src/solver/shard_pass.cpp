#include "solver/shard_pass.hpp"

#include <algorithm>

#include "solver/pairwise_sum.hpp"

namespace tacit::inline v1 {

void PassHost::open(MessageReader& question) {
  const auto number = question.get<std::uint64_t>();
  const std::string_view name = question.text();
  const auto kind = std::ranges::find(kinds_, name, &PassKind::name);
  if (kind == kinds_.end()) throw_error<Error>("a shard does not know the pass {}", name);
  if (records_.problem->data->size() > 0) open_[number] = kind->make(records_, question);
}

void PassHost::ask(MessageReader& question, MessageWriter& answer) {
  const auto number = question.get<std::uint64_t>();
  if (records_.problem->data->size() == 0) return;
  open_.at(number)->answer(question, answer);
}

void PassHost::hear(MessageReader& question, MessageWriter& answer) {
  for (const std::uint64_t number : take_forgotten(question)) forget(number);
  switch (question.get<ShardQuestion>()) {
    case ShardQuestion::open_pass:
      return open(question);
    case ShardQuestion::ask_pass:
      return ask(question, answer);
    default:
      throw_error<Error>(
          "a shard got a question that it does not know; start all with the same version of tacit");
  }
}

RemotePass::RemotePass(std::shared_ptr<Shards> shards, std::string_view kind, const MessageWriter& settings)
    : shards_(std::move(shards)), number_(shards_->new_number()) {
  MessageWriter question;
  question.put(ShardQuestion::open_pass).put(number_).put(kind);
  question.append(settings);
  shards_->ask(question, [](std::size_t, MessageReader&) {});
}

MessageWriter RemotePass::addressed(const MessageWriter& question) const {
  MessageWriter whole;
  whole.put(ShardQuestion::ask_pass).put(number_);
  whole.append(question);
  return whole;
}

void RemotePass::sum(const MessageWriter& question, std::size_t size, Vector& total) const {
  PairwiseSum sum;
  shards_->ask(addressed(question), [&](std::size_t, MessageReader& answer) {
    if (answer.done()) return;
    Vector part = answer.vector();
    if (static_cast<std::size_t>(part.size()) != size)
      throw_error<Error>("a shard answers with {} numbers, expected {}", part.size(), size);
    sum.add(part);
  });
  sum.take_total(static_cast<Eigen::Index>(size), total);
}

void RemotePass::tell(const MessageWriter& question) const {
  each(question, [](std::size_t, MessageReader&) {});
}

void RemotePass::each(const MessageWriter& question, const Shards::Take& take) const {
  shards_->ask(addressed(question), take);
}

}  // namespace tacit::inline v1
