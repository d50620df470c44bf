#include "algorithm/heavy_tails/private_limits.hpp"

#include <gtest/gtest.h>

#include "algorithm/heavy_tails/limited_output.hpp"
#include "settings.hpp"
#include "tacit/audit.hpp"
#include "tacit/root_meter.hpp"

namespace tacit {
namespace {

// Everything that leaves a fit with privately chosen limits, most of whose budget goes into the choice: the
// sizes, the limits and the parameters. Two records decide the median.
Vector everything(double row, double label, double epsilon, BitSource& bits) {
  Dataset data;
  data.features = Features(DenseRows{2, 1, {row, 1}});
  data.labels = {label, 1};
  const Problem problem{.data = &data, .loss = Link{LinkKind::squared, 0}, .intercept = 0};
  RootMeter meter({.limit = Pure{epsilon}}, bits);
  const Release release = heavy_tails::with_private_limits(
      problem,
      {.epsilon = epsilon, .label_bound = 1.0, .limit_share = 0.9, .column_share = 0.0, .threads = 1}, meter,
      heavy_tails::limited_output);
  const Facts& facts = release.certificate.options;
  Vector all(4);
  all << std::stod(facts.text("feature_exponents")), facts.number("curvature_limit"),
      facts.number("slope_limit"), release.parameters.value()[0];
  return all;
}

double lower_bound(double epsilon, std::uint64_t seed) {
  return audit::black_box([&](BitSource& bits) { return everything(0, 0, epsilon, bits); },
                          [&](BitSource& bits) { return everything(1e60, 1e60, epsilon, bits); }, 0,
                          testing::seeded_black_box(4000, 1 - 1e-6, seed))
      .lower_bound;
}

// 4000 runs a side, confidence 1 − 1e-6, fixed seeds. The choice is spread over several queries, of which the
// black box sees one at a time: the control has eight times the budget.
TEST(PrivateLimits, KeepTheirClaimAndWithLittleNoiseDoNot) {
  const double seen = lower_bound(3, 1);
  EXPECT_LE(seen, 3);
  EXPECT_GT(seen, 0.3) << "the black box sees next to nothing";
  EXPECT_GT(lower_bound(24, 2), 3);
}

}  // namespace
}  // namespace tacit
