#include <fmt/format.h>
#include <gtest/gtest.h>

#include "settings.hpp"
#include "tacit/audit/method.hpp"

namespace tacit {
namespace {

using audit::audit_method;
using audit::Check;
using audit::MethodAudit;
using audit::MethodAuditOptions;

std::string failures(const MethodAudit& audit) {
  std::string text;
  for (const Check& check : audit.checks)
    if (!check.ok())
      text += fmt::format("{} ({}): bound {}, measured {}\n", check.what, check.pair, check.bound,
                          check.measured);
  return text;
}

// Confidence 1 − 1e-6, fixed seeds. The pairs have one user who holds half of all records, or another in
// their place. The means of inliers move by a quarter of their bound at most here, and noise hides that: with
// 1000 times the epsilon, and the claim as it was, the black box must see it.
class UserAudit : public ::testing::TestWithParam<std::tuple<const char*, LinearLoss>> {};

TEST_P(UserAudit, KeepsItsClaimAndWithLittleNoiseDoesNot) {
  const Method& method = find_method(std::get<0>(GetParam()));
  MethodAuditOptions options;
  options.black_box = testing::seeded_black_box(200, 1 - 1e-6, 1);
  options.loss = std::get<1>(GetParam());
  options.delta = 0.05;
  const MethodAudit audit = audit_method(method, options);
  EXPECT_TRUE(audit.replay_ok()) << failures(audit);
  EXPECT_LE(audit.black_box.lower_bound, 1);

  options.claimed = 1;
  options.epsilon = 1000;
  const MethodAudit control = audit_method(method, options);
  EXPECT_GT(control.black_box.lower_bound, 1) << control.black_box_pair;
}

INSTANTIATE_TEST_SUITE_P(Table, UserAudit,
                         ::testing::Values(std::tuple("user-phased", LinearLoss(Link{LinkKind::logistic, 0})),
                                           std::tuple("user-erm", LinearLoss(Link{LinkKind::hinge, 0}))),
                         [](const auto& row) {
                           std::string name = std::string(std::get<0>(row.param)) + "_" +
                                              testing::loss_name(std::get<1>(row.param));
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace tacit
