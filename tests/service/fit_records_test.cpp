#include "tacit/fit.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>

#include "data/temp_folder.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/core.hpp"
#include "tacit/ledger.hpp"
#include "tacit/verify.hpp"

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

// What a caller assumed is in its own words; the certificate counts such sentences.
TEST(FitRecords, ModelsWithAssumptionsOfTheCallerVerify) {
  service::FitOptions options;
  options.row_bound = 1;
  options.assumptions = {"I looked at the data", "caf\u00e9 records are few"};
  FittedModel model = service::fit_records(records({"classes"}), std::nullopt, options);
  EXPECT_EQ(model.certificate.assumed_public.integer("assumptions_of_the_caller"), 2);
  EXPECT_EQ(model.certificate.assumptions.size(), 3U);
  EXPECT_NO_THROW(verify_model(model_to_json(model), "model"));
  model.certificate.assumptions.pop_back();
  EXPECT_THROW(verify_model(model_to_json(model), "model"), VerificationError) << "one is gone";
  model.certificate.assumptions.emplace_back("a\nb");
  EXPECT_THROW(verify_model(model_to_json(model), "model"), VerificationError) << "two lines";
}

TEST(FitRecords, RefusesAssumptionsThatAreNoLineOfText) {
  for (const std::vector<std::string>& bad :
       {std::vector<std::string>{""}, {" "}, {"a\nb"}, {"caf\xe9"}, {"a\x1b[1m"}, {"twice", "twice"}}) {
    service::FitOptions options;
    options.assumptions = bad;
    options.before_each_step = [](const Step&) { FAIL() << "spent"; };
    EXPECT_THROW(fit(records({}), std::nullopt, options), UsageError) << bad[0];
  }
}

ReadResult of_users(std::size_t each) {
  ReadResult read = records({});
  for (std::uint32_t i = 0; i < 300; ++i) read.data.users.push_back(i / static_cast<std::uint32_t>(each));
  read.data.user_count = 300 / each;
  return read;
}

// As the command does of a file whose users are named.
TEST(FitRecords, ProtectsUsersWhereThereAreUsers) {
  service::FitOptions options;
  options.guarantee = Approx{1, 1e-5};
  EXPECT_EQ(fit(of_users(3), std::nullopt, options).certificate.unit, Unit::user);
  const auto bits = testing::seeded_bits(1);
  EXPECT_EQ(service::fit(of_users(3).data, options, *bits).certificate.unit, Unit::user);
  EXPECT_EQ(fit(records({}), std::nullopt, options).certificate.unit, Unit::item);
  options.method = "dp-sgd";
  EXPECT_THROW(fit(of_users(3), std::nullopt, options), UsageError) << "it protects single records";
  options.method = "user-sgd";
  EXPECT_THROW(fit(records({}), std::nullopt, options), UsageError) << "whose are they?";
  options = {};
  options.guarantee = NoPrivacy{};
  EXPECT_NO_THROW(fit(of_users(3), std::nullopt, options));
}

TEST(FitRecords, RefusesUsersThatAreNotOfTheRecords) {
  service::FitOptions options;
  options.guarantee = Approx{1, 1e-5};
  options.before_each_step = [](const Step&) { FAIL() << "spent"; };
  ReadResult few = of_users(3), beyond = of_users(3), uncounted = of_users(3), none = of_users(3);
  few.data.users.pop_back();
  beyond.data.users[4] = 100;
  uncounted.data.user_count = 0;
  none.data.users.clear();
  for (const ReadResult& bad : {few, beyond, uncounted, none})
    EXPECT_THROW(fit(bad, std::nullopt, options), DataError);
  Schema schema = parse_schema(
      R"({"columns": {"0": {"type": "numeric", "min": 0, "max": 1}}, "target": {"column": "y", "classes": ["no", "yes"]}, "user": {"column": "who"}})",
      "schema");
  ReadResult read = records({});
  read.row_norm_bound = 1;
  EXPECT_THROW(fit(read, schema, {}), UsageError) << "the schema has users, the records have none";
}

TEST(FitRecords, RefusesATargetThatIsNotTheSchemas) {
  const Schema schema = parse_schema(
      R"({"columns": {"0": {"type": "numeric", "min": 0, "max": 1}}, "target": {"column": "y", "classes": ["no", "yes"]}})",
      "schema");
  service::FitOptions options;
  options.target = "else";
  EXPECT_THROW(fit(records({}), schema, options), UsageError);
  EXPECT_EQ(fit(records({}), std::nullopt, options).target, "else");
  ReadOptions file{.path = "records.csv"};  // which a plan does not need
  file.schema = schema;
  EXPECT_THROW(service::plan_fit(file, options, 300), UsageError);
}

