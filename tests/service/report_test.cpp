#include "tacit/service.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <regex>

#include "tacit/core.hpp"
#include "tacit/fit.hpp"

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

  std::string page(const FittedModel& model, const std::string& name = "model.json") const {
    return service::report(write(name, service::model_text(model, "")), "").page;
  }
  std::filesystem::path write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name) << content;
    return folder_ / name;
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

// The numbers that follow each occurrence of `what`.
std::vector<double> numbers_after(const std::string& text, const std::string& what) {
  std::vector<double> found;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    found.push_back(std::strtod(text.c_str() + at + what.size(), nullptr));
  return found;
}

// Whether `what` is followed by numbers, each of which is one of the bounds or little above it, and every
// bound is among them.
bool states(const std::string& text, const std::string& what, const std::vector<double>& bounds) {
  const std::vector<double> found = numbers_after(text, what);
  const auto shows = [](double shown, double bound) { return shown >= bound && shown < bound + 1e-4; };
  return std::ranges::all_of(found,
                             [&](double shown) {
                               return std::ranges::any_of(bounds,
                                                          [&](double bound) { return shows(shown, bound); });
                             }) &&
         std::ranges::all_of(bounds, [&](double bound) {
           return std::ranges::any_of(found, [&](double shown) { return shows(shown, bound); });
         });
}

TEST_F(ServiceReport, NeverStatesLessThanHolds) {
  const FittedModel pure = service::fit(data(), options(Pure{1.23456712}));
  const double epsilon = std::get<Pure>(pure.certificate.guarantee).epsilon;
  const double replaced = std::get<Pure>(replaced_guarantee(pure.certificate).value()).epsilon;
  EXPECT_GT(replaced, epsilon);
  EXPECT_TRUE(states(page(pure), "ε = ", {epsilon, replaced})) << page(pure);
  EXPECT_TRUE(states(page(pure), "privacy, epsilon = ", {epsilon, replaced})) << page(pure);
  service::FitOptions asked = options(Gaussian{0.87654321});
  asked.method = "posterior-exact";
  const FittedModel gaussian = service::fit(data(), asked);
  const double mu = std::get<Gaussian>(gaussian.certificate.guarantee).mu;
  EXPECT_TRUE(states(page(gaussian), "μ = ", {mu, 2 * mu})) << page(gaussian);
  EXPECT_TRUE(states(page(gaussian), "privacy, mu = ", {mu, 2 * mu})) << page(gaussian);
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
  const std::size_t charges = model.certificate.steps.size();
  EXPECT_NE(html.find(fmt::format("was charged {} time{},", charges, charges == 1 ? "" : "s")),
            std::string::npos);
  EXPECT_NE(html.find("<td>none added</td>"), std::string::npos) << "a sample is drawn, not disturbed";
  EXPECT_NE(html.find("The file has 4 samples"), std::string::npos);
  EXPECT_NE(html.find("Gaussian privacy, μ = 1"), std::string::npos);
}

bool has(const std::string& text, const std::string& what) { return text.find(what) != std::string::npos; }

TEST_F(ServiceReport, SaysAtItsTopWhatThePromiseAssumes) {
  FittedModel model = service::fit(data(), options(Pure{1}));
  EXPECT_TRUE(has(page(model), "class=\"verdict good\"><strong>The promise holds.</strong>"));
  EXPECT_TRUE(has(page(model), "Everything on this page is public"));
  model.certificate.assumptions = {
      "the records went through <Scaler>, which may learn from all of them without privacy"};
  const std::string html = page(model), box = html.substr(0, html.find("<nav"));
  EXPECT_TRUE(has(box, "class=\"verdict conditional\""));
  EXPECT_TRUE(has(box,
                  "<li><bdi>the records went through &lt;Scaler&gt;, which may learn from all of them "
                  "without privacy</bdi></li>"));
  EXPECT_FALSE(has(html, "The promise holds.</strong>"));
  EXPECT_FALSE(has(html, "Everything on this page is public"));
}

TEST_F(ServiceReport, DoesNotCallPublicWhatWasFoundFromTheRecords) {
  service::FitOptions asked = options(Pure{20});
  asked.row_bound.reset();
  const std::string html = page(service::fit(data(), asked));
  const std::size_t open = html.find("Options of the method, public too"),
                    found = html.find("Not public, but found from the records");
  ASSERT_LT(open, found);
  ASSERT_NE(found, std::string::npos);
  for (const char* key : {"slope_limit", "curvature_limit", "feature_exponents", "regularisation"})
    EXPECT_GT(html.find(std::string("<bdi>") + key), found) << key;
  for (const char* key : {"epsilon", "limits", "limit_share", "radius", "neighbours"})
    EXPECT_LT(html.find(std::string("<bdi>") + key), found) << key;
}

