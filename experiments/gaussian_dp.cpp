// Excess empirical risk against mu under Gaussian DP: an exact posterior sample, Gaussian noise on the
// minimiser, Gaussian objective perturbation (at the (epsilon, delta) of that mu, delta = 1e-6), and descent
// over all records. Wine quality, red and white, in the setting of [Lin24, Sec. 5]: standardised, squared
// loss, alpha = 100 and 32. Adult: logistic loss, alpha = 0.04. Writes gaussian_dp.md and three plots into
// the output folder.
//
//   build/experiment_gaussian_dp --data DIR --adult examples/data --out docs/figures
//
// DIR has wine_quality/winequality-red.csv and -white.csv. The numbers are not private: they look at the
// records.

#include <fmt/core.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "algorithm/posterior/exact.hpp"
#include "core/plot.hpp"
#include "flags.hpp"
#include "privacy/accounting/conversions.hpp"
#include "sampler/exact.hpp"
#include "solver/certified.hpp"
#include "tacit/core.hpp"
#include "tacit/data.hpp"
#include "tacit/mechanisms.hpp"
#include "tacit/method.hpp"
#include "tacit/root_meter.hpp"

namespace {

using namespace tacit;

constexpr double delta = 1e-6;
constexpr int draws = 50, trial_draws = 5;
const std::vector<double> mus = {0.1, 0.3, 1, 3};

// One dataset with everything that is public of it.
struct Setting {
  std::string name, file;
  Dataset data;
  Link link;
  double intercept = 0, alpha = 0;
  LossLimits limits;
};

// J(w)/n, J the sum of the limited losses and (n alpha/2)‖w‖².
class Risk {
 public:
  explicit Risk(const Setting& setting) : setting_(setting) {
    const Features& features = setting.data.features;
    for (std::size_t i = 0; i < features.rows(); ++i)
      limits_.push_back(limits_of_record(setting.limits.slope, setting.limits.curvature,
                                         row_norm(features.row(i), setting.intercept)));
  }

  double operator()(const Vector& w) const {
    const auto columns = static_cast<Eigen::Index>(setting_.data.features.columns());
    double sum = 0;
    for (std::size_t i = 0; i < limits_.size(); ++i) {
      const RowView row = setting_.data.features.row(i);
      double score = setting_.intercept != 0 ? setting_.intercept * w[columns] : 0;
      for (std::size_t k = 0; k < row.size; ++k)
        score += row.values[k] * w[static_cast<Eigen::Index>(row.columns ? row.columns[k] : k)];
      sum += evaluate(setting_.link, limits_[i], score, setting_.data.labels[i]).value;
    }
    return sum / static_cast<double>(limits_.size()) + setting_.alpha / 2 * w.squaredNorm();
  }

 private:
  const Setting& setting_;
  std::vector<Limits> limits_;
};

struct Spread {
  double mean = 0, error = 0;  // and the standard error of the mean
};

Spread spread_of(const std::vector<double>& values) {
  Spread result;
  const auto n = static_cast<double>(values.size());
  for (const double x : values) result.mean += x / n;
  for (const double x : values) result.error += (x - result.mean) * (x - result.mean) / (n - 1);
  result.error = std::sqrt(result.error / n);
  return result;
}

class Comparison {
 public:
  explicit Comparison(const Setting& setting) : setting_(setting), risk_(setting) {
    problem_ = {.data = &setting.data, .loss = setting.link, .intercept = setting.intercept};
    const Shape shape = shape_of(problem_);
    const Vector zero = Vector::Zero(static_cast<Eigen::Index>(shape.parameters()));
    const double strength = static_cast<double>(shape.records) * setting.alpha;
    LimitedObjective objective(problem_, setting.limits, {.strength = strength, .center = zero}, zero, 0, 0);
    least_ = risk_(minimise(objective, {}).point);
  }