TEST(FitRecords, RefusesASchemaOfOtherRecords) {
  const auto described = [](const std::string& columns, const std::string& classes) {
    return parse_schema(
        R"({"columns": {)" + columns + R"(}, "target": {"column": "y", "classes": [)" + classes + "]}}",
        "schema");
  };
  const std::string one = R"("0": {"type": "numeric", "min": 0, "max": 1})";
  service::FitOptions options;
  options.before_each_step = [](const Step&) { FAIL() << "spent"; };
  const std::string two = one + R"(, "1": {"type": "numeric", "min": 0, "max": 1})";
  const std::string hats = R"("0": {"type": "numeric", "min": 0, "max": 1, "knots": 5})";
  EXPECT_THROW(fit(records({}), described(two, R"("no", "yes")"), options), DataError);
  EXPECT_THROW(fit(records({}), described(hats, R"("no", "yes")"), options), DataError);
  EXPECT_THROW(fit(records({}), described(one, R"("yes", "no")"), options), DataError);
  EXPECT_THROW(fit(records({}), described(one, R"("no", "yes", "else")"), options), DataError);
  EXPECT_NO_THROW(fit(records({}), described(one, R"("no", "yes")"), {}));
}

// What a fit of a file would refuse was ignored.
TEST(FitInMemory, RefusesOptionsThatItCannotHonour) {
  const auto refused = [](auto edit) {
    service::FitOptions options;
    edit(options);
    const auto bits = testing::seeded_bits(1);
    EXPECT_THROW(service::fit(records({}).data, options, *bits), UsageError);
    EXPECT_THROW(fit(records({}), std::nullopt, options), UsageError);
  };
  refused([](auto& options) { options.range_share = 5; });
  refused([](auto& options) { options.range_share = std::numeric_limits<double>::quiet_NaN(); });
  refused([](auto& options) { options.range_share = 0.3; });
  refused([](auto& options) { options.shards.count = 3; });
  refused([](auto& options) { options.shards.count = 0; });
  refused([](auto& options) { options.interval_share = std::numeric_limits<double>::quiet_NaN(); });
  refused([](auto& options) { options.interval_share = 0.5; });
  Dataset twins = records({}).data;
  twins.classes = {"a", "a"};
  EXPECT_THROW(service::fit(twins, {}), DataError);
}

// The method's own: its certificate would not be one of it.
Method misnamed() {
  Method row = find_method("limited-objective");
  row.name = "misnamed";
  return row;
}

TEST(FitInMemory, ReleasesNothingThatIsCertifiedAsAnotherMethods) {
  add_method(misnamed());
  service::FitOptions options;
  options.method = "misnamed";
  options.row_bound = 1;
  try {
    fit(records({}), std::nullopt, options);
    FAIL() << "released";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("its certificate names limited-objective"), std::string::npos);
  }
}

// After the charge the message tells what it cost.
TEST(FitInMemory, AStopAfterTheChargeSaysThatTheLedgerStaysCharged) {
  const testing_data::TempFolder folder;
  service::FitOptions options;
  options.guarantee = Approx{1, 1e-5};
  options.method = "dp-sgd";
  options.ledger = service::LedgerUse{folder.path() / "ledger", ""};
  const LedgerLimit limits[] = {{"people", Approx{3, 1e-4}}};
  create_ledger(options.ledger->path, {.accountant = "approx"}, limits);
  std::atomic<bool> stop = false;
  const StopScope scope(&stop);
  const auto message = [&] {
    return testing_data::message_of<Interrupted>(
        [&] { service::fit_records(records({}), std::nullopt, options); });
  };
  options.ledger->before_charge = [&] { stop = true; };
  EXPECT_EQ(message(), "stopped; nothing was released; what the ledger was charged stays charged");
  EXPECT_EQ(read_ledger(options.ledger->path).budgets[0].charges.size(), 1U);
  options.checkpoint = service::CheckpointUse{.path = folder.path() / "c"};
  stop = false;
  EXPECT_EQ(
      message(),
      "stopped; nothing was released; what the ledger was charged stays charged, and the same fit goes on "
      "from " +
          (folder.path() / "c").string());
}

}  // namespace
}  // namespace tacit
