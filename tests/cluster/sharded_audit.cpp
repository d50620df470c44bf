// The audits of a method whose records are in shards: all in this process, or one in each process of mpirun.
// usage: sharded_audit METHOD SHARDS|mpi RUNS [twice|times=N] [softmax] [mu] [plane]
// [zero_out|replace_one|add_remove]
//        sharded_audit METHOD relations
// twice: a negative control, whose shards count every record, or user, twice; times=N: N times. softmax:
// three classes in place of the logistic loss. mu: Gaussian privacy. plane: rows of full blocks, for
// limited-objective, whose noise is then in a plane. Last comes the relation, in place of the method's usual
// one; `relations` lists those that it has. Exits with 0 where nothing speaks against the claim, with 2 where
// it is refuted.

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "algorithm/shard_passes.hpp"
#include "audit/replay/objective_checks.hpp"
#include "data/rows_elsewhere.hpp"
#include "solver/shard_pass.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/audit.hpp"
#include "tacit/core.hpp"
#include "tacit/fit.hpp"
#include "tacit/root_meter.hpp"

namespace {

using namespace tacit;

// Told to every shard: a new problem, or a question about the one that it has.
enum class Message : std::uint8_t { hold, ask };

// How many records or users there are, one that is missing among them.
struct Places {
  bool of_users = false;
  std::size_t count = 0;
};

Places places_of(const Dataset& data, const Facts& options) {
  const auto stated = [&](const char* key, std::size_t least) {
    const std::int64_t given = options.has(key) ? options.integer(key) : std::int64_t{0};
    return std::max(least, static_cast<std::size_t>(given));
  };
  if (const std::size_t users = stated("user_count", data.user_count); users > 0) return {true, users};
  return {false, stated("records", data.size())};
}

MessageWriter packed(const Problem& problem, const Places& places, std::uint64_t seed) {
  const Dataset& data = *problem.data;
  MessageWriter message;
  message.put(Message::hold).put(seed).put(problem.intercept);
  const auto* softmax = std::get_if<Softmax>(&problem.loss);
  message.put(softmax ? softmax->classes : std::size_t{0});
  if (!softmax) {
    const Link& link = std::get<Link>(problem.loss);
    message.put(link.kind).put(link.parameter);
  }
  message.put(places.of_users).put(places.count).put(data.size()).put(data.features.columns());
  for (std::size_t i = 0; i < data.size(); ++i) {
    const RowView row = data.features.row(i);
    message.put(std::span(row.values, row.size)).put(data.labels[i]);
    if (places.of_users) message.put(data.users[i]);
  }
  return message;
}

LossSpec loss_from(MessageReader& message) {
  if (const auto classes = message.get<std::size_t>(); classes > 0) return Softmax{classes};
  const auto kind = message.get<LinkKind>();
  return Link{kind, message.get<double>()};
}

// How often a shard counts its records: where that is more than once, it is a negative control.
struct Counting {
  std::size_t copies = 1;
  double weight = 1;  // where records are dealt out to parts, all of what counts is in one
};

// One shard of however many.
class Host {
 public:
  Host(std::size_t number, std::size_t of, Counting counting)
      : number_(number), of_(of), counting_(counting) {}

  std::string answer(std::string_view text) {
    return answer_with([&](MessageWriter& answer) {
      MessageReader message(text);
      if (message.get<Message>() == Message::hold)
        hold(message);
      else
        passes_->hear(message, answer);
    });
  }

 private:
  void hold(MessageReader& message) {
    passes_.reset();
    bits_ = testing::seeded_bits(message.get<std::uint64_t>() + number_);
    const auto intercept = message.get<double>();
    const LossSpec loss = loss_from(message);
    const bool of_users = message.get<bool>();
    const auto places = message.get<std::size_t>(), records = message.get<std::size_t>(),
               columns = message.get<std::size_t>();
    // In stretches, a user with all of theirs: who is missing at the end moves nobody else, and changes
    // nobody's number. (With another number a record may be in another part, which is as likely as the one
    // that it was in, but no replay with the same bits could compare them.)
    const std::size_t begin = begin_of(number_, places), end = begin_of(number_ + 1, places);
    std::size_t first = 0;
    const std::size_t copies = counting_.copies;
    DenseRows rows{0, columns, {}};
    data_ = {};
    if (of_users) data_.user_count = copies * (end - begin);
    for (std::size_t i = 0; i < records; ++i) {
      std::vector<double> row;
      message.get(row);
      const auto label = message.get<double>();
      const std::size_t owner = of_users ? message.get<std::uint32_t>() : i;
      if (owner < begin) ++first;
      for (std::size_t copy = 0; begin <= owner && owner < end && copy < copies; ++copy) {
        rows.values.insert(rows.values.end(), row.begin(), row.end());
        data_.labels.push_back(label);
        if (of_users) data_.users.push_back(static_cast<std::uint32_t>(copy * (end - begin) + owner - begin));
        ++rows.rows;
      }
    }
    if (counting_.weight != 1) data_.weights.assign(rows.rows, counting_.weight);
    data_.features = Features(std::move(rows));
    problem_ = {.data = &data_, .loss = loss, .intercept = intercept};
    passes_ = std::make_unique<PassHost>(
        ShardRecords{&problem_, bits_.get(), 1, copies * first, copies * records}, shard_passes());
  }

