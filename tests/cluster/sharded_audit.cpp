// The audits of a method whose records are in shards: all in this process, or one in each process of mpirun.
// usage: sharded_audit METHOD SHARDS|mpi RUNS [twice] [softmax] [mu]
// twice: a negative control, whose shards count every record, or user, twice. softmax: three classes in place
// of the logistic loss. mu: Gaussian privacy. Exits with 0 where nothing speaks against the claim, with 2
// where it is refuted.

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "algorithm/shard_passes.hpp"
#include "data/rows_elsewhere.hpp"
#include "solver/shard_pass.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/audit.hpp"
#include "tacit/core.hpp"
#include "tacit/fit.hpp"

namespace {

using namespace tacit;

// Told to every shard: a new problem, or a question about the one that it has.
enum class Message : std::uint8_t { hold, ask };

// `users`: how many there are, one that is missing among them; 0 where records are protected.
MessageWriter packed(const Problem& problem, std::size_t users, std::uint64_t seed) {
  const Dataset& data = *problem.data;
  MessageWriter message;
  message.put(Message::hold).put(seed).put(problem.intercept);
  const auto* softmax = std::get_if<Softmax>(&problem.loss);
  message.put(softmax ? softmax->classes : std::size_t{0});
  if (!softmax) {
    const Link& link = std::get<Link>(problem.loss);
    message.put(link.kind).put(link.parameter);
  }
  message.put(users).put(data.size()).put(data.features.columns());
  for (std::size_t i = 0; i < data.size(); ++i) {
    const RowView row = data.features.row(i);
    message.put(std::span(row.values, row.size)).put(data.labels[i]);
    if (users > 0) message.put(data.users[i]);
  }
  return message;
}

LossSpec loss_from(MessageReader& message) {
  if (const auto classes = message.get<std::size_t>(); classes > 0) return Softmax{classes};
  const auto kind = message.get<LinkKind>();
  return Link{kind, message.get<double>()};
}

// One shard of however many.
class Host {
 public:
  Host(std::size_t number, std::size_t of, bool twice) : number_(number), of_(of), twice_(twice) {}

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
    const auto users = message.get<std::size_t>(), records = message.get<std::size_t>(),
               columns = message.get<std::size_t>();
    // Dealt out one by one, a user with all of theirs: who is missing at the end moves nobody else.
    std::size_t first = 0;
    for (std::size_t k = 0; k < number_; ++k) first += (records + of_ - 1 - k) / of_;
    const std::size_t copies = twice_ ? 2 : 1;
    DenseRows rows{0, columns, {}};
    data_ = {};
    const std::size_t own_users = (users + of_ - 1 - number_) / of_;
    data_.user_count = copies * own_users;
    for (std::size_t i = 0; i < records; ++i) {
      std::vector<double> row;
      message.get(row);
      const auto label = message.get<double>();
      const std::size_t owner = users > 0 ? message.get<std::uint32_t>() : i;
      for (std::size_t copy = 0; owner % of_ == number_ && copy < copies; ++copy) {
        rows.values.insert(rows.values.end(), row.begin(), row.end());
        data_.labels.push_back(label);
        if (users > 0) data_.users.push_back(static_cast<std::uint32_t>(copy * own_users + owner / of_));
        ++rows.rows;
      }
    }
    data_.features = Features(std::move(rows));
    problem_ = {.data = &data_, .loss = loss, .intercept = intercept};
    passes_ = std::make_unique<PassHost>(
        ShardRecords{&problem_, bits_.get(), 1, copies * first, copies * records}, shard_passes());
  }

  std::size_t number_, of_;
  bool twice_;
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
bool counts_twice = false;

// Where every record has a place of its own, those that count twice have two.
Facts with_places(Facts options) {
  if (counts_twice && (audited->name == "o2nc-single" || audited->name == "o2nc-first") &&
      options.has("records"))
    options.set("records", 2 * options.integer("records"));
  return options;
}

// The shards' bits follow from the run's: the same bits, the same batches.
Release fit_in_shards(const Problem& problem, const Facts& options, Meter& meter) {
  std::uint64_t seed = 0;
  meter.bits().fill({&seed, 1});
  const auto stated = options.has("user_count") ? options.integer("user_count") : std::int64_t{0};
  const std::size_t users = std::max(problem.data->user_count, static_cast<std::size_t>(stated));
  hosts->tell(packed(problem, users, seed).text(), [](std::size_t, std::string_view) {});
  Dataset elsewhere;
  elsewhere.user_count = problem.data->user_count;
  elsewhere.target_kind = problem.data->target_kind;
  elsewhere.features = Features(std::make_shared<const RowsElsewhere>(
      problem.data->size(), problem.data->features.columns(), problem.data->features.sparse()));
  elsewhere.shards = std::make_shared<AuditedShards>(*hosts);
  Problem sharded = problem;
  sharded.data = &elsewhere;
  return audited->fit(sharded, with_places(options), meter);
}

int audit_in_shards(std::size_t runs, bool softmax, bool gaussian) {
  Method method = *audited;
  method.fit = fit_in_shards;
  audit::MethodAuditOptions options;
  if (softmax) options.loss = Softmax{3};
  if (gaussian) options.notion = "gaussian";
  options.black_box = {
      .runs = runs, .threads = 1, .bits = [](std::size_t part) { return testing::seeded_bits(part); }};
  const audit::MethodAudit result = audit::audit_method(method, options);
  for (const audit::Check& check : result.checks)
    if (!check.ok())
      std::cout << fmt::format("FAIL {}: bound {:.6g}, measured {:.6g} ({})\n", check.what, check.bound,
                               check.measured, check.pair);
  std::cout << fmt::format("{} pairs, {} checks, epsilon >= {:.4f} of {}, {} runs\n", result.pairs,
                           result.checks.size(), result.black_box.lower_bound, result.claim.epsilon,
                           result.black_box.runs);
  return result.violated() ? 2 : 0;
}

int run(const std::vector<std::string>& given) {
  audited = &find_method(given.at(0));
  const auto asked = [&](const char* what) {
    return std::find(given.begin() + 3, given.end(), what) != given.end();
  };
  const bool twice = counts_twice = asked("twice");
  Hosts all;
  if (given.at(1) == "mpi") {
    all.others = service::join_cluster("mpi");
    if (const std::size_t rank = all.others->rank(); rank != 0) {
      Host host(rank, all.others->size(), twice);
      while (const auto question = all.others->next_question())
        all.others->send_answer(host.answer(*question));
      return 0;
    }
    all.here.emplace_back(0, all.others->size(), twice);
  } else {
    const std::size_t count = std::stoul(given.at(1));
    for (std::size_t k = 0; k < count; ++k) all.here.emplace_back(k, count, twice);
  }
  hosts = &all;
  return audit_in_shards(std::stoul(given.at(2)), asked("softmax"), asked("mu"));
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
