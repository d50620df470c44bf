#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <thread>

#include "tool.hpp"

namespace tacit::testing {
namespace {

class Tool : public CliTest {
 protected:
  std::vector<std::string> fit_arguments(const std::string& data) const {
    return {"fit", data, "--schema", write_schema(), "--epsilon", "1"};
  }
};

TEST_F(Tool, SaysItsVersionAndEveryCommandHelpsWithAnExample) {
  EXPECT_EQ(std::ranges::count(run_tool({"--version"}).out, '\n'), 1);
  EXPECT_TRUE(run_tool({"--version"}).out.starts_with("tacit "));
  for (const char* command :
       {"fit", "predict", "evaluate", "verify", "methods", "schema", "compare", "report", "completion"}) {
    const Outcome help = run_tool({command, "--help"});
    EXPECT_EQ(help.code, 0);
    EXPECT_NE(help.out.find("Example:\n"), std::string::npos) << command;
    EXPECT_EQ(help.err, "");
  }
}

// One record would decide between numbers and classes: the certificate says so, unless the loss is named.
TEST_F(Tool, SaysThatTheKindOfTheTargetWasReadOffTheData) {
  std::string text = "x,y\n";
  for (int i = 0; i < 200; ++i) text += i % 2 == 0 ? "0.1,0\n" : "0.9,1\n";
  std::vector<std::string> arguments = {
      "fit",     write("numbers.csv", text), "--header", "--target", "y", "--epsilon", "3", "--delta", "1e-5",
      "--model", path("model.json")};
  const auto assumptions = [&] {
    EXPECT_EQ(run_tool(arguments).code, 0);
    return nlohmann::json::parse(read("model.json"))["certificate"]["assumptions"].dump();
  };
  EXPECT_NE(assumptions().find("numbers, not classes, was read off the first record"), std::string::npos);
  arguments.insert(arguments.end(), {"--loss", "squared"});
  EXPECT_EQ(assumptions().find("first record"), std::string::npos);
}

TEST_F(Tool, FitPrintsItsGuaranteeAsJsonAndNothingElse) {
  // As many records as need no warning.
  std::vector<std::string> arguments = fit_arguments(write_classes("train.csv", 2000));
  arguments.insert(arguments.end(), {"--json", "--model", path("model.json")});
  const Outcome outcome = run_tool(arguments);
  const auto json = parsed(outcome);
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(json["guarantee"]["notion"], "pure");
  EXPECT_LE(json["guarantee"]["epsilon"], 1.0);
  EXPECT_GT(json["guarantee"]["epsilon"], 0.999999);
  EXPECT_EQ(json["unit"], "item");
  EXPECT_EQ(json["neighbours"], "zero_out");
  EXPECT_EQ(json["replaced"]["notion"], "pure");
  EXPECT_GT(json["replaced"]["epsilon"], 1.0);
  EXPECT_LE(json["replaced"]["epsilon"], 2.0);
  EXPECT_EQ(json["method"], "limited-objective");
  EXPECT_TRUE(read("model.json").starts_with("{\"format\": \"tacit-model\", \"version\": 2"));
}

TEST_F(Tool, FitPrintsTheSameForNeighbouringData) {
  const std::string original = write_classes("a.csv");
  std::string text = read("a.csv");
  text.replace(text.find('\n') + 1, 6, "1,1,no");  // the first record becomes an outlier
  const std::string neighbour = write("b.csv", text);
  std::vector<Outcome> outcomes;
  for (const std::string& data : {original, neighbour}) {
    std::vector<std::string> arguments = fit_arguments(data);
    arguments.push_back("--json");
    outcomes.push_back(run_tool(arguments));
  }
  EXPECT_EQ(outcomes[0].code, 0);
  EXPECT_EQ(outcomes[0].out, outcomes[1].out);
  EXPECT_EQ(outcomes[0].err, outcomes[1].err);
}

TEST_F(Tool, FitWithoutAModelFilePrintsTheModel) {
  const Outcome outcome = run_tool(fit_arguments(write_classes("train.csv")));
  const auto json = parsed(outcome);
  EXPECT_EQ(json["format"], "tacit-model");
  EXPECT_EQ(json["schema"]["target"]["column"], "y");
}

TEST_F(Tool, FitLearnsAndEvaluateMeasuresIt) {
  const std::string model = fit_model();
  const auto json = parsed(run_tool({"evaluate", model, write_classes("test.csv", 200), "--json"}));
  EXPECT_GT(json["accuracy"], 0.8);
  EXPECT_LT(json["log_loss"], std::log(2.0));
  EXPECT_EQ(json["private"], false);
  EXPECT_NE(run_tool({"evaluate", model, path("test.csv")}).out.find("not private"), std::string::npos);
}

// New records say more than the model looks at: an id, a date of entry.
TEST_F(Tool, PredictAndEvaluateLeaveOutColumnsThatTheModelDoesNotKnow) {
  const std::string data = write_classes("train.csv"), schema = write_schema(), model = path("model.json");
  ASSERT_EQ(run_tool({"fit", data, "--schema", schema, "--epsilon", "1", "--model", model}).code, 0);
  const std::string more = write("more.csv", "id,x1,x2,y\n7,0.1,0.2,yes\n8,0.9,0.3,no\n"),
                    less = write("less.csv", "x1,x2\n0.1,0.2\n0.9,0.3\n");
  const Outcome wide = run_tool({"predict", model, more});
  EXPECT_EQ(wide.code, 0) << wide.err;
  EXPECT_EQ(wide.out, run_tool({"predict", model, less}).out);
  EXPECT_EQ(run_tool({"evaluate", model, more}).code, 0);
  EXPECT_NE(run_tool({"predict", model, write("lacks.csv", "id,x1\n7,0.1\n")}).code, 0);
}

TEST_F(Tool, MistakesOnTheCommandLineAreNamed) {
  const auto words = [](const std::vector<std::string>& arguments) {
    const Outcome outcome = run_tool(arguments);
    EXPECT_EQ(outcome.code, 64);
    return outcome.err;
  };
  EXPECT_EQ(words({"fit", "a.csv", "--bogus", "1"}),
            "tacit: unknown option --bogus (see `tacit fit --help`)\n");
  EXPECT_EQ(words({"describe", "a.csv", "b.csv"}),
            "tacit: \"b.csv\" is one argument too many (see `tacit describe --help`)\n");
  EXPECT_EQ(words({"fit", "a.csv", "b.csv"}),
            "tacit: several files are fitted with --shards, or --cluster; without, give one\n");
  const Outcome pattern = run_tool({"fit", path("part-*.csv"), "--epsilon", "1", "--model", path("p.json")});
  EXPECT_EQ(pattern.code, 66);
  EXPECT_NE(pattern.err.find("part-*.csv: no such file; a pattern stands for several files with --shards K"),
            std::string::npos)
      << pattern.err;
  EXPECT_EQ(words({"fit", "a.csv", "--epsilon"}), "tacit: --epsilon has no value\n");
  EXPECT_EQ(words({"fit", "a.csv", "--epsilon", "1", "--epsilon", "2"}),
            "tacit: --epsilon is given more often than expected\n");
  EXPECT_EQ(words({"ledger"}), "tacit: tacit ledger needs a command, one of create, show, add, export\n");
}

// A record that is read twice would count twice, whatever the file is called.
TEST_F(Tool, AFileIsListedOnce) {
  const std::string data = write_classes("train.csv"), schema = write_schema();
  std::filesystem::create_symlink(data, path("link.csv"));
  for (const std::string& second : {data, path("link.csv"), path(".") + "/train.csv"}) {
    const Outcome outcome = run_tool({"fit", data, second, "--shards", "2", "--schema", schema, "--epsilon",
                                      "1", "--model", path("twice.json")});
    EXPECT_EQ(outcome.code, 64);
    EXPECT_NE(outcome.err.find("are one file"), std::string::npos) << outcome.err;
    EXPECT_FALSE(exists("twice.json"));
  }
}

TEST_F(Tool, PredictWorksWithAndWithoutTheTarget) {
  const std::string model = fit_model();
  const std::string with = write("with.csv", "x1,x2,y\n0.9,0.9,no\n0.1,0.1,yes\n");
  const std::string without = write("without.csv", "x2,x1\n0.9,0.9\n0.1,0.1\n");
  const Outcome outcome = run_tool({"predict", model, with});
  EXPECT_TRUE(outcome.out.starts_with("prediction,p_no,p_yes\nyes,")) << outcome.err;
  EXPECT_EQ(run_tool({"predict", model, without}).out, outcome.out);
  EXPECT_EQ(run_tool({"predict", model, with, "--output", path("p.csv")}).out, "");
  EXPECT_EQ(read("p.csv"), outcome.out);
  const auto json = parsed(run_tool({"predict", model, with, "--json"}));
  EXPECT_EQ(json[0]["prediction"], "yes");
  EXPECT_NEAR(json[0]["probabilities"]["yes"].get<double>() + json[0]["probabilities"]["no"].get<double>(), 1,
              1e-12);
}

TEST_F(Tool, VerifyAcceptsWhatFitWroteAndNothingElse) {
  const std::string model = fit_model();
  const Outcome good = run_tool({"verify", model});
  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_TRUE(good.out.starts_with("private: ")) << good.out;
  EXPECT_EQ(parsed(run_tool({"verify", model, "--json"}))["private"], true);

  std::string text = read("model.json");
  const std::size_t at = text.find("\"epsilon\": 4.9");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 14, "\"epsilon\": 0.1");
  const Outcome bad = run_tool({"verify", write("edited.json", text), "--json"});
  EXPECT_EQ(bad.code, 1);
  EXPECT_EQ(nlohmann::json::parse(bad.out)["private"], false);
  EXPECT_EQ(std::ranges::count(bad.err, '\n'), 1);
}

TEST_F(Tool, WithoutPrivacyTheModelSaysSo) {
  const std::string data = write_classes("train.csv");
  const auto json = parsed(run_tool({"fit", data, "--schema", write_schema(), "--epsilon", "inf", "--json",
                                     "--model", path("plain.json")}));
  EXPECT_EQ(json["guarantee"]["notion"], "none");
  EXPECT_TRUE(json["guarantee"]["epsilon"].is_null());
  EXPECT_EQ(json["private"], false);
  const Outcome verdict = run_tool({"verify", path("plain.json")});
  EXPECT_EQ(verdict.code, 1);
  EXPECT_NE(verdict.err.find("not private"), std::string::npos);
}

TEST_F(Tool, SignsAndChecksTheSignature) {
  // Made once for these tests; they protect nothing.
  write("k.pem",
        "-----BEGIN PRIVATE "
        "KEY-----\nMC4CAQAwBQYDK2VwBCIEII/VQZPorXTHMhYWPbMJd8gZJFiFjAs8ocvubiXpjbwT\n-----END PRIVATE "
        "KEY-----\n");
  write("p.pem",
        "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAybDg8eaC7Z9MSJxgmOGcIb6QFDPNJnDjiZ3pi5b5iv0=\n-----END "
        "PUBLIC KEY-----\n");
  std::vector<std::string> arguments = fit_arguments(write_classes("train.csv"));
  arguments.insert(arguments.end(), {"--sign", path("k.pem"), "--model", path("model.json")});
  EXPECT_EQ(run_tool(arguments).code, 0);
  EXPECT_EQ(parsed(run_tool({"verify", path("model.json"), "--key", path("p.pem"), "--json"}))["signature"],
            "valid");
  const Outcome unsigned_model = run_tool({"verify", fit_model("other.json"), "--key", path("p.pem")});
  EXPECT_EQ(unsigned_model.code, 1);
  EXPECT_NE(unsigned_model.err.find("not signed"), std::string::npos);
}

TEST_F(Tool, MethodsAreListedForMachines) {
  const auto json = parsed(run_tool({"methods", "--json"}));
  ASSERT_TRUE(json.is_array());
  bool found = false;
  for (const auto& method : json) {
    for (const char* key : {"name", "notion", "unit", "paper"}) EXPECT_TRUE(method[key].is_string());
    found = found || method["name"] == "limited-objective";
  }
  EXPECT_TRUE(found);
}

TEST_F(Tool, ADraftedSchemaIsMarkedInTheCertificate) {
  const std::string data = write_classes("train.csv");
  const Outcome draft = run_tool({"schema", data, "--target", "y", "--output", path("draft.json")});
  ASSERT_EQ(draft.code, 0) << draft.err;
  EXPECT_EQ(nlohmann::json::parse(read("draft.json"))["drafted_from_data"], true);
  const auto model = parsed(run_tool({"fit", data, "--schema", path("draft.json"), "--epsilon", "1"}));
  EXPECT_EQ(model["certificate"]["assumed_public"]["schema_drafted_from_data"], true);
  EXPECT_EQ(model["certificate"]["assumptions"].size(), 1u);
}

TEST_F(Tool, ClassesReadOffTheDataAreMarkedInTheCertificate) {
  const auto model = parsed(
      run_tool({"fit", write_classes("train.csv"), "--target", "y", "--row-bound", "2", "--epsilon", "1"}));
  EXPECT_EQ(model["certificate"]["assumed_public"]["classes"], "read off the data, assumed public");
}

TEST_F(Tool, EveryLossFitsEvaluatesAndVerifies) {
  std::ostringstream numbers;
  numbers << "x1,x2,y\n";
  for (int i = 0; i < 300; ++i)
    numbers << (i * 37 % 100) / 100.0 << ',' << (i * 61 % 100) / 100.0 << ',' << i * 37 % 100 / 10 << '\n';
  const std::string data = write("numbers.csv", numbers.str());
  const std::string schema =
      write("bounds.json", R"({"columns": {"x1": {"type": "numeric", "min": 0, "max": 1},
      "x2": {"type": "numeric", "min": 0, "max": 1}}, "target": {"column": "y", "min": 0, "max": 10}})");
  for (const char* loss : {"squared", "huber", "absolute", "pinball", "poisson"}) {
    SCOPED_TRACE(loss);
    parsed(run_tool({"fit", data, "--schema", schema, "--loss", loss, "--epsilon", "20", "--json", "--model",
                     path("m.json")}));
    const auto metrics = parsed(run_tool({"evaluate", path("m.json"), data, "--json"}));
    EXPECT_LT(metrics["rmse"], 4);
    EXPECT_LE(metrics["mae"], metrics["rmse"]);
    EXPECT_EQ(run_tool({"verify", path("m.json")}).code, 0);
  }
  const std::string classes = write_classes("classes.csv");
  for (const char* loss : {"logistic", "hinge", "smoothed-hinge", "softmax"}) {
    SCOPED_TRACE(loss);
    parsed(run_tool({"fit", classes, "--schema", write_schema(), "--loss", loss, "--epsilon", "5", "--json",
                     "--model", path("m.json")}));
    EXPECT_GT(parsed(run_tool({"evaluate", path("m.json"), classes, "--json"}))["accuracy"], 0.8);
    EXPECT_EQ(run_tool({"verify", path("m.json")}).code, 0);
  }
}

