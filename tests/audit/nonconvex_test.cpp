#include <gtest/gtest.h>

#include "settings.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/audit.hpp"
#include "tacit/root_meter.hpp"

namespace tacit::audit {
namespace {

// Records a = 1 with these labels; all others have label 1.
Dataset labelled(std::initializer_list<double> first, std::size_t records = 12) {
  Dataset data;
  data.features = Features(DenseRows{records, 1, std::vector<double>(records, 1.0)});
  data.labels.assign(records, 1.0);
  std::ranges::copy(first, data.labels.begin());
  return data;
}

std::vector<Check> checks_of(const char* method, const NeighbourPair& pair, const char* bound = "smoothed",
                             Neighbours neighbours = Neighbours::replace_one) {
  const AuditedMethod& audited = find_audit(method);
  Subject subject{.method = &find_method(method),
                  .loss = Link{LinkKind::hinge, 0},
                  .intercept = 0,
                  .facts = audited.replayed,
                  .budget = {Gaussian{1}, Unit::item, neighbours}};
  subject.facts.set("mu", 1.0);
  if (neighbours == Neighbours::zero_out) subject.facts.set("records", std::int64_t{12});
  subject.facts.set("bound", std::string(bound));
  subject.facts.set("threads", std::int64_t{1});
  const auto bits = testing::seeded_bits(4);
  const Replayed replayed = replay(subject, pair, *bits);
  EXPECT_TRUE(replayed.runs[0].release && replayed.runs[1].release) << replayed.runs[0].failure;
  return audited.ideal_checks(replayed);
}

bool all_ok(const std::vector<Check>& checks) { return std::ranges::all_of(checks, &Check::ok); }

// The replay must be able to fail: two records that both turn round are no neighbours, and move a sum over
// all records twice as far as its sensitivity.
TEST(NonconvexChecks, CatchTwoReplacedRecordsAndPassOne) {
  for (const char* method : {"o2nc-multi", "o2nc-single", "o2nc-first"})
    EXPECT_TRUE(all_ok(checks_of(method, {"one", labelled({1}), labelled({-1})}))) << method;
  EXPECT_FALSE(all_ok(checks_of("o2nc-multi", {"two", labelled({1, 1}), labelled({-1, -1})})));
  for (const char* bound : {"frame", "worst"}) {
    for (const char* method : {"o2nc-multi", "o2nc-single"})
      EXPECT_TRUE(all_ok(checks_of(method, {"one", labelled({1}), labelled({-1})}, bound))) << bound;
  }
  // In one dimension a direction is a frame, which the two records' sum leaves as far.
  EXPECT_FALSE(all_ok(checks_of("o2nc-multi", {"two", labelled({1, 1}), labelled({-1, -1})}, "frame")));
}

// One that is missing moves a sum by one contribution, which is all that it may move by: two that are missing
// move it by two, and so does one that turns round, which is no neighbour here.
TEST(NonconvexChecks, CatchTwoMissingRecordsAndOneReplacedAndPassOneMissing) {
  for (const char* bound : {"smoothed", "frame"}) {
    for (const char* method : {"o2nc-multi", "o2nc-single"})
      EXPECT_TRUE(
          all_ok(checks_of(method, {"one", labelled({}), labelled({}, 11)}, bound, Neighbours::zero_out)))
          << method << bound;
    for (const NeighbourPair& pair : {NeighbourPair{"two", labelled({}), labelled({}, 10)},
                                      NeighbourPair{"replaced", labelled({1}), labelled({-1})}})
      EXPECT_FALSE(all_ok(checks_of("o2nc-multi", pair, bound, Neighbours::zero_out))) << pair.what << bound;
  }
  EXPECT_TRUE(all_ok(
      checks_of("o2nc-first", {"one", labelled({}), labelled({}, 11)}, "smoothed", Neighbours::zero_out)));
}

void expect_replays(const std::vector<LossSpec>& losses) {
  for (const char* name : {"o2nc-single", "o2nc-multi", "o2nc-sampled", "o2nc-first"})
    for (const LossSpec& loss : losses)
      for (const Neighbours relation : find_method(name).neighbours) {
        MethodAuditOptions audited;
        audited.loss = loss;
        audited.neighbours = relation;
        audited.black_box = testing::seeded_black_box(20, 1 - 1e-6, 5);
        const MethodAudit audit = audit_method(find_method(name), audited);
        EXPECT_TRUE(audit.replay_ok()) << name << ", loss " << loss.index() << ", " << tacit::name(relation);
      }
}

TEST(NonconvexChecks, PassOnAdversarialPairsWithANetworkAndARobustFit) {
  expect_replays({Network{.hidden = 2, .activation = Activation::relu, .absolute = true}, RobustFit{}});
}

TEST(LongNonconvexChecks, PassOnAdversarialPairsWithEveryLoss) {
  std::vector<LossSpec> losses = testing::every_loss();
  losses.insert(losses.end(), {Network{2, Activation::relu, 3}, RobustFit{RobustKind::max_affine, 3}});
  expect_replays(losses);
}

// The claim holds; with the noise cut by what the black box cannot see and by half again, it must see that.
// Seeded, so that both happen or fail every time.
void expect_seen(const char* name, const LossSpec& loss, std::size_t runs,
                 std::optional<Neighbours> relation = std::nullopt) {
  MethodAuditOptions audited;
  audited.loss = loss;
  audited.neighbours = relation;
  audited.delta = 0.05;
  audited.black_box = testing::seeded_black_box(runs, 0.9999, 7);
  const MethodAudit audit = audit_method(find_method(name), audited);
  EXPECT_FALSE(audit.violated()) << name << ", loss " << loss.index();
  ASSERT_GT(audit.tightness(), 0.1) << name << ", loss " << loss.index() << ", " << audit.black_box_pair;
  audited.claimed = 1;
  audited.epsilon = 2 / audit.tightness();
  EXPECT_TRUE(audit_method(find_method(name), audited).violated()) << name << ", loss " << loss.index();
}

const LossSpec small_network = Network{.hidden = 2, .activation = Activation::relu, .absolute = true};

TEST(NonconvexBlackBox, SeesWhatANetworkAndARobustFitGiveAway) {
  expect_seen("o2nc-single", small_network, 12000);
  for (const Neighbours relation : {Neighbours::zero_out, Neighbours::replace_one})
    expect_seen("o2nc-multi", RobustFit{}, 4000, relation);
}

// A lone record turns round. Noise for a record that is there or null is half of what that needs, and the
// black box sees it: (2, 0.05) does not hold.
TEST(LongNonconvexBlackBox, RefutesTheNoiseForANullRecordWhereOneIsReplaced) {
  const LossSpec loss = Link{LinkKind::hinge, 0};
  const NeighbourPair pair = lone_record_pairs(loss, 16, 1)[0];
  for (const char* name : {"o2nc-single", "o2nc-multi", "o2nc-first"}) {
    const auto lower_bound = [&](Neighbours relation) {
      Facts facts = find_audit(name).exposing;
      facts.set("epsilon", 2.0);
      facts.set("delta", 0.05);
      facts.set("threads", std::int64_t{1});
      const auto run = [&](const Dataset& data) -> audit::Run {
        return [&, relation](BitSource& bits) {
          RootMeter meter({Approx{2, 0.05}, Unit::item, relation}, bits);
          return find_method(name)
              .fit({.data = &data, .loss = loss, .intercept = 0}, facts, meter)
              .parameters.value();
        };
      };
      return black_box(run(pair.first), run(pair.second), 0.05, testing::seeded_black_box(8000, 0.9999, 9))
          .lower_bound;
    };
    EXPECT_LE(lower_bound(Neighbours::replace_one), 2) << name;
    EXPECT_GT(lower_bound(Neighbours::zero_out), 2) << name;
  }
}

TEST(LongNonconvexBlackBox, SeesWhatSampledStepsGiveAway) {
  expect_seen("o2nc-sampled", Link{LinkKind::hinge, 0}, 4000);
}

// Where so many runs see enough. (By gradients a network hides what one record does: its other records, whose
// rows are zero, pull at the last offset with all their force, and a random share of that is what leaves.)
TEST(LongNonconvexBlackBox, SeesWhatLossesThatAreNoLinksGiveAway) {
  for (const char* name : {"o2nc-single", "o2nc-multi", "o2nc-sampled", "o2nc-first"}) {
    expect_seen(name, RobustFit{}, 16000);
    expect_seen(name, Link{LinkKind::absolute, 0}, 16000);
  }
  for (const char* name : {"o2nc-multi", "o2nc-sampled"}) expect_seen(name, small_network, 16000);
  for (const char* name : {"o2nc-multi", "o2nc-first"})
    expect_seen(name, RobustFit{RobustKind::max_affine, 3}, 16000);
}

}  // namespace
}  // namespace tacit::audit
