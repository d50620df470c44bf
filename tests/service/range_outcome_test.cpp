// A fit that finds its ranges first: no record decides whether it fails, or what is charged.

#include <gtest/gtest.h>

#include "service/fit/ranges.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/fit.hpp"

namespace tacit {
namespace {

struct RangeOutcome {
  std::string failure;
  std::vector<Event> charged;
  std::vector<Step> asked;  // within the step that finds the ranges
  bool operator==(const RangeOutcome&) const = default;
};
void PrintTo(const RangeOutcome& outcome, std::ostream* out) {
  *out << (outcome.failure.empty() ? "no failure" : outcome.failure);
  for (const Event& event : outcome.charged) *out << ", " << describe(event);
}

// 60 ordinary records, and one of one's own.
RangeOutcome outcome_with(const std::string& number, const std::string& text, double label,
                          const Guarantee& guarantee) {
  ValueCells numbers, texts;
  ReadResult labelled;
  for (int k = 0; k < 60; ++k) {
    numbers.emplace_back(std::to_string(20 + k % 50));
    texts.emplace_back(std::string(k % 3 == 0 ? "Sales" : "Tech"));
    labelled.data.labels.push_back(k % 50);
  }
  numbers.emplace_back(number);
  texts.emplace_back(text);
  labelled.data.labels.push_back(label);
  labelled.data.features = Features(DenseRows{.rows = 61, .columns = 0, .values = {}});
  labelled.data.target_kind = TargetKind::numeric;
  labelled.has_target = true;
  service::FitOptions options;
  options.guarantee = guarantee;
  options.neighbours = Neighbours::replace_one;
  options.range_share = 0.3;
  options.loss = "squared";
  options.threads = 1;
  const auto bits = testing::seeded_bits(3);
  const ListenScope unheard(nullptr);
  RangeOutcome outcome;
  try {
    const FittedModel model =
        service::fit_table({{"number", numbers}, {"text", texts}}, labelled, options, *bits);
    for (const Step& step : model.certificate.steps) outcome.charged.push_back(step.event);
    outcome.asked = model.certificate.steps.at(0).inner;
  } catch (const Error& error) {
    outcome.failure = error.what();
  }
  return outcome;
}

TEST(RangeOutcome, IsTheSameWhateverARecordHolds) {
  for (const Guarantee& guarantee : {Guarantee(Pure{2}), Guarantee(Approx{2, 1e-6})}) {
    const RangeOutcome usual = outcome_with("30", "Tech", 20, guarantee);
    EXPECT_EQ(usual.failure, "");
    EXPECT_EQ(usual.charged.size(), 2u);
    EXPECT_EQ(usual.asked.size(), std::holds_alternative<Pure>(guarantee) ? 9u : 10u);  // and a failure
    std::vector<std::string> numbers = {"1e308", "other", "2020-01-01"};
    if (std::holds_alternative<Pure>(guarantee))  // quicker
      numbers.insert(numbers.end(), {"", "-inf", "nan", "1,5", "-9007199254740993"});
    for (const std::string& number : numbers)
      for (const double label : {-1e300, 1e300}) {
        const std::string far(300, 'x');
        EXPECT_EQ(outcome_with(number, far, label, guarantee), usual) << number << ", " << label;
      }
  }
}

// The control: what a fit refuses before anything is charged is seen.
TEST(RangeOutcome, OfALabelThatIsNoNumberDiffers) {
  EXPECT_NE(outcome_with("30", "Tech", std::numeric_limits<double>::quiet_NaN(), Pure{2}),
            outcome_with("30", "Tech", 20, Pure{2}));
}

}  // namespace
}  // namespace tacit
