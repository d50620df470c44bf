#include "tacit/fit.hpp"

#include <filesystem>
#include <memory>

#include "command.hpp"
#include "shard_flags.hpp"
#include "stopping.hpp"
#include "tacit/core.hpp"
#include "tacit/loss.hpp"
#include "tacit/model.hpp"
#include "tacit/service.hpp"
#include "watched_cluster.hpp"
#include "working.hpp"

namespace tacit::cli {

namespace {

struct FitFlags {
  ReadingFlags reading;
  std::string target, user, loss, loss_parameter, epsilon, delta, mu, neighbours, method, schema, model,
      row_bound, range_share, intervals, interval_share, group, sign, ledger, ledger_name, tune,
      encoder = "auto", features = "none";
  std::string checkpoint;
  std::vector<std::string> exclude, more_files;
  std::size_t shards = 1;
  std::string cluster;
  std::uint64_t checkpoint_every = 0;
  std::optional<std::int64_t> hidden, progress;
  bool no_intercept = false, json = false, plan = false;
  MethodFlags method_options;
};

// Of those who are protected.
const char* count_flag(Unit unit) { return unit == Unit::user ? "user-count" : "records"; }

service::FitOptions fit_options(const FitFlags& flags, const std::optional<Schema>& schema,
                                const service::ShardUse& shards) {
  service::FitOptions options;
  options.shards = shards;
  options.loss = flags.loss;
  options.loss_parameter = parse_number_if_given("--loss-parameter", flags.loss_parameter);
  options.hidden = flags.hidden;
  options.method = flags.method;
  if (!flags.user.empty() || !flags.reading.users.empty() || (schema && !schema->user.empty()))
    options.unit = Unit::user;
  if (!flags.tune.empty()) {
    if (!flags.method.empty())
      throw_error<UsageError>("--tune chooses among methods itself; leave out --method");
    for (const char* name : {"settings", "validation", "mean-runs"})
      if (!flags.method_options.at(name).empty())
        throw_error<UsageError>("--{} and --tune contradict each other; set it in the file", name);
    options.method = service::tuning_method;
    options.method_options = service::load_tuning(flags.tune);
  }
  options.guarantee = service::requested_guarantee(parse_number_if_given("--epsilon", flags.epsilon),
                                                   parse_number_if_given("--delta", flags.delta),
                                                   parse_number_if_given("--mu", flags.mu));
  if (!flags.neighbours.empty()) options.neighbours = parse_neighbours(flags.neighbours);
  options.intercept = flags.no_intercept ? 0 : 1;
  options.encoder = parse_encoder_rule(flags.encoder);
  options.range_share = parse_number_if_given("--range-share", flags.range_share);
  options.interval_level = parse_number_if_given("--intervals", flags.intervals);
  if (const auto share = parse_number_if_given("--interval-share", flags.interval_share)) {
    if (!options.interval_level) throw_error<UsageError>("--interval-share needs --intervals");
    options.interval_share = *share;
  }
  options.row_bound = parse_number_if_given("--row-bound", flags.row_bound);
  options.threads = flags.reading.threads;
  options.group = service::parse_group("--group", flags.group);
  options.ledger = ledger_use(flags.ledger, flags.ledger_name);
  if (!flags.checkpoint.empty())
    options.checkpoint = service::CheckpointUse{flags.checkpoint, flags.checkpoint_every, stop_requested};
  else if (flags.checkpoint_every != 0)
    throw_error<UsageError>("--checkpoint-every needs --checkpoint");
  MethodFlags given = flags.method_options;
  if (flags.plan && options.unit == Unit::user && !given["records"].empty())
    throw_error<UsageError>(
        "how many records users have is theirs, and no plan is made from it: leave out --records, and state "
        "the "
        "number of users by --user-count N");
  // To a plan it says how many there are; to a method it is an option where their number is private.
  if (flags.plan && options.neighbours != Neighbours::add_remove) given[count_flag(options.unit)].clear();
  set_method_options(service::candidates(options), given, options.method_options);
  return options;
}

// In words, for people.
std::string report(const FittedModel& model, const std::string& path, bool replaces) {
  const Certificate& certificate = model.certificate;
  std::string text = summary_text(certificate);
  if (certificate.options.has("limits"))
    text +=
        fmt::format("Sizes and limits were chosen privately, with a share of {:.3g} of epsilon.\n",
                    certificate.options.number("limit_share") + certificate.options.number("column_share"));
  const std::string few = service::few_records_warning(model);
  for (const std::string& warning : service::warnings(model))
    if (warning != service::no_target_range && warning != few)  // said before the fit
      text += "Warning: " + warning + ".\n";
  if (model.intervals) {
    const Vector half = (model.intervals->upper - model.intervals->lower) / 2;
    text += fmt::format("Intervals of level {:g} are in the model: half widths of {:.3g} to {:.3g}.\n",
                        model.intervals->level, half.minCoeff(), half.maxCoeff());
  }
  std::string chosen;
  if (certificate.assumed_public.has("method_choice"))
    chosen = fmt::format(" (chosen: {})", certificate.assumed_public.text("method_choice"));
  if (const std::string setting = service::chosen_setting(model); !setting.empty())
    text += fmt::format("Setting chosen: {}.\n", setting);
  return text + fmt::format("Method {}{}, loss {}. The model is in {}{}.\n", certificate.method, chosen,
                            name(model.loss), path, replaces ? ", in place of what was there" : "");
}

std::string report_json(const FittedModel& model) {
  auto json = nlohmann::ordered_json::parse(summary_json(model.certificate));
  if (const std::string setting = service::chosen_setting(model); !setting.empty())
    json["chosen_setting"] = setting;
  json["warnings"] = service::warnings(model);
  return json.dump(2) + "\n";
}

// A checkpoint lies in a file of its own, and a signal to stop saves one.
void prepare_checkpoint(const FitFlags& flags) {
  service::require_writable(flags.checkpoint);
  require_no_input("--checkpoint", flags.checkpoint,
                   {flags.reading.path, flags.reading.labels, flags.reading.users, flags.schema, flags.sign,
                    flags.tune, flags.model});
  stop_on_signals();
}

void print_plan(const FitFlags& flags, const ReadOptions& reading, const service::FitOptions& options) {
  const std::string name = count_flag(options.unit), flag = "--" + name;
  const auto units = parse_whole_if_given(flag, flags.method_options.at(name));
  if (!units)
    throw_error<UsageError>("a plan needs the number of {}s, which nothing public says: state it by {} N",
                            record_or_user(options.unit), flag);
  const service::PlannedFit plan = service::plan_fit(reading, options, static_cast<std::size_t>(*units));
  print(flags.json ? service::plan_json(plan) + "\n" : service::plan_text(plan));
}

ReadOptions reading_of(const FitFlags& flags, const service::ShardUse& shards) {
  ReadOptions reading = read_options(flags.reading);
  if (!shards.files.empty()) reading.path = shards.files.front();
  reading.schema = schema_for(flags.schema, reading);
  reading.target = flags.target;
  reading.user = flags.user;
  reading.image_features = parse_image_features(flags.features);
  if (!flags.exclude.empty()) {
    if (!reading.schema) throw_error<UsageError>("--exclude needs a schema, which says what the columns are");
    reading.schema = service::without_columns(*reading.schema, flags.exclude);
  }
  return reading;
}

// The files as they are found here: a process of a cluster that lacks them tells rank 0.
service::ShardUse with_files(service::ShardUse shards, const FitFlags& flags) {
  shards.files = shard_files(shards, flags.reading.path, flags.more_files);
  return shards;
}

// Those of the processes of a cluster that hold a shard and nothing else say nothing themselves.
bool holds_shard_only(const FitFlags& flags, const service::ShardUse& joined) {
  if (!joined.cluster || joined.cluster->rank() == 0) return false;
  service::hold_shard(*joined.cluster, [&] {
    const service::ShardUse shards = with_files(joined, flags);
    return service::ShardToHold{reading_of(flags, shards), shards, flags.reading.threads};
  });
  return true;
}

// Of the processes of a cluster more is told than the clock says, but for runs whose number is secret.
Working::Telling telling_of(const FitFlags& flags, service::FitOptions& options) {
  if (flags.progress && *flags.progress < 1)
    throw_error<UsageError>("--progress is {}, expected at least 1 second", *flags.progress);
  Working::Telling telling{.every = std::chrono::seconds(flags.progress.value_or(0))};
  if (options.shards.cluster && !service::candidates(options).front()->secret_runs) {
    const auto watched = std::make_shared<WatchedCluster>(options.shards.cluster);
    options.shards.cluster = watched;
    telling.state = [watched] { return watched->state(); };
  }
  return telling;
}

void run(const FitFlags& flags) {
  const service::ShardUse joined = shard_use({.count = flags.shards, .cluster = flags.cluster});
  if (holds_shard_only(flags, joined)) return;
  const service::ShardUse shards = with_files(joined, flags);
  const ReadOptions reading = reading_of(flags, shards);
  service::FitOptions options = fit_options(flags, reading.schema, shards);
  if (!flags.model.empty()) service::require_writable(flags.model);
  require_no_input(
      "--model", flags.model,
      {flags.reading.path, flags.reading.labels, flags.reading.users, flags.schema, flags.sign, flags.tune});
  require_same_kind("--model", flags.model, service::model_begins, "model");
  if (flags.json && flags.model.empty() && !flags.plan && (options.ledger || !flags.sign.empty()))
    throw_error<UsageError>(
        "--json prints the report: name the model's file by --model, or it would be lost");
  if (options.checkpoint) prepare_checkpoint(flags);
  if (!flags.sign.empty()) service::require_signing_key(flags.sign);
  if (!flags.schema.empty()) options.schema_release = service::schema_release(flags.schema);
  if (flags.plan) return print_plan(flags, reading, options);
  const Working::Telling telling = telling_of(flags, options);
  require_standard_output();

  FittedModel model;
  {
    const Working bar("fitting", Working::Plans::told, telling);
    model = service::fit_file(reading, options);
  }
  const std::string text = service::model_text(model, flags.sign);
  std::error_code ignored;
  const bool replaces = std::filesystem::is_regular_file(flags.model, ignored);
  if (!flags.model.empty()) write_file_atomically(flags.model, text);
  if (flags.json)
    print(report_json(model));
  else
    print(flags.model.empty() ? text : report(model, flags.model, replaces));
  if (options.checkpoint) service::finish_checkpoint(*options.checkpoint, *options.ledger);
}

}  // namespace

void add_fit(Command& tool) {
  auto flags = std::make_shared<FitFlags>();
  Command command = tool.add_command("fit", "fit a model to a data file under differential privacy",
                                     "tacit fit people.csv --target income --loss logistic --epsilon 1 "
                                     "--schema people.schema.json --model model.json");
  add_reading_flags(*command, flags->reading);
  command->add_option("FILES", flags->more_files, "more files of the same table, with --shards or --cluster");
  command
      ->add_option("--shards", flags->shards,
                   "read, keep and sum the records in so many parts (docs/clusters.md); needs a schema")
      ->transform(whole_number);
  command->add_option("--cluster", flags->cluster,
                      "mpi: a part in each process that mpirun started (docs/clusters.md)");
  command
      ->add_option("--progress", flags->progress,
                   "where standard error is not a terminal, as under mpirun: a line there every so many "
                   "seconds says how the fit goes on")
      ->transform(whole_number);
  command->add_option("--target", flags->target,
                      "the column to predict, by name, or by number (from 0, and -1 is the last), as without "
                      "a header; default: the schema's");
  command->add_option("--loss", flags->loss, fmt::format("{}; default: by the target", loss_names));
  command->add_option("--hidden", flags->hidden, "hidden units of a network; default: 64")
      ->transform(whole_number);
  command->add_option(
      "--loss-parameter", flags->loss_parameter,
      "huber: width (1); pinball: quantile (0.5); smoothed-hinge: width (0.5); max-affine: pieces (4)");
  command->add_option("--epsilon", flags->epsilon, "the privacy to keep, > 0; inf: none");
  command->add_option("--delta", flags->delta, "with --epsilon: approximate privacy, between 0 and 1");
  command->add_option("--mu", flags->mu, "Gaussian privacy instead, > 0");
  command->add_option(
      "--method", flags->method,
      "one of `tacit methods`, or auto, the default: chosen from public values (docs/choosing.md)");
  command->add_option(
      "--neighbours", flags->neighbours,
      "which datasets must look alike: zero_out (the default where the method offers it), replace_one or "
      "add_remove");
  command->add_option("--user", flags->user, "the column that says whose record it is");
  command->add_option("--schema", flags->schema, "what is public of the columns (see `tacit schema`)");
  command->add_option(
      "--encoder", flags->encoder,
      "what numbers become where the schema says no knots: auto (the default), linear, hats or linear-v1 "
      "(docs/features.md)");
  command->add_option("--features", flags->features, "what images become: none (pixels) or wavelets");
  command->add_option("--exclude", flags->exclude,
                      "a column of the schema that is not to be used; may be repeated");
  command->add_option("--row-bound", flags->row_bound,
                      "public bound on every row's 2-norm, without a schema");
  command->add_option(
      "--range-share", flags->range_share,
      "without a schema: the share of the guarantee that finds the columns' ranges, below 1; 0: "
      "numbers as they are; default: a public rule (docs/private_schema.md)");
  command->add_option(
      "--intervals", flags->intervals,
      "confidence intervals of the coefficients at this level, such as 0.95 (docs/intervals.md)");
  command->add_option("--interval-share", flags->interval_share,
                      "the share of the guarantee that finds the intervals, between 0 and 1; default: 0.2");
  command->add_flag("--no-intercept", flags->no_intercept, "no constant feature");
  command->add_option("--model", flags->model, "where the model goes; default: standard output");
  command
      ->add_option("--ledger", flags->ledger,
                   "charge this ledger before anything is released (see `tacit ledger`)")
      ->check([](const std::string& file) {  // an unset variable must not mean: no ledger
        return file.empty() ? std::string("the file's name is empty") : std::string();
      });
  command->add_option("--ledger-name", flags->ledger_name,
                      "the name to charge; not needed when the ledger has one name only");
  command->add_option("--group", flags->group,
                      "COLUMN=VALUE: fit the records with this category alone; groups of one public column "
                      "cost a ledger their maximum (docs/ledger.md)");
  command->add_option("--checkpoint", flags->checkpoint,
                      "save the state here while fitting, and take it up from here when it exists "
                      "(docs/checkpoints.md)");
  command
      ->add_option("--checkpoint-every", flags->checkpoint_every,
                   "steps between two saves; default: a fiftieth of all")
      ->transform(whole_number);
  command->add_option("--tune", flags->tune,
                      "choose privately among the settings in this JSON file (docs/tuned.md)");
  command->add_option("--sign", flags->sign, "sign the model with this Ed25519 private key (PEM)");
  command->add_flag("--plan", flags->plan,
                    "say what would be done, from the schema and --records N, or --user-count N for users; "
                    "reads no record, charges and writes nothing");
  command->add_flag("--json", flags->json, "print the guarantee as JSON");
  add_method_flags(*command, flags->method_options);
  command->callback([flags] { run(*flags); });
}

}  // namespace tacit::cli
