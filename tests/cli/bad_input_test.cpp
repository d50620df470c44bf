#include <sys/stat.h>
#include <sysexits.h>
#include <zlib.h>

#include <algorithm>

#include "tool.hpp"

// Every bad input: one line on standard error that says what is wrong and where, nothing on standard output,
// the right exit code, and no model.

namespace tacit::testing {
namespace {

class BadInput : public CliTest {
 protected:
  // Fits with --target y --epsilon 1 and more; expects the failure.
  void expect_refused(const std::string& data, std::vector<std::string> more, int code,
                      const std::string& words) {
    std::vector<std::string> arguments = {"fit", data, "--target", "y", "--model", path("model.json")};
    if (std::ranges::find(more, "--epsilon") == more.end())
      arguments.insert(arguments.end(), {"--epsilon", "1"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_failure(arguments, code, words);
    EXPECT_FALSE(exists("model.json"));
  }

  void expect_failure(const std::vector<std::string>& arguments, int code, const std::string& words) {
    const Outcome outcome = run_tool(arguments);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("tacit: ")) << outcome.err;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
  }

  std::string csv(const std::string& rows) { return write("data.csv", "x1,x2,y\n" + rows); }
  const std::vector<std::string> bound = {"--row-bound", "2"};
};

TEST_F(BadInput, MissingFile) { expect_refused(path("none.csv"), bound, EX_NOINPUT, "none.csv"); }

TEST_F(BadInput, Directory) {
  std::filesystem::create_directory(path("folder.csv"));
  expect_refused(path("folder.csv"), bound, EX_DATAERR, "directory");
}

TEST_F(BadInput, EmptyFile) { expect_refused(write("data.csv", ""), bound, EX_DATAERR, "empty"); }

TEST_F(BadInput, HeaderOnly) { expect_refused(csv(""), bound, EX_DATAERR, "data.csv"); }

TEST_F(BadInput, RaggedRowIsNamedByLineAndCell) {
  expect_refused(csv("1,2,a\n3,4\n5,6,b\n"), bound, EX_DATAERR, "data.csv:3:3: column \"y\" is missing");
  expect_refused(csv("1,2,a\n3,4,b,7\n"), bound, EX_DATAERR, "data.csv:3:4");
}

TEST_F(BadInput, NumbersThatAreNotFinite) {
  for (const char* bad : {"nan", "inf", "-inf", "1e999"}) {
    SCOPED_TRACE(bad);
    expect_refused(csv("1,2,a\n3," + std::string(bad) + ",b\n"), bound, EX_DATAERR, "data.csv:3:2");
  }
}

TEST_F(BadInput, TextWhereANumberMustBe) {
  expect_refused(csv("1,2,a\n3,many,b\n"), bound, EX_DATAERR, "data.csv:3:2");
}

TEST_F(BadInput, UnknownTarget) {
  const std::string data = csv("1,2,a\n3,4,b\n");
  expect_failure({"fit", data, "--target", "z", "--epsilon", "1"}, EX_DATAERR, "no target column \"z\"");
}

TEST_F(BadInput, NoTargetAtAll) {
  expect_failure({"fit", csv("1,2,a\n3,4,b\n"), "--epsilon", "1"}, EX_USAGE, "target");
}

TEST_F(BadInput, OneClassOnlyWithoutASchema) {
  expect_refused(csv("1,2,a\n3,4,a\n"), bound, EX_DATAERR, "class");
}

TEST_F(BadInput, OneClassOnlyWithASchemaFitsAllTheSame) {
  const std::string data = csv("0.1,0.2,no\n0.3,0.4,no\n");
  const Outcome outcome = run_tool({"fit", data, "--schema", write_schema(), "--epsilon", "1", "--json"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST_F(BadInput, AnUnknownCategoryGoesToOther) {
  const std::string schema = write("categories.json", R"({"columns": {
      "x1": {"type": "categorical", "categories": ["red", "green"]}, "x2": {"type": "numeric", "min": 0, "max": 1}},
      "target": {"column": "y", "classes": ["no", "yes"]}})");
  const std::string data = csv("red,0.2,no\nultraviolet,0.4,yes\n");
  const Outcome outcome = run_tool({"fit", data, "--schema", schema, "--epsilon", "1", "--json"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(outcome.err.starts_with("Warning: records x epsilon")) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << "nothing of the category";
}

TEST_F(BadInput, ALabelOutsideTheSchema) {
  expect_refused(csv("0.1,0.2,no\n0.3,0.4,maybe\n"), {"--schema", write_schema()}, EX_DATAERR,
                 "data.csv:3:3");
}

TEST_F(BadInput, EpsilonOutsideItsRange) {
  const std::string data = csv("1,2,a\n3,4,b\n");
  for (const char* bad : {"0", "-1", "nan", "-inf", "much", ""}) {
    SCOPED_TRACE(bad);
    expect_refused(data, {"--row-bound", "2", "--epsilon", bad}, EX_USAGE, "epsilon");
  }
}

TEST_F(BadInput, UnknownLossMethodOptionAndCommand) {
  const std::string data = csv("1,2,a\n3,4,b\n");
  expect_refused(data, {"--loss", "magic"}, EX_USAGE, "magic");
  expect_refused(data, {"--method", "magic"}, EX_USAGE, "magic");
  expect_refused(data, {"--tolerance", "1e-3"}, EX_USAGE, "--tolerance is not an option of any method");
  expect_refused(data, {"--method", "net-exponential", "--domain", "ball:2"}, EX_USAGE,
                 "--domain is not an option of the method net-exponential: it is one of limited-output, "
                 "double-output, localized");
  expect_refused(data, {"--no-such-flag"}, EX_USAGE, "--no-such-flag");
  expect_refused(data, {"--slope-limit", "steep"}, EX_USAGE, "slope-limit is");
  expect_refused(data, {"--neighbours", "add_remove"}, EX_USAGE, "add_remove");
  expect_refused(data, {"--method", "plain"}, EX_USAGE, "plain");
  expect_failure({"frobnicate"}, EX_USAGE, "frobnicate");
  expect_failure({}, EX_USAGE, "needs a command, one of fit");
}

TEST_F(BadInput, OptionsOfAMethodAreRefusedBeforeRangesAreSought) {
  const std::string data = write_classes("data.csv", 400), ledger = path("people.ledger");
  ASSERT_EQ(run_tool({"ledger", "create", ledger, "--limit", "people=9,1e-4", "--accountant", "approx"}).code,
            0);
  const std::string before = read("people.ledger");
  for (const std::vector<std::string>& bad : {std::vector<std::string>{"--method", "dp-gd", "--steps", "0"},
                                              {"--method", "dp-gd", "--records", "0"},
                                              {"--batch", "500"},
                                              {"--clip-norm", "0.1", "--regularisation", "10"}}) {
    std::vector<std::string> more = {"--delta", "1e-6", "--ledger", ledger};
    more.insert(more.end(), bad.begin(), bad.end());
    expect_refused(data, more, EX_USAGE, "expected");
    EXPECT_EQ(read("people.ledger"), before) << bad.back();
  }
}

TEST_F(BadInput, ALossThatDoesNotSuitTheTarget) {
  const std::string data = csv("1,2,a\n3,4,b\n5,6,c\n");
  expect_refused(data, {"--loss", "logistic", "--row-bound", "9"}, EX_USAGE, "3");
  expect_refused(data, {"--loss", "squared", "--row-bound", "9"}, EX_DATAERR, "data.csv:2:3");
}

TEST_F(BadInput, UnwritableOutput) {
  const std::string data = csv("1,2,a\n3,4,b\n");
  const std::vector<std::string> fit = {"fit", data,        "--target", "y",      "--row-bound",
                                        "9",   "--epsilon", "1",        "--model"};
  for (const std::string& target : {path("no/such/folder/model.json"), path("")}) {
    std::vector<std::string> arguments = fit;
    arguments.push_back(target);
    expect_failure(arguments, EX_CANTCREAT, target);
  }
}

TEST_F(BadInput, AFailureLeavesAnExistingModelAsItWas) {
  const std::string before = "an older model";
  write("model.json", before);
  const std::string data = csv("1,2,a\n3,nan,b\n");
  run_tool(
      {"fit", data, "--target", "y", "--epsilon", "1", "--row-bound", "9", "--model", path("model.json")});
  EXPECT_EQ(read("model.json"), before);
}

TEST_F(BadInput, LibsvmIndexZeroOrDescending) {
  const auto libsvm = [&](const std::string& rows) { return write("data.libsvm", rows); };
  const std::vector<std::string> more = {"--loss", "logistic", "--row-bound", "2"};
  const auto fit = [&](const std::string& data, const std::string& words) {
    expect_failure(
        {"fit", data, "--loss", "logistic", "--row-bound", "2", "--epsilon", "1", "--model", path("m")},
        EX_DATAERR, words);
    EXPECT_FALSE(exists("m"));
  };
  fit(libsvm("+1 1:0.5\n-1 0:0.5\n"), "data.libsvm:2");
  fit(libsvm("+1 1:0.5\n-1 3:0.5 2:0.1\n"), "data.libsvm:2");
}

TEST_F(BadInput, TruncatedGzip) {
  const std::string name = path("data.csv.gz");
  gzFile file = gzopen(name.c_str(), "wb");
  std::string content = "x1,x2,y\n";
  for (int i = 0; i < 5000; ++i)
    content += std::to_string(i * 7919 % 1000) + ",2," + (i % 3 == 0 ? "a\n" : "b\n");
  gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
  gzclose(file);
  std::filesystem::resize_file(name, std::filesystem::file_size(name) / 2);
  expect_refused(name, bound, EX_DATAERR, "data.csv.gz");
}

TEST_F(BadInput, BrokenModels) {
  const std::string data = write_classes("new.csv");
  const std::string text = [&] { return fit_model(), read("model.json"); }();
  const std::string half = write("half.json", text.substr(0, text.size() / 2));
  for (const char* command : {"predict", "evaluate"}) {
    expect_failure({command, half, data}, EX_DATAERR, "ends in the middle");
    expect_failure({command, path("none.json"), data}, EX_NOINPUT, "none.json");
  }
  expect_failure({"verify", half}, EX_DATAERR, "ends in the middle");
  expect_failure({"verify", path("none.json")}, EX_NOINPUT, "none.json");
  expect_failure({"verify", data}, EX_DATAERR, "not valid JSON");
  expect_failure({"verify", write("empty.json", "")}, EX_DATAERR, "empty.json: the file is empty");
  std::string bare = text;
  bare.replace(bare.find("\"digest\""), 8, "\"digset\"");
  expect_failure({"predict", write("bare.json", bare), data}, EX_DATAERR, "bare.json: ");
}

TEST_F(BadInput, FilesOfAnotherKindAreCalledWhatTheyAre) {
  const std::string ledger = path("people.ledger"), data = write_classes("new.csv");
  ASSERT_EQ(run_tool({"ledger", "create", ledger, "--limit", "people=3"}).code, 0);
  expect_failure({"verify", ledger}, EX_DATAERR, "people.ledger: this is a ledger");
  expect_failure({"fit", data, "--schema", fit_model(), "--epsilon", "1", "--model", path("again.json")},
                 EX_DATAERR, "model.json: this is a model, expected a schema");
}

TEST_F(BadInput, ALabelColumnThatTheSchemaNamesIsToBeRenamed) {
  const std::string model = fit_model();
  const std::string data = write("upper.csv", "x1,x2,Y\n1,2,yes\n2,1,no\n");
  expect_failure({"evaluate", model, data}, EX_DATAERR,
                 "there is no column \"y\" to compare with; rename the one that holds the labels to it");
}

TEST_F(BadInput, DataThatTheModelDoesNotKnow) {
  const std::string model = fit_model();
  expect_failure({"predict", model, write("other.csv", "x1,x3\n1,2\n")}, EX_DATAERR, "x2");
}

TEST_F(BadInput, TheModelMustNotOverwriteTheData) {
  const std::string data = csv("1,2,a\n3,4,b\n"), before = read("data.csv");
  expect_failure({"fit", data, "--target", "y", "--row-bound", "9", "--epsilon", "1", "--model", data},
                 EX_USAGE, "overwrite");
  EXPECT_EQ(read("data.csv"), before);
}

TEST_F(BadInput, AKeyThatCannotSignIsFoundBeforeAnythingIsFitted) {
  expect_refused(csv("1,2,a\n3,4,b\n"), {"--row-bound", "9", "--sign", write("k.pem", "no key")}, EX_USAGE,
                 "key");
}

TEST_F(BadInput, MissingKeyIsFoundBeforeAnythingIsFitted) {
  expect_refused(csv("1,2,a\n3,4,b\n"), {"--row-bound", "9", "--sign", path("none.pem")}, EX_NOINPUT,
                 "none.pem");
}

TEST_F(BadInput, ColumnsGoWithLibsvmFilesOnly) {
  const Outcome outcome = run_tool({"fit", write_classes("train.csv"), "--schema", write_schema(),
                                    "--epsilon", "1", "--columns", "3", "--model", path("model.json")});
  EXPECT_EQ(outcome.code, 64);
  EXPECT_NE(outcome.err.find("--columns has no effect without a LIBSVM file"), std::string::npos);
}

TEST_F(BadInput, ALabelColumnOfAnotherNameIsNamedWithTarget) {
  std::string renamed = (write_classes("train.csv"), read("train.csv"));
  renamed.replace(renamed.find(",y\n"), 2, ",label");
  const std::string data = write("renamed.csv", renamed);
  const std::string model = path("model.json"), schema = write("columns.json", R"({"columns": {
      "x1": {"type": "numeric", "min": -10, "max": 10}, "x2": {"type": "numeric", "min": -10, "max": 10}}})");
  const Outcome fitted = run_tool(
      {"fit", path("train.csv"), "--schema", schema, "--target", "y", "--epsilon", "5", "--model", model});
  ASSERT_EQ(fitted.code, 0) << fitted.err;
  const Outcome refused = run_tool({"evaluate", model, data});
  EXPECT_EQ(refused.code, 65);
  EXPECT_NE(refused.err.find("there is no column \"y\" to compare with; name the one that holds the labels"),
            std::string::npos)
      << refused.err;
  EXPECT_EQ(run_tool({"evaluate", model, data, "--target", "label"}).code, 0);
  const Outcome named = run_tool({"predict", model, data, "--target", "label"});
  EXPECT_EQ(named.code, 0) << named.err;
  EXPECT_EQ(named.out, run_tool({"predict", model, path("train.csv")}).out);
}

// A class that is read off the data is in the model: measurements must not become classes.
TEST_F(BadInput, NumbersWithAFractionAndManyLabelsAreClassesOnlyInASchema) {
  std::string fractions, many;
  for (int k = 0; k < 30; ++k) fractions += "0,1," + std::to_string(k) + ".25\n";
  for (int k = 0; k < 101; ++k) many += "0,1," + std::to_string(k) + "\n";
  ASSERT_EQ(run_tool({"ledger", "create", path("l"), "--limit", "people=3,1e-4", "--accountant", "approx",
                      "--neighbours", "zero_out"})
                .code,
            0);
  for (const char* loss : {"softmax", "relu-network", "tanh-network", "logistic"}) {
    const std::vector<std::string> more = {"--loss", loss, "--delta", "1e-5", "--ledger", path("l")};
    expect_refused(csv(fractions), more, EX_DATAERR, "numbers with a fraction");
    expect_refused(csv(many), more, EX_DATAERR, "more than 100 classes");
  }
  EXPECT_EQ(run_tool({"ledger", "show", path("l")}).out.find("dp-sgd"), std::string::npos);
}

}  // namespace
}  // namespace tacit::testing
