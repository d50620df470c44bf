#include <gtest/gtest.h>

#include "settings.hpp"
#include "tacit/audit.hpp"

namespace tacit {
namespace {

using audit::audit_method;
using audit::Check;
using audit::MethodAudit;
using audit::MethodAuditOptions;

struct Audited {
  const char *label, *method;
  LossSpec loss;
  double movement = 0;    // of the bound that the worst pair reaches at least
  std::size_t users = 0;  // enough for the tests at delta = 0.05
  Facts facts = {};
  std::optional<Neighbours> neighbours = std::nullopt;
};
void PrintTo(const Audited& audited, std::ostream* out) { *out << audited.label; }

// Confidence 1 − 1e-6. Pairs have one user who holds half of all records, or another in their place, and one
// whose presence decides whether a fringe of others counts. What a mean moves is a share of its bound, and
// noise hides that: with 1000 times the epsilon, and the claim as it was, the black box must see it.
MethodAuditOptions options_for(const Audited& audited, audit::BlackBoxOptions box) {
  MethodAuditOptions options;
  options.black_box = std::move(box);
  options.loss = audited.loss;
  options.delta = 0.05;
  options.facts = audited.facts;
  options.least_records = audited.users;
  options.neighbours = audited.neighbours;
  return options;
}

void keeps_its_claim(const Audited& audited, const MethodAuditOptions& options) {
  const MethodAudit audit = audit_method(find_method(audited.method), options);
  EXPECT_TRUE(audit.replay_ok()) << testing::failures(audit);
  EXPECT_LE(audit.black_box.lower_bound, 1);
  double furthest = 0;
  for (const Check& check : audit.checks)
    if (check.what.starts_with("how far the mean of inliers") ||
        check.what.starts_with("how far the sum over all records of a user"))
      furthest = std::max(furthest, check.measured / check.bound);
  EXPECT_GE(furthest, audited.movement) << "the pairs are too tame";
}

class UserAudit : public ::testing::TestWithParam<Audited> {};

TEST_P(UserAudit, KeepsItsClaimAndWithLittleNoiseDoesNot) {
  MethodAuditOptions options = options_for(GetParam(), testing::seeded_black_box(200, 1 - 1e-6, 1));
  keeps_its_claim(GetParam(), options);
  options.claimed = 1;
  options.epsilon = 1000;
  const MethodAudit control = audit_method(find_method(GetParam().method), options);
  EXPECT_GT(control.black_box.lower_bound, 1) << control.black_box_pair;
}

// The same with many more runs and fresh bits.
class LongUserAudit : public ::testing::TestWithParam<Audited> {};

TEST_P(LongUserAudit, KeepsItsClaimWithFreshBits) {
  audit::BlackBoxOptions box;
  box.runs = 4000;
  box.confidence = 1 - 1e-6;
  keeps_its_claim(GetParam(), options_for(GetParam(), box));
}

Facts groups_of_one(std::int64_t users) {
  Facts facts;
  facts.set("groups", users);
  return facts;
}

const Audited table[] = {
    {"phased_logistic", "user-phased", Link{LinkKind::logistic, 0}, 0.3, 400, groups_of_one(400)},
    {"erm_hinge", "user-erm", Link{LinkKind::hinge, 0}, 0.3, 400},
    {"group_logistic", "user-group", Link{LinkKind::logistic, 0}, 0.3},
    {"group_add_remove", "user-group", Link{LinkKind::logistic, 0}, 0.3, 0, {}, Neighbours::add_remove}};
const auto label_of = [](const auto& row) { return std::string(row.param.label); };
INSTANTIATE_TEST_SUITE_P(Table, UserAudit, ::testing::ValuesIn(table), label_of);
// The prefix is what makes it one of the long suites.
INSTANTIATE_TEST_SUITE_P(LongTable, LongUserAudit, ::testing::ValuesIn(table), label_of);

}  // namespace
}  // namespace tacit
