#include "service/shards/held_shard.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "algorithm/shard_passes.hpp"
#include "data/joined.hpp"
#include "data/readers.hpp"
#include "data/siphash.hpp"
#include "service/fit/columns.hpp"
#include "tacit/core.hpp"
#include "tacit/mechanisms.hpp"

namespace tacit::inline v1::service {

namespace {

// One file after the other, in an order that everybody knows; or a part of the one file.
std::vector<ReadOptions> parts_of_shard(const ReadOptions& reading, const ShardUse& use, std::size_t number) {
  std::vector<ReadOptions> parts;
  const std::size_t files = use.files.size();
  if (files <= 1) {
    parts.push_back(reading);
    parts.back().part = {.number = number, .of = use.count};
    if (files == 1) parts.back().path = use.files.front();
    return parts;
  }
  for (std::size_t k = files * number / use.count; k < files * (number + 1) / use.count; ++k) {
    parts.push_back(reading);
    parts.back().path = use.files[k];
    parts.back().may_be_empty = true;  // how many records a shard has is nobody's business
  }
  return parts;
}

ReadResult read_part(ReadOptions how, const ReadTerms& terms) {
  how.wish = wish_for(terms.options, how);
  how.encoder = terms.options.encoder;
  how.knot_facts = terms.knots;
  how.count_is_public = false;  // the terms say how many there are in all, where that is public
  how.keep_user_names = !how.user.empty() || !how.schema->user.empty();
  ReadResult result = read_dataset(how);
  if (!result.has_target) throw_error<DataError>("{}: there are no labels", source_name(how.path));
  return result;
}

}  // namespace

std::uint64_t fingerprint_of_files(const ShardUse& use) {
  std::string names;
  for (const auto& file : use.files) names += file.string() + '\n';
  return use.files.size() < 2 ? 0 : siphash_2_4({}, names) | 1;
}

ShardSource source_of(const ReadOptions& reading, const ShardUse& use, std::size_t number) {
  const auto parts = parts_of_shard(reading, use, number);
  return {.count =
              [parts] {
                std::size_t all = 0;
                for (const ReadOptions& part : parts) all += count_records(part);
                return all;
              },
          .read =
              [parts, files = fingerprint_of_files(use)](const ReadTerms& terms) {
                if (files != terms.files)
                  throw_error<UsageError>("sees other files than rank 0; all must see the same names");
                std::vector<ReadResult> results;
                for (const ReadOptions& part : parts) results.push_back(read_part(part, terms));
                return joined(std::move(results));
              },
          .origin =
              [parts] {
                Origin all;
                for (const ReadOptions& part : parts) all.add(origin_of(part));
                return all;
              }};
}

std::string shard_name(const ReadOptions& reading, const ShardUse& use, std::size_t number) {
  const auto parts = parts_of_shard(reading, use, number);
  const std::string first = source_name(parts.front().path);
  if (parts.size() > 1) return fmt::format("shard {} ({} and {} more)", number, first, parts.size() - 1);
  return fmt::format("shard {} ({})", number, first);
}

std::string HeldShard::answer(std::string_view text) {
  return answer_with([&](MessageWriter& answer) {
    MessageReader question(text);
    for (const std::uint64_t number : take_forgotten(question))
      if (passes_) passes_->forget(number);
    switch (question.get<ShardQuestion>()) {
      case ShardQuestion::count:
        answer.put(source_.count());
        return;
      case ShardQuestion::read:
        return read(get_terms(question), answer);
      case ShardQuestion::place:
        return take_place(question);
      case ShardQuestion::users:
        return tell_users(question, answer);
      case ShardQuestion::open_pass:
        return passes_.value().open(question);
      case ShardQuestion::ask_pass:
        return passes_.value().ask(question, answer);
      case ShardQuestion::end:
        return;
    }
    throw_error<Error>(
        "a shard got a question that it does not know; start all with the same version of tacit");
  });
}

void HeldShard::read(const ReadTerms& terms, MessageWriter& answer) {
  ReadResult read = source_.read(terms);
  user_names_ = std::move(read.user_names);
  records_ = take(std::move(read));
  if (terms.without_columns) records_ = without_columns(std::move(records_));
  Dataset& data = records_.data;
  if (!data.weights.empty()) throw_error<UsageError>("weights go with records in one place only");
  const FitPlan plan{.options = terms.options, .candidates = {}, .schema = records_.schema};
  const LossSpec loss = choose_loss(terms.options, data.target_kind, data.classes.size());
  problem_ = {.data = &data,
              .loss = loss,
              .intercept = terms.options.intercept,
              .domain = WholeSpace{},
              .blocks = blocks_of(plan, records_.blocks, data.features.columns())};
  data.labels = prepare_target(data, std::move(data.labels), loss, terms.options).labels;
  if (data.size() > 0) validate(problem_);
  noise::system_bits()->fill({&mark_, 1});
  answer.put(mark_);
  answer.put(data.size()).put(data.features.columns()).put(data.user_count);
  answer.put(data.features.sparse()).put(bits_->seeded());
  const Origin origin = source_.origin ? source_.origin() : Origin{};
  answer.put(origin.by_query).put(origin.schema_files.size());
  for (const std::string& text : origin.schema_files) answer.put(text);
}

// Every shard hears the same: how many records there are, and the mark and the first record of each.
void HeldShard::take_place(MessageReader& question) {
  ShardRecords records{&problem_, bits_.get(), threads_};
  records.all = question.get<std::size_t>();
  int places = 0;
  for (auto shards = question.get<std::size_t>(); shards > 0; --shards) {
    const bool own = question.get<std::uint64_t>() == mark_;
    const auto first = question.get<std::size_t>();
    if (!own) continue;
    records.first = first;
    ++places;
  }
  // Two shards with one mark would take the numbers of each other's records.
  if (places != 1) throw_error<Error>("a shard has {} places among those that were read", places);
  passes_.emplace(records, shard_passes());
}

ShardFacts get_shard_facts(MessageReader& answer) {
  ShardFacts facts;
  facts.mark = answer.get<std::uint64_t>();
  facts.records = answer.get<std::size_t>();
  facts.columns = answer.get<std::size_t>();
  facts.users = answer.get<std::size_t>();
  facts.sparse = answer.get<bool>();
  facts.seeded = answer.get<bool>();
  facts.origin.by_query = answer.get<bool>();
  for (auto texts = answer.get<std::size_t>(); texts > 0; --texts)
    facts.origin.schema_files.emplace_back(answer.text());
  return facts;
}

// Keyed hashes of those users that belong to the bucket.
void HeldShard::tell_users(MessageReader& question, MessageWriter& answer) const {
  std::array<HashKey, 2> keys;
  for (HashKey& key : keys)
    for (std::uint64_t& word : key) word = question.get<std::uint64_t>();
  const auto bucket = question.get<std::uint64_t>(), buckets = question.get<std::uint64_t>();
  for (const std::string& name : user_names_) {
    const std::uint64_t hash = siphash_2_4(keys[0], name);
    if (hash % buckets == bucket) answer.put(hash).put(siphash_2_4(keys[1], name));
  }
}

}  // namespace tacit::inline v1::service
