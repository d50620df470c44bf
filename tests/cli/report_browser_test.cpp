#include <cstdlib>
#include <fstream>

#include "tool.hpp"

// The report as people see it: in a real browser, at the width of a phone and of a desktop. Needs Debian's
// chromium-headless-shell (scripts/setup check).

namespace tacit::testing {
namespace {

constexpr int phone = 360, desktop = 1280;

class LongReportInBrowser : public CliTest {
 protected:
  // What the browser says on standard output and standard error.
  Outcome browse(const std::string& page, int width, const std::string& flags) const {
    const std::string command =
        "chromium-headless-shell --no-sandbox --disable-gpu --hide-scrollbars --enable-logging=stderr "
        "--window-size=" +
        std::to_string(width) + ",900 " + flags + " 'file://" + page + "' > '" + path("browser.out") +
        "' 2> '" + path("browser.err") + "'";
    const int code = std::system(command.c_str());
    return {code, read("browser.out"), read("browser.err")};
  }

  static std::string without(std::string text, const std::string& what) {
    const auto at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return text.erase(at, what.size());
  }

  // Every rule of accessibility.js that the page breaks.
  nlohmann::json broken_rules(std::string html, int width) const {
    std::ifstream file(TACIT_SOURCE_DIR "/tests/cli/accessibility.js");
    const std::string rules{std::istreambuf_iterator<char>(file), {}};
    html = without(html,
                   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
                   "'unsafe-inline'\">");  // it would stop the rules, too
    html.insert(html.find("</body>"), "<script>" + rules + "</script>");
    const std::string dom = browse(write("with_rules.html", html), width, "--dump-dom").out;
    const std::string open = "<pre id=\"findings\">";
    const auto at = dom.find(open);
    EXPECT_NE(at, std::string::npos) << dom.substr(0, 2000) << read("browser.err");
    if (at == std::string::npos) return {};
    const auto begin = at + open.size();
    const auto json = nlohmann::json::parse(dom.substr(begin, dom.find("</pre>", begin) - begin));
    EXPECT_EQ(json["width"], width);
    return json["findings"];
  }

  std::string report_of(const std::string& model) const {
    run_tool({"report", model, "--output", path("report.html")});
    return read("report.html");
  }

  // One page of each kind: pure, with many steps, (ε, δ), softmax, none.
  std::vector<std::string> models() const {
    const std::string data = write_classes("train.csv"), schema = write_schema();
    std::vector<std::string> made{fit_model("pure.json")};
    const auto fit = [&](const std::string& name, std::vector<std::string> flags) {
      flags.insert(flags.begin(), {"fit", data, "--schema", schema, "--model", path(name)});
      const Outcome outcome = run_tool(flags);
      EXPECT_EQ(outcome.code, 0) << outcome.err;
      made.push_back(path(name));
    };
    fit("sgd.json", {"--epsilon", "1", "--delta", "1e-5"});
    fit("softmax.json", {"--epsilon", "1", "--loss", "softmax"});
    fit("samples.json", {"--mu", "1", "--method", "posterior-exact", "--samples", "5"});
    fit("network.json", {"--epsilon", "1", "--delta", "1e-5", "--loss", "tanh-network", "--hidden", "3"});
    fit("plain.json", {"--epsilon", "inf"});
    return made;
  }
};

TEST_F(LongReportInBrowser, KeepsTheRulesOfAccessibilityAtEveryWidth) {
  for (const std::string& model : models()) {
    const std::string html = report_of(model);
    for (const int width : {phone, desktop})
      EXPECT_EQ(broken_rules(html, width), nlohmann::json::array()) << model << " at " << width;
  }
}

// A description's page, and that of a project: counts of whole numbers and categories, charges, files.
TEST_F(LongReportInBrowser, PagesOfDescriptionsAndProjectsKeepThemToo) {
  std::string rows = "age,job_with_a_rather_long_name,y\n";
  for (int k = 0; k < 2000; ++k)
    rows += std::to_string(20 + k % 40) + (k % 3 ? ",an occupation with a long name," : ",b,") +
            (k % 40 > 20 ? "yes\n" : "no\n");
  const std::string data = write("people.csv", rows), ledger = path("people.ledger"),
                    model = path("model.json");
  const std::string schema =
      write("schema.json",
            R"({"columns": {"age": {"type": "numeric", "min": 20, "max": 60, "integer": true},
      "job_with_a_rather_long_name": {"type": "categorical", "categories": ["an occupation with a long name", "b"]}},
      "target": {"column": "y", "classes": ["no", "yes"]}})");
  ASSERT_EQ(run_tool({"ledger", "create", ledger, "--limit", "people=4"}).code, 0);
  const Outcome described = run_tool({"describe", data, "--schema", schema, "--epsilon", "1", "--ledger",
                                      ledger, "--json", "--output", path("description.html")});
  ASSERT_EQ(described.code, 0) << described.err;
  ASSERT_EQ(
      run_tool({"fit", data, "--schema", schema, "--epsilon", "2", "--ledger", ledger, "--model", model})
          .code,
      0);
  const Outcome judged = run_tool({"evaluate", model, data, "--epsilon", "1", "--ledger", ledger, "--json"});
  ASSERT_EQ(
      run_tool({"report", write("description.json", described.out), model,
                write("evaluation.json", judged.out), "--ledger", ledger, "--output", path("project.html")})
          .code,
      0);
  for (const char* page : {"description.html", "project.html"})
    for (const int width : {phone, desktop})
      EXPECT_EQ(broken_rules(read(page), width), nlohmann::json::array()) << page << " at " << width;
  std::string side_by_side = read("project.html");
  const std::string stacks = "class=\"stacks\"";
  side_by_side.replace(side_by_side.find(stacks), stacks.size(), stacks + " style=\"min-width: 50rem\"");
  EXPECT_FALSE(broken_rules(side_by_side, phone).empty()) << "a table of files that scrolls is found";
}

