#include "audit/replay/asap_checks.hpp"
#include "audit/replay/cell_checks.hpp"
#include "audit/replay/clipping_checks.hpp"
#include "audit/replay/double_output_checks.hpp"
#include "audit/replay/nonconvex_checks.hpp"
#include "audit/replay/objective_checks.hpp"
#include "audit/replay/posterior_checks.hpp"
#include "audit/replay/tuning_checks.hpp"
#include "audit/replay/user_checks.hpp"
#include "tacit/audit.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::audit {

namespace {

bool always(const Facts&) { return true; }

// Strong regularisation keeps every score near 0, where two records can pull against each other with full
// force.
Facts strong_regularisation() {
  Facts facts;
  facts.set("regularisation", 10.0);
  return facts;
}

// A lone record pulls to one end of a line or to the other, with full force at the far end and hardly at the
// near one.
Facts small_net() {
  Facts facts;
  facts.set("regularisation", 1e-3);
  facts.set("radius", 8.0);
  facts.set("net_points", std::int64_t{9});
  return facts;
}

// Enough for the adversarial pairs at epsilon 1; with less noise they are refused, on both neighbours alike.
Facts few_cells() {
  Facts facts;
  facts.set("cells", std::int64_t{4096});
  return facts;
}

// A few steps of a chain, which the certificate calls the caller's own: the theorem's number would take hours
// for all runs of the black box.
Facts short_chains(Facts facts) {
  facts.set("mala_steps", std::int64_t{50});
  return facts;
}

// A ball so small that the first release ends on one side of it or the other, which the second one shows.
Facts small_ball() {
  Facts facts = strong_regularisation();
  facts.set("radius", 0.01);
  return facts;
}

// One setting, and most of the records for fitting: what the best run gives away is what its fit does.
Facts one_exposing_setting() {
  Facts facts;
  facts.set("settings", std::string("limited-output:regularisation=10"));
  facts.set("validation", 0.1);
  facts.set("mean_runs", 2.0);
  return facts;
}

// One phase, one user a group and one record of each, whose gradient is the group's point.
Facts one_phase() {
  Facts facts;
  facts.set("phases", std::int64_t{1});
  facts.set("records_per_user", std::int64_t{1});
  facts.set("clip_norm", std::string("1"));
  facts.set("step", 1.0);
  facts.set("groups", std::int64_t{660});
  return facts;
}

// One step, and most of epsilon for its test, so that a few hundred users are enough.
Facts one_gradient() {
  Facts facts;
  facts.set("iterations", std::int64_t{1});
  facts.set("records_per_user", std::int64_t{1});
  facts.set("clip_norm", std::string("1"));
  facts.set("test_share", 0.6);
  facts.set("smoothing", 0.05);  // far from the kink gradients are the rows, as the pairs mean them
  return facts;
}

// How many phases passed, and the tau found in each: there are 20 at most.
std::vector<std::string> found_in_phases() {
  std::vector<std::string> keys = {"phases_passed"};
  for (int phase = 1; phase <= 20; ++phase) keys.push_back(fmt::format("tau_{}", phase));
  return keys;
}

// Unless it is given, the regularisation follows from the noise, and that from the tau that was found.
std::vector<std::string> found_by_erm() {
  std::vector<std::string> keys = found_in_phases();
  keys.push_back("regularisation");
  return keys;
}

// DP-SGD with one step. A batch of all records makes the account that of a Gaussian mechanism, and tight.
Facts one_step(double batch) {
  Facts facts;
  facts.set("epochs", 1e-9);
  facts.set("batch", batch);
  facts.set("iterate", std::string("last"));
  return facts;
}

// Two records of each user, and one step over about `batch` records. With three users a batch of 6 is all,
// and the one who differs holds as many as the cap.
Facts small_groups(double batch) {
  Facts facts = one_step(batch);
  facts.set("records_per_user", std::int64_t{2});
  return facts;
}

// Two periods, so that fresh gradients and changes are both replayed.
Facts two_short_periods() {
  Facts facts;
  facts.set("steps", std::int64_t{4});
  facts.set("period", std::int64_t{2});
  facts.set("averaging", std::int64_t{1});
  facts.set("smoothing", 1.0);
  facts.set("step_cap", 0.5);
  facts.set("directions", std::int64_t{4});
  return facts;
}

// One fresh gradient and a change that costs next to nothing; the step is too short to be capped, so that the
// output shows the gradient.
Facts one_fresh_gradient() {
  Facts facts;
  facts.set("steps", std::int64_t{2});
  facts.set("period", std::int64_t{2});
  facts.set("averaging", std::int64_t{1});
  facts.set("smoothing", 0.1);
  facts.set("step_cap", 1e-3);
  facts.set("step_size", 1e-5);
  facts.set("directions", std::int64_t{4});
  return facts;
}

// All records join, so that the account is that of Gaussian mechanisms, and tight.
Facts with_batch(Facts facts, std::int64_t batch) {
  facts.set("batch", batch);
  return facts;
}

AuditedMethod nonconvex_row(std::string name) {
  return {.name = std::move(name),
          .ideal_checks = nonconvex_checks,
          .adaptive = always,
          .replayed = two_short_periods(),
          .exposing = one_fresh_gradient(),
          .exposing_records = 16,
          .exposing_label = 10};
}

AuditedMethod sampled_row() {
  AuditedMethod row = nonconvex_row("o2nc-sampled");
  row.replayed = with_batch(row.replayed, 12);
  row.exposing = with_batch(row.exposing, 16);
  return row;
}

// DP-GD; one step is a Gaussian mechanism, and tight.
Facts few_steps(std::int64_t steps) {
  Facts facts;
  facts.set("steps", steps);
  facts.set("iterate", std::string("last"));
  return facts;
}

}  // namespace