TEST_F(Tool, TheBarAppearsOnATerminalAlone) {
  // The model comes from a pipe that nobody fills for a while, so the command takes over a second.
  const std::string text = (fit_model(), read("model.json")), data = write_classes("new.csv", 5);
  for (const bool terminal : {false, true}) {
    const std::string pipe = path(terminal ? "a.pipe" : "b.pipe");
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    std::thread writer([&] {
      std::ofstream end(pipe);
      std::this_thread::sleep_for(std::chrono::milliseconds(1600));
      end << text;
    });
    const Outcome outcome = run_tool({"predict", pipe, data}, terminal);
    writer.join();
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err.find("======") != std::string::npos, terminal) << outcome.err;
    EXPECT_EQ(outcome.err.empty(), !terminal);
  }
}

TEST_F(Tool, ProgressIsToldInLinesWhereItIsAskedFor) {
  std::vector<std::string> fit{"fit",       write_classes("train.csv", 100),
                               "--schema",  write_schema(),
                               "--method",  "dp-gd",
                               "--steps",   "3e5",
                               "--delta",   "1e-5",
                               "--model",   path("model.json"),
                               "--threads", "1",
                               "--epsilon", "9"};
  fit.insert(fit.end(), {"--progress", "1"});
  const Outcome told = run_tool(fit);
  ASSERT_EQ(told.code, 0) << told.err;
  EXPECT_NE(told.err.find("] fitting, step "), std::string::npos) << told.err;
  EXPECT_NE(told.err.find(" of 300000, 1 s, about "), std::string::npos) << told.err;
  EXPECT_EQ(told.err.find('\r'), std::string::npos) << told.err;
  fit.back() = "0";
  const Outcome refused = run_tool(fit);
  EXPECT_EQ(refused.code, 64);
  EXPECT_EQ(refused.err, "tacit: --progress is 0, expected at least 1 second\n");
}

TEST_F(Tool, AFullDiskIsAnIoError) {
  const std::string command = std::string(TACIT_TOOL) + " methods > /dev/full 2> " + path("err");
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 74);
  EXPECT_NE(read("err").find("standard output"), std::string::npos);
}

TEST_F(Tool, CompletionIsAScriptThatBashAccepts) {
  const Outcome script = run_tool({"completion", "bash"});
  const std::string file = write("completion.sh", script.out);
  EXPECT_EQ(std::system(("bash -n " + file).c_str()), 0);
  EXPECT_NE(script.out.find("--slope-limit"), std::string::npos);
}

}  // namespace
}  // namespace tacit::testing
