#include "tacit/audit.hpp"

#include <algorithm>
#include <cmath>

#include "core/numbers.hpp"
#include "privacy/accounting/calibrate.hpp"
#include "tacit/core.hpp"
#include "tacit/mechanisms.hpp"
#include "tacit/root_meter.hpp"

namespace tacit::inline v1::audit {

namespace {

// The built-in pairs [heuristic: power only]: a few records make the one that differs count.
constexpr std::size_t pair_records = 12, pair_features = 3;
constexpr unsigned pair_seeds = 2;
constexpr double row_bound = 2, lone_row_bound = 1, label_bound = 10;

Notion asked_notion(const Method& method, const MethodAuditOptions& options) {
  if (options.notion.empty()) return method.notions.front();
  const Notion asked = parse_notion(options.notion);
  if (!offers(method, asked))
    throw_error<UsageError>("the method {} gives no {} guarantee", method.name, options.notion);
  return asked;
}

Neighbours relation_of(const Method& method, const MethodAuditOptions& options) {
  const Neighbours relation = relation_for(method, options.neighbours);
  if (!protects(method, relation))
    throw_error<UsageError>("the method {} does not protect {} neighbours", method.name, name(relation));
  return relation;
}

Guarantee requested(const Method& method, const MethodAuditOptions& options) {
  const Notion notion = asked_notion(method, options);
  if (notion == Notion::none) return NoPrivacy{};
  if (!(options.epsilon > 0 && std::isfinite(options.epsilon)))
    throw_error<UsageError>("epsilon is {}, expected a finite number > 0 for the method {}", options.epsilon,
                            method.name);
  if (notion == Notion::pure) return Pure{options.epsilon};
  if (notion == Notion::approx) return Approx{options.epsilon, options.delta};
  if (notion == Notion::gaussian) return Gaussian{calibrate_gaussian({options.epsilon, options.delta})};
  throw_error<UsageError>("the method {} promises {} privacy, which has no audit yet", method.name,
                          name(notion));
}

Claim claim_to_audit(const Method& method, const MethodAuditOptions& options) {
  const Notion notion = asked_notion(method, options);
  const bool has_delta = notion == Notion::approx || notion == Notion::gaussian;
  return {options.claimed.value_or(options.epsilon), has_delta ? options.delta : 0.0};
}

const AuditedMethod* audit_of(const Method& method) {
  const auto rows = audited_methods();
  const auto row = std::ranges::find(rows, method.name, &AuditedMethod::name);
  return row == rows.end() ? nullptr : &*row;
}

Subject subject_of(const Method& method, const MethodAuditOptions& options, double rows, double intercept) {
  Subject subject{.method = &method,
                  .loss = options.loss,
                  .intercept = intercept,
                  .facts = options.facts,
                  .budget = {requested(method, options), method.unit, relation_of(method, options)}};
  if (const AuditedMethod* audited = audit_of(method)) {
    subject.released_facts = audited->released_facts;
    subject.keeps_places = audited->keeps_places;
    subject.adaptive = audited->adaptive != nullptr && audited->adaptive(subject.facts);
  }
  const auto set_unless_given = [&](const char* key, FactValue value) {
    if (!subject.facts.has(key)) subject.facts.set(key, std::move(value));
  };
  if (const auto* gaussian = std::get_if<Gaussian>(&subject.budget.limit))
    set_unless_given("mu", gaussian->mu);
  else
    set_unless_given("epsilon", options.epsilon);
  if (std::holds_alternative<Approx>(subject.budget.limit)) set_unless_given("delta", options.delta);
  set_unless_given("row_norm_bound", rows);
  set_unless_given("label_bound", label_bound);
  subject.facts.set("threads", std::int64_t{1});
  return subject;
}

// A pair, with the subject that is to run on it.
struct Case {
  Subject subject;
  NeighbourPair pair;
  bool for_black_box = false;
};

MethodAuditOptions with_facts(MethodAuditOptions options, const Facts& facts) {
  for (const auto& [key, value] : facts.entries())
    if (!options.facts.has(key)) options.facts.set(key, value);
  return options;
}

// The pairs as neighbours of the relation.
std::vector<NeighbourPair> neighbours_for(const Method& method, Neighbours relation,
                                          std::vector<NeighbourPair> pairs) {
  if (method.unit == Unit::user) return user_pairs(pairs, relation);
  return relation == Neighbours::replace_one ? pairs : presence_pairs(pairs);
}

// The public number of records or users, where one of them may be missing.
const char* count_key(const Method& method) { return method.unit == Unit::user ? "user_count" : "records"; }

// Where a record or a user may be missing, the public number of them counts it.
Case make_case(const Method& method, const MethodAuditOptions& options, double rows, double intercept,
               NeighbourPair pair, bool for_black_box) {
  Case made{subject_of(method, options, rows, intercept), std::move(pair), for_black_box};
  if (relation_of(method, options) == Neighbours::replace_one) return made;
  const bool users = method.unit == Unit::user;
  const char* key = count_key(method);
  if (!made.subject.facts.has(key))
    made.subject.facts.set(
        key, static_cast<std::int64_t>(users ? made.pair.first.user_count : made.pair.first.size()));
  return made;
}

// Whoever states more than there are may: what a method plans with must be that number everywhere, and not
// the one that it counts.
void add_larger_counts(const Method& method, const MethodAuditOptions& options, std::vector<Case>& cases) {
  const char* key = count_key(method);
  if (relation_of(method, options) == Neighbours::replace_one || options.facts.has(key) ||
      find_option(method, key) == nullptr)
    return;
  for (std::size_t k = 0, all = cases.size(); k < all; ++k) {
    Case larger = cases[k];
    larger.for_black_box = false;
    larger.pair.what += fmt::format(", twice as many {}s stated", record_or_user(method.unit));
    larger.subject.facts.set(key, 2 * larger.subject.facts.integer(key));
    cases.push_back(std::move(larger));
  }
}

std::vector<Case> built_in_cases(const Method& method, const MethodAuditOptions& options) {
  const AuditedMethod* known = audit_of(method);
  AuditedMethod audited = known ? *known : AuditedMethod{};
  if (options.least_records) audited.least_records = *options.least_records;
  const Neighbours relation = relation_of(method, options);
  const MethodAuditOptions replayed = with_facts(options, audited.replayed);
  // The Jacobian's part of the budget is about 1/(n·lambda): a small epsilon needs a lambda that goes with
  // it.
  Facts exposing_facts = audited.exposing;
  if (exposing_facts.has("regularisation") && options.epsilon < 1)
    exposing_facts.set("regularisation", exposing_facts.number("regularisation") / options.epsilon);
  const MethodAuditOptions exposing = with_facts(options, exposing_facts);
  std::vector<Case> cases;
  for (unsigned seed = 0; seed < pair_seeds; ++seed)
    for (NeighbourPair& pair :
         neighbours_for(method, relation,
                        adversarial_pairs(options.loss, std::max(pair_records, audited.least_records),
                                          pair_features, seed)))
      cases.push_back(make_case(method, replayed, row_bound, 1, std::move(pair), false));
  add_larger_counts(method, options, cases);
  for (NeighbourPair& pair : neighbours_for(
           method, relation,
           lone_record_pairs(options.loss, std::max(audited.exposing_records, audited.least_records),
                             lone_row_bound, audited.exposing_label)))
    cases.push_back(make_case(method, exposing, lone_row_bound, 0, std::move(pair), true));
  if (method.unit == Unit::user && relation == Neighbours::replace_one)
    cases.push_back(make_case(method, exposing, lone_row_bound, 0,
                              fringe_pair(options.loss, audited.least_records), true));
  return cases;
}

void require_suitable(const Case& one) {
  const Problem problem{
      .data = &one.pair.first, .loss = one.subject.loss, .intercept = one.subject.intercept};
  if (const std::string why = one.subject.method->unsuitable(shape_of(problem)); !why.empty())
    throw_error<UsageError>("the method {} cannot fit this: {}", one.subject.method->name, why);
}

// Whether the replay saw what this step opens, and could measure how far it moves.
bool seen(const Step& step, const WatchedRun& run) {
  if (!step.inner.empty())
    return std::ranges::any_of(step.inner, [&](const Step& inner) { return seen(inner, run); });
  return !opens_an_ideal(step) && std::ranges::any_of(run.opened, [&](const Opened& opened) {
    return opened.step.mechanism == step.mechanism;
  });
}

// Every other step must be covered by checks of the method's own, whatever the step is called.
std::vector<Check> all_checks(const AuditedMethod* audited, const Replayed& replayed, const Claim& claim) {
  std::vector<Check> checks = check_replay(replayed);
  if (!replayed.runs[0].release || !replayed.runs[1].release) return checks;
  const Certificate& certificate = replayed.runs[0].release->certificate;
  checks.push_back({CheckKind::account, "what the certificate promises, within the claim", "", claim.epsilon,
                    claim_of(certificate.guarantee, claim.delta).epsilon});
  // A test or a score within a step may move by all of its bound and show next to nothing of it in the end:
  // which pair gives away most is then for the method's own checks to tell.
  const bool nested =
      std::ranges::any_of(certificate.steps, [](const Step& step) { return !step.inner.empty(); });
  if (nested && audited && audited->ideal_checks)
    for (Check& check : checks)
      if (check.kind == CheckKind::movement) check.kind = CheckKind::ideal;
  const std::size_t before = checks.size();
  if (audited && audited->ideal_checks)
    std::ranges::move(audited->ideal_checks(replayed), std::back_inserter(checks));
  if (checks.size() > before) return checks;
  for (const Step& step : certificate.steps)
    if (!seen(step, replayed.runs[0]))
      checks.push_back({CheckKind::ideal,
                        fmt::format("the step {} opens what the replay does not see, and nothing checks it",
                                    step.mechanism),
                        "", 0, infinity});
  return checks;
}

// Larger means nearer to a violation, or further beyond it.
double nearness(const Check& check) {
  if (!check.ok()) return infinity;
  return check.measured == 0 || std::isinf(check.bound) ? 0 : check.measured / check.bound;
}

void keep_worst(std::vector<Check>& kept, Check check) {
  const auto same = std::ranges::find(kept, check.what, &Check::what);
  if (same == kept.end())
    kept.push_back(std::move(check));
  else if (nearness(check) > nearness(*same))
    *same = std::move(check);
}

// How much a pair shows of what the method gives away: first by what is bounded, then by plain movement.
std::pair<double, double> exposure(const std::vector<Check>& checks) {
  std::pair<double, double> most{0, 0};
  for (const Check& check : checks)
    if (check.kind == CheckKind::movement || check.kind == CheckKind::density)
      most = std::max(most, std::pair(nearness(check), check.measured));
  return most;
}

// Everything that leaves: the parameters, and what else the certificate releases.
Vector everything_released(const Release& release, const std::vector<std::string>& released_facts) {
  Vector all = release.parameters.value();
  const auto append = [&](const Vector& more) {
    all.conservativeResize(all.size() + more.size());
    all.tail(more.size()) = more;
  };
  for (std::size_t k = 0; k + 1 < release.samples.size(); ++k) append(release.samples[k].value());
  if (release.center) append(release.center->value());
  for (const std::string& key : released_facts) {
    all.conservativeResize(all.size() + 1);
    const Facts& facts = release.certificate.options;
    all[all.size() - 1] = facts.has(key) ? facts.number(key) : 0;  // a phase that was not reached has none
  }
  return all;
}

// A failure is an output too: an empty one.
Run run_on(const Subject& subject, const Dataset& data) {
  return [&subject, &data](BitSource& bits) {
    RootMeter meter(subject.budget, bits);
    const Problem problem{.data = &data, .loss = subject.loss, .intercept = subject.intercept};
    try {
      return everything_released(subject.method->fit(problem, subject.facts, meter), subject.released_facts);
    } catch (const Error&) {
      return Vector();
    }
  };
}

// Replays every case; the black box runs on the one with the most exposure among those meant for it.
MethodAudit audit_cases(const Method& method, const MethodAuditOptions& options,
                        const std::vector<Case>& cases) {
  MethodAudit audit{.claim = claim_to_audit(method, options), .loss = options.loss, .pairs = cases.size()};
  const auto bits =
      options.black_box.bits ? options.black_box.bits(std::size_t{1} << 20) : noise::system_bits();
  const unsigned replays = audit_of(method) ? audit_of(method)->replays : 1;
  const Case* worst = nullptr;
  std::string failure;
  std::pair<double, double> most;
  for (const Case& one : cases) {
    require_suitable(one);
    std::vector<Check> checks;
    for (unsigned k = 0; k < replays; ++k) {
      const ListenScope unheard(nullptr);  // steps of one run
      const Replayed replayed = replay(one.subject, one.pair, *bits);
      if (replayed.failed_alike())
        failure = replayed.runs[0].failure;
      else
        for (Check& check : all_checks(audit_of(method), replayed, audit.claim))
          keep_worst(checks, std::move(check));
    }
    if (checks.empty()) continue;
    if (const auto shown = exposure(checks); one.for_black_box && (worst == nullptr || shown > most)) {
      most = shown;
      worst = &one;
    }
    for (Check& check : checks) {
      check.pair = one.pair.what;
      keep_worst(audit.checks, std::move(check));
    }
  }
  if (worst == nullptr)
    throw_error<UsageError>("there is nothing to audit, as the method {} does not run: {}", method.name,
                            failure);
  audit.black_box_pair = worst->pair.what;
  if (const AuditedMethod* audited = audit_of(method); audited && audited->diagnostics)
    audit.diagnostics = audited->diagnostics(replay(worst->subject, worst->pair, *bits), *bits);
  audit.black_box =
      black_box(run_on(worst->subject, worst->pair.first), run_on(worst->subject, worst->pair.second),
                audit.claim.delta, options.black_box);
  return audit;
}

}  // namespace

bool MethodAudit::replay_ok() const { return std::ranges::all_of(checks, &Check::ok); }
bool MethodAudit::violated() const { return !replay_ok() || black_box.lower_bound > claim.epsilon; }
double MethodAudit::tightness() const { return black_box.lower_bound / claim.epsilon; }

MethodAudit audit_method(const Method& method, const MethodAuditOptions& options) {
  return audit_cases(method, options, built_in_cases(method, options));
}

MethodAudit audit_method(const Method& method, const MethodAuditOptions& options, const NeighbourPair& own,
                         double intercept) {
  std::vector<Case> cases = built_in_cases(method, options);
  for (Case& one : cases) one.for_black_box = false;
  const AuditedMethod* known = audit_of(method);
  const Neighbours relation = relation_of(method, options);
  // Options for built-in users do not fit any number of one's own.
  const bool usual = method.unit == Unit::user || known == nullptr;
  cases.push_back(make_case(
      method, usual ? options : with_facts(options, known->replayed), row_bound, intercept,
      method.unit == Unit::user ? as_user_neighbours(own, relation) : as_neighbours(own, relation), true));
  return audit_cases(method, options, cases);
}

}  // namespace tacit::inline v1::audit