  // Draws of one sampler: without localisation its target does not depend on the draw, and each draw alone
  // has the law of a fit.
  std::optional<Spread> posterior(double mu) const {
    try {
      const posterior::ExactPlan plan =
          posterior::plan_exact(shape_of(problem_), posterior::Options::from(facts(mu)));
      sampler::ExactSampler exact(
          {.problem = &problem_,
           .limits = plan.limits,
           .inverse_temperature = plan.inverse_temperature,
           .strength = plan.strength,
           .center = Vector::Zero(static_cast<Eigen::Index>(shape_of(problem_).parameters())),
           .radius = plan.ball},
          0);
      const auto bits = noise::system_bits();
      return spread([&] { return exact.draw(plan.sample.grid, *bits); }, draws);
    } catch (const InfeasibleError& error) {
      fmt::print(stderr, "{} at mu = {}: {}\n", setting_.name, mu, error.what());
      return std::nullopt;
    }
  }

  Spread output(double mu) const { return fits("limited-output", Gaussian{mu}, facts(mu), draws); }

  Spread objective(double mu) const {
    const Approx target = to_approx(Gaussian{mu}, delta);
    Facts options = facts(mu, false);
    options.set("epsilon", target.epsilon);
    options.set("delta", target.delta);
    return fits("limited-objective", target, options, draws);
  }

  // The best of a few numbers of steps, chosen by looking: better than anyone could do privately for free.
  std::pair<Spread, std::int64_t> descent(double mu) const {
    const double rate = 1 / (setting_.alpha + mean_curvature());
    std::pair<Spread, std::int64_t> best{{std::numeric_limits<double>::infinity(), 0}, 0};
    for (const std::int64_t steps : {1, 2, 5, 10, 30, 100}) {
      const Spread tried = fits("dp-gd", Gaussian{mu}, descent_facts(mu, steps, rate), trial_draws);
      if (tried.mean < best.first.mean) best = {tried, steps};
    }
    return {fits("dp-gd", Gaussian{mu}, descent_facts(mu, best.second, rate), draws), best.second};
  }

 private:
  Facts facts(double mu, bool gaussian = true) const {
    Facts facts;
    if (gaussian) facts.set("mu", mu);
    facts.set("slope_limit", setting_.limits.slope);
    facts.set("curvature_limit", setting_.limits.curvature);
    facts.set("regularisation", setting_.alpha);
    facts.set("least_acceptance", 1e-3);
    return facts;
  }

  // Clipping at C is what limits the slope.
  Facts descent_facts(double mu, std::int64_t steps, double rate) const {
    Facts facts;
    facts.set("mu", mu);
    facts.set("steps", steps);
    facts.set("clip_norm", fmt::format("{}", setting_.limits.slope));
    facts.set("step", rate * setting_.limits.slope);
    facts.set("regularisation", setting_.alpha);
    facts.set("iterate", std::string("last"));
    return facts;
  }

  // The trace bounds the largest eigenvalue of the mean Hessian.
  double mean_curvature() const {
    double sum = 0;
    const Features& features = setting_.data.features;
    for (std::size_t i = 0; i < features.rows(); ++i)
      sum += std::pow(row_norm(features.row(i), setting_.intercept), 2);
    return tacit::facts(setting_.link).curvature * sum / static_cast<double>(features.rows());
  }

  Spread fits(const char* method, const Guarantee& guarantee, const Facts& options, int count) const {
    const auto bits = noise::system_bits();
    return spread(
        [&] {
          RootMeter meter({guarantee, Unit::item, Neighbours::replace_one}, *bits);
          return find_method(method).fit(problem_, options, meter).parameters.value();
        },
        count);
  }

  Spread spread(const std::function<Vector()>& draw, int count) const {
    std::vector<double> excess;
    for (int k = 0; k < count; ++k) excess.push_back(risk_(draw()) - least_);
    return spread_of(excess);
  }

