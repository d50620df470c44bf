#include "tacit/audit.hpp"
#include "tacit/account.hpp"
#include "tacit/service.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "command.hpp"
#include "tacit/core.hpp"
#include "tacit/model.hpp"
#include "working.hpp"

namespace tacit::cli {

namespace {

struct AuditFlags {
  ReadingFlags reading;
  service::AuditOptions options;
  std::string epsilon, mu, confidence, delta, neighbours, loss_parameter, row_bound, target, user, schema;
  std::vector<std::string> pair;
  MethodFlags method_options;
  bool no_intercept = false, json = false;
};

// A black box measures an epsilon: that of mu, at the delta.
void ask_for_mu(service::AuditOptions& options, double mu) {
  if (!options.notion.empty() && options.notion != notion(Gaussian{}))
    throw_error<UsageError>("--mu is for Gaussian privacy, and not for --notion {}", options.notion);
  options.notion = notion(Gaussian{});
  validate(Guarantee(Gaussian{mu}));
  const double delta = options.delta.value_or(1e-5);
  if (!(delta > 0 && delta < 1)) throw_error<UsageError>("delta is {}, expected between 0 and 1", delta);
  const Event event = GaussianEvent{mu};
  options.epsilon = account(std::span(&event, 1), delta).epsilon_upper;
}

// What the claim is made of, where a method has a choice.
std::string asked_notion(const service::AuditOptions& options) {
  if (!options.notion.empty()) return options.notion;
  const Method& method = find_method(options.method);
  const bool by_delta = options.delta && method.notions.front() == Notion::pure;
  return std::string(name(by_delta ? Notion::approx : method.notions.front()));
}

service::AuditOptions audit_options(const AuditFlags& flags) {
  service::AuditOptions options = flags.options;
  if (flags.mu.empty() == flags.epsilon.empty())
    throw_error<UsageError>("give --epsilon, or --mu for Gaussian privacy");
  if (!flags.epsilon.empty()) options.epsilon = parse_number("--epsilon", flags.epsilon);
  if (!flags.confidence.empty()) options.confidence = parse_number("--confidence", flags.confidence);
  options.delta = parse_number_if_given("--delta", flags.delta);
  if (!flags.mu.empty()) ask_for_mu(options, parse_number("--mu", flags.mu));
  if (!flags.neighbours.empty()) options.neighbours = parse_neighbours(flags.neighbours);
  if (!flags.loss_parameter.empty())
    options.loss_parameter = parse_number("--loss-parameter", flags.loss_parameter);
  if (!flags.row_bound.empty()) options.row_bound = parse_number("--row-bound", flags.row_bound);
  options.intercept = flags.no_intercept ? 0 : 1;
  options.threads = flags.reading.threads;
  set_method_options({&find_method(options.method)}, flags.method_options, options.method_options);
  return options;
}

// Someone who gives a schema without the files would think that it was audited.
void require_pair_for_its_flags(const AuditFlags& flags) {
  const ReadingFlags& reading = flags.reading;
  const bool read = reading.format != "auto" || !reading.separator.empty() || !reading.decimal.empty() ||
                    !reading.query.empty() || reading.header || reading.no_header ||
                    reading.skip_lines != 0 || reading.columns != 0 || !reading.labels.empty() ||
                    !reading.users.empty();
  if (read || !flags.target.empty() || !flags.user.empty() || !flags.schema.empty() ||
      !flags.row_bound.empty() || flags.no_intercept)
    throw_error<UsageError>(
        "how to read files, --target, --user, --schema, --row-bound and --no-intercept go with --pair");
}

audit::MethodAudit audit_of(const AuditFlags& flags, const service::AuditOptions& options) {
  if (flags.pair.empty()) require_pair_for_its_flags(flags);
  const Working bar("auditing", Working::Plans::told);
  if (flags.pair.empty()) return service::audit(options);
  ReadingFlags reading = flags.reading;
  reading.path = flags.pair[0];
  ReadOptions how = read_options(reading);
  how.target = flags.target;
  how.user = flags.user;
  if (!flags.schema.empty()) how.schema = service::load_schema(flags.schema);
  return service::audit(options, how, flags.pair[1]);
}

nlohmann::ordered_json as_json(const audit::MethodAudit& audit, const service::AuditOptions& options) {
  auto checks = nlohmann::ordered_json::array();
  for (const audit::Check& check : audit.checks)
    checks.push_back({{"what", check.what},
                      {"pair", check.pair},
                      {"bound", check.bound},
                      {"measured", check.measured},
                      {"ok", check.ok()}});
  auto diagnostics = nlohmann::ordered_json::array();
  for (const audit::Diagnostic& one : audit.diagnostics)
    diagnostics.push_back({{"what", one.what}, {"value", one.value}});
  const audit::BlackBoxResult& box = audit.black_box;
  return {{"method", options.method},
          {"loss", name(audit.loss)},
          {"claimed_epsilon", audit.claim.epsilon},  // null when infinite
          {"claimed_delta", audit.claim.delta},
          {"lower_bound", box.lower_bound},
          {"violated", audit.violated()},
          {"confidence", options.confidence},
          {"runs", box.runs},
          {"resolution", box.resolution},
          {"pair", audit.black_box_pair},
          {"event", box.event},
          {"replay", {{"pairs", audit.pairs}, {"ok", audit.replay_ok()}, {"checks", checks}}},
          {"diagnostics", diagnostics},
          {"private", false}};
}

std::string replay_text(const audit::MethodAudit& audit) {
  const auto failed =
      std::ranges::count_if(audit.checks, [](const audit::Check& check) { return !check.ok(); });
  std::string text =
      fmt::format("replay       {} pairs of neighbours, {} checks, {}\n", audit.pairs, audit.checks.size(),
                  failed == 0 ? "all hold" : fmt::format("{} fail", failed));
  for (const audit::Check& check : audit.checks)
    text += fmt::format("  {} {}: bound {:.6g}, measured {:.6g} ({})\n", check.ok() ? "ok  " : "FAIL",
                        check.what, check.bound, check.measured, check.pair);
  return text;
}

std::string black_box_text(const audit::MethodAudit& audit, double confidence) {
  const audit::BlackBoxResult& box = audit.black_box;
  std::string text =
      fmt::format("black box    epsilon >= {:.4f}, with confidence {}\n", box.lower_bound, confidence);
  text += fmt::format("  the event \"{}\": {} against {} of {} runs ({})\n", box.event, box.more_often,
                      box.less_often, box.measured, audit.black_box_pair);
  if (std::isfinite(audit.claim.epsilon) && box.resolution < audit.claim.epsilon)
    text += fmt::format("  so few runs cannot show more than {:.4f}, whatever is audited\n", box.resolution);
  return text;
}

std::string as_text(const audit::MethodAudit& audit, const service::AuditOptions& options) {
  const bool promises = std::isfinite(audit.claim.epsilon);
  std::string text = fmt::format(
      "claim        {}, by {} with the {} loss\n",
      promises ? fmt::format("epsilon = {}, {}", audit.claim.epsilon, asked_notion(options)) : "none",
      options.method, name(audit.loss));
  if (audit.claim.delta > 0) text += fmt::format("  at delta = {}\n", audit.claim.delta);
  text += replay_text(audit) + black_box_text(audit, options.confidence);
  if (!audit.diagnostics.empty()) text += "diagnostics\n";
  for (const audit::Diagnostic& one : audit.diagnostics)
    text += fmt::format("  {}: {:.4g}\n", one.what, one.value);
  text += fmt::format("verdict      {}\n", audit.violated() ? "the claim does not hold"
                                           : promises       ? "nothing speaks against the claim"
                                                            : "nothing is promised, so nothing is broken");
  return text + "An audit looks inside: what it prints about your own files is not private.\n";
}

void run(const AuditFlags& flags) {
  const service::AuditOptions options = audit_options(flags);
  const audit::MethodAudit audit = audit_of(flags, options);
  if (flags.json)
    print(as_json(audit, options));
  else
    print(as_text(audit, options));
  if (audit.violated())
    throw_error<VerificationError>("the audit refutes epsilon = {} for {}", audit.claim.epsilon,
                                   options.method);
}

}  // namespace

void add_audit(Command& tool) {
  auto flags = std::make_shared<AuditFlags>();
  Command command =
      tool.add_command("audit", "try to refute a method's privacy claim; fails when it is refuted",
                       "tacit audit --method limited-objective --epsilon 1 --loss logistic --runs 100000");
  add_reading_flags(*command, flags->reading);
  command->remove_option("DATA");  // the files come as a pair
  command->add_option("--method", flags->options.method, "one of `tacit methods`")->shows_default();
  command->add_option("--epsilon", flags->epsilon, "the claim, > 0; inf for a method without one");
  command->add_option("--mu", flags->mu, "the claim of Gaussian privacy instead, > 0");
  command->add_option("--delta", flags->delta, "of the claim, for methods that have one; default: 1e-5");
  command->add_option("--notion", flags->options.notion,
                      "pure, approx or gaussian, for methods with a choice; default: the usual one");
  command->add_option("--neighbours", flags->neighbours,
                      "replace_one, zero_out or add_remove; default: the method's usual one");
  command->add_option("--loss", flags->options.loss,
                      "as for `tacit fit`; default: logistic, or by the target");
  command->add_option("--loss-parameter", flags->loss_parameter, "as for `tacit fit`");
  command->add_option("--hidden", flags->options.hidden, "hidden units of a network; default: 2");
  command
      ->add_option("--runs", flags->options.runs,
                   "runs on each of the two neighbours; default: 50000, or 5000 to 10000 of slow methods "
                   "(docs/audits.md), or 1000 with --pair")
      ->transform([](const std::string& text) {
        const std::string runs = whole_number(text);
        if (runs == "0") throw UsageError("0, expected at least 1");
        return runs;
      });
  command->add_option("--confidence", flags->confidence,
                      "of the lower bound, between 0 and 1; default: 0.9999");
  command
      ->add_option("--pair", flags->pair,
                   "two files that differ in one record, or in one user's, audited besides the built-in data")
      ->expected(2);
  command->add_option("--target", flags->target, "the column to predict, of the pair");
  command->add_option("--user", flags->user, "the column of the pair that says whose record it is");
  command->add_option("--schema", flags->schema, "what is public of the pair's columns");
  command->add_option("--row-bound", flags->row_bound,
                      "public bound on every row's 2-norm, without a schema");
  command->add_flag("--no-intercept", flags->no_intercept, "no constant feature");
  command->add_flag("--json", flags->json, "the report as JSON");
  add_method_flags(*command, flags->method_options);
  command->callback([flags] { run(*flags); });
}

}  // namespace tacit::cli
