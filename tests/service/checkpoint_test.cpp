#include "tacit/fit.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "service/fit/checkpointed_fit.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/core.hpp"
#include "tacit/mechanisms.hpp"
#include "tacit/root_meter.hpp"

// The protocol between the checkpoint's file and the ledger, at every point at which a process can end.

namespace tacit::inline v1::service {
namespace {

namespace fs = std::filesystem;

Released<Vector> released(std::initializer_list<double> values) {
  const auto bits = testing::seeded_bits(1);
  RootMeter meter({.limit = NoPrivacy{}}, *bits);
  Vector state(static_cast<Eigen::Index>(values.size()));
  std::copy(values.begin(), values.end(), state.begin());
  return noise::open(Sensitive<Vector>(state, {.value = 1, .reason = "a test"}, Neighbours::replace_one),
                     meter);
}

class CheckpointTest : public ::testing::Test {
 protected:
  CheckpointTest() {
    std::string pattern = (fs::temp_directory_path() / "tacit-checkpoint-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = pattern;
    const LedgerLimit limits[] = {{"people", Approx{3, 1e-4}}};
    create_ledger(ledger_.path = folder_ / "ledger", {.accountant = "approx"}, limits);
  }
  ~CheckpointTest() override { fs::remove_all(folder_); }

  fs::path at(const char* name) const { return folder_ / name; }
  CheckpointedFit open(const char* name = "c", std::string epochs = "60") const {
    return {{.path = at(name), .every = 10, .stop = {}}, ledger_, request_, {{"epochs", std::move(epochs)}}};
  }
  std::size_t charges() const { return read_ledger(ledger_.path).budgets.at(0).charges.size(); }
  void copy(const char* from, const char* to) const {
    fs::copy_file(at(from), at(to), fs::copy_options::overwrite_existing);
  }
  // A fit that was killed after saving step 10 and then step 20; "c10" is a copy of the first.
  void leave_two_saves() const {
    auto fit = open();
    fit.charge();
    fit.save(10, 100, released({1}));
    copy("c", "c10");
    fit.save(20, 100, released({2, 0.1}));
  }
  template <class E, class Call>
  static std::string refusal(Call call) {
    try {
      call();
    } catch (const E& error) {
      return error.what();
    }
    ADD_FAILURE() << "no such exception";
    return {};
  }

  fs::path folder_;
  LedgerUse ledger_;
  LedgerRequest request_{"", "dp-sgd", {Approx{2, 1e-5}, Unit::item, usual_neighbours}};
};

TEST_F(CheckpointTest, ABeginningHasNothingToResumeAndIsChargedOnce) {
  {
    auto fit = open();
    EXPECT_FALSE(fit.resumed());
    EXPECT_EQ(charges(), 0U);
    const std::string release = fit.charge();
    EXPECT_EQ(fit.charge(), release);
  }
  auto again = open();  // killed right after the charge: no noise was seen, so it begins again, paid for
  EXPECT_FALSE(again.resumed());
  again.charge();
  EXPECT_EQ(charges(), 1U);
}

TEST_F(CheckpointTest, TheLastSaveComesBackBitForBitWithoutACharge) {
  leave_two_saves();
  const auto fit = open();
  ASSERT_TRUE(fit.resumed());
  EXPECT_EQ(fit.resumed()->steps, 20U);
  EXPECT_EQ(fit.resumed()->state, (Vector(2) << 2, 0.1).finished());
  EXPECT_EQ(charges(), 1U);
}

TEST_F(CheckpointTest, ACopyOfAnEarlierSaveIsRefused) {
  leave_two_saves();
  const std::string message = refusal<BudgetError>([&] { open("c10"); });
  EXPECT_NE(message.find("continued already"), message.npos) << message;
  EXPECT_NE(message.find("c10"), message.npos) << message;
}

TEST_F(CheckpointTest, OfTwoThatContinueFromCopiesOneGetsThrough) {
  leave_two_saves();
  copy("c", "copy");
  auto first = open("c"), second = open("copy");  // nothing that either draws has left it yet
  second.save(30, 100, released({3}));
  refusal<BudgetError>([&] { first.save(30, 100, released({-3})); });
  EXPECT_EQ(open("copy2").resumed().has_value(), false);
}

TEST_F(CheckpointTest, WhatWasWrittenButNeverCountedIsIgnored) {  // killed before the ledger's commit
  leave_two_saves();
  const auto header = read_checkpoint_header(at("c"));
  const CheckpointHeader never{header->release, new_ticket().token, 30, header->fit};
  std::ofstream(at("c.next"), std::ios::binary) << checkpoint_text(never, Vector::Ones(1), new_ticket().key);
  EXPECT_EQ(open().resumed()->steps, 20U);
}

TEST_F(CheckpointTest, WhatCountsButWasNotRenamedIsFound) {  // killed after the ledger's commit
  leave_two_saves();
  fs::rename(at("c"), at("c.next"));
  copy("c10", "c");
  EXPECT_EQ(open().resumed()->steps, 20U);
  EXPECT_FALSE(fs::exists(at("c.next")));
}

TEST_F(CheckpointTest, AFitThatEndedBeforeItsChargeIsBegunAgain) {
  const CheckpointHeader never{
      .release = new_release(), .token = new_ticket().token, .fit = {{"epochs", "60"}}};
  std::ofstream(at("c.next"), std::ios::binary) << checkpoint_text(never, Vector(), new_ticket().key);
  auto fit = open();
  EXPECT_FALSE(fit.resumed());
  fit.charge();
  EXPECT_EQ(charges(), 1U);
}

TEST_F(CheckpointTest, AnUncountedFileTellsNothing) {
  // The same state under two keys: the bytes after the header have nothing in common but their number.
  const CheckpointHeader header{new_release(), new_ticket().token, 0, {}};
  const std::string one = checkpoint_text(header, Vector::Ones(100), new_ticket().key),
                    two = checkpoint_text(header, Vector::Ones(100), new_ticket().key);
  const std::size_t start = one.find('\n') + 1;
  ASSERT_EQ(one.size(), two.size());
  std::size_t equal = 0;
  for (std::size_t i = start; i < one.size(); ++i) equal += one[i] == two[i];
  EXPECT_LT(equal, 30U);  // 816 bytes, 3.2 expected: Poisson, false alarm below 1e-17
}

TEST_F(CheckpointTest, WhoeverReadsTheLedgerCannotForgeAnEarlierStep) {
  leave_two_saves();
  const LedgerTicket ticket = *read_ledger(ledger_.path).budgets.at(0).charges.at(0).ticket;
  CheckpointHeader header = *read_checkpoint_header(at("c"));
  header.steps = 0;
  std::ofstream(at("c"), std::ios::binary) << checkpoint_text(header, Vector::Ones(1), ticket.key);
  const std::string message = refusal<DataError>([&] { open(); });
  EXPECT_NE(message.find("damaged or edited"), message.npos) << message;
}

TEST_F(CheckpointTest, ARefusedContinuationLeavesNothingBehind) {
  leave_two_saves();
  copy("c", "copy");
  auto first = open("c"), second = open("copy");
  second.save(30, 100, released({3}));
  refusal<BudgetError>([&] { first.save(30, 100, released({-3})); });
  EXPECT_FALSE(fs::exists(at("c.next")));
}

TEST_F(CheckpointTest, BelongsToItsOptions) {
  leave_two_saves();
  const std::string message = refusal<UsageError>([&] { open("c", "20"); });
  EXPECT_NE(message.find("epochs = \"60\", but this one has \"20\""), message.npos) << message;
  EXPECT_EQ(open().resumed()->steps, 20U);  // the refusal cost nothing
}

TEST_F(CheckpointTest, ADamagedOrForeignFileIsRefusedAndKept) {
  leave_two_saves();
  std::string text;
  {
    std::ifstream file(at("c"), std::ios::binary);
    text.assign(std::istreambuf_iterator<char>(file), {});
  }
  for (const std::size_t at_byte : {text.size() - 1, text.find('\n') + 3}) {
    std::string bad = text;
    bad[at_byte] = static_cast<char>(bad[at_byte] ^ 1);
    std::ofstream(at("c"), std::ios::binary) << bad;
    refusal<DataError>([&] { open(); });
  }
  std::string moved = text;
  moved.replace(moved.find("\"steps\":20"), 10, "\"steps\":90");
  std::ofstream(at("c"), std::ios::binary) << moved;
  refusal<DataError>([&] { open(); });
  std::ofstream(at("c"), std::ios::binary) << "name,age\nAda,36\n";
  refusal<DataError>([&] { open(); });
  EXPECT_TRUE(fs::exists(at("c")));
  std::ofstream(at("c"), std::ios::binary) << text;
  EXPECT_TRUE(open().resumed());
}

TEST_F(CheckpointTest, IsUsedByOneProcessAtATime) {
  const auto fit = open();
  const std::string message = refusal<WriteError>([&] { open(); });
  EXPECT_NE(message.find("another fit"), message.npos);
}

TEST_F(CheckpointTest, AskedToStopItSavesFirst) {
  bool stop = false;
  CheckpointedFit fit({.path = at("c"), .every = 10, .stop = [&] { return stop; }}, ledger_, request_,
                      {{"epochs", "60"}});
  fit.charge();
  EXPECT_FALSE(fit.due(13, 100));
  EXPECT_TRUE(fit.due(20, 100));
  EXPECT_TRUE(fit.due(100, 100));
  stop = true;
  EXPECT_TRUE(fit.due(13, 100));
  stop = false;  // once is enough
  refusal<Interrupted>([&] { fit.save(13, 100, released({5})); });
  fit.save(100, 100, released({6}));  // the last one ends by itself
}

// The lock would be there: a file that holds something is somebody's.
TEST_F(CheckpointTest, ItsLockTakesNobodysFile) {
  const LedgerLimit limits[] = {{"others", Pure{3}}};
  create_ledger(at("c.lock"), {}, limits);
  EXPECT_NE(refusal<WriteError>([&] { open(); }).find("c.lock: the checkpoint would have its lock there"),
            std::string::npos);
  EXPECT_EQ(read_ledger(at("c.lock")).budgets.at(0).name, "others");
  ledger_.path = at("c.lock");
  refusal<WriteError>([&] { open(); });
  EXPECT_TRUE(fs::exists(at("c.lock")));
}

TEST_F(CheckpointTest, AskedToStopBeforeTheChargeItChargesNothing) {
  CheckpointedFit fit({.path = at("c"), .every = 10, .stop = [] { return true; }}, ledger_, request_, {});
  refusal<Interrupted>([&] { fit.charge(); });
  EXPECT_EQ(charges(), 0U);
  EXPECT_FALSE(fs::exists(at("c")));
}

TEST_F(CheckpointTest, AFitWithStepsLeftIsNotFinishedUnlessItIsGivenUp) {
  const CheckpointUse use{.path = at("c")};
  {
    auto fit = open();
    fit.charge();
    EXPECT_NE(refusal<UsageError>([&] { finish_checkpoint(use, ledger_); }).find("after 0 steps"),
              std::string::npos);
    fit.save(20, 100, released({1}));
    EXPECT_NE(refusal<UsageError>([&] { finish_checkpoint(use, ledger_); }).find("after 20 steps of 100"),
              std::string::npos);
  }
  EXPECT_NO_THROW(open()) << "it can still be taken up";
  finish_checkpoint(use, ledger_, true);
  EXPECT_FALSE(fs::exists(at("c")));
}

TEST_F(CheckpointTest, AfterTheEndThereIsNothingToResume) {
  leave_two_saves();
  open().save(100, 100, released({3}));
  copy("c", "copy");
  finish_checkpoint({.path = at("c"), .every = 0, .stop = {}}, ledger_);
  for (const char* name : {"c", "c.next", "c.lock"}) EXPECT_FALSE(fs::exists(at(name))) << name;
  const std::string message = refusal<BudgetError>([&] { open("copy"); });
  EXPECT_NE(message.find("finished"), message.npos) << message;
  EXPECT_EQ(charges(), 1U);
}

// The number of users that there were, where a larger one was stated, is in files of earlier builds of 0.2.0.
TEST_F(CheckpointTest, AnEarlierBuildsCountOfUsersIsNeitherComparedNorShown) {
  const auto open_with = [&](nlohmann::ordered_json fit) {
    return CheckpointedFit({.path = at("c"), .every = 10, .stop = {}}, ledger_, request_, std::move(fit));
  };
  open_with({{"version", "0.2.0"}, {"users", 45}, {"user_count", 50}}).charge();
  EXPECT_NO_THROW(open_with({{"version", "0.2.0"}, {"users", 50}, {"user_count", 50}}));
  const std::string message = refusal<UsageError>([&] {
    open_with({{"version", "0.2.0"}, {"users", 51}, {"user_count", 51}});
  });
  EXPECT_NE(message.find("user_count = 50"), message.npos) << message;
  EXPECT_EQ(message.find("45"), message.npos) << message;
}

TEST_F(CheckpointTest, AFileOfAnotherVersionIsRefusedByIt) {
  const auto open_with = [&](const char* version) {
    return CheckpointedFit({.path = at("c"), .every = 10, .stop = {}}, ledger_, request_,
                           {{"version", version}, {"users", 50}, {"user_count", 50}});
  };
  open_with("0.1.0").charge();
  const std::string message = refusal<UsageError>([&] { open_with("0.2.0"); });
  EXPECT_NE(message.find("version = \"0.1.0\""), message.npos) << message;
}

TEST_F(CheckpointTest, OnlyItsOwnerReadsANewFileAndAnOldOneKeepsItsMode) {
  constexpr auto owner = fs::perms::owner_read | fs::perms::owner_write;
  const mode_t before = ::umask(022);
  auto fit = open();
  fit.charge();
  EXPECT_EQ(fs::status(at("c")).permissions(), owner);
  fit.save(10, 100, released({1}));
  EXPECT_EQ(fs::status(at("c")).permissions(), owner);
  fs::permissions(at("c"), owner | fs::perms::group_read);
  fit.save(20, 100, released({2}));
  EXPECT_EQ(fs::status(at("c")).permissions(), owner | fs::perms::group_read);
  ::umask(before);
}

TEST_F(CheckpointTest, UsersThatNobodyStatedAreCompared) {
  const auto open_with = [&](int users) {
    return CheckpointedFit({.path = at("c"), .every = 10, .stop = {}}, ledger_, request_, {{"users", users}});
  };
  open_with(45).charge();
  EXPECT_NO_THROW(open_with(45));
  refusal<UsageError>([&] { open_with(46); });
}

TEST_F(CheckpointTest, ALedgerThatIsFullLetsAPaidFitGoOn) {
  leave_two_saves();  // 2 of 3 are spent: a further charge does not fit
  EXPECT_THROW(check_charge(ledger_.path, request_), BudgetError);
  check_checkpoint({.path = at("c"), .every = 0, .stop = {}}, ledger_, request_);
  EXPECT_THROW(check_checkpoint({.path = at("new"), .every = 0, .stop = {}}, ledger_, request_), BudgetError);
}

}  // namespace
}  // namespace tacit::inline v1::service
