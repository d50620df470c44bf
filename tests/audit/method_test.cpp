#include "tacit/audit.hpp"

#include <gtest/gtest.h>

#include "broken_methods.hpp"
#include "settings.hpp"
#include "tacit/core.hpp"

namespace tacit {
namespace {

using audit::audit_method;
using audit::Check;
using audit::MethodAudit;
using audit::MethodAuditOptions;

// Confidence 1 − 1e-6 for each audit, with fixed seeds.
MethodAuditOptions options(std::size_t runs, std::uint64_t seed) {
  MethodAuditOptions result;
  result.black_box = testing::seeded_black_box(runs, 1 - 1e-6, seed);
  return result;
}

TEST(AuditedMethods, CoverEveryMethod) {
  for (const Method& method : methods()) EXPECT_NO_THROW(audit::find_audit(method.name));
  EXPECT_EQ(audit::audited_methods().size(), methods().size());
  EXPECT_THROW(audit::find_audit("no-such-method"), UsageError);
}

struct MethodAndLoss {
  const Method* method;
  LossSpec loss;
};
std::string in_words(const MethodAndLoss& row) {
  return row.method->name + "_" + testing::loss_name(row.loss);
}
void PrintTo(const MethodAndLoss& row, std::ostream* out) { *out << in_words(row); }

class MethodWithLoss : public ::testing::TestWithParam<MethodAndLoss> {
 protected:
  const Method& method() const { return *GetParam().method; }
  // Where a claim has a delta, a few thousand runs cannot see the tail that a small one is about: at 0.05
  // they can.
  MethodAuditOptions with_loss(std::size_t runs, std::uint64_t seed) const {
    MethodAuditOptions result = options(runs, seed);
    result.loss = GetParam().loss;
    result.delta = 0.05;
    return result;
  }
};

// Then, with the noise cut by the tightness of the account and by half again, the black box must see it.
TEST_P(MethodWithLoss, KeepsItsClaimAndWithLittleNoiseDoesNot) {
  MethodAuditOptions audited = with_loss(16000, 1);
  const MethodAudit audit = audit_method(method(), audited);
  EXPECT_TRUE(audit.replay_ok()) << testing::failures(audit);
  EXPECT_LE(audit.black_box.lower_bound, 1);
  EXPECT_GT(audit.tightness(), 0.1) << "the black box sees next to nothing on " << audit.black_box_pair;

  audited.claimed = 1;
  audited.epsilon = 2 / audit.tightness();
  const MethodAudit control = audit_method(method(), audited);
  EXPECT_GT(control.black_box.lower_bound, 1) << control.black_box_pair;
  EXPECT_TRUE(control.violated());
}

// The Lipschitz extension and a domain are options, not methods: the same question of them.
TEST(AuditedExtension, KeepsItsClaimAndWithLittleNoiseDoesNot) {
  for (const std::string name : {"double-output", "limited-output"}) {
    MethodAuditOptions audited = options(6000, 1);
    audited.facts.set("domain", std::string("ball:0.5"));
    if (name == "double-output") audited.facts.set("oracle", std::string("extension"));
    const MethodAudit audit = audit_method(find_method(name), audited);
    EXPECT_TRUE(audit.replay_ok()) << testing::failures(audit);
    EXPECT_LE(audit.black_box.lower_bound, 1);
    EXPECT_GT(audit.tightness(), 0.1) << name;

    audited.claimed = 1;
    audited.epsilon = 2 / audit.tightness();
    EXPECT_TRUE(audit_method(find_method(name), audited).violated()) << name;
  }
}

// So are the nets of localisation. Half of the time the record that differs is in no block, and a choice
// among points shows less of a record than noise on a minimiser: at epsilon 1 the black box sees nothing yet,
// at 20 it finds a claim of 1 broken.
TEST(AuditedNets, OfLocalisationKeepTheirClaimAndWithLittleNoiseDoNot) {
  MethodAuditOptions audited = options(1000, 1);
  audited.facts.set("solver", std::string("net-exponential"));
  audited.facts.set("net_points", std::int64_t{2401});  // seven an axis for the replay's four parameters
  const MethodAudit audit = audit_method(find_method("localized"), audited);
  EXPECT_TRUE(audit.replay_ok()) << testing::failures(audit);
  EXPECT_FALSE(audit.violated());

  audited.claimed = 1;
  audited.epsilon = 20;
  const MethodAudit control = audit_method(find_method("localized"), audited);
  EXPECT_GT(control.black_box.lower_bound, 1) << control.black_box_pair;
  EXPECT_TRUE(control.violated());
}

// The other relation of those that offer two: pairs in which a record is replaced, and half of the noise.
TEST(AuditedForReplacedRecords, KeepTheirClaimAndWithLittleNoiseDoNot) {
  for (const std::string name : {"double-output", "localized", "net-exponential", "tuned"}) {
    MethodAuditOptions audited = options(16000, 1);
    audited.neighbours = Neighbours::replace_one;
    const MethodAudit audit = audit_method(find_method(name), audited);
    EXPECT_TRUE(audit.replay_ok()) << testing::failures(audit);
    EXPECT_LE(audit.black_box.lower_bound, 1) << name;
    EXPECT_GT(audit.tightness(), 0.1) << name;

    audited.claimed = 1;
    audited.epsilon = 2 / audit.tightness();
    EXPECT_TRUE(audit_method(find_method(name), audited).violated()) << name;
  }
}

// A choice among methods that are audited with every loss needs no more than one loss of each kind.
std::vector<LossSpec> losses_for(const Method& method) {
  if (method.name == "tuned" || method.name == "localized")
    return {Link{LinkKind::logistic, 0}, Link{LinkKind::squared, 0}};
  // Its output is one of a few points: two losses whose pull differs at many of them show what it gives away.
  // The scores of the others are replayed by NetExponential.
  if (method.name == "net-exponential") return {Link{LinkKind::logistic, 0}, Link{LinkKind::hinge, 0}};
  // Its sampler is tested against its law; one loss shows what the black box sees, the replay below has them
  // all.
  if (method.name == "posterior-exact" || method.name == "asap-mala") return {Link{LinkKind::squared, 0}};
  // Half of its epsilon finds the ball. The scores of the other losses are replayed by LocalizedExponential.
  if (method.name == "localized-exponential") return {Link{LinkKind::hinge, 0}, Link{LinkKind::absolute, 0}};
  // The hinge pulls with all of L at 0, either way; the replay below has every loss.
  // NonconvexBlackBox has others, and fewer runs of o2nc-sampled, each of which composes its events anew.
  if (method.name == "o2nc-sampled") return {};
  if (method.name.starts_with("o2nc")) return {Link{LinkKind::hinge, 0}};
  // The engine is dp-sgd's, which is audited with them all.
  if (method.name == "user-sgd") return {Link{LinkKind::logistic, 0}, Link{LinkKind::squared, 0}, Softmax{3}};
  // What they release hardly moves beside its noise: the tests of UserAudit look at them.
  if (method.name == "user-phased" || method.name == "user-erm" || method.name == "user-group") return {};
  std::vector<LossSpec> losses = testing::every_loss();
  // Half of its epsilon pays for a release that stays inside: too little is left to see with softmax, whose
  // replay LimitedDoubleOutput checks.
  if (method.name == "double-output")
    std::erase_if(losses, [](const LossSpec& loss) { return std::holds_alternative<Softmax>(loss); });
  return losses;
}

class PosteriorSampler : public ::testing::TestWithParam<std::string> {};

TEST_P(PosteriorSampler, IsReplayedWithEveryLossAndBothNotions) {
  const Method& method = find_method(GetParam());
  for (const LossSpec& loss : testing::every_loss())
    for (const std::string notion : {"pure", "gaussian"}) {
      MethodAuditOptions audited = options(20, 5);
      audited.loss = loss;
      audited.notion = notion;
      const auto* link = std::get_if<Link>(&loss);
      const bool chains_of_softmax = link == nullptr && method.name == "asap-mala";
      if (chains_of_softmax || (link != nullptr && link->kind == LinkKind::poisson)) {
        EXPECT_THROW(audit_method(method, audited), UsageError);
        continue;
      }
      for (const Neighbours relation : method.neighbours) {
        audited.neighbours = relation;
        const MethodAudit audit = audit_method(method, audited);
        EXPECT_TRUE(audit.replay_ok())
            << testing::loss_name(loss) << " " << name(relation) << " " << testing::failures(audit);
      }
    }
}

std::string without_hyphens(std::string name) {
  std::erase(name, '-');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Samplers, PosteriorSampler, ::testing::Values("asap-mala"),
                         [](const auto& row) { return without_hyphens(row.param); });
INSTANTIATE_TEST_SUITE_P(LongSamplers, PosteriorSampler, ::testing::Values("posterior-exact"),
                         [](const auto& row) { return without_hyphens(row.param); });

// What leaves is (θ₀, θ̂) for pure DP, θ̂ for Gaussian DP. A logistic record pulls with ½ at 0, so that a slope
// limit near it makes the account tight.
struct PullAtZero {
  Link link;
  double slope;
};
constexpr PullAtZero logistic_pull{{LinkKind::logistic, 0}, 0.55}, huber_pull{{LinkKind::huber, 1}, 1.0};

void expect_no_violation_of_exact_samples(const PullAtZero& pull, const std::string& notion,
                                          std::size_t runs) {
  MethodAuditOptions audited = options(runs, 8);
  audited.epsilon = 3;
  audited.loss = pull.link;
  audited.notion = notion;
  audited.delta = 0.05;
  audited.facts.set("slope_limit", pull.slope);
  const MethodAudit audit = audit_method(find_method("posterior-exact"), audited);
  EXPECT_FALSE(audit.violated()) << testing::failures(audit);
  EXPECT_GT(audit.tightness(), 0.03);
  ASSERT_EQ(audit.diagnostics.size(), 1u);
  EXPECT_GT(audit.diagnostics[0].value, 0.1) << "proposals accepted, share";
}

TEST(MethodAudit, SeesNoViolationOfTheExactSamplerWithOtherLossesOrNotion) {
  expect_no_violation_of_exact_samples(logistic_pull, "pure", 2000);
  expect_no_violation_of_exact_samples(huber_pull, "gaussian", 2000);
}
TEST(LongMethodAudit, SeesNoViolationOfTheExactSamplerWithOtherLossesOrNotion) {
  for (const PullAtZero& pull : {logistic_pull, huber_pull})
    for (const char* notion : {"pure", "gaussian"}) {
      SCOPED_TRACE(testing::loss_name(pull.link) + " " + notion);
      expect_no_violation_of_exact_samples(pull, notion, 2000);
    }
}

// At 0 a record of softmax with K classes pulls with √(1 − 1/K). The control claims far less than was spent.
TEST(MethodAudit, SeesNoViolationOfTheExactSamplerWithSoftmaxButAFalseClaim) {
  for (const std::string notion : {"pure", "gaussian"}) {
    MethodAuditOptions audited = options(500, 8);
    audited.epsilon = 3;
    audited.loss = Softmax{3};
    audited.notion = notion;
    audited.delta = 0.05;
    const MethodAudit audit = audit_method(find_method("posterior-exact"), audited);
    EXPECT_FALSE(audit.violated()) << notion << testing::failures(audit);
    ASSERT_EQ(audit.diagnostics.size(), 1u);
    EXPECT_GT(audit.diagnostics[0].value, 0.1) << "proposals accepted, share";
    audited.claimed = 0.1;
    audited.epsilon = 60;
    EXPECT_TRUE(audit_method(find_method("posterior-exact"), audited).violated()) << notion;
  }
}

std::vector<MethodAndLoss> methods_with_losses() {
  std::vector<MethodAndLoss> result;
  for (const Method& method : methods())
    if (!offers(method, Notion::none))
      for (const LossSpec& loss : losses_for(method)) result.emplace_back(&method, loss);
  return result;
}

// An exact sample takes a hundred times as long as noise: MethodAudit has fewer of them above. A choice among
// cells takes ten times as long, and ten times that for a null record, which leaves more cells: all of it
// waits.
bool takes_long(const MethodAndLoss& row) {
  return row.method->name == "posterior-exact" || row.method->name == "localized-exponential";
}

std::vector<MethodAndLoss> methods_with_losses(bool long_ones) {
  auto result = methods_with_losses();
  std::erase_if(result, [&](const auto& row) { return takes_long(row) != long_ones; });
  return result;
}

INSTANTIATE_TEST_SUITE_P(Table, MethodWithLoss, ::testing::ValuesIn(methods_with_losses(false)),
                         [](const auto& row) { return without_hyphens(in_words(row.param)); });
INSTANTIATE_TEST_SUITE_P(LongTable, MethodWithLoss, ::testing::ValuesIn(methods_with_losses(true)),
                         [](const auto& row) { return without_hyphens(in_words(row.param)); });

TEST(MethodAudit, OfAMethodWithoutAPromiseIsViolatedByAnyFiniteClaim) {
  MethodAuditOptions audited = options(1000, 2);
  const MethodAudit audit = audit_method(find_method("plain"), audited);
  EXPECT_TRUE(audit.violated());
  EXPECT_FALSE(audit.replay_ok());
  EXPECT_GT(audit.black_box.lower_bound, 3);

  audited.epsilon = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(audit_method(find_method("plain"), audited).violated()) << "nothing is promised";
  EXPECT_THROW(audit_method(find_method("limited-output"), audited), UsageError);
}

TEST(MethodAudit, PassesAnHonestMethodOutsideTheTable) {
  const MethodAudit audit = audit_method(testing::honest(), options(8000, 3));
  EXPECT_FALSE(audit.violated()) << testing::failures(audit) << audit.black_box.lower_bound;
}

// More records may be stated than there are.
TEST(MethodAudit, CatchesAMethodThatDividesByTheRecordsThatItCounts) {
  const MethodAudit honest = audit_method(testing::plans_with_a_stated_count(false), options(400, 3));
  EXPECT_TRUE(honest.replay_ok()) << testing::failures(honest);
  const MethodAudit audit = audit_method(testing::plans_with_a_stated_count(true), options(400, 3));
  EXPECT_FALSE(audit.replay_ok());
  for (const Check& check : audit.checks)
    if (!check.ok()) {
      EXPECT_NE(check.pair.find("twice as many records stated"), std::string::npos);
    }
}

// A method that returns its minimiser, in two ways.
TEST(MethodAudit, CatchesTheMinimiserByReplayAndByBlackBox) {
  const MethodAudit audit = audit_method(testing::returns_its_minimiser(), options(2000, 4));
  EXPECT_FALSE(audit.replay_ok());
  EXPECT_GT(audit.black_box.lower_bound, 3);

  const MethodAudit smuggled = audit_method(testing::smuggles_its_minimiser(), options(2000, 5));
  EXPECT_TRUE(smuggled.replay_ok()) << "no mechanism opened it, so replay has nothing to see";
  EXPECT_GT(smuggled.black_box.lower_bound, 3);
  EXPECT_TRUE(smuggled.violated());
}

std::string failures_of(const Method& method) {
  return testing::failures(audit_method(method, options(40, 6)));
}

TEST(Replay, CatchesASensitivityThatIsTooSmall) {
  EXPECT_NE(failures_of(testing::half_the_sensitivity()).find("how far the value moves"), std::string::npos);
}

TEST(Replay, CatchesNoiseThatDependsOnTheData) {
  EXPECT_NE(failures_of(testing::scales_noise_by_the_data()).find("the steps are the same"),
            std::string::npos);
}

TEST(Replay, CatchesAFailureThatDependsOnTheData) {
  EXPECT_NE(failures_of(testing::fails_on_large_rows()).find("it fails on both or on neither"),
            std::string::npos);
}

TEST(Replay, CatchesAStepThatCostsMoreThanItCharges) {
  EXPECT_NE(failures_of(testing::undercharges()).find("within what is charged"), std::string::npos);
}

TEST(Replay, AcceptsNoIdealThatNothingChecks) {
  EXPECT_NE(failures_of(testing::unchecked_ideal()).find("nothing checks it"), std::string::npos);
}

TEST(Replay, AcceptsNoStepThatItDidNotSee) {
  EXPECT_NE(failures_of(testing::opens_out_of_sight()).find("nothing checks it"), std::string::npos);
}

TEST(MethodAudit, RunsOnAPairOfOnesOwn) {
  const auto pair = [](double last) {
    audit::NeighbourPair made{"one's own", {}, {}};
    for (Dataset* data : {&made.first, &made.second}) {
      const double y = data == &made.first ? 1 : last;
      data->features = Features(DenseRows{3, 1, {0.5, -0.5, 1}});
      data->labels = {1, -1, y};
    }
    return made;
  };
  MethodAuditOptions replaced = options(1000, 7);
  replaced.neighbours = Neighbours::replace_one;
  const MethodAudit audit = audit_method(find_method("limited-output"), replaced, pair(-1), 1);
  EXPECT_EQ(audit.black_box_pair, "one's own");
  EXPECT_FALSE(audit.violated()) << testing::failures(audit);
  audit::NeighbourPair strangers = pair(-1);
  strangers.second.labels[0] = -1;
  EXPECT_THROW(audit_method(find_method("limited-output"), replaced, strangers, 1), DataError);
}

// Fresh bits; every method that promises with its losses, each at confidence 1 − 1e-6/count: all together
// raise a false alarm with probability at most 1e-6 (union bound). The replays' bounds hold for every draw.
TEST(LongMethods, KeepTheirClaimsWithFreshBits) {
  const auto audited = methods_with_losses();
  for (const auto& [method, loss] : audited) {
    MethodAuditOptions fresh;
    fresh.loss = loss;
    fresh.black_box = {.runs = 200000, .confidence = 1 - 1e-6 / static_cast<double>(audited.size())};
    const MethodAudit audit = audit_method(*method, fresh);
    EXPECT_FALSE(audit.violated()) << method->name << ", " << testing::loss_name(loss) << "\n"
                                   << testing::failures(audit) << audit.black_box.lower_bound;
  }
}

}  // namespace
}  // namespace tacit