  const Setting& setting_;
  Risk risk_;
  Problem problem_;
  double least_ = 0;
};

std::string cell(const Spread& s) { return fmt::format(" {:.3g} ± {:.1g} |", s.mean, s.error); }

void add(Series& series, double mu, const Spread& s) {
  series.x.push_back(mu);
  series.y.push_back(s.mean);
  series.spread.push_back(s.error);
}

std::string compare(const Setting& setting, const std::filesystem::path& out) {
  const Comparison comparison(setting);
  std::vector<Series> series = {{.name = "posterior sample"},
                                {.name = "output perturbation"},
                                {.name = "objective perturbation"},
                                {.name = "descent, best steps"}};
  std::vector<std::string> rows = {"`posterior-exact`", "`limited-output`", "`limited-objective`", "`dp-gd`"};
  for (std::string& row : rows) row = "| " + row + " |";
  for (const double mu : mus) {
    if (const auto sample = comparison.posterior(mu)) {
      rows[0] += cell(*sample);
      add(series[0], mu, *sample);
    } else {
      rows[0] += " refused |";
    }
    const Spread output = comparison.output(mu), objective = comparison.objective(mu);
    const auto [descent, steps] = comparison.descent(mu);
    rows[1] += cell(output);
    rows[2] += cell(objective);
    rows[3] += fmt::format("{} {} steps |", cell(descent).substr(0, cell(descent).size() - 1), steps);
    add(series[1], mu, output);
    add(series[2], mu, objective);
    add(series[3], mu, descent);
    fmt::print(stderr, "{} mu {} done\n", setting.name, mu);
  }
  const Plot plot{.title = setting.name + ", Gaussian DP",
                  .x_label = "mu",
                  .y_label = "excess empirical risk",
                  .log_x = true,
                  .log_y = true,
                  .series = series};
  write_file_atomically(out / ("gaussian_dp_" + setting.file + ".svg"), to_svg(plot));
  std::string table =
      fmt::format("{}:\n\n| method | mu = 0.1 | 0.3 | 1 | 3 |\n|---|---|---|---|---|\n", setting.name);
  for (const std::string& row : rows) table += row + "\n";
  return table + "\n";
}

// Standardised columns and target, rows cut to norm 10: C = 10 for residuals of up to 1 there, Q = 100.
Setting wine(const std::filesystem::path& path, const std::string& colour, double alpha) {
  Dataset data = read_dataset({.path = path, .target = "quality", .wish = TargetWish::numeric}).data;
  const std::size_t n = data.size(), d = data.features.columns();
  DenseRows rows{n, d, std::vector<double>(n * d)};
  const auto standardise = [&](auto get, auto set) {
    double mean = 0, square = 0;
    for (std::size_t i = 0; i < n; ++i) mean += get(i) / static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i) square += std::pow(get(i) - mean, 2) / static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i) set(i, (get(i) - mean) / std::sqrt(square));
  };
  for (std::size_t j = 0; j < d; ++j)
    standardise([&](std::size_t i) { return data.features.row(i).values[j]; },
                [&](std::size_t i, double v) { rows.values[i * d + j] = v; });
  std::vector<double> labels = data.labels;
  standardise([&](std::size_t i) { return data.labels[i]; }, [&](std::size_t i, double v) { labels[i] = v; });
  for (std::size_t i = 0; i < n; ++i) {
    Eigen::Map<Vector> row(rows.values.data() + i * d, static_cast<Eigen::Index>(d));
    if (const double norm = row.norm(); norm > 10) row *= 10 / norm;
  }
  data.features = Features(std::move(rows));
  data.labels = std::move(labels);
  return {.name = fmt::format("Wine, {}, alpha = {}", colour, alpha),
          .file = colour,
          .data = std::move(data),
          .link = {LinkKind::squared, 0},
          .alpha = alpha,
          .limits = {10, 100}};
}

Setting adult(const std::filesystem::path& folder, double alpha) {
  ReadResult read = read_dataset(
      {.path = folder / "adult.train.csv.gz", .schema = read_schema(folder / "adult.schema.json")});
  for (double& label : read.data.labels) label = label == 1 ? 1 : -1;
  const double a = std::hypot(*read.row_norm_bound, 1.0);
  return {.name = fmt::format("Adult, alpha = {}", alpha),
          .file = "adult",
          .data = std::move(read.data),
          .link = {LinkKind::logistic, 0},
          .intercept = 1,
          .alpha = alpha,
          .limits = {0.55 * a, a * a / 4}};  // what the tool would take
}

}  // namespace

int main(int argc, char** argv) {
  auto flags = experiment::read_flags(argc, argv, {"--data", "--adult", "--out"});
  const std::filesystem::path data = flags["--data"], out = flags["--out"],
                              adult_data = flags.contains("--adult") ? flags["--adult"] : "examples/data";
  std::string table;
  table += compare(wine(data / "wine_quality/winequality-red.csv", "red", 100), out);
  table += compare(wine(data / "wine_quality/winequality-white.csv", "white", 32), out);
  table += compare(adult(adult_data, 0.04), out);
  write_file_atomically(out / "gaussian_dp.md", table);
  fmt::print("{}", table);
}
