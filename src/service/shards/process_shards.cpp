#include "service/shards/process_shards.hpp"

#include "service/shards/held_shard.hpp"
#include "tacit/core.hpp"
#include "tacit/mechanisms.hpp"

namespace tacit::inline v1::service {

namespace {

HeldShard held(const ReadOptions& reading, const ShardUse& use, std::size_t number, unsigned threads) {
  return HeldShard(source_of(reading, use, number), use.bits ? use.bits(number) : noise::system_bits(),
                   threads);
}

// All in this process, one after the other, each with all threads.
class LocalShards final : public Shards {
 public:
  LocalShards(const ReadOptions& reading, const ShardUse& use, unsigned threads)
      : reading_(reading), use_(use) {
    for (std::size_t k = 0; k < use.count; ++k)
      shards_.push_back(std::make_unique<HeldShard>(held(reading, use, k, threads)));
  }

  std::size_t count() const override { return shards_.size(); }

 private:
  void carry(std::string_view question,
             const std::function<void(std::size_t, std::string_view)>& take) override {
    for (std::size_t k = 0; k < shards_.size(); ++k) take(k, shards_[k]->answer(question));
  }
  std::string name_of(std::size_t shard) const override { return shard_name(reading_, use_, shard); }

  ReadOptions reading_;
  ShardUse use_;
  std::vector<std::unique_ptr<HeldShard>> shards_;
};

// One in each process; the first is in this one.
class ClusterShards final : public Shards {
 public:
  ClusterShards(const ReadOptions& reading, const ShardUse& use, unsigned threads)
      : reading_(reading), use_(use), own_(held(reading, use, 0, threads)) {}

  std::size_t count() const override { return use_.count; }

 private:
  void carry(std::string_view question,
             const std::function<void(std::size_t, std::string_view)>& take) override {
    use_.cluster->send_to_others(question);
    take(0, own_.answer(question));
    for (std::size_t k = 1; k < use_.count; ++k) take(k, use_.cluster->receive_from(k));
  }
  std::string name_of(std::size_t shard) const override {
    return fmt::format("rank {}, {}", shard, shard_name(reading_, use_, shard));
  }

  ReadOptions reading_;
  ShardUse use_;
  HeldShard own_;
};

// Wherever the caller has them.
class CallbackShards final : public Shards {
 public:
  CallbackShards(std::size_t count, AskShards ask) : count_(count), ask_(std::move(ask)) {}

  std::size_t count() const override { return count_; }

 private:
  void carry(std::string_view question,
             const std::function<void(std::size_t, std::string_view)>& take) override {
    const std::vector<std::string> answers = ask_(std::string(question));
    if (answers.size() != count_)
      throw_error<Error>("{} shards answer, expected {}; nothing is released", answers.size(), count_);
    for (std::size_t k = 0; k < count_; ++k) take(k, answers[k]);
  }
  std::string name_of(std::size_t shard) const override { return fmt::format("shard {}", shard); }

  std::size_t count_;
  AskShards ask_;
};

}  // namespace

std::shared_ptr<Shards> callback_shards(std::size_t count, AskShards ask) {
  if (!ask) throw_error<UsageError>("there is no function that asks the shards");
  return std::make_shared<CallbackShards>(count, std::move(ask));
}

std::shared_ptr<Shards> make_shards(const ReadOptions& reading, const FitOptions& options) {
  const ShardUse& use = options.shards;
  if (!use.cluster) return std::make_shared<LocalShards>(reading, use, options.threads);
  if (use.cluster->rank() != 0)
    throw_error<UsageError>("this process has rank {}; the fit is made by rank 0", use.cluster->rank());
  if (use.count != use.cluster->size())
    throw_error<UsageError>("{} shards, but {} processes, expected one for each", use.count,
                            use.cluster->size());
  return std::make_shared<ClusterShards>(reading, use, options.threads);
}

void hold_shard(Cluster& cluster, const std::function<ShardToHold()>& open) {
  std::unique_ptr<HeldShard> shard;
  std::exception_ptr failure;
  try {
    const ShardToHold own = open();
    shard = std::make_unique<HeldShard>(held(own.reading, own.use, cluster.rank(), own.threads));
  } catch (...) {
    failure = std::current_exception();
  }
  while (const std::optional<std::string> question = cluster.next_question())
    cluster.send_answer(shard ? shard->answer(*question)
                              : answer_with([&](MessageWriter&) { std::rethrow_exception(failure); }));
}

struct MemoryShard::State {
  HeldShard shard;
};

MemoryShard::MemoryShard(const Schema& schema, std::size_t records,
                         std::function<ReadResult(const Schema&)> encode, unsigned threads)
    : state_(new State{HeldShard(
          {.count = [records] { return records; },
           .read =
               [schema, encode = std::move(encode)](const ReadTerms& terms) {
                 if (!encode)
                   throw_error<UsageError>("there is no function that encodes the records of the shard");
                 const Schema settled = with_knots(schema, terms.options.encoder, terms.knots);
                 ReadResult read = encode(settled);
                 read.schema = settled;
                 return read;
               }},
          noise::system_bits(), threads)}) {}
MemoryShard::MemoryShard(MemoryShard&&) noexcept = default;
MemoryShard::~MemoryShard() = default;

std::string MemoryShard::answer(std::string_view question) {
  if (!state_) throw_error<UsageError>("the shard was moved from");
  return state_->shard.answer(question);
}

}  // namespace tacit::inline v1::service
