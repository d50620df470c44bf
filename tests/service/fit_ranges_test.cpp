#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "data/temp_folder.hpp"
#include "model/digest.hpp"
#include "model/json.hpp"
#include "support/resealed.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/fit.hpp"
#include "tacit/ledger.hpp"
#include "tacit/service.hpp"
#include "tacit/statistics.hpp"
#include "tacit/verify.hpp"

// Fits of tables that nobody described: a share of the guarantee finds the ranges first.

namespace tacit {
namespace {

using testing_data::TempFolder;
using ForgedJson = nlohmann::ordered_json;

class FitRanges : public ::testing::Test {
 protected:
  // The target is 1000 where the age is above 45, and 3000 there as a number; text and gaps among the
  // columns.
  FitRanges() {
    std::string rows = "age,pay,job,who,class,number\n";
    for (int k = 0; k < 4000; ++k)
      rows += fmt::format("{},{},{},{},{},{}\n", 20 + k % 50, k % 11 == 0 ? "" : fmt::format("{}.5", k % 700),
                          k % 3 == 0 ? "Sales" : "Tech", k % 2000, k % 50 < 25 ? 0 : 1,
                          1000 + 40 * (k % 50) + k % 7);
    reading.path = folder.write("people.csv", rows);
    reading.target = "class";
    options.guarantee = Pure{4};
    options.range_share = 0.3;
  }
  FittedModel fit() { return service::fit_file(reading, options); }
  // The same on every run.
  FittedModel repeated() {
    const auto bits = testing::seeded_bits(7);
    return service::fit_file(reading, options, *bits);
  }
  double error(const FittedModel& model) {
    const auto found = evaluate(model, service::read_for_evaluation(model, {.path = reading.path}));
    return found.accuracy ? 1 - *found.accuracy : *found.rmse;
  }
  std::string save(const std::string& text) { return folder.write("m.json", text).string(); }
  std::string forged(const ForgedJson& json) { return save(testing::resealed(json)); }

