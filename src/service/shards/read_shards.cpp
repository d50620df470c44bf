#include "service/shards/read_shards.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <limits>
#include <map>

#include "data/encoder.hpp"
#include "data/rows_elsewhere.hpp"
#include "service/fit/columns.hpp"
#include "service/fit/failed_reads.hpp"
#include "service/shards/held_shard.hpp"
#include "tacit/core.hpp"
#include "tacit/mechanisms.hpp"

namespace tacit::inline v1::service {

namespace {

std::size_t count_all(Shards& shards) {
  std::size_t all = 0;
  shards.ask(MessageWriter().put(ShardQuestion::count),
             [&](std::size_t, MessageReader& answer) { all += answer.get<std::size_t>(); });
  return all;
}

// A person whose records are on two shards would be two people. Ids are compared by keyed hashes of 128 bits,
// a bucket of them at a time, so that no place holds all.
void require_users_apart(Shards& shards, std::size_t users) {
  constexpr std::size_t at_a_time = std::size_t{1} << 20;
  const std::size_t buckets = users / at_a_time + 1;
  std::array<std::uint64_t, 4> keys;
  noise::system_bits()->fill(keys);
  struct Owner {
    std::uint64_t first, second;
    std::size_t shard;
  };
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    MessageWriter question;
    question.put(ShardQuestion::users);
    for (const std::uint64_t word : keys) question.put(word);
    question.put(std::uint64_t{bucket}).put(std::uint64_t{buckets});
    std::vector<Owner> owners;
    shards.ask(question, [&](std::size_t shard, MessageReader& answer) {
      while (!answer.done()) {
        const auto first = answer.get<std::uint64_t>();
        owners.push_back({first, answer.get<std::uint64_t>(), shard});
      }
    });
    const auto by_hash = [](const Owner& a) { return std::pair(a.first, a.second); };
    std::ranges::sort(owners, {}, by_hash);
    const auto twice = std::ranges::adjacent_find(owners, {}, by_hash);
    if (twice != owners.end())
      throw_error<DataError>(
          "the shards {} and {} hold records of the same user; all records of a user must be on one shard",
          std::min(twice->shard, std::next(twice)->shard), std::max(twice->shard, std::next(twice)->shard));
  }
}

// No records, with the columns and classes that they have elsewhere.
FitRecords shaped_by(const Schema& schema) {
  FitRecords records = no_records(schema);
  records.data.names = Encoder(schema).names();
  return records;
}

struct AllShards {
  std::size_t records = 0, users = 0;
  bool sparse = false;
  Origin origin = {};
};

AllShards read_all(Shards& shards, const ReadTerms& terms, std::size_t columns, bool seeded) {
  MessageWriter question;
  question.put(ShardQuestion::read);
  put(question, terms);
  AllShards all;
  MessageWriter places;
  shards.ask(question, [&](std::size_t shard, MessageReader& answer) {
    const ShardFacts facts = get_shard_facts(answer);
    if (facts.columns != columns)
      throw_error<UsageError>("shard {} has {} columns, expected {}; does it have the same schema?", shard,
                              facts.columns, columns);
    if (facts.seeded != seeded)
      throw_error<UsageError>("shard {} uses {} random bits, unlike the others; start all alike", shard,
                              facts.seeded ? "seeded" : "secret");
    places.put(facts.mark).put(all.records);
    all.records += facts.records;
    all.users += facts.users;
    all.sparse = facts.sparse;
    all.origin.add(facts.origin);
  });
  if (all.records == 0) throw_error<DataError>("the shards have no records");
  if (all.records > std::numeric_limits<std::uint32_t>::max())  // what slack is planned for
    throw_error<UsageError>("{} records, expected fewer than 2^32", all.records);
  MessageWriter place;
  place.put(ShardQuestion::place).put(all.records).put(shards.count());
  place.append(places);
  shards.ask(place, [](std::size_t, MessageReader&) {});
  return all;
}

// A file that is listed twice would hold every record of it twice.
void require_each_file_once(const std::vector<std::filesystem::path>& files) {
  std::map<std::pair<dev_t, ino_t>, std::filesystem::path> seen;
  for (const std::filesystem::path& file : files) {
    struct stat about {};
    if (::stat(file.c_str(), &about) != 0) continue;  // whoever reads it says so
    const auto [first, fresh] = seen.try_emplace({about.st_dev, about.st_ino}, file);
    if (!fresh)
      throw_error<UsageError>("\"{}\" and \"{}\" are one file; each record counts once, so list it once",
                              first->second.string(), file.string());
  }
}

}  // namespace

void check_shards(const ReadOptions& reading, const FitOptions& options) {
  const ShardUse& use = options.shards;
  if (use.count > static_cast<std::size_t>(most_shards))
    throw_error<UsageError>("{} shards, expected at most {}", use.count, most_shards);
  if (!reading.schema || !reading.schema->target)
    throw_error<UsageError>(
        "shards need a schema with the target: no shard can know from its own records what the others hold");
  if (!is_table(format_of(reading))) throw_error<UsageError>("only tables are read in shards");
  if (use.files.size() > 1 && use.files.size() < use.count)
    throw_error<UsageError>("{} shards, but {} files: expected one file, or at least one for each shard",
                            use.count, use.files.size());
  require_each_file_once(use.files);
  const bool users = !reading.user.empty() || !reading.schema->user.empty();
  if (users && use.files.size() <= 1 && use.count > 1)
    throw_error<UsageError>(
        "one file cannot be cut where users are to be kept together; give a file for each shard");
}

FitRecords read_shards(std::shared_ptr<Shards> shards, const ReadOptions& reading, const FitPlan& plan,
                       const BitSource& bits) {
  return recording_failures(plan.options.ledger, [&] {
    const KnownOfKnots known = known_of_knots(plan);
    KnotFacts facts = known.facts;
    if (!facts.records && known.count_is_public) facts.records = count_all(*shards);
    FitRecords records = with_bearable_columns(
        shaped_by(with_knots(*reading.schema, plan.options.encoder, facts)), plan, facts);
    const std::size_t columns = records.data.features.columns();
    const bool left_out = !why_no_columns(records).empty();
    const AllShards all = read_all(*shards,
                                   {.options = plan.options,
                                    .knots = facts,
                                    .files = fingerprint_of_files(plan.options.shards),
                                    .without_columns = left_out},
                                   columns, bits.seeded());
    if (all.users > 0) require_users_apart(*shards, all.users);
    records.data.features = Features(std::make_shared<const RowsElsewhere>(all.records, columns, all.sparse));
    records.data.user_count = all.users;
    records.data.shards = std::move(shards);
    records.sources.drafted_schema = reading.schema->drafted_from_data;
    records.sources.by_query = !reading.query.empty() || all.origin.by_query;
    if (!plan.options.schema_release) records.sources.schema_release = all.origin.schema_release();
    records.sources.user_column = reading.user;
    return records;
  });
}

}  // namespace tacit::inline v1::service
