#include <gtest/gtest.h>

#include <cstdlib>

#include "tool.hpp"

// The analyst's day in one script, and what newcomers met.

namespace tacit::testing {
namespace {

class Analyst : public CliTest {};
class LongAnalystDay : public CliTest {};

// The whole day in one script, on Adult: under one ledger, every file verified.
TEST_F(LongAnalystDay, GoesFromARawTableToAPage) {
  const std::string command = "TACIT='" TACIT_TOOL "' sh '" TACIT_SOURCE_DIR
                              "/examples/analyst_day.sh' '" TACIT_SOURCE_DIR
                              "/examples/data/adult.train.csv.gz' income '" +
                              path("day") + "' > '" + path("log") + "' 2>&1";
  ASSERT_EQ(std::system(command.c_str()), 0) << read("log");
  const auto judged = nlohmann::json::parse(read("day/evaluation.json"));
  EXPECT_GT(judged["accuracy"], 0.83) << "a constant has 0.76";
  EXPECT_LT(judged["intervals"]["accuracy"][0], judged["accuracy"]);
  for (const char* file : {"schema.json", "description.json", "model.json", "evaluation.json"})
    EXPECT_EQ(run_tool({"verify", path(std::string("day/") + file)}).code, 0) << file;
  EXPECT_NE(read("day/project.html").find("spent epsilon = 2, delta = <span class=\"number\">5e-07</span>"),
            std::string::npos);
}

TEST_F(Analyst, ErrorsNameTheRemedy) {
  const std::string data = write_classes("data.csv");
  const auto says = [&](std::vector<std::string> arguments, const char* what) {
    const Outcome outcome = run_tool(arguments);
    EXPECT_NE(outcome.code, 0);
    EXPECT_NE(outcome.err.find(what), std::string::npos) << outcome.err;
  };
  says({"fit", data, "--target", "y", "--user", "x1", "--epsilon", "1"}, "give a delta too");
  says({"fit", data, "--target", "y", "--method", "dp-sgd", "--epsilon", "1"}, "give a delta too");
  says({"fit", write("data.foo", "x"), "--target", "y", "--epsilon", "1"}, "give --format csv");
  says({"fit", path("nowhere.csv"), "--epsilon", "1"}, "no such file");
  const std::string schema = write_schema();
  says({"fit", data, "--schema", schema, "--epsilon", "1", "--plan"}, "--records N");
  says({"fit", data, "--target", "y", "--user", "x1", "--epsilon", "1", "--delta", "1e-5", "--intervals",
        "0.9"},
       "make one record of each user's records and fit those, or leave the intervals out");
  says({"fit", data, "--target", "y", "--user", "x1", "--epsilon", "1", "--delta", "1e-5", "--method",
        "user-sgd", "--intervals", "0.9"},
       "make one record of each user's");
  run_tool({"ledger", "create", path("l.ledger"), "--limit", "people=4"});
  says({"fit", data, "--schema", schema, "--epsilon", "1", "--delta", "1e-6", "--ledger", path("l.ledger")},
       "the accountant approx");
}

TEST_F(Analyst, AFitSaysThatItReplacesAModel) {
  const std::string data = write_classes("data.csv"), schema = write_schema();
  const std::vector<std::string> fit{"fit",       data, "--schema", schema,
                                     "--epsilon", "1",  "--model",  path("m.json")};
  EXPECT_EQ(run_tool(fit).out.find("in place of what was there"), std::string::npos);
  EXPECT_NE(run_tool(fit).out.find("in place of what was there"), std::string::npos);
}

// Its rows are as they are, one of them far away: a rate may be infinite, and the fit says so.
TEST_F(Analyst, RatesOfNumbersAsTheyAreComeWithAWarning) {
  std::string rows = "x,y\n";
  for (int k = 0; k < 2000; ++k)
    rows += (k == 7 ? "100000" : std::to_string(k % 10)) + "," + std::to_string(k % 5) + "\n";
  const std::string data = write("d.csv", rows);
  const auto said = [&](std::vector<std::string> more) {
    std::vector<std::string> all{"fit",     data,        "--target", "y",       "--loss",
                                 "poisson", "--epsilon", "5",        "--model", path("m.json")};
    all.insert(all.end(), more.begin(), more.end());
    const Outcome fit = run_tool(all);
    EXPECT_EQ(fit.code, 0) << fit.err;
    return fit.out;
  };
  EXPECT_NE(said({"--range-share", "0"}).find("infinite one; give a schema"), std::string::npos);
  EXPECT_EQ(said({}).find("infinite"), std::string::npos) << "ranges are found";
  const auto found = parsed(run_tool({"evaluate", path("m.json"), data, "--json"}));
  EXPECT_LT(found["rmse"], 10);
}

TEST_F(Analyst, OptionsOfUsersAreKnownWhereTheSchemaNamesTheirColumn) {
  std::string rows = "x,who,y\n";
  for (int k = 0; k < 100; ++k)
    rows += std::to_string(k % 10) + "," + std::to_string(k % 20) + (k % 10 < 5 ? ",a\n" : ",b\n");
  const std::string schema = write("s.json", R"({"columns": {"x": {"type": "numeric", "min": 0, "max": 10}},
      "target": {"column": "y", "classes": ["a", "b"]}, "user": {"column": "who"}})");
  const Outcome outcome = run_tool({"fit", write("d.csv", rows), "--schema", schema, "--epsilon", "3",
                                    "--delta", "1e-3", "--records-per-user", "3", "--model", path("m.json")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST_F(Analyst, AWeakPromiseIsCalledOne) {
  const std::string data = write_classes("data.csv"), schema = write_schema();
  const Outcome much =
      run_tool({"fit", data, "--schema", schema, "--epsilon", "1000", "--model", path("m.json")});
  EXPECT_NE(much.out.find("next to nothing"), std::string::npos) << much.out;
  const Outcome large = run_tool(
      {"fit", data, "--schema", schema, "--epsilon", "1", "--delta", "0.1", "--model", path("m.json")});
  EXPECT_NE(large.out.find("delta = 0.1 is more than"), std::string::npos) << large.out;
  const Outcome usual =
      run_tool({"fit", data, "--schema", schema, "--epsilon", "1", "--model", path("m.json")});
  EXPECT_EQ(usual.out.find("next to nothing"), std::string::npos);
}

}  // namespace
}  // namespace tacit::testing
