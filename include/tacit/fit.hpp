#pragma once

// Layer: service.
//
// Fits records under differential privacy.
//
//     tacit::service::FitOptions options;
//     options.guarantee = tacit::Pure{1};
//     tacit::FittedModel model = tacit::service::fit(std::move(records), options);
//     std::string file = tacit::model_to_json(model);

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/core.hpp"
#include "tacit/data.hpp"
#include "tacit/ledger.hpp"
#include "tacit/meter.hpp"
#include "tacit/method.hpp"
#include "tacit/model.hpp"
#include "tacit/problem.hpp"

namespace tacit::inline v1::service {

// Where a fit writes down what it spends.
struct LedgerUse {
  std::filesystem::path path = {};
  std::string name = {};                     // may be empty when the ledger holds one name only
  std::function<void()> before_charge = {};  // called right before the ledger is charged
};

// A group from its text, "region=north": the column ends at the first "=". Empty: none.
TACIT_API std::optional<LedgerGroup> parse_group(std::string_view what, std::string_view text);

// A limit from its text, by the ledger's accountant: "1" (epsilon, mu or rho), "3,1e-6" (epsilon, delta: for
// approx, gaussian and zcdp), or "2:0.5,8:1" (Rényi: order:epsilon). UsageError says what was expected.
TACIT_API Guarantee parse_limit(std::string_view accountant, std::string_view text);
// The same with its name, "people=1". The name ends at the last "=".
TACIT_API LedgerLimit parse_named_limit(std::string_view accountant, std::string_view text);

// The ledger for people and for machines. The JSON format is in docs/ledger.md.
TACIT_API std::string ledger_text(const Ledger& ledger);
TACIT_API std::string ledger_json(const Ledger& ledger);

}  // namespace tacit::inline v1::service

namespace tacit::inline v1::service {

// Where a long fit leaves its state, so that it can be stopped and taken up again without a second charge
// (docs/checkpoints.md). Needs a ledger, and a method that can.
struct CheckpointUse {
  std::filesystem::path path = {};  // of the checkpoint; a fit takes it up when it exists
  std::uint64_t every = 0;          // steps between saves; 0: a fiftieth of all
  // Asked after every step until it is true once: that counts. The fit saves and throws Interrupted, though
  // not after its last step; true before the charge, nothing is charged.
  std::function<bool()> stop = {};
  std::string schema = {};  // tells one schema of the data from another
};

// To be called once the model is where it should be: the checkpoint is closed in the ledger and removed.
// Until then the fit can be taken up again, and gives the same model. UsageError while steps are left to be
// taken, unless `give_up`: what the fit was charged is then spent for nothing.
TACIT_API void finish_checkpoint(const CheckpointUse& use, const LedgerUse& ledger, bool give_up = false);

}  // namespace tacit::inline v1::service

namespace tacit::inline v1::service {

// What a schema cost that was found privately, by its own certificate (docs/private_schema.md).
struct SchemaRelease {
  Guarantee guarantee = {};
  Unit unit = Unit::item;
  Neighbours neighbours = usual_neighbours;
  bool edited = false;  // since it was released
  Facts assumed =
      {};  // what its certificate takes for granted: columns, column_names, query, group, group_of
};
// Of the schema in a file; none where it has no certificate.
TACIT_API std::optional<SchemaRelease> schema_release(const std::filesystem::path& schema);

// Processes that hold a shard of the records each (docs/clusters.md). The first, of rank 0, fits and has the
// bits of the noise, the ledger and the model; the others answer its questions. What they say to each other
// is sensitive.
class TACIT_API Cluster {
 public:
  Cluster() = default;
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;
  virtual ~Cluster() = default;  // at rank 0 it ends the others, too

  virtual std::size_t rank() const = 0;
  virtual std::size_t size() const = 0;

