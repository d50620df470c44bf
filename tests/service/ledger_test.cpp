#include "tacit/fit.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <limits>
#include <thread>
#include <vector>

#include "ledger/support.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/mechanisms.hpp"
#include "tacit/model.hpp"
#include "tacit/verify.hpp"

namespace tacit::testing_ledger {
namespace {

Dataset two_classes(std::size_t records = 200) {
  DenseRows rows{records, 2, {}};
  Dataset data;
  for (std::size_t i = 0; i < records; ++i) {
    const double a = static_cast<double>(i * 37 % 100) / 100, b = static_cast<double>(i * 61 % 100) / 100;
    rows.values.insert(rows.values.end(), {a, b});
    data.labels.push_back(a > b ? 1 : 0);
  }
  data.features = Features(std::move(rows));
  data.target_kind = TargetKind::classes;
  data.classes = {"no", "yes"};
  return data;
}

Dataset with_a_bad_label() {
  Dataset data = two_classes();
  data.target_kind = TargetKind::numeric;
  data.classes.clear();
  data.labels[7] = std::numeric_limits<double>::quiet_NaN();
  return data;
}

// The system's bits, with a look at every time they are asked for.
class WatchedBits final : public BitSource {
 public:
  explicit WatchedBits(std::function<void()> before) : before_(std::move(before)) {}
  void fill(std::span<std::uint64_t> words) override {
    before_();
    real_->fill(words);
  }
  bool seeded() const override { return false; }
  std::string_view name() const override { return real_->name(); }

