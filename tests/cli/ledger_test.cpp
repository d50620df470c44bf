#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <random>
#include <thread>

#include "tool.hpp"

namespace tacit::testing {
namespace {

using Arguments = std::vector<std::string>;

class LedgerTool : public CliTest {
 protected:
  LedgerTool()
      : ledger_(path("people.ledger")), data_(write_classes("train.csv", 200)), schema_(write_schema()) {}

  void create(const std::string& limit) const {
    const Outcome made = run_tool({"ledger", "create", ledger_, "--limit", limit});
    ASSERT_EQ(made.code, 0) << made.err;
  }
  Arguments fit(const std::string& epsilon, const std::string& model) const {
    return {"fit",       data_, "--schema", schema_, "--epsilon", epsilon,
            "--threads", "1",   "--ledger", ledger_, "--model",   path(model)};
  }
  nlohmann::json show() const { return parsed(run_tool({"ledger", "show", ledger_, "--json"})); }
  std::size_t charges() const { return show()["budgets"][0]["charges"].size(); }
  std::size_t models() const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(path("")))
      count += entry.path().filename().string().starts_with("model");
    return count;
  }

  // One line, this exit code, no model. Whether the ledger can still be read is the caller's to check.
  void refused(const Arguments& arguments, int code, const std::string& words) const {
    const Outcome outcome = run_tool(arguments);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
    EXPECT_EQ(models(), 0U);
  }

  std::string ledger_, data_, schema_;
};

TEST_F(LedgerTool, ChargesAFitAndRefusesTheNext) {
  create("people=1");
  const Outcome first = run_tool(fit("0.75", "first.json"));
  EXPECT_EQ(first.code, 0) << first.err;
  refused(fit("0.5", "model.json"), 77, "\"people\" has epsilon = 0.25 left of epsilon = 1");
  const auto budget = show()["budgets"][0];
  EXPECT_EQ(budget["spent"]["epsilon"], 0.75);
  EXPECT_EQ(budget["left"]["epsilon"], 0.25);
  ASSERT_EQ(budget["charges"].size(), 1U);
  const auto model = nlohmann::json::parse(read("first.json"));
  EXPECT_EQ(budget["charges"][0]["release"], model["certificate"]["assumed_public"]["ledger_release"]);
  EXPECT_EQ(run_tool({"verify", path("first.json")}).code, 0);
}

TEST_F(LedgerTool, ShowsTheSameJsonEveryTime) {
  create("people=1");
  run_tool(fit("0.25", "first.json"));
  const Outcome once = run_tool({"ledger", "show", ledger_, "--json"});
  EXPECT_EQ(once.out, run_tool({"ledger", "show", ledger_, "--json"}).out);
  const auto json = nlohmann::ordered_json::parse(once.out);
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"format", "version", "unit", "neighbours", "accountant",
                                            "created", "failed_reads", "budgets"}));
  keys.clear();
  for (const auto& [key, value] : json["budgets"][0]["charges"][0].items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"release", "time", "method", "guarantee", "amount"}));
  EXPECT_EQ(json["format"], "tacit-ledger");
}

TEST_F(LedgerTool, TakesNamesWithOddCharacters) {
  create("a = 'b'; --=1");
  ASSERT_EQ(run_tool({"ledger", "add", ledger_, "Ünïcødé \"✓\"", "--limit", "0.5"}).code, 0);
  Arguments arguments = fit("0.5", "first.json");
  arguments.insert(arguments.end(), {"--ledger-name", "Ünïcødé \"✓\""});
  EXPECT_EQ(run_tool(arguments).code, 0);
  const auto budgets = show()["budgets"];
  EXPECT_EQ(budgets[0]["name"], "a = 'b'; --");
  EXPECT_EQ(budgets[0]["charges"].size(), 0U);
  EXPECT_EQ(budgets[1]["name"], "Ünïcødé \"✓\"");
  EXPECT_EQ(budgets[1]["charges"].size(), 1U);
  refused(fit("0.5", "model.json"), 64, "say which");
}

