// The methods that offer Gaussian noise beside the notion they are usually asked for: replayed with every
// loss, and seen from outside, with controls.

#include <gtest/gtest.h>

#include "algorithm/heavy_tails/limited_objective.hpp"
#include "settings.hpp"
#include "solver/certified.hpp"
#include "tacit/audit.hpp"
#include "tacit/core.hpp"
#include "tacit/mechanisms.hpp"

namespace tacit {
namespace {

using audit::audit_method;
using audit::Check;
using audit::MethodAudit;
using audit::MethodAuditOptions;

struct Offer {
  const char *method, *notion;
};
constexpr Offer offers_of_noise[] = {{"limited-objective", "approx"},
                                     {"limited-output", "approx"},
                                     {"limited-output", "gaussian"},
                                     {"dp-gd", "approx"}};

// Confidence 1 − 1e-6 with fixed seeds; a delta whose tail a few thousand runs can see.
MethodAuditOptions options(const Offer& offer, const LossSpec& loss, std::size_t runs) {
  MethodAuditOptions result;
  result.black_box = testing::seeded_black_box(runs, 1 - 1e-6, 1);
  result.notion = offer.notion;
  result.loss = loss;
  result.delta = 0.05;
  return result;
}

TEST(GaussianNoise, ReplaysWithEveryLoss) {
  for (const Offer& offer : offers_of_noise)
    for (const LossSpec& loss : testing::every_loss()) {
      for (const Neighbours relation : find_method(offer.method).neighbours) {
        MethodAuditOptions audited = options(offer, loss, 20);
        audited.neighbours = relation;
        const MethodAudit audit = audit_method(find_method(offer.method), audited);
        EXPECT_TRUE(audit.replay_ok()) << name(relation) << " " << offer.method << " " << offer.notion << " "
                                       << testing::loss_name(loss) << " " << testing::failures(audit);
      }
    }
}

// With the noise cut by the tightness of the account and by half again, the black box must see it.
TEST(GaussianNoise, KeepsItsClaimAndWithLittleNoiseDoesNot) {
  for (const Offer& offer : offers_of_noise)
    for (const LossSpec& loss : {LossSpec(Link{LinkKind::hinge, 0}), LossSpec(Link{LinkKind::squared, 0})}) {
      const std::string what = fmt::format("{} {} {}", offer.method, offer.notion, testing::loss_name(loss));
      MethodAuditOptions audited = options(offer, loss, 8000);
      const MethodAudit audit = audit_method(find_method(offer.method), audited);
      EXPECT_LE(audit.black_box.lower_bound, 1) << what;
      EXPECT_GT(audit.tightness(), 0.1) << what << " on " << audit.black_box_pair;

      audited.claimed = 1;
      audited.epsilon = 2 / audit.tightness();
      const MethodAudit control = audit_method(find_method(offer.method), audited);
      EXPECT_GT(control.black_box.lower_bound, 1) << what << " on " << control.black_box_pair;
    }
}

// Under add_remove the public number that descent divides by need not be near the true one: eight records in
// the replay, one or two in the black box.
TEST(GaussianNoise, OfDescentKeepsItsClaimWhateverNumberOfRecordsIsStated) {
  for (const std::int64_t stated : {1, 8, 1000}) {
    MethodAuditOptions audited = options({"dp-gd", "approx"}, Link{LinkKind::hinge, 0}, 8000);
    audited.neighbours = Neighbours::add_remove;
    audited.facts.set("records", stated);
    const MethodAudit audit = audit_method(find_method("dp-gd"), audited);
    EXPECT_TRUE(audit.replay_ok()) << stated << " " << testing::failures(audit);
    EXPECT_LE(audit.black_box.lower_bound, 1) << stated;
    EXPECT_GT(audit.tightness(), 0.1) << stated << " on " << audit.black_box_pair;

    audited.claimed = 1;
    audited.epsilon = 2 / audit.tightness();
    EXPECT_TRUE(audit_method(find_method("dp-gd"), audited).violated()) << stated;
  }
}

// ---- Ways of getting Gaussian objective perturbation wrong.

enum class GaussianFault { none, half_the_noise, free_jacobian, one_corner };

template <GaussianFault fault>
Release faulty_objective(const Problem& problem, const Facts& facts, Meter& meter) {
  auto options = heavy_tails::Options::from(facts);
  options.neighbours = meter.budget().neighbours;
  const Shape shape = heavy_tails::public_shape(problem, options);
  heavy_tails::ObjectivePlan plan = heavy_tails::plan_limited_objective(shape, options);
  Step& step = plan.perturbation;
  auto& event = std::get<GaussianObjectiveEvent>(step.event);
  if constexpr (fault == GaussianFault::half_the_noise) step.scale /= 2;
  if constexpr (fault == GaussianFault::free_jacobian) event.jacobian = 0;
  if constexpr (fault == GaussianFault::one_corner) event.far = 1;
  step.grid = noise::perturbation_grid(step.scale);

  const Vector b = noise::perturb(step, meter).value;
  const double strength = static_cast<double>(shape.records) * plan.regularisation;
  LimitedObjective objective(problem, plan.limits, {.strength = strength, .center = Vector::Zero(b.size())},
                             b, options.label_bound.value_or(0), 1);
  const Ideal<Vector> ideal(onto_ball(minimise(objective, {}).point, plan.radius), plan.distance, "claimed");
  Released<Vector> released = noise::cover(ideal, Pure{plan.cover_epsilon}, plan.radius, meter);
  Facts certified = heavy_tails::option_facts(options, plan.limits, plan.regularisation);
  certified.set("projection_radius", plan.radius);
  certified.set("neighbours", std::string(name(options.neighbours)));
  return {std::move(released), certify("limited-objective", meter, std::move(certified),
                                       heavy_tails::public_facts(shape, options))};
}

// For a record that is replaced, and one that is there or null; both must tell.
template <GaussianFault fault>
std::string failures_of(Neighbours relation) {
  Method method = find_method("limited-objective");
  method.fit = faulty_objective<fault>;
  auto audited = options({"limited-objective", "approx"}, Link{LinkKind::absolute, 0}, 20);
  audited.neighbours = relation;
  return testing::failures(audit_method(method, audited));
}

constexpr Neighbours both_relations[] = {Neighbours::replace_one, Neighbours::zero_out};

TEST(GaussianObjectiveChecks, PassTheMethodWithoutAFault) {
  for (const Neighbours relation : both_relations) EXPECT_EQ(failures_of<GaussianFault::none>(relation), "");
}

TEST(GaussianObjectiveChecks, CatchHalfTheNoise) {
  for (const Neighbours relation : both_relations) {
    const std::string failed = failures_of<GaussianFault::half_the_noise>(relation);
    EXPECT_NE(failed.find("the shift over scale"), std::string::npos) << failed;
    EXPECT_NE(failed.find("log-densities"), std::string::npos) << failed;
  }
}

TEST(GaussianObjectiveChecks, CatchAJacobianThatWasNotPaidFor) {
  for (const Neighbours relation : both_relations)
    EXPECT_NE(failures_of<GaussianFault::free_jacobian>(relation).find("the Jacobian's term"),
              std::string::npos);
}

TEST(GaussianObjectiveChecks, CatchACornerThatWasNotPaidFor) {
  for (const Neighbours relation : both_relations)
    EXPECT_NE(failures_of<GaussianFault::one_corner>(relation).find("far corners"), std::string::npos);
}

}  // namespace
}  // namespace tacit
