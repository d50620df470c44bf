// Descent for users with a target range that is far wider than the target.

#include <cmath>
#include <random>

#include "encoder_fit.hpp"

namespace tacit {
namespace {

class UserTargetRange : public testing::EncoderFit {};

// 300 users of 5 records, y = 500 + 6(x − 5) ± 8 in a range of [0, 1000]: the best constant misses by 16 on
// average, a good line by 6.4.
TEST_F(UserTargetRange, ThatIsWideDoesNotMakeAModelWorseThanAConstant) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<> place(0, 10);
  std::normal_distribution<> noise(0, 8);
  std::string text = "user,x,y\n";
  double missed = 0;
  for (int k = 0; k < 1500; ++k) {
    const double x = place(random), y = 500 + 6 * (x - 5) + noise(random);
    text += fmt::format("u{},{:.3f},{:.3f}\n", k / 5, x, y);
    missed += std::fabs(y - 500) / 1500;
  }
  reading_.path = write("users.csv", text);
  reading_.schema = parse_schema(R"({"columns": {"x": {"type": "numeric", "min": 0, "max": 10}},
                                     "user": {"column": "user"},
                                     "target": {"column": "y", "min": 0, "max": 1000}})",
                                 "s");
  service::FitOptions options;
  options.guarantee = Approx{2, 1e-5};
  options.unit = Unit::user;
  options.method = "user-sgd";
  EXPECT_GT(missed, 15);
  EXPECT_LT(score(fit(options)).mae.value(), 0.6 * missed);
}

}  // namespace
}  // namespace tacit