TEST_F(LedgerTool, BadInputIsNotCharged) {
  create("people=1");
  Arguments bad = fit("0.5", "model.json");
  bad[1] = write("ragged.csv", "x1,x2,y\n0.1,0.2,yes\n0.3,no\n");
  refused(bad, 65, "ragged.csv");
  bad[1] = path("missing.csv");
  refused(bad, 66, "missing.csv");
  refused(fit("0", "model.json"), 64, "epsilon");
  refused(fit("inf", "model.json"), 64, "without privacy");
  refused(fit("0.5", "no/such/folder/model.json"), 73, "does not exist");
  bad = fit("0.5", "model.json");
  *std::ranges::find(bad, ledger_) = "";
  refused(bad, 64, "empty");
  bad = fit("0.5", "people.ledger");
  refused(bad, 73, "belongs to a ledger");
  bad = fit("0.5", "model.json");
  bad.insert(bad.end(), {"--slope-limit", "-1"});
  refused(bad, 64, "slope");
  EXPECT_EQ(charges(), 0U);
}

// A model that could not be saved would be paid for in vain.
TEST_F(LedgerTool, AnOutputThatCannotBeWrittenIsFoundBeforeTheCharge) {
  create("people=1");
  for (const std::string& place :
       {std::string("/proc/model"), path(std::string(300, 'm')), std::string("/dev/fd/9")}) {
    Arguments bad = fit("0.5", "model.json");
    bad.back() = place;
    const Outcome outcome = run_tool(bad);
    EXPECT_EQ(outcome.code, 73) << outcome.err;
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
  }
  EXPECT_EQ(charges(), 0U);
  Arguments full = fit("0.5", "model.json");
  full.back() = "/dev/full";
  EXPECT_NE(run_tool(full).err.find("what the ledger was charged stays charged"), std::string::npos);
  EXPECT_EQ(charges(), 1U);
}

// Nothing came of it, but it is paid for: said of every release, whether its file or its page is full.
TEST_F(LedgerTool, WhatCannotBeSavedSaysThatItStaysCharged) {
  const std::string model = fit_model();
  create("people=20");
  const std::vector<Arguments> releases{{"schema", data_},
                                        {"describe", data_, "--schema", schema_},
                                        {"describe", data_},
                                        {"evaluate", model, data_}};
  std::size_t charged = 0;
  for (Arguments release : releases) {
    release.insert(release.end(), {"--epsilon", "1", "--ledger", ledger_});
    std::string command = TACIT_TOOL;
    for (const std::string& argument : release) command += " '" + argument + "'";
    const int code = std::system((command + " > /dev/full 2> '" + path("err") + "'").c_str());
    EXPECT_EQ(WEXITSTATUS(code), 74) << command;
    release.insert(release.end(), {"--output", "/dev/full"});
    const Outcome unsaved = run_tool(release);
    EXPECT_EQ(unsaved.code, 73) << command;
    for (const std::string& said : {read("err"), unsaved.err})
      EXPECT_TRUE(said.ends_with("; what the ledger was charged stays charged\n")) << command << said;
    EXPECT_EQ(charges(), charged += 2) << command;
  }
}

// Trying the output must not end it for who reads it.
TEST_F(LedgerTool, AModelGoesThroughAPipe) {
  create("people=1");
  const std::string pipe = path("pipe"), received = path("received.json");
  ASSERT_EQ(std::system(
                ("mkfifo '" + pipe + "' && (timeout 60 cat '" + pipe + "' > '" + received + "' &)").c_str()),
            0);
  Arguments through = fit("0.5", "model.json");
  through.back() = pipe;
  EXPECT_EQ(run_tool(through).code, 0);
  EXPECT_EQ(run_tool({"verify", received}).code, 0);
}

// Whoever may choose schemas could ask free of charge what is in the records.
TEST_F(LedgerTool, AFitThatFailsOnRecordsIsCounted) {
  create("people=1");
  EXPECT_EQ(show()["failed_reads"], 0);
  Arguments bad = fit("0.5", "model.json");
  bad[1] = write("ragged.csv", "x1,x2,y\n0.1,0.2,yes\n0.3,no\n");
  refused(bad, 65, "ragged.csv");
  bad[1] = write("label.csv", "x1,x2,y\n0.1,0.2,yes\n0.3,0.1,perhaps\n");
  refused(bad, 65, "perhaps");
  EXPECT_EQ(show()["failed_reads"], 2);
  // Nothing of these is about records.
  bad[1] = path("missing.csv");
  refused(bad, 66, "missing.csv");
  refused(fit("0", "model.json"), 64, "epsilon");
  bad = fit("0.5", "model.json");
  *std::ranges::find(bad, schema_) = write("bad.schema.json", "{\"columns\": 1}");
  refused(bad, 65, "bad.schema.json");
  refused(fit("1.5", "model.json"), 77, "left");
  EXPECT_EQ(show()["failed_reads"], 2);
  EXPECT_EQ(charges(), 0U);
  const Outcome words = run_tool({"ledger", "show", ledger_});
  EXPECT_NE(words.out.find("Commands that failed while reading records (sensitive): 2"), std::string::npos)
      << words.out;
  // It is told nowhere else.
  const Outcome good = run_tool(fit("0.5", "good.json"));
  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_EQ(read("good.json").find("failed_read"), std::string::npos);
  EXPECT_EQ(run_tool({"ledger", "export", ledger_}).out.find("failed_read"), std::string::npos);
}

