#include "tool.hpp"

namespace tacit::testing {
namespace {

class ReportCommand : public CliTest {};

TEST_F(ReportCommand, WritesAPageThatStatesThePromise) {
  const Outcome outcome = run_tool({"report", fit_model(), "--output", path("report.html")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_NE(outcome.out.find("The promise holds."), std::string::npos);
  const std::string page = read("report.html");
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
  EXPECT_TRUE(page.ends_with("</html>\n"));
  EXPECT_NE(page.find("tacit verify model.json"), std::string::npos);
  EXPECT_EQ(page.find(path("")), std::string::npos) << "where the model was is nobody's business";
  EXPECT_EQ(run_tool({"report", path("model.json")}).out, page);
}

TEST_F(ReportCommand, FailsForAModelWithoutPrivacyAndThePageSaysSo) {
  const std::string model = path("plain.json");
  ASSERT_EQ(run_tool({"fit", write_classes("train.csv"), "--schema", write_schema(), "--epsilon", "inf",
                      "--model", model})
                .code,
            0);
  const Outcome outcome = run_tool({"report", model, "--output", path("report.html")});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("not private"), std::string::npos);
  EXPECT_NE(read("report.html").find("Nothing is promised about this model."), std::string::npos);
  EXPECT_EQ(read("report.html").find("The promise holds"), std::string::npos);
}

TEST_F(ReportCommand, RefusesAnEditedFileAndItsOwnInput) {
  const std::string model = fit_model();
  EXPECT_EQ(run_tool({"report", model, "--output", model}).code, 64);
  std::string text = read("model.json");
  text.replace(text.find("\"x1\""), 4, "\"x9\"");
  const Outcome outcome = run_tool({"report", write("edited.json", text), "--output", path("report.html")});
  EXPECT_EQ(outcome.code, 1) << "as verify has it";
  EXPECT_NE(outcome.err.find("the digest does not hold"), std::string::npos) << outcome.err;
  EXPECT_FALSE(exists("report.html"));
  EXPECT_EQ(run_tool({"report", path("missing.json")}).code, 66);
  EXPECT_EQ(run_tool({"report", model, "--output", path("no/folder.html")}).code, 73);
}

TEST_F(ReportCommand, AReportSaysWhatACoefficientOfACurveIs) {
  const std::string data = write_classes("data.csv");
  const auto report = [&](const char* encoder) {
    EXPECT_EQ(run_tool({"fit", data, "--schema", write_schema(), "--epsilon", "5", "--encoder", encoder,
                        "--model", path("m.json")})
                  .code,
              0);
    EXPECT_EQ(run_tool({"report", path("m.json"), "--output", path("r.html")}).code, 0);
    return read("r.html");
  };
  const std::string curves = report("hats"), lines = report("linear");
  EXPECT_NE(curves.find("is the height of that column's curve at the point"), std::string::npos);
  EXPECT_EQ(curves.find("its whole range in the schema"), std::string::npos);
  EXPECT_EQ(lines.find("is the height of that column's curve"), std::string::npos);
  EXPECT_NE(lines.find("its whole range in the schema"), std::string::npos);
}

}  // namespace
}  // namespace tacit::testing