TEST_F(LongReportInBrowser, ShowsNothingOnTheConsoleAndCanBePrinted) {
  const std::string model = fit_model();
  report_of(model);
  for (const int width : {phone, desktop}) {
    const Outcome shot = browse(path("report.html"), width, "--screenshot='" + path("shot.png") + "'");
    EXPECT_EQ(shot.code, 0);
    EXPECT_EQ(shot.err.find("CONSOLE"), std::string::npos) << shot.err;
    EXPECT_TRUE(read("shot.png").starts_with("\x89PNG"));
  }
  EXPECT_EQ(browse(path("report.html"), desktop, "--print-to-pdf='" + path("report.pdf") + "'").code, 0);
  EXPECT_TRUE(read("report.pdf").starts_with("%PDF"));
}

TEST_F(LongReportInBrowser, HostileNamesStayText) {
  const std::string evil = "<img src=x onerror=alert(1)>";
  std::string data = "\"" + evil + "\",\"</table><script>document.title='gone'</script>\",y\n";
  for (int i = 0; i < 50; ++i)
    data += std::to_string(i % 7) + "," + std::to_string(i % 3) + "," + (i % 2 ? "a" : "<b>") + "\n";
  const Outcome fit = run_tool({"fit", write("evil.csv", data), "--target", "y", "--row-bound", "10",
                                "--epsilon", "1", "--model", path("evil.json")});
  ASSERT_EQ(fit.code, 0) << fit.err;
  const std::string html = report_of(path("evil.json"));
  EXPECT_EQ(broken_rules(html, phone), nlohmann::json::array());
  const Outcome dom = browse(path("report.html"), phone, "--dump-dom");
  EXPECT_EQ(dom.out.find("<img"), std::string::npos);
  EXPECT_NE(dom.out.find("<title>Privacy report: evil.json</title>"), std::string::npos);
  EXPECT_EQ(dom.err.find("CONSOLE"), std::string::npos) << dom.err;
}

TEST_F(LongReportInBrowser, TheRulesFindWhatIsBroken) {
  const std::string html = report_of(fit_model());
  const std::vector<std::pair<std::string, std::string>> damages{
      {"<html lang=\"en\">", "<html>"},
      {"color: #1a1a1a", "color: #999"},
      {"<th scope=\"row\">", "<th>"},
      {"<caption>", "<caption hidden></caption><caption>"},
      {"<h2 id=\"promise\"", "<h4 id=\"promise\""},
      {"href=\"#curve\"", "href=\"#nowhere\""},
      {"role='img'", "role='none'"},
      {"<main id=\"report\"", "<main style=\"min-width: 2000px\" id=\"report\""},
      {"tabindex=\"0\"", "tabindex=\"3\""},
      {"</h1>", "</h1><img src=\"picture.png\">"},
      {"id=\"steps\"", "id=\"curve\""},
      {"font-size='12'", "font-size='3'"}};
  for (const auto& [from, to] : damages) {
    std::string damaged = html;
    const auto at = damaged.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    EXPECT_FALSE(broken_rules(damaged.replace(at, from.size(), to), desktop).empty()) << to;
  }
  std::string script = html;
  script.insert(script.find("</body>"), "<script>console.error('x')</script>");
  EXPECT_NE(browse(write("script.html", script), phone, "--dump-dom").err.find("CONSOLE"), std::string::npos)
      << "the policy's refusal must be seen on the console";
}

}  // namespace
}  // namespace tacit::testing
