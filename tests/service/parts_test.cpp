#include <gtest/gtest.h>

#include "data/temp_folder.hpp"
#include "model/two_parts.hpp"
#include "service/fit/split.hpp"
#include "tacit/account.hpp"
#include "tacit/fit.hpp"
#include "tacit/service.hpp"
#include "tacit/verify.hpp"

// Ranges, a fit and its intervals each have a budget of their own: the parts, one after the other, are within
// what was asked for [service/fit/split.hpp].

namespace tacit {
namespace {

TEST(PartsOfAGuarantee, OneAfterTheOtherTheyAreWithinTheWhole) {
  std::vector<Guarantee> wholes;
  for (const double size : {1e-3, 0.1, 1.0, 3.7, 20.0}) {
    wholes.emplace_back(Pure{size});
    wholes.emplace_back(Gaussian{size});
    for (const double delta : {1e-12, 1e-6, 1e-3}) wholes.emplace_back(Approx{size, delta});
  }
  for (const Guarantee& whole : wholes)
    for (const double outer : {0.01, 0.2, 0.5, 0.95}) {
      const auto [ranges, rest] = service::split_guarantee(whole, outer, "two parts");
      EXPECT_TRUE(fits(together(ranges, rest, whole), whole)) << describe(event_of(whole)) << " " << outer;
      for (const double inner : {0.01, 0.2, 0.5, 0.95}) {  // the rest, shared again
        const auto [intervals, fit] = service::split_guarantee(rest, inner, "two parts");
        EXPECT_TRUE(fits(together(intervals, fit, rest), rest)) << describe(event_of(rest)) << " " << inner;
      }
    }
}

// What a meter of its own lets a part spend is its part, and the certificate states what all of them cost.
class JoinedCost : public ::testing::Test {
 protected:
  JoinedCost() {
    std::string rows = "x,z,y\n";
    for (int k = 0; k < 3000; ++k)
      rows += fmt::format("{},{},{}\n", k % 100, (k * 7) % 100, (k % 100 + (k * 13) % 60) > 75 ? 1 : 0);
    reading.path = folder.write("people.csv", rows);
    reading.target = "y";
    options.method = "limited-output";
    options.interval_level = 0.9;
  }
  void expect_within(const Guarantee& asked, std::size_t parts) {
    options.guarantee = asked;
    const FittedModel model = service::fit_file(reading, options);
    const Verification verified = verify_model(model_to_json(model), "model");
    EXPECT_TRUE(fits(verified.model.certificate.guarantee, asked)) << describe(event_of(asked));
    EXPECT_TRUE(fits(compose(events_of(verified.model.certificate.steps), asked), asked));
    std::size_t found = 0;  // within the parts are the steps that were taken
    for (const Step& part : verified.model.certificate.steps) {
      found += part.mechanism == "fit" && parts == 3 ? part.inner.size() : 1;
      EXPECT_FALSE(part.inner.empty()) << part.mechanism;
    }
    EXPECT_EQ(found, parts);
  }

  testing_data::TempFolder folder;
  ReadOptions reading;
  service::FitOptions options;
};

TEST_F(JoinedCost, OfRangesAFitAndIntervalsIsWithinWhatWasAsked) {
  options.range_share = 0.3;
  for (const Guarantee& asked : {Guarantee(Pure{8}), Guarantee(Approx{8, 1e-6})}) expect_within(asked, 3);
}

TEST_F(JoinedCost, OfAFitAndIntervalsIsWithinWhatWasAsked) {
  Schema schema;
  schema.columns = {{"x", NumericColumn{.min = 0, .max = 100}}, {"z", NumericColumn{.min = 0, .max = 100}}};
  schema.target = SchemaTarget{.column = "y", .classes = {"0", "1"}};
  reading.schema = schema;
  options.encoder = EncoderRule::linear;
  for (const Guarantee& asked : {Guarantee(Pure{2}), Guarantee(Approx{2, 1e-6}), Guarantee(Gaussian{1})})
    expect_within(asked, 2);
}

}  // namespace
}  // namespace tacit
