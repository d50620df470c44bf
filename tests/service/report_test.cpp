#include "tacit/service/report.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <regex>

#include "tacit/core/error.hpp"
#include "tacit/service/fit.hpp"

namespace tacit {
namespace {

class ServiceReport : public ::testing::Test {
 protected:
  ServiceReport() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tacit_report_XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    folder_ = pattern;
  }
  ~ServiceReport() override { std::filesystem::remove_all(folder_); }

  std::string page(const FittedModel& model) const {
    const auto path = folder_ / "model.json";
    std::ofstream(path) << service::model_text(model, "");
    return service::report(path, "").page;
  }

  static Dataset data() {
    DenseRows rows{100, 2, {}};
    Dataset data;
    for (int i = 0; i < 100; ++i) {
      rows.values.insert(rows.values.end(), {i / 100.0, (i * 7 % 100) / 100.0});
      data.labels.push_back(i % 2);
    }
    data.features = Features(std::move(rows));
    data.target_kind = TargetKind::classes;
    data.classes = {"no", "yes"};
    data.names = {"x1", "x2"};
    return data;
  }

  static service::FitOptions options(Guarantee guarantee) {
    service::FitOptions options;
    options.guarantee = std::move(guarantee);
    options.row_bound = 1.5;
    return options;
  }

 private:
  std::filesystem::path folder_;
};

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

TEST_F(ServiceReport, OfAPureModelStatesTheBestAttackersHits) {
  const std::string html = page(service::fit(data(), options(Pure{std::log(3.0)})));
  // By randomised response: 1 % false alarms, 3 % hits.
  EXPECT_NE(html.find("<tr><th scope=\"row\">1&nbsp;%</th><td>3&nbsp;%</td><td>3</td></tr>"),
            std::string::npos)
      << html;
  EXPECT_NE(html.find("<strong>3 times</strong>"), std::string::npos);
}

TEST_F(ServiceReport, HasEverySectionAndLoadsNothing) {
  const std::string html = page(service::fit(data(), options(Approx{1, 1e-5})));
  for (const char* id : {"promise", "attacker", "curve", "steps", "assumptions", "model", "verify"}) {
    EXPECT_EQ(count(html, std::string("<h2 id=\"") + id + "\""), 1u) << id;
    EXPECT_EQ(count(html, std::string("href=\"#") + id + "\""), 1u) << id;
  }
  EXPECT_EQ(count(html, "<h1"), 1u);
  EXPECT_EQ(count(html, "<table>"), count(html, "<caption>"));
  EXPECT_EQ(count(html, "<th>"), 0u);
  for (const char* loads : {"<script", "<link", "<img", "<iframe", "src=", "url(", "@import", "https://"})
    EXPECT_EQ(html.find(loads), std::string::npos) << loads;
  EXPECT_EQ(count(html, "http://"), count(html, "xmlns='http://www.w3.org/2000/svg'"));
}

TEST_F(ServiceReport, ShowsHostileNamesAsText) {
  Dataset hostile = data();
  hostile.names = {"<script>alert(1)</script>", "\"'><b onload=\"x\">&lt;\x01"};
  hostile.classes = {"</table>", "<!--"};
  service::FitOptions asked = options(Pure{1});
  asked.target = "</title><h1>";
  const std::string html = page(service::fit(hostile, asked));
  EXPECT_EQ(html.find("<script"), std::string::npos);
  EXPECT_EQ(html.find("<b onload"), std::string::npos);
  EXPECT_EQ(html.find("<!--"), std::string::npos);
  EXPECT_EQ(html.find('\x01'), std::string::npos);
  EXPECT_EQ(count(html, "<h1"), 1u);
  EXPECT_EQ(count(html, "</table>"), count(html, "<table>"));
  EXPECT_NE(html.find("<bdi>&lt;script&gt;alert(1)&lt;/script&gt;</bdi>"), std::string::npos);
  EXPECT_NE(html.find("<bdi>&quot;&#39;&gt;&lt;b onload=&quot;x&quot;&gt;&amp;lt;\xEF\xBF\xBD</bdi>"),
            std::string::npos);
}

TEST_F(ServiceReport, ListsTheStepsAsTheyAreInTheCertificate) {
  service::FitOptions asked = options(Gaussian{1});
  asked.method = "posterior-exact";
  asked.method_options.set("samples", std::int64_t{4});
  const FittedModel model = service::fit(data(), asked);
  const std::string html = page(model);
  EXPECT_NE(html.find("let numbers out " + std::to_string(model.certificate.steps.size()) + " times"),
            std::string::npos);
  EXPECT_NE(html.find("The file has 4 samples"), std::string::npos);
  EXPECT_NE(html.find("Gaussian privacy, μ = 1"), std::string::npos);
}

TEST_F(ServiceReport, NamesNoMoreThanTheLargestOfManyCoefficients) {
  Dataset wide = data();
  DenseRows rows{100, 500, std::vector<double>(100 * 500, 0.01)};
  wide.features = Features(std::move(rows));
  wide.names.clear();
  const std::string html = page(service::fit(wide, options(Pure{1})));
  EXPECT_NE(html.find("The 100 largest of 500 coefficients"), std::string::npos);
  EXPECT_EQ(count(html, "<bdi>feature "), 100u);
}

}  // namespace
}  // namespace tacit
