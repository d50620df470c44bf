#include "algorithm/secret_parts.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "algorithm/partition.hpp"
#include "algorithm/shard_passes.hpp"
#include "data/rows_elsewhere.hpp"

namespace tacit::inline v1 {

// The parts on all shards, and which of them are not needed any more: told with the next question.
class RemoteParts {
 public:
  RemoteParts(std::shared_ptr<Shards> shards, const PartTerms& terms)
      : shards_(shards), pass_(std::move(shards), "parts", settings_of(terms)) {}

  std::size_t count() const { return shards_->count(); }
  void close(std::size_t part) { closed_.push_back(part); }
  void each(std::size_t part, std::string_view question, const Shards::Take& take) {
    MessageWriter whole;
    whole.put(closed_.size());
    for (const std::size_t closed : std::exchange(closed_, {})) whole.put(closed);
    whole.put(part);
    whole.append(question);
    pass_.each(whole, take);
  }

 private:
  static MessageWriter settings_of(const PartTerms& terms) {
    MessageWriter settings;
    put(settings, terms);
    return settings;
  }

  std::shared_ptr<Shards> shards_;
  RemotePass pass_;
  std::vector<std::size_t> closed_;
};

namespace {

// What the shards have of one part: questions to it are questions to the pass of the parts.
class PartShards final : public Shards {
 public:
  PartShards(std::shared_ptr<RemoteParts> parts, std::size_t part) : parts_(std::move(parts)), part_(part) {}
  ~PartShards() override { parts_->close(part_); }

  std::size_t count() const override { return parts_->count(); }

 private:
  void carry(std::string_view question,
             const std::function<void(std::size_t, std::string_view)>& take) override {
    parts_->each(part_, question, [&](std::size_t shard, MessageReader& answer) {
      take(shard, answer_with([&](MessageWriter& again) { again.append(answer.rest()); }));
    });
  }
  // Failures come with the shard's name already.
  std::string name_of(std::size_t shard) const override { return fmt::format("shard {}", shard); }

  std::shared_ptr<RemoteParts> parts_;
  std::size_t part_;
};

// On a shard.
class PartsPass final : public ShardPass {
 public:
  PartsPass(const ShardRecords& records, PartTerms terms)
      : records_(records), terms_(std::move(terms)), own_(records, terms_) {}

  void answer(MessageReader& question, MessageWriter& answer) override {
    for (auto closed = question.get<std::size_t>(); closed > 0; --closed)
      open_.erase(question.get<std::size_t>());
    opened(question.get<std::size_t>()).passes->hear(question, answer);
  }

 private:
  struct Part {
    Dataset data;
    Problem problem;
    std::unique_ptr<PassHost> passes;
  };

  Part& opened(std::size_t number) {
    auto [at, is_new] = open_.try_emplace(number);
    Part& part = at->second;
    if (!is_new) return part;
    const std::span<const std::uint32_t> own = own_.rows(number);
    part.data = rows_of(*records_.problem->data, std::vector<std::size_t>(own.begin(), own.end()));
    part.problem = *records_.problem;
    part.problem.data = &part.data;
    ShardRecords records = records_;
    records.problem = &part.problem;
    records.first = own_.first(number);
    records.all = terms_.sizes.at(number);
    part.passes = std::make_unique<PassHost>(records, shard_passes());
    return part;
  }

  ShardRecords records_;
  PartTerms terms_;
  OwnParts own_;
  std::map<std::size_t, Part> open_;
};

}  // namespace

SecretParts::SecretParts(const Dataset& data, std::vector<std::size_t> sizes, BitSource& bits,
                         std::size_t places)
    : data_(&data), sizes_(std::move(sizes)) {
  if (data.shards)
    shards_ = std::make_shared<RemoteParts>(data.shards, draw_parts(sizes_, bits, places));
  else
    order_ = secret_order(places == 0 ? data.size() : places, bits);
}
SecretParts::~SecretParts() = default;
SecretParts::SecretParts(SecretParts&&) noexcept = default;

Dataset SecretParts::part(std::size_t number) const {
  const std::size_t size = sizes_.at(number);
  if (!shards_) {
    const std::size_t begin =
        std::accumulate(sizes_.begin(), sizes_.begin() + static_cast<std::ptrdiff_t>(number), std::size_t{0});
    std::vector<std::size_t> rows;
    for (const std::size_t place : std::span(order_).subspan(begin, size))
      if (place < data_->size()) rows.push_back(place);
    // As shards have them: parts of a part then differ in one place, too, where the last record is missing.
    std::ranges::sort(rows);
    return rows_of(*data_, rows);
  }
  Dataset part;
  part.target_kind = data_->target_kind;
  const Features& all = data_->features;
  part.features = Features(std::make_shared<const RowsElsewhere>(size, all.columns(), all.sparse()));
  part.shards = std::make_shared<PartShards>(shards_, number);
  return part;
}

PassKind parts_pass() {
  return {"parts", [](const ShardRecords& records, MessageReader& settings) {
            return std::unique_ptr<ShardPass>(std::make_unique<PartsPass>(records, get_part_terms(settings)));
          }};
}

}  // namespace tacit::inline v1
