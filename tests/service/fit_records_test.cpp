#include "tacit/fit.hpp"

#include <gtest/gtest.h>

#include "support/seeded_bits.hpp"
#include "tacit/core.hpp"

namespace tacit {
namespace {

ReadResult records(const std::vector<std::string>& read_off) {
  ReadResult read;
  DenseRows rows{300, 1, {}};
  for (int i = 0; i < 300; ++i) {
    rows.values.push_back(i / 300.0);
    read.data.labels.push_back(i < 150 ? 0 : 1);
  }
  read.data.features = Features(std::move(rows));
  read.data.target_kind = TargetKind::classes;
  read.data.classes = {"no", "yes"};
  read.has_target = true;
  read.read_off_data = read_off;
  return read;
}

FittedModel fit(ReadResult read, const std::optional<Schema>& schema, const service::FitOptions& options) {
  const auto bits = testing::seeded_bits(1);
  return service::fit_records(std::move(read), schema, options, *bits);
}

TEST(FitRecords, CertifiesWhatWasReadOffTheDataAndWhoStatedTheBound) {
  service::FitOptions options;
  options.row_bound = 1;
  const FittedModel model = fit(records({"classes"}), std::nullopt, options);
  EXPECT_EQ(model.certificate.assumptions,
            (std::vector<std::string>{"the classes were read off the data and are taken to be public"}));
  EXPECT_EQ(model.certificate.assumed_public.text("row_norm_bound_source"), "stated by the caller");
  EXPECT_TRUE(fit(records({}), std::nullopt, options).certificate.assumptions.empty());
}

TEST(FitRecords, ClaimsNoBoundThatTheMethodHadNoUseFor) {
  service::FitOptions options;
  options.row_bound = 1;
  options.guarantee = Approx{1, 1e-5};
  options.method = "dp-sgd";
  EXPECT_FALSE(
      fit(records({}), std::nullopt, options).certificate.assumed_public.has("row_norm_bound_source"));
}

TEST(FitRecords, TakesTargetAndBoundFromTheSchema) {
  const Schema schema = parse_schema(
      R"({"columns": {"0": {"type": "numeric", "min": 0, "max": 1}}, "target": {"column": "y", "classes": ["no", "yes"]}})",
      "schema");
  ReadResult read = records({});
  read.row_norm_bound = 1;
  const FittedModel model = fit(read, schema, {});
  EXPECT_EQ(model.target, "y");
  EXPECT_TRUE(model.schema.has_value());
  EXPECT_TRUE(model.certificate.assumed_public.has("row_norm_bound"));
  service::FitOptions contradicting;
  contradicting.row_bound = 2;
  EXPECT_THROW(fit(read, schema, contradicting), UsageError);
  ReadOptions file;
  file.path = "records.csv";  // which a plan does not need
  file.schema = schema;
  EXPECT_NO_THROW(service::plan_fit(file, {}, 300));
  EXPECT_THROW(service::plan_fit(file, contradicting, 300), UsageError) << "as the fit does";
}

TEST(FitRecords, AViewIsFittedAsACopyIs) {
  const ReadResult owned = records({});
  ReadResult view = owned;
  view.data.features = Features(DenseView{300, 1, owned.data.features.row(0).values, nullptr});
  EXPECT_EQ(fit(view, std::nullopt, {}).parameters, fit(owned, std::nullopt, {}).parameters);
}

}  // namespace
}  // namespace tacit