TEST_F(LedgerTool, ExportsLimitsAndChargesForAuditors) {
  create("people=1");
  ASSERT_EQ(run_tool(fit("0.25", "first.json")).code, 0);
  const auto json = parsed(run_tool({"ledger", "export", ledger_}));
  EXPECT_EQ(json["format"], "tacit-ledger-export");
  EXPECT_EQ(json["version"], 2);
  EXPECT_EQ(json["budgets"], show()["budgets"]);
  ASSERT_EQ(run_tool({"ledger", "export", ledger_, "--output", path("export.json")}).code, 0);
  EXPECT_EQ(nlohmann::json::parse(read("export.json")), json);
  refused({"ledger", "export", ledger_, "--output", ledger_}, 73, "belongs to a ledger");
}

TEST_F(LedgerTool, ALedgerOfTheFirstFormatIsReadAndChargedOnceItIsUpgraded) {
  const std::filesystem::path samples = std::filesystem::path(TACIT_SOURCE_DIR) / "tests/ledger/v1";
  std::filesystem::copy_file(samples / "pure.ledger", ledger_);
  std::ifstream file(samples / "pure.json");
  const auto before = nlohmann::json::parse(file);  // what the tool that made it showed
  EXPECT_EQ(show()["budgets"], before["budgets"]);
  refused(fit("0.5", "model.json"), 65, "`tacit upgrade ");
  EXPECT_EQ(run_tool({"upgrade", ledger_}).code, 0);
  EXPECT_EQ(show()["budgets"], before["budgets"]);
  refused(fit("2.5", "model.json"), 77, "left");
  EXPECT_EQ(run_tool(fit("0.5", "model.json")).code, 0);
  EXPECT_EQ(charges(), 4U);
  EXPECT_NE(run_tool({"upgrade", ledger_}).out.find("already"), std::string::npos);
  EXPECT_EQ(run_tool({"upgrade", data_}).code, 65);
}

TEST_F(LedgerTool, NamesThatCannotBeToldApartAreRefused) {
  const auto refused_name = [&](const std::string& name) {
    return run_tool({"ledger", "create", path("other.ledger"), "--limit", name + "=1"}).code == 64;
  };
  for (const char* name : {"\xff\xfe", "a ", " a", "a\xc2\x85",
                           "\xe2\x80\xae"
                           "a",
                           "\xc0\xaf", "\xed\xa0\x80"})
    EXPECT_TRUE(refused_name(name)) << name;
  EXPECT_FALSE(refused_name("\xc3\xa9t\xc3\xa9 2026"));
}

TEST_F(LedgerTool, ALogLeftOfAnEarlierLedgerIsNotTakenOver) {
  write("left.ledger-wal", "log");
  const Outcome outcome = run_tool({"ledger", "create", path("left.ledger"), "--limit", "people=1"});
  EXPECT_EQ(outcome.code, 73);
  EXPECT_NE(outcome.err.find("left by an earlier ledger"), std::string::npos) << outcome.err;
}

TEST_F(LedgerTool, ABrokenLedgerIsOneClearLineAndNoRelease) {
  refused(fit("0.5", "model.json"), 66, "cannot be opened");
  create("people=1");
  const std::string good = read("people.ledger");
  write("people.ledger", good.substr(0, good.size() / 2));
  refused(fit("0.5", "model.json"), 65, "damaged");
  write("people.ledger", "x1,x2,y\n");
  refused(fit("0.5", "model.json"), 65, "people.ledger");
  write("people.ledger", "");
  refused(fit("0.5", "model.json"), 65, "is not a ledger");
  std::string newer = good;
  for (const std::size_t page : {0, 4096}) newer.at(page + std::string("tacit-ledger ").size()) = '9';
  write("people.ledger", newer);
  refused(fit("0.5", "model.json"), 65, "newer tacit (format 9");
  write("people.ledger", good);
  EXPECT_EQ(charges(), 0U);
  refused({"ledger", "create", ledger_, "--limit", "people=9"}, 73, "exists");
}