 private:
  std::function<void()> before_;
  std::unique_ptr<BitSource> real_ = noise::system_bits();
};

class LedgerFit : public LedgerTest {
 protected:
  service::FitOptions options(double epsilon) const {
    service::FitOptions options;
    options.guarantee = service::requested_guarantee(epsilon, {}, {});
    options.row_bound = 1.5;
    options.threads = 1;
    options.ledger = service::LedgerUse{path_, ""};
    return options;
  }
};

TEST_F(LedgerFit, TheWholeGuaranteeIsOnTheDiskBeforeAnyNoiseIsDrawn) {
  for (const char* method : {"limited-objective", "limited-output"}) {
    fs::remove(path_);
    create(Pure{1});
    std::size_t draws = 0;
    WatchedBits bits([&] {
      ++draws;
      EXPECT_EQ(spent_epsilon(), 0.75);
    });
    service::FitOptions how = options(0.75);
    how.method = method;
    service::fit(two_classes(), how, bits);
    EXPECT_GT(draws, 0U);
    EXPECT_EQ(charges(), 1U);
  }
}

TEST_F(LedgerFit, TheCertificateNamesTheChargeAndHolds) {
  create(Pure{1});
  const FittedModel model = service::fit(two_classes(), options(0.5));
  ASSERT_GE(model.certificate.steps.size(), 1U);
  EXPECT_EQ(model.certificate.assumed_public.text("ledger_release"), budget().charges.at(0).release);
  EXPECT_EQ(budget().charges.at(0).method, model.certificate.method);
  verify_model(model_to_json(model), "model", std::nullopt);
}

TEST_F(LedgerFit, ARefusedChargeReleasesNothing) {
  create(Pure{1});
  std::size_t draws = 0;
  WatchedBits bits([&] { ++draws; });
  EXPECT_THROW(service::fit(two_classes(), options(1.5), bits), BudgetError);
  service::FitOptions other_name = options(0.5);
  other_name.ledger->name = "other";
  EXPECT_THROW(service::fit(two_classes(), other_name, bits), UsageError);
  service::FitOptions missing = options(0.5);
  missing.ledger->path = folder_ / "missing";
  EXPECT_THROW(service::fit(two_classes(), missing, bits), NotFoundError);
  write_bytes(path_, read_bytes(path_).substr(0, 4000));
  EXPECT_THROW(service::fit(two_classes(), options(0.5), bits), DataError);
  EXPECT_EQ(draws, 0U);
}

// A program may fit from several threads (docs/for_engineers.md): ten releases at 0.1 fit into 1, whatever
// the methods; eight threads try twenty.
TEST_F(LedgerFit, ThreadsOfOneProgramSpendTheLimitAndNoMore) {
  create(Pure{1});
  const Dataset data = two_classes();
  std::atomic<int> next = 0, fitted = 0, refused = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (int k; (k = next++) < 20;) try {
          service::FitOptions how = options(0.1);
          how.method =
              std::array{"limited-objective", "limited-output", "double-output", "posterior-exact"}[k % 4];
          how.threads = 2;
          verify_model(model_to_json(service::fit(data, how)), "model", std::nullopt);
          ++fitted;
        } catch (const BudgetError&) {
          ++refused;
        }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(fitted, 10);
  EXPECT_EQ(refused, 10);
  EXPECT_EQ(charges(), 10U);
}

TEST_F(LedgerFit, AnotherUnitOrRelationReleasesNothing) {
  std::size_t draws = 0;
  WatchedBits bits([&] { ++draws; });
  for (const LedgerTerms& terms :
       {LedgerTerms{.unit = Unit::user}, LedgerTerms{.neighbours = Neighbours::add_remove}}) {
    fs::remove(path_);
    create(Pure{1}, terms);
    EXPECT_THROW(service::fit(two_classes(), options(0.5), bits), UsageError);
    EXPECT_EQ(charges(), 0U);
  }
  EXPECT_EQ(draws, 0U);
}

// A ledger that was made for replaced records goes on: its fits are for them, whoever chooses the method.
TEST_F(LedgerFit, AFitIsForTheLedgersRelationUnlessAnotherIsAskedFor) {
  for (const Neighbours relation : {Neighbours::replace_one, Neighbours::zero_out})
    for (const char* method :
         {"", "limited-objective", "limited-output", "double-output", "localized", "tuned"}) {
      fs::remove(path_);
      create(Pure{1}, {.neighbours = relation});
      service::FitOptions how = options(0.5);
      how.method = method;
      EXPECT_EQ(service::fit(two_classes(), how).certificate.neighbours, relation) << method;
      EXPECT_EQ(charges(), 1U);
      how.neighbours = relation == Neighbours::zero_out ? Neighbours::replace_one : Neighbours::zero_out;
      EXPECT_THROW(service::fit(two_classes(), how), UsageError) << method;
      EXPECT_EQ(charges(), 1U);
    }
}

// A null record is one that a record may be replaced by: a method that is proved for a replaced one alone
// takes the same from a ledger for null ones, and nothing from one that hides the number of records.
TEST_F(LedgerFit, AProofForReplacedRecordsIsChargedToALedgerForNullOnes) {
  Dataset users = two_classes(3000);
  for (std::uint32_t i = 0; i < 3000; ++i) users.users.push_back(i);
  users.user_count = 3000;
  service::FitOptions asked = options(8);
  asked.method = "user-phased";
  asked.guarantee = Approx{8, 1e-3};
  asked.unit = Unit::user;
  asked.method_options.set("records_per_user", std::int64_t{1});
  create(Approx{12, 0.5}, {.accountant = "approx", .unit = Unit::user});
  EXPECT_EQ(read_ledger(path_).terms.neighbours, Neighbours::zero_out) << "as new ledgers are";
  const FittedModel model = service::fit(users, asked);
  EXPECT_EQ(model.certificate.neighbours, Neighbours::replace_one);
  EXPECT_EQ(charges(), 1U);
  EXPECT_NO_THROW(verify_model(model_to_json(model), "m"));
  EXPECT_THROW(service::fit(users, asked), BudgetError);  // 4 of 12 is left
  fs::remove(path_);
  create(Approx{12, 0.5}, {.accountant = "approx", .unit = Unit::user, .neighbours = Neighbours::add_remove});
  EXPECT_THROW(service::fit(users, asked), UsageError);
  EXPECT_EQ(charges(), 0U);
}

// So does a choice among settings whose methods offer both, for the relation of the ledger itself.
TEST_F(LedgerFit, AChoiceIsChargedForTheRelationOfAllItsSettings) {
  service::FitOptions asked = options(2);
  asked.method = "tuned";
  asked.method_options.set("settings", std::string("limited-output:radius=3; limited-objective:radius=5"));
  create(Pure{3});
  const FittedModel model = service::fit(two_classes(), asked);
  EXPECT_EQ(model.certificate.neighbours, Neighbours::zero_out);
  EXPECT_NEAR(std::get<Pure>(*replaced_guarantee(model.certificate)).epsilon, 4, 1e-9);
  EXPECT_EQ(spent_epsilon(), 2);
  EXPECT_NO_THROW(verify_model(model_to_json(model), "m"));
  fs::remove(path_);
  create(Pure{3}, {.neighbours = Neighbours::add_remove});
  EXPECT_THROW(service::fit(two_classes(), asked), UsageError);
  EXPECT_EQ(charges(), 0U);
}

TEST_F(LedgerFit, BadInputIsNotCharged) {
  create(Pure{1});
  EXPECT_THROW(service::fit(Dataset{}, options(0.5)), Error);
  service::FitOptions bad_loss = options(0.5);
  bad_loss.loss = "hope";
  EXPECT_THROW(service::fit(two_classes(), bad_loss), UsageError);
  service::FitOptions bad_option = options(0.5);
  bad_option.method_options.set("slope_limit", -1.0);
  EXPECT_THROW(service::fit(two_classes(), bad_option), UsageError);
  service::FitOptions vetoed = options(0.5);
  vetoed.before_each_step = [](const Step&) { throw_error<UsageError>("no"); };
  EXPECT_THROW(service::fit(two_classes(), vetoed), UsageError);
  EXPECT_EQ(charges(), 0U);
}

TEST_F(LedgerFit, AFitThatFailsOnRecordsIsCounted) {
  create(Pure{1});
  const Dataset bad = with_a_bad_label();
  EXPECT_THROW(service::fit(bad, options(0.5)), DataError);
  EXPECT_THROW(service::fit(Dataset{}, options(0.5)), Error);
  const std::uint64_t failed = failed_reads(path_);
  EXPECT_GE(failed, 1U);
  service::FitOptions bad_loss = options(0.5);
  bad_loss.loss = "hope";
  EXPECT_THROW(service::fit(bad, bad_loss), UsageError);
  service::fit(two_classes(), options(0.5));
  EXPECT_EQ(failed_reads(path_), failed);
  EXPECT_EQ(charges(), 1U);
}

// What is not recorded is not told: a ledger that is not there refuses good and bad records in the same
// words.
TEST_F(LedgerFit, AFailureThatCannotBeRecordedIsThatOfTheLedger) {
  const auto message = [&](const Dataset& data) {
    try {
      service::fit(data, options(0.5));
    } catch (const NotFoundError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message(two_classes()), "");
  EXPECT_EQ(message(with_a_bad_label()), message(two_classes()));
}

// Without a schema the number of classes is the records'.
TEST_F(LedgerFit, ARefusalForWhatTheRecordsSayIsCounted) {
  create(Pure{1});
  Dataset three = two_classes();
  three.classes.emplace_back("third");
  service::FitOptions logistic = options(0.5);
  logistic.loss = "logistic";
  EXPECT_THROW(service::fit(three, logistic), UsageError);
  EXPECT_EQ(failed_reads(path_), 1U);
  EXPECT_EQ(charges(), 0U);
}

TEST_F(LedgerFit, WhatIsNotPrivateCannotBeCharged) {
  create(Pure{1});
  EXPECT_THROW(service::fit(two_classes(), options(std::numeric_limits<double>::infinity())), UsageError);
  EXPECT_THROW(service::fit(two_classes(), options(0.5), *testing::seeded_bits(1)), UsageError);
  EXPECT_EQ(charges(), 0U);
}

TEST_F(LedgerFit, APureFitCanBeChargedToAnyAccountant) {
  for (const auto& [accountant, limit] : {std::pair<const char*, Guarantee>{"gaussian", Gaussian{1}},
                                          {"zcdp", Zcdp{1}},
                                          {"renyi", Renyi{{2, 8}, {1, 2}}},
                                          {"approx", Approx{1, 1e-6}}}) {
    fs::remove(path_);
    create(limit, {.accountant = accountant});
    service::fit(two_classes(), options(0.5));
    EXPECT_EQ(std::get<Pure>(budget().charges.at(0).asked).epsilon, 0.5);
    EXPECT_EQ(notion(budget().charges.at(0).amount), accountant);
  }
}

// Killed before every step and every time bits are asked for: what was released was charged.
TEST_F(LedgerFit, AKillBetweenAnyTwoStepsNeverReleasesWithoutACharge) {
  create(Pure{1000});
  std::size_t kills = 0, released = 0, in_vain = 0;
  for (int at = 1; released == 0; ++at) {
    const std::size_t before = charges();
    const int code = in_child([&] {
      int left = at;
      const auto die_in_time = [&left] {
        if (--left == 0) ::raise(SIGKILL);
      };
      WatchedBits bits(die_in_time);
      service::FitOptions how = options(0.5);
      how.before_each_step = [&](const Step&) { die_in_time(); };
      const std::string model = model_to_json(service::fit(two_classes(), how, bits));
      die_in_time();
      write_bytes(folder_ / ("model" + std::to_string(at)), model);
      return 0;
    });
    ASSERT_TRUE(code == 0 || code == 128 + SIGKILL) << code;
    (code == 0 ? released : kills) += 1;
    ASSERT_LE(charges(), before + 1);
    ASSERT_GE(charges(), released);
    in_vain += code != 0 && charges() > before ? 1 : 0;
  }
  EXPECT_GT(kills, 2U);
  EXPECT_EQ(in_vain, kills - 1);  // the first kill comes before the charge, every other after it
}

TEST(LedgerText, ReadsLimits) {
  EXPECT_EQ(std::get<Pure>(service::parse_limit("pure", "0.5")).epsilon, 0.5);
  EXPECT_EQ(std::get<Gaussian>(service::parse_limit("gaussian", "2")).mu, 2);
  EXPECT_EQ(std::get<Approx>(service::parse_limit("zcdp", "3,1e-6")).delta, 1e-6);
  EXPECT_EQ(std::get<Renyi>(service::parse_limit("renyi", "2:0.5,8:1")).epsilons,
            (std::vector<double>{0.5, 1}));
  const LedgerLimit odd = service::parse_named_limit("pure", "a=b =1");
  EXPECT_EQ(odd.name, "a=b ");
  for (const auto& [accountant, text] : {std::pair{"pure", ""},
                                         {"pure", "x"},
                                         {"pure", "1x"},
                                         {"pure", "1,1e-6"},
                                         {"approx", "1"},
                                         {"zcdp", "1,2,3"},
                                         {"renyi", "1"},
                                         {"renyi", "2:1,"},
                                         {"hope", "1"}})
    EXPECT_THROW(service::parse_limit(accountant, text), UsageError) << accountant << " " << text;
  EXPECT_THROW(service::parse_named_limit("pure", "1"), UsageError);
  try {
    service::parse_limit("pure", "1,1e-6");
  } catch (const UsageError& error) {
    EXPECT_STREQ(
        error.what(),
        "the limit is \"1,1e-6\", expected one number, epsilon, for the accountant pure; the accountant "
        "approx takes epsilon,delta");
  }
}

// Whatever is written there would make the ledger forget.
TEST_F(LedgerFit, NothingReplacesALedgerOrItsLog) {
  create(Pure{1});
  fs::create_symlink(path_, folder_ / "link");
  for (const fs::path& path : {path_, folder_ / "link", fs::path(path_.string() + "-wal"),
                               fs::path(path_.string() + "-shm"), fs::path(path_.string() + "-journal")})
    EXPECT_THROW(service::require_writable(path), WriteError) << path;
  EXPECT_NO_THROW(service::require_writable(folder_ / "model.json"));
  EXPECT_NO_THROW(service::require_writable(folder_ / "model-wal"));
}

}  // namespace
}  // namespace tacit::testing_ledger