  std::size_t begin_of(std::size_t shard, std::size_t places) const {
    return (shard * places + of_ - 1) / of_;
  }

  std::size_t number_, of_;
  Counting counting_;
  std::unique_ptr<BitSource> bits_;
  Dataset data_;
  Problem problem_;
  std::unique_ptr<PassHost> passes_;
};

// Where the hosts are.
struct Hosts {
  std::vector<Host> here;
  std::shared_ptr<service::Cluster> others;  // one in each of its further processes

  std::size_t count() const { return others ? others->size() : here.size(); }
  void tell(const std::string& text, const std::function<void(std::size_t, std::string_view)>& take) {
    if (others) others->send_to_others(text);
    for (std::size_t k = 0; k < here.size(); ++k) take(k, here[k].answer(text));
    for (std::size_t k = here.size(); k < count(); ++k) take(k, others->receive_from(k));
  }
};

class AuditedShards final : public Shards {
 public:
  explicit AuditedShards(Hosts& hosts) : hosts_(&hosts) {}
  std::size_t count() const override { return hosts_->count(); }

 private:
  void carry(std::string_view question,
             const std::function<void(std::size_t, std::string_view)>& take) override {
    MessageWriter message;
    message.put(Message::ask);
    message.append(question);
    hosts_->tell(message.text(), take);
  }
  std::string name_of(std::size_t shard) const override { return fmt::format("shard {}", shard); }

  Hosts* hosts_;
};

// A method's fit is a function without a state of its own.
const Method* audited = nullptr;
Hosts* hosts = nullptr;
Counting counting;

Counting counted(std::size_t times, std::string_view method) {
  if (method == "localized" || method == "tuned") return {.weight = static_cast<double>(times)};
  return {.copies = times};
}

// Where every record has a place of its own, its copies have, too.
std::size_t places_of_a_record() {
  const bool places = audited->name == "o2nc-single" || audited->name == "o2nc-first";
  return places ? counting.copies : 1;
}

Facts with_places(Facts options) {
  if (options.has("records"))
    options.set("records", static_cast<std::int64_t>(places_of_a_record()) * options.integer("records"));
  return options;
}

// The shards' bits follow from the run's: the same bits, the same batches.
Release fit_in_shards(const Problem& problem, const Facts& options, Meter& meter) {
  std::uint64_t seed = 0;
  meter.bits().fill({&seed, 1});
  hosts->tell(packed(problem, places_of(*problem.data, options), seed).text(),
              [](std::size_t, std::string_view) {});
  Dataset elsewhere;
  elsewhere.user_count = problem.data->user_count;
  elsewhere.target_kind = problem.data->target_kind;
  elsewhere.features = Features(std::make_shared<const RowsElsewhere>(
      places_of_a_record() * problem.data->size(), problem.data->features.columns(),
      problem.data->features.sparse()));
  elsewhere.shards = std::make_shared<AuditedShards>(*hosts);
  Problem sharded = problem;
  sharded.data = &elsewhere;
  return audited->fit(sharded, with_places(options), meter);
}

struct Asked {
  std::size_t runs = 0;
  bool softmax = false, gaussian = false, plane = false;
  std::optional<Neighbours> neighbours;
};

Method method_in_shards() {
  Method method = *audited;
  method.fit = fit_in_shards;
  return method;
}

audit::BlackBoxOptions black_box_options(std::size_t runs) {
  return {.runs = runs, .threads = 1, .bits = [](std::size_t part) { return testing::seeded_bits(part); }};
}

int told(const audit::MethodAudit& result) {
  for (const audit::Check& check : result.checks)
    if (!check.ok())
      std::cout << fmt::format("FAIL {}: bound {:.6g}, measured {:.6g} ({})\n", check.what, check.bound,
                               check.measured, check.pair);
  std::cout << fmt::format("{} pairs, {} checks, epsilon >= {:.4f} of {}, {} runs\n", result.pairs,
                           result.checks.size(), result.black_box.lower_bound, result.claim.epsilon,
                           result.black_box.runs);
  return result.violated() ? 2 : 0;
}

int audit_in_shards(const Asked& asked) {
  audit::MethodAuditOptions options;
  if (asked.softmax) options.loss = Softmax{3};
  if (asked.gaussian) options.notion = "gaussian";
  options.neighbours = asked.neighbours;
  options.black_box = black_box_options(asked.runs);
  return told(audit::audit_method(method_in_shards(), options));
}

Dataset records_of(const std::vector<std::vector<double>>& rows, const std::vector<double>& labels) {
  DenseRows dense{rows.size(), rows.front().size(), {}};
  for (const auto& row : rows) dense.values.insert(dense.values.end(), row.begin(), row.end());
  Dataset data;
  data.features = Features(std::move(dense));
  data.labels = labels;
  return data;
}

// The first record is each of these rows in turn: three in the plane of the blocks, two that are not. The
// last pair is for the black box: all other rows are off the plane, which makes them null.
std::vector<audit::NeighbourPair> pairs_in_plane(Neighbours relation) {
  const std::vector<std::vector<double>> rows{{1, 0, 0, 0.5, 0},
                                              {0, 0, 1, 0, 0.5},
                                              {0.5, 0.5, 0, 0.25, 0.25},
                                              {0, 1, 0, 0, 0.25},
                                              {1e30, 0, 0, 0, 0}};
  const std::vector<double> labels{1, -1, 1, -1, 1};
  std::vector<audit::NeighbourPair> pairs;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto others = rows;
    auto other_labels = labels;
    others[0] = rows[i];
    other_labels[0] = -1;
    pairs.push_back({fmt::format("row {}", i), records_of(rows, labels), records_of(others, other_labels)});
  }
  std::vector<std::vector<double>> lone(rows.size(), std::vector<double>(5));
  lone[0] = rows[0];
  pairs.push_back({"a lone row", records_of(lone, {1, 1, 1, 1, 1}), records_of(lone, {-1, 1, 1, 1, 1})});
  return relation == Neighbours::replace_one ? pairs : audit::presence_pairs(pairs);
}

