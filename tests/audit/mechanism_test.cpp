#include "audit/black_box/mechanism.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>

#include "settings.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::audit {
void PrintTo(const AuditedMechanism& row, std::ostream* out) { *out << row.name; }
}  // namespace tacit::inline v1::audit

namespace tacit {
namespace {

using audit::audit_mechanism;
using audit::audited_mechanisms;
using audit::AuditedMechanism;
using audit::BlackBoxResult;
using audit::Side;

// Confidence 1 − 1e-6 for each of the audits below, with fixed seeds.
audit::BlackBoxOptions options(std::uint64_t seed) {
  return testing::seeded_black_box(24000, 1 - 1e-6, seed);
}

// The names that mechanisms give their steps, as the source has them: a new mechanism needs a row.
TEST(AuditedMechanisms, CoverEveryMechanism) {
  const auto has_row = [](const std::string& name) {
    return std::ranges::any_of(audited_mechanisms(),
                               [&](const auto& row) { return row.name.starts_with(name); });
  };
  const std::regex stated("mechanism = \"([a-z-]+)\"");
  std::set<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(TACIT_SOURCE_DIR "/src/noise")) {
    if (file.path().extension() != ".cpp") continue;
    const std::string text = read_file(file.path());
    for (std::sregex_iterator match(text.begin(), text.end(), stated), end; match != end; ++match)
      names.insert((*match)[1]);
  }
  names.erase("none");               // released as it is: there is nothing to audit
  names.erase("stability-failure");  // the delta of propose-test-release
  names.erase("failure");  // the delta of frequent-texts; its test is in tests/noise/frequent_test.cpp
  EXPECT_GE(names.size(), 7u) << "the names were not found";
  for (const std::string& name : names) EXPECT_TRUE(has_row(name)) << name;
  for (const char* name : {"objective-perturbation", "quantile", "propose-test-release", "stable-releases"})
    EXPECT_TRUE(has_row(name)) << name;
}

class Mechanism : public ::testing::TestWithParam<AuditedMechanism> {};

TEST_P(Mechanism, KeepsItsClaim) {
  const BlackBoxResult result = audit_mechanism(GetParam(), {}, options(1));
  EXPECT_LE(result.lower_bound, GetParam().claim.epsilon) << result.event;
  EXPECT_GT(result.lower_bound, 0.3 * GetParam().claim.epsilon) << "the audit sees next to nothing";
}

TEST_P(Mechanism, WithHalfTheNoiseIsCaught) {
  EXPECT_GT(audit_mechanism(GetParam(), {.noise = 0.5}, options(2)).lower_bound, GetParam().claim.epsilon);
}

TEST_P(Mechanism, WithoutNoiseIsCaught) {
  const BlackBoxResult result = audit_mechanism(GetParam(), {.noise = 0}, options(3));
  EXPECT_GT(result.lower_bound, GetParam().claim.epsilon);
  EXPECT_DOUBLE_EQ(result.lower_bound, result.resolution);
}

TEST_P(Mechanism, ToldHalfItsSensitivityIsCaught) {
  EXPECT_GT(audit_mechanism(GetParam(), {.sensitivity = 0.5}, options(4)).lower_bound,
            GetParam().claim.epsilon);
}

// The number of outputs says which neighbour they came from.
TEST_P(Mechanism, WithDisjointSupportsIsCaught) {
  const auto on = [&](Side side) {
    return [&, side](BitSource& bits) {
      Vector output = GetParam().run(side, {}, bits);
      if (side == Side::second) output.conservativeResizeLike(Vector::Zero(output.size() + 10));
      return output;
    };
  };
  const BlackBoxResult result =
      black_box(on(Side::first), on(Side::second), GetParam().claim.delta, options(5));
  EXPECT_DOUBLE_EQ(result.lower_bound, result.resolution);
  EXPECT_GT(result.lower_bound, GetParam().claim.epsilon);
}

INSTANTIATE_TEST_SUITE_P(Table, Mechanism,
                         ::testing::ValuesIn(audited_mechanisms().begin(), audited_mechanisms().end()),
                         [](const auto& row) {
                           std::string name = row.param.name;
                           std::erase(name, '-');
                           return name;
                         });

// Fresh bits. Each of the m mechanisms is audited at confidence 1 − 1e-6/m, so that all of them together
// raise a false alarm with probability at most 1e-6 (union bound). The controls are so far off that 200000
// runs show it each time.
TEST(LongMechanisms, KeepTheirClaimsAndTheControlsFailWithFreshBits) {
  const double share = 1e-6 / static_cast<double>(audited_mechanisms().size());
  const audit::BlackBoxOptions fresh{.runs = 400000, .confidence = 1 - share};
  for (const AuditedMechanism& mechanism : audited_mechanisms()) {
    const double claim = mechanism.claim.epsilon;
    const BlackBoxResult result = audit_mechanism(mechanism, {}, fresh);
    EXPECT_LE(result.lower_bound, claim) << mechanism.name << ": " << result.event;
    EXPECT_GT(audit_mechanism(mechanism, {.noise = 0.5}, fresh).lower_bound, claim) << mechanism.name;
    EXPECT_GT(audit_mechanism(mechanism, {.noise = 0}, fresh).lower_bound, claim) << mechanism.name;
    EXPECT_GT(audit_mechanism(mechanism, {.sensitivity = 0.5}, fresh).lower_bound, claim) << mechanism.name;
  }
}

}  // namespace
}  // namespace tacit