  TempFolder folder;
  ReadOptions reading;
  service::FitOptions options;
};

TEST_F(FitRanges, OfATableThatNobodyDescribedIsVerifiedAndPredicts) {
  for (const Guarantee& guarantee : {Guarantee(Pure{4}), Guarantee(Approx{4, 1e-6})})
    for (const Neighbours relation : {Neighbours::zero_out, Neighbours::replace_one}) {
      options.guarantee = guarantee;
      options.neighbours = relation;
      const FittedModel model = fit();
      const Verification verified = verify_model(model_to_json(model), "model");
      EXPECT_EQ(verified.model.certificate.neighbours, relation);
      const FittedModel again = repeated();
      EXPECT_EQ(again.classes, (std::vector<std::string>{"0", "1"}));
      EXPECT_LT(error(again), 0.1);
      const double epsilon = guarantee.index() == Guarantee(Pure{1}).index()
                                 ? std::get<Pure>(model.certificate.guarantee).epsilon
                                 : std::get<Approx>(model.certificate.guarantee).epsilon;
      EXPECT_LE(epsilon, 4);
      EXPECT_GT(epsilon, 3.99);
    }
}

// Some of the stated records may be null, and no output tells how many.
TEST_F(FitRanges, GoByTheStatedNumberOfRecords) {
  const auto people = [&](int count) {
    std::string rows = "age,pay,class\n";
    for (int k = 0; k < count; ++k) rows += fmt::format("{},{},{}\n", 20 + k % 50, k % 700, k % 2);
    reading.path = folder.write(fmt::format("{}.csv", count), rows);
  };
  options.range_share.reset();  // by the rule: n·ε ≥ 50 for each of three columns
  options.guarantee = Pure{1};
  options.neighbours = Neighbours::zero_out;
  options.method = "limited-output";
  options.method_options.set("records", std::int64_t{150});
  for (const int count : {150, 149, 75}) {
    people(count);
    const FittedModel model = fit();
    EXPECT_TRUE(model.ranges) << count;
    EXPECT_EQ(model.certificate.assumed_public.integer("records"), 150);
    static_cast<void>(verify_model(model_to_json(model), "model"));
  }
  options.method_options.set("records", std::int64_t{149});
  for (const int count : {149, 75}) {  // no ranges are sought, and the refusal goes by the stated number, too
    people(count);
    EXPECT_NE(testing_data::message_of<Error>([&] { fit(); }).find("149 records at epsilon 1 are too few"),
              std::string::npos)
        << count;
  }
  const auto ledger = folder.path() / "people.ledger";
  const LedgerLimit limit{"people", Pure{9}};
  create_ledger(ledger, {}, {&limit, 1});
  options.ledger = service::LedgerUse{ledger, ""};
  options.range_share = 0.3;
  people(150);
  EXPECT_THROW(fit(), UsageError);
  EXPECT_TRUE(read_ledger(ledger).budgets[0].charges.empty());
  EXPECT_EQ(failed_reads(ledger), 1U);  // what the refusal tells of the records is written down
  options.range_share.reset();          // the same from the rule for the share
  EXPECT_THROW(fit(), UsageError);
  EXPECT_EQ(failed_reads(ledger), 2U);
  people(149);
  options.range_share = 0.3;
  fit();
  EXPECT_EQ(failed_reads(ledger), 2U);
  EXPECT_EQ(read_ledger(ledger).budgets[0].charges.size(), 1U);
}

// Under add_remove nobody may tell N records from N + 1. A method that takes any number fits both; one whose
// certificate says that there are at most N refuses before the charge.
TEST_F(FitRanges, AreFoundForAnyNumberOfRecordsUnderAddRemove) {
  const auto ledger = folder.path() / "people.ledger";
  const LedgerLimit limit{"people", Approx{99, 1e-3}};
  create_ledger(ledger, {.accountant = "approx", .neighbours = Neighbours::add_remove}, {&limit, 1});
  options.ledger = service::LedgerUse{ledger, ""};
  options.guarantee = Approx{4, 1e-6};
  options.neighbours = Neighbours::add_remove;
  const std::string rows = read_file(reading.path);
  const std::string more = folder.write("more.csv", rows + "30,1.5,Tech,7,1,1000\n").string();
  options.method = "dp-sgd";
  options.method_options.set("epochs", 1.0);
  options.method_options.set("records", std::int64_t{4000});
  for (const std::string& path : {reading.path.string(), more}) {
    reading.path = path;
    const FittedModel model = fit();
    EXPECT_TRUE(model.ranges) << path;
    EXPECT_EQ(model.certificate.assumed_public.integer("records"), 4000);
    static_cast<void>(verify_model(model_to_json(model), "model"));
  }
  EXPECT_EQ(read_ledger(ledger).budgets[0].charges.size(), 2U);
  EXPECT_EQ(failed_reads(ledger), 0U);

  options.method = "limited-objective";
  options.method_options = {};
  options.method_options.set("records", std::int64_t{4000});
  EXPECT_NE(testing_data::message_of<UsageError>([&] { fit(); }).find("the data has more records"),
            std::string::npos);
  EXPECT_EQ(read_ledger(ledger).budgets[0].charges.size(), 2U);
  EXPECT_EQ(failed_reads(ledger), 1U);
}

// What is refused is refused before the charge: nobody stated how many records there may be. And where a
// method that takes any number is on offer, none that would refuse more than were stated is chosen.
TEST_F(FitRanges, UnderAddRemoveNothingIsRefusedAfterTheCharge) {
  const auto ledger = folder.path() / "people.ledger";
  const LedgerLimit limit{"people", Approx{99, 1e-3}};
  create_ledger(ledger, {.accountant = "approx", .neighbours = Neighbours::add_remove}, {&limit, 1});
  options.ledger = service::LedgerUse{ledger, ""};
  options.neighbours = Neighbours::add_remove;
  options.range_share = 0.3;
  for (const Guarantee& guarantee : {Guarantee(Pure{4}), Guarantee(Approx{4, 1e-6})}) {
    options.guarantee = guarantee;
    EXPECT_EQ(testing_data::message_of<UsageError>([&] { fit(); }),
              "add_remove keeps the number of records private: give a public one (the option records)");
  }
  EXPECT_TRUE(read_ledger(ledger).budgets[0].charges.empty());
  reading.user = "who";
  EXPECT_NE(testing_data::message_of<Error>([&] { fit(); }), "");
  reading.user.clear();
  options.method_options.set("records", std::int64_t{3000});
  const FittedModel model = fit();
  EXPECT_EQ(model.certificate.method, "dp-sgd");
  static_cast<void>(verify_model(model_to_json(model), "model"));
  EXPECT_EQ(read_ledger(ledger).budgets[0].charges.size(), 1U);
  options.guarantee = Pure{4};  // every method assumes the number, and one refuses before the charge
  EXPECT_EQ(testing_data::message_of<UsageError>([&] { fit(); }),
            "records is 3000, but the data has more records");
  EXPECT_EQ(read_ledger(ledger).budgets[0].charges.size(), 1U);
}

// As many users as are stated, and one more.
TEST_F(FitRanges, AreFoundForAnyNumberOfUsersUnderAddRemove) {
  options.guarantee = Approx{6, 1e-5};
  options.neighbours = Neighbours::add_remove;
  options.method = "user-sgd";
  options.method_options.set("epochs", 1.0);
  reading.user = "who";
  for (const std::int64_t stated : {2000, 1999}) {
    options.method_options.set("user_count", stated);
    const FittedModel model = fit();
    EXPECT_TRUE(model.ranges) << stated;
    static_cast<void>(verify_model(model_to_json(model), "model"));
  }
}

struct HeardOfRanges : WorkListener {
  void announced(const std::string& what) override { lines += what + "\n"; }
  void advanced(std::uint64_t, std::uint64_t) override {}
  std::string lines;
};

TEST_F(FitRanges, SaysThatTwoValuesAreTakenForClasses) {
  options.guarantee = Pure{4};
  HeardOfRanges heard;
  const ListenScope scope(&heard);
  EXPECT_EQ(repeated().classes.size(), 2U);
  EXPECT_NE(heard.lines.find("\"class\" shows only two values, 0 and 1, which are taken for classes"),
            std::string::npos)
      << heard.lines;
}

TEST_F(FitRanges, SaysWhatANumericTargetIsCutTo) {
  reading.target = "number";
  HeardOfRanges heard;
  const ListenScope scope(&heard);
  const FittedModel model = repeated();
  ASSERT_TRUE(model.schema && model.schema->target && model.schema->target->min);
  EXPECT_NE(heard.lines.find(fmt::format(
                "The target \"number\" has numbers from {} to {}; labels outside of that are cut to it.",
                *model.schema->target->min, *model.schema->target->max)),
            std::string::npos)
      << heard.lines;
}

// One column of 60 records, at an epsilon where noise hides it in two of three fits: in none of ten it says
// so by chance once in 10^4.
TEST_F(FitRanges, SaysThatAllColumnsAreLeftOut) {
  std::string rows = "x,class\n";
  for (int k = 0; k < 60; ++k) rows += fmt::format("{},{}\n", 0.37 * (k - 30), k % 2);
  reading.path = folder.write("few.csv", rows);
  options.guarantee = Pure{0.2};
  int said = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    HeardOfRanges heard;
    const ListenScope scope(&heard);
    const auto bits = testing::seeded_bits(seed);
    const FittedModel model = service::fit_file(reading, options, *bits);
    const bool constant =
        heard.lines.find("Warning: all columns are left out, and the model is a constant") !=
        std::string::npos;
    said += constant;
    EXPECT_EQ(constant, std::holds_alternative<IgnoredColumn>(model.schema->columns.at(0).kind) &&
                            heard.lines.find("the noise hides what it holds") != std::string::npos);
  }
  EXPECT_GT(said, 0);
}

TEST_F(FitRanges, OfAColumnThatIsCalledAsTheExpectedFitCallsItsTarget) {
  std::string rows = "target,target_,class\n";
  for (int k = 0; k < 2000; ++k) rows += fmt::format("{},{},{}\n", k % 50, k % 7, k % 50 < 25 ? 0 : 1);
  reading.path = folder.write("called.csv", rows);
  EXPECT_EQ(repeated().names.empty(), false);
}

TEST_F(FitRanges, FindsTheRangeOfANumericTarget) {
  reading.target = "number";
  EXPECT_NO_THROW(verify_model(model_to_json(fit()), "model"));
  const FittedModel model = repeated();
  ASSERT_TRUE(model.schema && model.schema->target && model.schema->target->min);
  EXPECT_LE(*model.schema->target->min, 1000);
  EXPECT_GE(*model.schema->target->max, 2900);
  EXPECT_LE(*model.schema->target->max, 4200);
  EXPECT_LT(error(model), 200) << "a constant has 577";
  options.loss = "logistic";  // then labels are classes, read off the data as ever
  reading.target = "class";
  const FittedModel named = fit();
  EXPECT_NO_THROW(verify_model(model_to_json(named), "model"));
  EXPECT_FALSE(named.certificate.options.boolean("range_target"));
}

TEST_F(FitRanges, ProtectsUsers) {
  options.guarantee = Approx{6, 1e-5};
  reading.user = "who";
  const FittedModel model = fit();
  EXPECT_EQ(model.certificate.unit, Unit::user);
  EXPECT_NO_THROW(verify_model(model_to_json(model), "model"));
}

TEST_F(FitRanges, ForgeriesAreFound) {
  options.guarantee = Approx{4, 1e-6};
  const auto honest = ForgedJson::parse(model_to_json(fit()));
  ASSERT_NO_THROW(service::verify_file(forged(honest), ""));
  const auto refused = [&](auto edit, const char* what) {
    ForgedJson json = honest;
    edit(json);
    EXPECT_THROW(service::verify_file(forged(json), ""), VerificationError) << what;
  };
  refused([](auto& j) { j["schema"]["columns"]["age"]["max"] = 1000; }, "a bound");
  refused([](auto& j) { j["ranges"]["released"][0][0] = 0.123456789; }, "off its grid");
  refused([](auto& j) { j["ranges"]["released"].erase(0); }, "an answer left out");
  refused([](auto& j) { j["ranges"]["released_texts"] = ForgedJson::array(); }, "the texts left out");
  refused([](auto& j) { j.erase("ranges"); }, "all answers left out");
  refused([](auto& j) { j["certificate"]["steps"].erase(0); }, "the ranges left out");
  refused([](auto& j) { j["certificate"]["steps"][0]["inner"].erase(2); }, "a question left out");
  refused([](auto& j) { j["certificate"]["steps"][1]["inner"].erase(0); }, "a step of the fit left out");
  refused([](auto& j) { j["certificate"]["steps"][0]["event"]["epsilon"] = 0.1; }, "the cost of the ranges");
  refused([](auto& j) { j["certificate"]["options"]["range_epsilon"] = 0.1; }, "the option");
  refused([](auto& j) { j["certificate"]["options"]["range_rest_epsilon"] = 0.1; }, "the rest");
  refused([](auto& j) { j["certificate"]["options"]["epsilon"] = 0.1; }, "the fit's epsilon");
  refused([](auto& j) { j["certificate"]["options"]["range_target"] = false; }, "what was asked");
  refused([](auto& j) { j["certificate"]["guarantee"]["epsilon"] = 1; }, "the guarantee");
}

TEST_F(FitRanges, ChargeTheWholeOnceAndNothingForLabelsThatAreWrong) {
  const auto ledger = folder.path() / "people.ledger";
  const LedgerLimit limit{"people", Pure{5}};
  create_ledger(ledger, {}, {&limit, 1});
  options.ledger = service::LedgerUse{ledger, ""};
  const std::string rows = read_file(reading.path);
  reading.path = folder.write("wrong.csv", rows + "30,1.5,Tech,7,?,1000\n");
  EXPECT_THROW(fit(), DataError);
  EXPECT_TRUE(read_ledger(ledger).budgets[0].charges.empty());
  reading.path =
      folder.write("right.csv", rows + "?,x,Tech,7,2,1000\n");  // features may be anything; 2 is cut
  const FittedModel model = fit();
  const Ledger after = read_ledger(ledger);
  ASSERT_EQ(after.budgets[0].charges.size(), 1u);
  EXPECT_EQ(after.budgets[0].charges[0].release, model.certificate.assumed_public.text("ledger_release"));
  EXPECT_THROW(fit(), BudgetError);
}

TEST_F(FitRanges, AreNotSoughtWhereAnOptionSpeaksOfNumbersAsTheyAre) {
  reading.path = folder.write("numbers.csv", [] {
    std::string rows = "a,class\n";
    for (int k = 0; k < 4000; ++k)
      rows += fmt::format("{},{}\n", 0.01 * (k % 100), k % 100 < 50 ? "no" : "yes");
    return rows;
  }());
  options.range_share.reset();
  EXPECT_TRUE(fit().ranges.has_value());
  options.method = "limited-objective";
  options.method_options.set("column_share", 0.2);
  EXPECT_FALSE(fit().ranges.has_value());
}

// Ranges are found from all records, those that are held out of the fits among them.
TEST_F(FitRanges, OfATunedFitAreVerified) {
  options.method = "tuned";
  options.guarantee = Pure{0.5};
  for (int k = 0; k < 6; ++k) {
    const FittedModel model = fit();
    ASSERT_TRUE(model.ranges.has_value());
    EXPECT_NO_THROW(verify_model(model_to_json(model), "m.json"));
  }
}

TEST_F(FitRanges, OfATunedFitWithANumberOfRecordsThatOverflowsAreRefused) {
  options.method = "tuned";
  const auto honest = ForgedJson::parse(model_to_json(fit()));
  for (const std::int64_t held_out : {std::numeric_limits<std::int64_t>::max(), std::int64_t{-1}}) {
    ForgedJson json = honest;
    json["certificate"]["assumed_public"]["records_held_out"] = held_out;
    const std::string why =
        testing_data::message_of<VerificationError>([&] { service::verify_file(forged(json), ""); });
    EXPECT_NE(why.find("held out, expected 0 to"), std::string::npos) << why;
  }
}

// Found columns decide how many parameters there are: what hangs on that is refused before they are paid for.
TEST_F(FitRanges, AreNotPaidForWhereThereMayBeTooManyParameters) {
  const auto ledger = folder.path() / "people.ledger";
  const LedgerLimit limit{"people", Approx{9, 1e-3}};
  create_ledger(ledger, {.accountant = "approx"}, {&limit, 1});
  options.ledger = service::LedgerUse{ledger, ""};
  const auto refused = [&](const char* words) {
    const std::string before = read_file(ledger);
    const std::string why = testing_data::message_of<UsageError>([&] { fit(); });
    EXPECT_NE(why.find(words), std::string::npos) << why;
    EXPECT_NE(why.find("give a schema"), std::string::npos) << why;
    EXPECT_TRUE(read_file(ledger) == before);
  };
  options.method = "net-exponential";
  refused("fits few parameters only");
  options.range_share.reset();  // numbers as they are, which text is not
  EXPECT_THROW(fit(), Error);
  EXPECT_TRUE(read_ledger(ledger).budgets[0].charges.empty());
  options.range_share = 0.3;
  options.method = "limited-output";
  for (const char* domain : {"ball:1@0,0", "box:0,1;0,1"}) {
    options.method_options.set("domain", std::string(domain));
    refused("names coordinates");
  }
  options.method_options.set("domain", std::string("ball:1"));
  EXPECT_NO_THROW(fit());
}

// Columns of words are many numbers; nobody knows beforehand, and afterwards they are paid for.
TEST_F(FitRanges, LeaveOutIntervalsOfTooManyParametersAndSaySo) {
  std::string rows = "one,two,three,four,class\n";
  for (int k = 0; k < 20000; ++k)
    rows += fmt::format("a{},b{},c{},d{},{}\n", k % 70, k % 71, k % 72, k % 73, k % 2 == 0 ? "no" : "yes");
  reading.path = folder.write("words.csv", rows);
  options.guarantee = Approx{8, 1e-6};
  options.interval_level = 0.95;
  HeardOfRanges heard;
  const ListenScope scope(&heard);
  const FittedModel model = fit();
  EXPECT_GT(model.parameters.size(), 256);
  EXPECT_FALSE(model.intervals.has_value());
  EXPECT_NE(heard.lines.find("parameters are more than 256; the share of them goes to the fit"),
            std::string::npos)
      << heard.lines;
  EXPECT_NO_THROW(verify_model(model_to_json(model), "m.json"));
}

TEST_F(FitRanges, AShareWithoutEffectIsRefused) {
  options.row_bound = 3;
  EXPECT_THROW(fit(), UsageError);
  options.row_bound.reset();
  options.guarantee = Gaussian{1};
  EXPECT_THROW(fit(), UsageError);
  options.guarantee = Pure{4};
  for (const double share : {-0.1, 1.0, 2.0}) {
    options.range_share = share;
    EXPECT_THROW(fit(), UsageError) << share;
  }
  options.range_share = 0.3;
  reading.schema = parse_schema(R"({"columns": {"age": {"type": "numeric", "min": 0, "max": 99}},
                                    "others": "ignore"})",
                                "schema");
  EXPECT_THROW(fit(), UsageError);
}

}  // namespace
}  // namespace tacit