TEST_F(ServiceReport, OfATunedModelCountsAllRecordsAndHidesWhatDoesNotApply) {
  service::FitOptions asked = options(Pure{5});
  asked.method = "tuned";
  const std::string html = page(service::fit(data(), asked));
  EXPECT_TRUE(has(html, "<td>80 that were fitted, of 100</td>"));
  EXPECT_TRUE(has(html, "<td>3 (the constant counted)</td>"));
  EXPECT_FALSE(has(html, "<td>0 (ℓ"));
  EXPECT_TRUE(has(html, "<td>see within</td><td>see within</td>"));
  EXPECT_TRUE(has(html, ">1.1<")) << "what each setting would take is told under it";
  EXPECT_GT(html.find("<bdi>noisy_score"), html.find("Not public, but found from the records"));
}

TEST_F(ServiceReport, SaysWhatWasFoundOfTheSignature) {
  // Made once for these tests with `openssl genpkey -algorithm ed25519`; they protect nothing.
  const auto key =
      write("key.pem",
            "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEII/VQZPorXTHMhYWPbMJd8gZJFiFjAs8ocvubiX"
            "pjbwT\n-----END PRIVATE KEY-----\n");
  const auto right =
      write("right.pem",
            "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAybDg8eaC7Z9MSJxgmOGcIb6QFDPNJnDjiZ3pi5b5iv0="
            "\n-----END PUBLIC KEY-----\n");
  const auto wrong =
      write("wrong.pem",
            "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAzwtMzPtgB3DIl4nV8eS+kRRnIuWyhuxHojiF8dH6jiE="
            "\n-----END PUBLIC KEY-----\n");
  const FittedModel model = service::fit(data(), options(Pure{1}));
  const auto bare = write("bare.json", service::model_text(model, ""));
  const auto is_signed = write("signed.json", service::model_text(model, key));
  const auto open = write("open.json", service::model_text(service::fit(data(), options(NoPrivacy{})), key));
  const auto said = [](const auto& file, const std::filesystem::path& with, const std::string& what) {
    return has(service::report(file, with).page, what);
  };
  EXPECT_TRUE(said(bare, "", "The file is not signed: anyone"));
  EXPECT_TRUE(said(bare, right, "The file is not signed, so there was nothing to check"));
  EXPECT_TRUE(said(is_signed, "", "carries a signature, which was not checked"));
  EXPECT_TRUE(said(is_signed, right, "was given, and holds."));
  EXPECT_TRUE(said(is_signed, wrong, "was given, and does not hold"));
  EXPECT_TRUE(said(open, right, "was given, and holds."));
  EXPECT_TRUE(said(open, right, "about this model.</strong> It was fitted without any privacy"));
}

TEST_F(ServiceReport, DrawsTheCurveOfAPureSampleAndListsItsEndOnce) {
  service::FitOptions asked = options(Pure{1.3});
  asked.method = "posterior-exact";
  const std::string html = page(service::fit(data(), asked));
  EXPECT_FALSE(std::regex_search(html, std::regex("[0-9]e-[1-9][0-9][0-9]")));
  EXPECT_EQ(count(html, "<th scope=\"row\">1.3</th>"), 1u);
}

TEST_F(ServiceReport, ListsTheStatedPairAmongThePointsOfTheCurve) {
  service::FitOptions asked = options(Approx{1, 1e-5});
  asked.row_bound.reset();
  asked.method = "dp-sgd";
  const FittedModel model = service::fit(data(), asked);
  const double epsilon = std::get<Approx>(model.certificate.guarantee).epsilon;
  EXPECT_TRUE(has(page(model),
                  fmt::format("<tr><th scope=\"row\">{}</th><td><span class=\"number\">1e-05</span></td>",
                              decimal_up(epsilon, 4))));
}

TEST_F(ServiceReport, StatesFactorsThatMeanSomething) {
  const std::string faint = page(service::fit(data(), options(Pure{1e-5})));
  EXPECT_TRUE(has(faint, "no outcome is more than 1.000010001 times"));
  EXPECT_TRUE(has(faint, "<strong>1.00001001 times</strong>"));
  EXPECT_FALSE(has(faint, "<td>1.01</td>"));
  EXPECT_TRUE(has(page(service::fit(data(), options(Pure{30}))), "<strong>1.069e+13 times</strong>"));
}

TEST_F(ServiceReport, ShowsAnyFileNameAsTextAndAsOneWordOfACommand) {
  const FittedModel model = service::fit(data(), options(Pure{1}));
  const std::string html = page(model, "it's \xff mine.json");
  EXPECT_TRUE(has(html, "tacit verify &#39;it&#39;\\&#39;&#39;s \xEF\xBF\xBD mine.json&#39;"));
  EXPECT_FALSE(has(html, "\xff"));
  EXPECT_TRUE(has(page(model, "ü.json"), "Privacy report: ü.json"));
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