TEST_F(LedgerTool, OtherTermsAreOneClearLineAndNoRelease) {
  ASSERT_EQ(run_tool({"ledger", "create", ledger_, "--limit", "people=1", "--unit", "user"}).code, 0);
  refused(fit("0.5", "model.json"), 64, "protects one user");
  std::filesystem::remove(ledger_);
  ASSERT_EQ(run_tool({"ledger", "create", ledger_, "--limit", "people=1", "--neighbours", "add_remove"}).code,
            0);
  refused(fit("0.5", "model.json"), 64, "add_remove keeps the number of records private");
  std::filesystem::remove(ledger_);
  create("people=1");
  Arguments other = fit("0.5", "model.json");
  other.insert(other.end(), {"--ledger-name", "nobody"});
  refused(other, 64, "no name \"nobody\"");
}

TEST_F(LedgerTool, AFullDiskIsOneClearLineAndNoRelease) {
  create("people=1");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);  // both are inherited by the tool
  const rlimit small{1000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const Outcome outcome = run_tool(fit("0.5", "model.json"));
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(outcome.code, 73) << outcome.err;
  const std::size_t error = outcome.err.find("tacit: ");  // after what was warned of before the charge
  ASSERT_NE(error, std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find('\n', error), outcome.err.size() - 1) << outcome.err;
  EXPECT_EQ(models(), 0U);
  EXPECT_EQ(charges(), 0U);
}

// Ten releases at 0.1 fit into 1; eight processes at a time try twenty.
TEST_F(LedgerTool, EightAtOnceSpendTheLimitAndNoMore) {
  create("people=1");
  std::atomic<int> next = 0, accepted = 0, exhausted = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (int k; (k = next++) < 20;) {
        const int code = run_tool(fit("0.1", "model" + std::to_string(k) + ".json")).code;
        accepted += code == 0;
        exhausted += code == 77;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(accepted, 10);
  EXPECT_EQ(exhausted, 10);
  EXPECT_EQ(models(), 10U);
  EXPECT_EQ(charges(), 10U);
}

class LedgerKill : public LedgerTool {
 protected:
  pid_t start(const Arguments& arguments) const {
    std::vector<char*> argv{const_cast<char*>(TACIT_TOOL)};
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
      const int nowhere = ::open("/dev/null", O_RDWR);
      for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, stream);
      ::execv(TACIT_TOOL, argv.data());
      ::_exit(127);
    }
    return child;
  }

  // `kill -9` at random moments of a fit, until `kills` have hit. Every model that exists was charged.
  void kill_fits(int kills) {
    using Clock = std::chrono::steady_clock;
    create("people=1000");
    const auto begin = Clock::now();
    ASSERT_EQ(run_tool(fit("0.5", "model.json")).code, 0);
    const double usual = std::chrono::duration<double>(Clock::now() - begin).count();
    std::mt19937_64 random(11);
    std::uniform_real_distribution<double> moment(0, 1.2 * usual);
    std::size_t runs = 1;
    for (int hit = 0; hit < kills;) {
      const pid_t child = start(fit("0.5", "model" + std::to_string(runs++) + ".json"));
      std::this_thread::sleep_for(std::chrono::duration<double>(moment(random)));
      ::kill(child, SIGKILL);
      int status = 0;
      ::waitpid(child, &status, 0);
      if (WIFSIGNALED(status))
        ++hit;
      else
        ASSERT_EQ(WEXITSTATUS(status), 0);
    }
    EXPECT_GE(charges(), models());
    EXPECT_LE(charges(), runs);
    EXPECT_EQ(show()["budgets"][0]["spent"]["epsilon"], 0.5 * static_cast<double>(charges()));
  }
};

class LongLedgerKill : public LedgerKill {};

TEST_F(LedgerKill, TwentyKillsLeaveNoModelWithoutACharge) { kill_fits(20); }
TEST_F(LongLedgerKill, FiveHundredKillsLeaveNoModelWithoutACharge) { kill_fits(500); }

}  // namespace
}  // namespace tacit::testing