std::span<const AuditedMethod> audited_methods() {
  static const std::vector<AuditedMethod> table = {
      {.name = "limited-objective", .ideal_checks = objective_checks, .exposing = strong_regularisation()},
      {.name = "limited-output", .exposing = strong_regularisation()},
      {.name = "double-output",
       .ideal_checks = double_output_checks,
       .adaptive = extends_the_loss,
       .keeps_places = true,
       .exposing = strong_regularisation()},
      {.name = "net-exponential", .exposing = small_net()},
      {.name = "localized-exponential",
       .ideal_checks = cell_checks,
       .adaptive = always,
       .keeps_places = true,
       .replayed = few_cells(),
       .exposing = small_ball()},
      {.name = "localized",
       .adaptive = always,
       .keeps_places = true,
       .replays = 8,
       .exposing = strong_regularisation()},
      {.name = "posterior-exact",
       .ideal_checks = posterior_checks,
       .diagnostics = exact_diagnostics,
       .exposing = strong_regularisation()},
      {.name = "asap-mala",
       .ideal_checks = asap_checks,
       .diagnostics = asap_diagnostics,
       .replayed = short_chains({}),
       .exposing = short_chains(strong_regularisation())},
      {.name = "tuned",
       .ideal_checks = tuning_checks,
       .adaptive = always,
       .keeps_places = true,
       .exposing = one_exposing_setting(),
       .exposing_records = 10,
       .released_facts = {"chosen", "noisy_score"}},
      {.name = "dp-sgd",
       .ideal_checks = clipping_checks,
       .adaptive = always,
       .replayed = one_step(3),
       .exposing = one_step(2)},
      nonconvex_row("o2nc-single"),
      nonconvex_row("o2nc-multi"),
      sampled_row(),
      nonconvex_row("o2nc-first"),
      {.name = "user-sgd",
       .ideal_checks = user_sgd_checks,
       .adaptive = always,
       .replayed = one_step(3),
       .exposing = one_step(2)},
      {.name = "user-phased",
       .ideal_checks = user_phased_checks,
       .adaptive = always,
       .replayed = one_phase(),
       .exposing = one_phase(),
       .least_records = 660,
       .released_facts = found_in_phases(),
       .usual_runs = 10000},
      {.name = "user-erm",
       .ideal_checks = user_erm_checks,
       .adaptive = always,
       .replayed = one_gradient(),
       .exposing = one_gradient(),
       .least_records = 920,
       .released_facts = found_by_erm(),
       .usual_runs = 5000},
      {.name = "user-group",
       .ideal_checks = user_group_checks,
       .adaptive = always,
       .replayed = small_groups(3),
       .exposing = small_groups(6),
       .exposing_records = 3},
      {.name = "dp-gd",
       .ideal_checks = descent_checks,
       .adaptive = always,
       .replayed = few_steps(3),
       .exposing = few_steps(1)},
      {.name = "plain"},
  };
  return table;
}

const AuditedMethod& find_audit(std::string_view method) {
  for (const AuditedMethod& audited : audited_methods())
    if (audited.name == method) return audited;
  throw_error<UsageError>("the method \"{}\" has no audit", method);
}

}  // namespace tacit::inline v1::audit