  // Of rank 0. Both throw when a process is lost, and name it.
  virtual void send_to_others(std::string_view question) = 0;
  virtual std::string receive_from(std::size_t rank) = 0;
  // Of the others: the next question, or nothing when there will be none.
  virtual std::optional<std::string> next_question() = 0;
  virtual void send_answer(std::string_view answer) = 0;
};

// The processes that were started together with this one: "mpi", by mpirun. NotFoundError, with the remedy,
// where MPI is not installed; UsageError for another kind.
TACIT_API std::shared_ptr<Cluster> join_cluster(std::string_view kind);

// Records in shards, each read, kept and summed by itself. Needs a schema, and a method that takes shards.
struct ShardUse {
  std::size_t count = 1;                          // 1: all records are in one place
  std::vector<std::filesystem::path> files = {};  // shared out in their order; none: the one file is cut
  std::shared_ptr<Cluster> cluster = {};  // a shard in each of its processes; none: all are in this one
  // Whose coins choose the records of a batch: each shard has its own. Empty: the system's bits.
  std::function<std::unique_ptr<BitSource>(std::size_t shard)> bits = {};

  bool elsewhere = false;  // the caller carries questions to them (fit_shards)

  bool used() const { return count > 1 || cluster != nullptr || elsewhere; }
};

// What a process does whose rank is not 0: it holds its shard and answers until the fit has ended. `open`
// says what is read; its errors, too, are told to rank 0 alone.
struct ShardToHold {
  ReadOptions reading = {};
  ShardUse use = {};
  unsigned threads = 0;
};
TACIT_API void hold_shard(Cluster& cluster, const std::function<ShardToHold()>& open);

// One shard of records that lie in memory, for callers who carry questions and answers themselves. `encode`
// makes the records as this schema, which has knots, says; labels are class numbers or numbers.
class TACIT_API MemoryShard {
 public:
  MemoryShard(const Schema& schema, std::size_t records, std::function<ReadResult(const Schema&)> encode,
              unsigned threads);
  MemoryShard(MemoryShard&&) noexcept;
  ~MemoryShard();