int audit_in_plane(const Asked& asked) {
  const Method method = method_in_shards();
  audit::Subject subject{.method = &method,
                         .loss = Link{LinkKind::logistic, 0},
                         .blocks = FeatureBlocks({{3, 1, true}, {2, 0.5, true}, {1, 1, true}}),
                         .budget = {Pure{1}, Unit::item, relation_for(*audited, asked.neighbours)}};
  subject.facts.set("epsilon", 1.0);
  subject.facts.set("regularisation", 10.0);
  subject.facts.set("records", std::int64_t{5});
  subject.facts.set("threads", std::int64_t{1});
  const auto pairs = pairs_in_plane(subject.budget.neighbours);
  const auto bits = testing::seeded_bits(8);
  audit::MethodAudit result{.claim = {1, 0}, .loss = subject.loss, .pairs = pairs.size()};
  for (const audit::NeighbourPair& pair : pairs) {
    const audit::Replayed replayed = audit::replay(subject, pair, *bits);
    for (const audit::WatchedRun& run : replayed.runs)
      if (!run.release) throw_error<Error>("{}: {}", pair.what, run.failure);
    if (!FeatureBlocks::parse(replayed.runs[0].release->certificate.options.text("feature_blocks"))
             .in_plane())
      throw_error<Error>("the noise is in no plane");
    for (const auto& checks : {audit::check_replay(replayed), audit::objective_checks(replayed)})
      for (audit::Check check : checks) {
        check.pair = pair.what;
        result.checks.push_back(std::move(check));
      }
  }
  const auto run_on = [&](const Dataset& data) {
    return [&](BitSource& source) {
      RootMeter meter(subject.budget, source);
      Problem problem{.data = &data, .loss = subject.loss, .intercept = subject.intercept};
      problem.blocks = subject.blocks;
      return method.fit(problem, subject.facts, meter).parameters.value();
    };
  };
  result.black_box = audit::black_box(run_on(pairs.back().first), run_on(pairs.back().second), 0,
                                      black_box_options(asked.runs));
  return told(result);
}

int list_relations() {
  for (const Neighbours relation : audited->neighbours) std::cout << name(relation) << '\n';
  return 0;
}

int run(const std::vector<std::string>& given) {
  audited = &find_method(given.at(0));
  if (given.at(1) == "relations") return list_relations();
  Asked asked{.runs = std::stoul(given.at(2))};
  for (const std::string& word : std::span(given).subspan(3))
    if (word == "twice")
      counting = counted(2, audited->name);
    else if (word.starts_with("times="))
      counting = counted(std::stoul(word.substr(6)), audited->name);
    else if (word == "softmax")
      asked.softmax = true;
    else if (word == "mu")
      asked.gaussian = true;
    else if (word == "plane")
      asked.plane = true;
    else
      asked.neighbours = parse_neighbours(word);
  Hosts all;
  if (given[1] == "mpi") {
    all.others = service::join_cluster("mpi");
    if (const std::size_t rank = all.others->rank(); rank != 0) {
      Host host(rank, all.others->size(), counting);
      while (const auto question = all.others->next_question())
        all.others->send_answer(host.answer(*question));
      return 0;
    }
    all.here.emplace_back(0, all.others->size(), counting);
  } else {
    const std::size_t count = std::stoul(given[1]);
    for (std::size_t k = 0; k < count; ++k) all.here.emplace_back(k, count, counting);
  }
  hosts = &all;
  return asked.plane ? audit_in_plane(asked) : audit_in_shards(asked);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "sharded_audit: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
}
