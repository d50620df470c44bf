#include "tool.hpp"

namespace tacit::testing {
namespace {

class PlotCommand : public CliTest {};

TEST_F(PlotCommand, DrawsEveryColumnIntoOneFileThatLoadsNothing) {
  const std::string model = fit_model();
  const Outcome outcome = run_tool({"plot", model, "--output", path("curves.svg")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const std::string svg = read("curves.svg");
  EXPECT_TRUE(svg.starts_with("<svg ")) << svg.substr(0, 80);
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  for (const char* name : {">x1<", ">x2<", "prefers-color-scheme: dark"})
    EXPECT_NE(svg.find(name), std::string::npos) << name;
  for (const char* outside : {"href", "url(", "@import", "<script", "nan", "inf"})
    EXPECT_EQ(svg.find(outside), std::string::npos) << outside;
  EXPECT_EQ(run_tool({"plot", model}).out, svg);
}

TEST_F(PlotCommand, DrawsOneColumnAndListsTheNamesWhenThereIsNoSuch) {
  const std::string model = fit_model();
  const Outcome one = run_tool({"plot", model, "--column", "x2"});
  EXPECT_EQ(one.code, 0);
  EXPECT_EQ(one.out.find(">x1<"), std::string::npos);
  EXPECT_NE(one.out.find(">x2<"), std::string::npos);
  const Outcome none = run_tool({"plot", model, "--column", "x9", "--output", path("none.svg")});
  EXPECT_EQ(none.code, 64);
  EXPECT_NE(none.err.find("no column \"x9\", expected one of x1, x2"), std::string::npos) << none.err;
  EXPECT_FALSE(exists("none.svg"));
}

TEST_F(PlotCommand, SaysWhatElseThereIsForAModelWithoutColumns) {
  const std::string model = path("raw.json");
  std::string rows;
  for (int k = 0; k < 200; ++k) rows += k % 2 == 0 ? "+1 1:0.5 2:0.1\n" : "-1 1:0.1 2:0.5\n";
  ASSERT_EQ(run_tool({"fit", write("data.libsvm", rows), "--columns", "2", "--row-bound", "1", "--loss",
                      "logistic", "--epsilon", "1", "--model", model})
                .code,
            0);
  const Outcome outcome = run_tool({"plot", model, "--output", path("none.svg")});
  EXPECT_EQ(outcome.code, 64);
  EXPECT_NE(outcome.err.find("without a schema"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("tacit report"), std::string::npos) << outcome.err;
  EXPECT_FALSE(exists("none.svg"));
  const auto json = parsed(run_tool({"report", model, "--json"}));
  EXPECT_TRUE(json["curves"].is_null());
  EXPECT_NE(json["no_curves"].get<std::string>().find("without a schema"), std::string::npos);
}

TEST_F(PlotCommand, RefusesToOverwriteTheModelAndOtherFiles) {
  const std::string model = fit_model();
  EXPECT_EQ(run_tool({"plot", model, "--output", model}).code, 64);
  EXPECT_EQ(run_tool({"plot", path("missing.json")}).code, 66);
  EXPECT_EQ(run_tool({"plot", write("bad.json", "{}")}).code, 65);
}

TEST_F(PlotCommand, TheReportHasACurveForEveryColumn) {
  const std::string model = fit_model();
  ASSERT_EQ(run_tool({"report", model, "--output", path("report.html")}).code, 0);
  const std::string page = read("report.html");
  EXPECT_NE(page.find("What each column adds"), std::string::npos);
  EXPECT_NE(page.find("<title>x1</title>"), std::string::npos);
  EXPECT_NE(page.find("<title>x2</title>"), std::string::npos);
  const auto json = parsed(run_tool({"report", model, "--json"}));
  EXPECT_EQ(json["holds"], true);
  for (const char* name : {"x1", "x2"}) {
    const auto& curve = json["curves"][name];
    EXPECT_EQ(curve["x"].size(), curve["y"].size());
    EXPECT_TRUE(curve["interval"].is_null())
        << "objective perturbation: the records say what becomes of noise";
  }
  EXPECT_FALSE(json["no_interval"].is_null());
}

TEST_F(PlotCommand, OutputPerturbationHasIntervalsFromItsCertificate) {
  const std::string model = path("output.json");
  ASSERT_EQ(run_tool({"fit", write_classes("train.csv"), "--schema", write_schema(), "--epsilon", "5",
                      "--method", "limited-output", "--model", model})
                .code,
            0);
  const auto json = parsed(run_tool({"report", model, "--json"}));
  const auto& curve = json["curves"]["x1"];
  ASSERT_EQ(curve["interval"].size(), curve["y"].size());
  EXPECT_LT(curve["interval"][0][0], curve["y"][0]);
  EXPECT_GT(curve["interval"][0][1], curve["y"][0]);
  EXPECT_EQ(json["interval_level"], 0.95);
}

// A tool that sorts the keys of an object: digest and signature hold, but columns have others' parameters.
TEST_F(PlotCommand, RefusesColumnsInAnotherOrderAndSoDoTheOthers) {
  const std::string model = fit_model("m.json");
  auto json = nlohmann::ordered_json::parse(read("m.json"));
  const nlohmann::ordered_json columns = json["schema"]["columns"];
  ASSERT_EQ(columns.size(), 2U);
  json["schema"]["columns"] = nlohmann::ordered_json::object();
  for (const char* name : {"x2", "x1"}) json["schema"]["columns"][name] = columns[name];
  write("m.json", json.dump(2));
  const std::string why = "m.json: the schema's columns are in another order than the fit's, or were renamed";
  const auto refuses = [&](const std::vector<std::string>& command, int code) {
    const Outcome outcome = run_tool(command);
    EXPECT_EQ(outcome.code, code) << command.front();
    EXPECT_NE(outcome.err.find(why), std::string::npos) << command.front() << ": " << outcome.err;
  };
  refuses({"verify", model}, 1);
  refuses({"report", model, "--output", path("page.html")}, 1);
  refuses({"plot", model, "--output", path("curves.svg")}, 65);
  refuses({"predict", model, path("train.csv")}, 65);
  EXPECT_FALSE(exists("page.html") || exists("curves.svg"));
  // On the page of a project nothing of it is shown.
  const Outcome page = run_tool({"report", model, model, "--output", path("page.html")});
  EXPECT_EQ(page.code, 1);
  EXPECT_NE(page.err.find("in another order than the fit's"), std::string::npos) << page.err;
  EXPECT_NE(read("page.html").find("Nothing of it is shown"), std::string::npos);
}

}  // namespace
}  // namespace tacit::testing