  // Of the shard, to a question of the fit. Failures are answers, too.
  std::string answer(std::string_view question);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Asks all shards, whose answers come in their order. Throws when one is lost.
using AskShards = std::function<std::vector<std::string>(const std::string& question)>;

// How to fit, apart from where the data is. All of it is public.
struct FitOptions {
  std::string loss = {};  // empty: 2 classes logistic, more softmax, numbers squared
  std::optional<double> loss_parameter =
      {};  // huber, smoothed-hinge: > 0; pinball: in (0, 1); max-affine: pieces
  std::optional<std::int64_t> hidden = {};  // units of a network's hidden layer, >= 1; absent: 64
  std::string method = {};                  // empty or "auto": chosen by a public rule (choose_method)
  // Whose data is protected, when the method is chosen. Users, whatever is said here, where the records or
  // their schema have users; to protect single records, leave the users out.
  Unit unit = Unit::item;
  Guarantee guarantee = Pure{1};              // pure, approx, gaussian or none
  std::optional<Neighbours> neighbours = {};  // absent: the ledger's, or the first that the method offers
  double intercept = 1;                       // value of the constant feature; 0: none
  std::optional<double> row_bound = {};       // public bound on every row's 2-norm, intercept not counted
  // For records with weights, and for no others: public, 2^-100 … 2^100. Weights are cut to [0, it].
  std::optional<double> weight_bound = {};
  std::optional<double> target_min = {}, target_max = {};  // public bounds of a numeric target
  bool target_log1p = false;  // the model is for log(1 + y − target_min), which must be given
  // What numbers become whose knots a schema leaves open. `automatic` takes records without a schema as they
  // are.
  EncoderRule encoder = EncoderRule::automatic;
  // For a table without a schema: the share of the guarantee that finds its columns' ranges and kinds, >= 0
  // and < 1. 0: numbers are taken as they are. Absent: a public rule [docs/private_schema.md].
  std::optional<double> range_share = {};
  // Confidence intervals of the coefficients, at this level [docs/intervals.md], with this share of the
  // guarantee; both in (0, 1).
  std::optional<double> interval_level = {};
  double interval_share = 0.2;
  std::string target = {};  // name of what is predicted, for the model
  // Of the method, by their names in `tacit methods`: "slope_limit" or "slope-limit". UsageError for a name
  // that the method does not have, or a value that the option may not have.
  Facts method_options = {};
  unsigned threads = 0;  // 0: one per core; at most 1024
  // What the caller did that the guarantee does not cover: sentences for the certificate, each one line of
  // UTF-8, none of them twice.
  std::vector<std::string> assumptions = {};
  std::function<void(const Step&)> before_each_step = {};  // as in Meter
  // Told in the certificate, with what both cost together; a schema that was found privately needs it.
  std::optional<SchemaRelease> schema_release = {};
  // Fits the records with this value in a column that is public, a category of the schema; a ledger charges
  // the group for it (docs/ledger.md, "Groups").
  std::optional<LedgerGroup> group = {};
  std::optional<LedgerUse> ledger =
      {};  // charged with the whole guarantee right before the first noise is drawn
  std::optional<CheckpointUse> checkpoint =
      {};  // with a ledger only; finish_checkpoint() when the model is safe
  ShardUse shards = {};
};

// Fits records in memory. Labels are class numbers or numbers, as data.target_kind says. The guarantee covers
// the records; everything else, data.classes and data.names included, is taken to be public. UsageError for
// options that need more than the records: range_share, shards.
TACIT_API FittedModel fit(Dataset data, const FitOptions& options);
// The same with the caller's bits: seeded ones mark the model as not private.
TACIT_API FittedModel fit(Dataset data, const FitOptions& options, BitSource& bits);

// Reads a file and fits it. Bounds and classes come from reading.schema; what had to be read off the data
// instead is listed in the certificate's assumed_public and assumptions.
TACIT_API FittedModel fit_file(const ReadOptions& reading, const FitOptions& options);
TACIT_API FittedModel fit_file(const ReadOptions& reading, const FitOptions& options, BitSource& bits);

// Fits records that so many shards elsewhere hold; the schema describes their target. UsageError for a method
// that needs them in one place.
TACIT_API FittedModel fit_shards(const Schema& schema, std::size_t shards, const AskShards& ask,
                                 const FitOptions& options);

// What a fit would do, from public values alone.
struct PlannedFit {
  Certificate certificate = {};  // as the fit's will be, but for what the fit finds and the ledger's id
  // Why its steps cannot be told before the fit, so that its guarantees are the most that may be spent; else
  // empty.
  std::string no_steps = {};
  LossSpec loss = {};
  std::size_t features = 0, parameters = 0;  // features with the constant
  Schema schema = {};                        // with knots
  std::vector<std::string> warnings = {};
};

// Reads no record, not even the file, and charges nothing; a charge that a ledger would refuse is refused.
// `units` is the number of records, or of users where they are protected, which is public. UsageError without
// it, and without a schema with a target.
TACIT_API PlannedFit plan_fit(const ReadOptions& reading, const FitOptions& options,
                              std::optional<std::size_t> units);
// For people and for machines.
TACIT_API std::string plan_text(const PlannedFit& plan);
TACIT_API std::string plan_json(const PlannedFit& plan);

// What is asked for by epsilon alone (pure; none when infinite), epsilon and delta, or mu. UsageError for
// anything else.
TACIT_API Guarantee requested_guarantee(std::optional<double> epsilon, std::optional<double> delta,
                                        std::optional<double> mu);

// All that the fit by this method may spend.
TACIT_API Budget requested_budget(const FitOptions& options, const Method& method);

// The value of a method's option from its text. UsageError names the option and its range.
TACIT_API FactValue parse_option(const OptionSpec& spec, std::string_view text);
// "slope-limit" is kept in certificates as "slope_limit".
TACIT_API std::string fact_name(std::string_view option);

// The model file, signed with the key in PEM at `key` unless that is empty.
TACIT_API std::string model_text(const FittedModel& model, const std::filesystem::path& key);

// Throws unless the file holds an Ed25519 private key in PEM: found before anything is spent on what it would
// sign.
TACIT_API void require_signing_key(const std::filesystem::path& key);

// Throws WriteError when `path` can surely not be written, or belongs to a ledger, whose charges would be
// forgotten: before anything is spent on what would go there.
TACIT_API void require_writable(const std::filesystem::path& path);

}  // namespace tacit::inline v1::service

namespace tacit::inline v1::service {

// The schema with the knots that a fit of this many records with these options gives it: what to encode a
// table with before fit_records. Where users are in the records but not in the schema, options.unit says so.
TACIT_API Schema schema_to_fit(const Schema& schema, const FitOptions& options, std::size_t records);

// Fits records that lie in memory as a reader would have left them there, encoded with `schema` if there is
// one: DataError where the schema makes other features, or has other classes. What read.read_off_data lists
// is in the certificate's assumed_public and assumptions. How a file was laid out (its header, separator and
// names) is not known here: fit_file states it.
TACIT_API FittedModel fit_records(ReadResult read, const std::optional<Schema>& schema,
                                  const FitOptions& options);
TACIT_API FittedModel fit_records(ReadResult read, const std::optional<Schema>& schema,
                                  const FitOptions& options, BitSource& bits);

}  // namespace tacit::inline v1::service

// Which method fits, when none is named [docs/choosing.md]. Everything here is a function of public values:
// the guarantee that is asked for, the shape of the problem, bounds, options. Never of the records.

namespace tacit::inline v1::service {

// Whether the options leave the choice to the tool: no method, or "auto".
TACIT_API bool chooses_itself(const FitOptions& options);

// The method that is named; or those that the choice is among: that give the guarantee, assume nothing,
// protect the unit and the relation and have the options that were given. UsageError when there is none.
TACIT_API std::vector<const Method*> candidates(const FitOptions& options);

struct Choice {
  const Method* method = nullptr;
  std::string reason = {};  // one line; empty for a method that was named
};

// The choice among `candidates`, which are those of the options. `facts` is what the method would be given:
// its options, the guarantee, and the bounds that are public.
TACIT_API Choice choose_method(const FitOptions& options, std::vector<const Method*> candidates,
                               const Shape& shape, const Facts& facts);

}  // namespace tacit::inline v1::service

namespace tacit::inline v1::service {

// The method that tunes, and its options from a JSON file (docs/tuned.md):
//   {"settings": [{"method": "limited-objective", "radius": 3}, …], "validation": 0.2, "mean_runs": 12}
// DataError names the file, the setting and what is wrong with it.
inline constexpr std::string_view tuning_method = "tuned";
TACIT_API Facts load_tuning(const std::filesystem::path& path);

}  // namespace tacit::inline v1::service

namespace tacit::inline v1::service {

// Warnings about a model, each a sentence without its full stop, or empty. From public and
// released values alone.

// That the fit halted before its last phase, and what the model is then.
TACIT_API std::string halt_warning(const FittedModel& model);

// That records (or users) are so few that noise must outweigh them; empty where their number is private.
TACIT_API std::string few_records_warning(const FittedModel& model);

// The setting that `tuned` chose, as its file would name it: "limited-objective:radius=3"; empty for others.
TACIT_API std::string chosen_setting(const FittedModel& model);

// What a numeric target without a public range means for methods that clip; told before the fit, too.
inline constexpr std::string_view no_target_range =
    "the target has no public range and is taken to lie in [-1, 1]; give its min and max in a schema";
TACIT_API std::string target_range_warning(const FittedModel& model);

// All of the above that apply.
TACIT_API std::vector<std::string> warnings(const FittedModel& model);

}  // namespace tacit::inline v1::service

namespace tacit::inline v1::service {

// UsageError when `output`, which the caller knows as `what`, is one of the files that are read: it would be
// lost. Empty paths are none.
TACIT_API void require_no_input(std::string_view what, const std::string& output,
                                const std::vector<std::string>& inputs);

// UsageError when the file exists and nobody said, by `how`, that it may be overwritten.
TACIT_API void require_new(std::string_view what, const std::string& path, bool force, std::string_view how);

// UsageError when the file exists and does not begin as what replaces it does, white space aside: it is
// something else, data perhaps, or a statement that was paid for, and is kept.
TACIT_API void require_same_kind(std::string_view what, const std::string& path, std::string_view begins,
                                 std::string_view kind);
inline constexpr std::string_view page_begins = "<!DOCTYPE html>", json_begins = "{", figure_begins = "<svg",
                                  model_begins = R"({"format":"tacit-model")";

}  // namespace tacit::inline v1::service
