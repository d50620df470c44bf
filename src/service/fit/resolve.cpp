#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <sstream>

#include "core/utf8.hpp"
#include "domain/text.hpp"
#include "ledger/lock.hpp"
#include "privacy/assumptions.hpp"
#include "service/fit/checkpointed_fit.hpp"
#include "service/fit/group.hpp"
#include "service/fit/intervals.hpp"
#include "service/fit/ledger_request.hpp"
#include "service/fit/method_options.hpp"
#include "service/fit/schema_cost.hpp"
#include "service/fit/steps.hpp"
#include "service/fit/weights.hpp"
#include "tacit/core.hpp"
#include "tacit/ledger.hpp"

namespace tacit::inline v1::service {

namespace {

constexpr unsigned most_threads = 1024;

// Each option by itself, as the method's table has it; what one says of another is for the method.
void check_values(const Method& method, const Facts& given) {
  for (const auto& [key, value] : given.entries())
    if (const OptionSpec* spec = find_option(method, key)) require_in_range(*spec, value);
}

// Under add_remove the number of records is not public, and methods that go by one must be told.
void check_count(const Method& method, const FitOptions& options) {
  const std::string count = count_option(method.unit);
  if (relation_for(method, options.neighbours) != Neighbours::add_remove ||
      find_option(method, count) == nullptr || options.method_options.has(count))
    return;
  throw_error<UsageError>("add_remove keeps the number of {}s private: give a public one (the option {})",
                          record_or_user(method.unit), find_option(method, count)->name);
}

// Those that would take what is asked for; where none would, what the first has against it is thrown.
std::vector<const Method*> willing(const std::vector<const Method*>& candidates, const FitOptions& options) {
  std::vector<const Method*> found;
  std::exception_ptr refusal;
  for (const Method* method : candidates) try {
      check_values(*method, options.method_options);
      check_count(*method, options);
      found.push_back(method);
    } catch (const UsageError&) {
      if (!refusal) refusal = std::current_exception();
    }
  if (found.empty()) std::rethrow_exception(refusal);
  return found;
}

void check_checkpoint_options(const FitOptions& options, const Method& method) {
  if (!options.ledger)
    throw_error<UsageError>(
        "a checkpoint needs a ledger, which keeps it from being continued more than once");
  if (!method.resumable)
    throw_error<UsageError>("the method {} is fitted in one go and makes no checkpoints", method.name);
}

std::string relations(const Method& method) {
  std::string names;
  for (const Neighbours relation : method.neighbours)
    names += fmt::format("{}{}", names.empty() ? "" : " or ", name(relation));
  return names;
}

void check(const FitOptions& options, const Method& method) {
  if (options.neighbours && !protects(method, *options.neighbours))
    throw_error<UsageError>("neighbours {} is not offered by {}, which protects {}",
                            name(*options.neighbours), method.name, relations(method));
  if (options.weight_bound) check_weight_bound(*options.weight_bound, method);
  check_interval_options(options, method);
  if (options.shards.used() && (options.interval_level || options.group))
    throw_error<UsageError>("intervals and groups need all records in one place; fit them without shards");
  if (options.checkpoint) check_checkpoint_options(options, method);
  if (options.threads > most_threads)
    throw_error<UsageError>("threads is {}, expected at most {}", options.threads, most_threads);
  if (options.row_bound && !(*options.row_bound > 0 && std::isfinite(*options.row_bound)))
    throw_error<UsageError>("the row bound is {}, expected a finite number > 0", *options.row_bound);
  if (!(options.intercept >= 0 && std::isfinite(options.intercept)))
    throw_error<UsageError>("the intercept is {}, expected a finite number >= 0", options.intercept);
}

// What the schema says is public goes where the caller said nothing.
FitOptions with_schema(FitOptions options, const std::optional<Schema>& schema) {
  if (schema && schema->target) {
    if (options.target.empty()) options.target = schema->target->column;
    if (!options.target_min) options.target_min = schema->target->min;
    if (!options.target_max) options.target_max = schema->target->max;
    options.target_log1p = options.target_log1p || schema->target->log1p;
  }
  if (options.checkpoint && schema) options.checkpoint->schema = fingerprint(schema_to_json(*schema));
  return options;
}

// A line of numbers with commas, blanks or both between them.
std::string with_commas(std::string_view line) {
  std::string text;
  bool apart = false;
  for (const char c : line) {
    const bool blank = c == ' ' || c == '\t' || c == '\r';
    if (!blank && apart && c != ',' && !text.empty() && text.back() != ',') text += ',';
    if (!blank) text += c;
    apart = blank;
  }
  return text;
}

// KIND:@FILE, with a line for each coordinate or row, becomes the text that a certificate can state; a domain
// that is no domain is refused before anything is read.
FitOptions with_domain_read(FitOptions options) {
  if (!options.method_options.has("domain")) return options;
  std::string text = options.method_options.text("domain");
  if (const auto at = text.find(":@"); at != std::string::npos) {
    std::istringstream lines(read_file(text.substr(at + 2)));
    std::string numbers;
    for (std::string line; std::getline(lines, line);) numbers += with_commas(line) + ';';
    while (numbers.ends_with(';')) numbers.pop_back();
    text = text.substr(0, at + 1) + numbers;
  }
  check_domain(text);
  options.method_options.set("domain", text);
  return options;
}

// Someone who says whose records they are, in a flag or in the schema, means people.
bool names_users(const std::optional<Schema>& schema) { return schema && !schema->user.empty(); }
bool names_users(const ReadOptions& reading) {
  return !reading.user.empty() || !reading.users_path.empty() || names_users(reading.schema);
}

// Where the method is chosen: among those for users when users are named.
FitOptions with_unit(FitOptions options, bool users) {
  if (chooses_itself(options) && users) options.unit = Unit::user;
  return options;
}

// A fit on a ledger is for the ledger's relation, unless another is asked for. A ledger for another unit, or
// for a relation that the method does not offer, refuses the fit and says so itself.
FitOptions with_terms(FitOptions options) {
  if (!options.ledger || options.neighbours) return options;
  const LedgerTerms terms = read_ledger_terms(options.ledger->path);
  const bool fits = chooses_itself(options) ? terms.unit == options.unit
                                            : protects(find_method(options.method), terms.neighbours);
  if (fits) options.neighbours = terms.neighbours;
  return options;
}

// `auto` is for columns with a range: without a schema numbers are taken as they are. A network bends by
// itself, a net has no room for curves, and for users the rule would need the number of records, which is not
// public: a line for each number.
EncoderRule settled_encoder(const FitPlan& plan) {
  const FitOptions& options = plan.options;
  const bool chosen = options.encoder == EncoderRule::automatic;
  if (!plan.schema) {
    if (!chosen && options.encoder != EncoderRule::linear_v1)
      throw_error<UsageError>("the encoder {} needs a schema with the range of every number",
                              name(options.encoder));
    return EncoderRule::linear_v1;
  }
  if (!chosen) return options.encoder;
  const Method& method = *plan.candidates.front();
  const bool lines = parse_network(options.loss) || parse_robust(options.loss) ||
                     needs_few_parameters(method, options.method_options) || method.unit == Unit::user;
  return lines ? EncoderRule::linear : EncoderRule::automatic;
}

// Whose records they are goes with the methods that protect users, and with none.
void check_users(bool said, const Method& method, std::string_view how_to_say) {
  if (said && method.unit == Unit::item && !offers(method, Notion::none))
    throw_error<UsageError>(
        "the method {} protects single records; to protect users, take user-sgd, or user-group, which is "
        "dp-sgd with noise for all records of a user",
        method.name);
  if (!said && method.unit == Unit::user)
    throw_error<UsageError>("the method {} protects users; say whose record each one is: {}", method.name,
                            how_to_say);
}

// The name in the options is for records whose target has no other.
void require_same_target(const std::string& asked, const std::string& named,
                         const std::optional<Schema>& schema) {
  const std::string& target = named.empty() && schema && schema->target ? schema->target->column : named;
  if (!asked.empty() && !target.empty() && asked != target)
    throw_error<UsageError>("the options call the target \"{}\", but the column is \"{}\"", visible(asked),
                            visible(target));
}

void check_ledger(const FitOptions& options, const Method& method) {
  const LedgerRequest request = request_to(options, method, requested_budget(options, method), options.group);
  if (options.checkpoint)
    check_checkpoint(*options.checkpoint, *options.ledger, request);
  else
    check_charge(options.ledger->path, request);
}

}  // namespace

FitPlan resolve(const FitOptions& given, const std::optional<Schema>& schema) {
  FitOptions asked = given;
  asked.method_options = under_fact_names(given.method_options);
  validate(asked.guarantee);
  check_loss_name(asked);
  check_callers_assumptions(asked.assumptions);
  if (asked.ledger && std::holds_alternative<NoPrivacy>(asked.guarantee))
    throw_error<UsageError>("a fit without privacy cannot be charged to a ledger");
  FitPlan plan{.options = with_terms(std::move(asked)), .candidates = {}, .schema = schema};
  plan.candidates = candidates(plan.options);
  check_method_options(plan.candidates, plan.options.method_options);
  plan.options = with_schema(with_domain_read(std::move(plan.options)), schema);
  check(plan.options, *plan.candidates.front());  // each has what was asked for, unless it was named
  plan.candidates = willing(plan.candidates, plan.options);
  check_group(plan.options.group, plan.schema, plan.candidates.front()->unit);
  plan.options.encoder = settled_encoder(plan);
  return plan;
}

FitPlan resolve(const ReadOptions& reading, const FitOptions& asked) {
  if (format_of(reading) != Format::encoded) require_cost_stated(reading.schema, asked.schema_release);
  FitOptions options = with_unit(asked, names_users(reading));
  require_same_target(asked.target, reading.target, reading.schema);
  options.target = reading.target;
  FitPlan plan = resolve(options, reading.schema);
  const Method& method = *plan.candidates.front();
  check_users(names_users(reading), method, "name the user column, or the file of users beside IDX");
  if (plan.options.ledger) check_ledger(plan.options, method);
  require_target(reading);
  return plan;
}

FitPlan resolve_in_memory(const FitOptions& asked, const std::optional<Schema>& schema, const Dataset& data) {
  const bool users = !data.users.empty() || data.user_count > 0;
  if (asked.shards.used() || asked.shards.count == 0)
    throw_error<UsageError>("shards are for files and for fit_shards; these records lie in one place");
  if (names_users(schema) && !users && !std::holds_alternative<NoPrivacy>(asked.guarantee))
    throw_error<UsageError>(
        "the schema names users, in the column \"{}\", but the records have none: say whose record each one "
        "is, or leave the user out of the schema",
        visible(schema->user));
  require_same_target(asked.target, "", schema);
  FitPlan plan = resolve(with_unit(asked, users), schema);
  check_users(users, *plan.candidates.front(), "give each record its user (Dataset::users)");
  return plan;
}

FitPlan resolve_for_knots(const FitOptions& asked, const Schema& schema) {
  return resolve(with_unit(asked, names_users(schema)), schema);
}

}  // namespace tacit::inline v1::service
