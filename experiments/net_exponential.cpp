// The exponential mechanisms on nets and cells, beside the other pure-DP methods. Each is written into the
// output folder:
//
//   points      mean excess risk with more and more points, 500 records, two parameters, fifty fits each:
//               net_exponential.md, .svg
//   dimensions  the same with two to five parameters, ten draws each: net_exponential_dimensions.md, .csv
//   localized   nets as the solver of localisation, ten draws each: net_exponential_localized.md, .csv
//
//   build/experiment_net_exponential --out docs/figures [--only NAME]

#include <fmt/core.h>

#include <cmath>
#include <exception>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "algorithm/heavy_tails/net_exponential.hpp"
#include "core/plot.hpp"
#include "flags.hpp"
#include "net_exponential/dimensions.hpp"
#include "net_exponential/localized.hpp"
#include "tacit/core.hpp"
#include "tacit/mechanisms.hpp"
#include "tacit/method.hpp"
#include "tacit/root_meter.hpp"

namespace {

using namespace tacit;

constexpr int fits = 50;
constexpr double radius = 2;

Dataset records() {
  std::mt19937_64 random(1);
  std::normal_distribution<> normal;
  DenseRows rows{500, 2, {}};
  Dataset data;
  for (std::size_t i = 0; i < rows.rows; ++i) {
    const double a = normal(random), b = normal(random);
    rows.values.insert(rows.values.end(), {a, b});
    data.labels.push_back(a - 0.5 * b + normal(random) > 0 ? 1 : -1);
  }
  data.features = Features(std::move(rows));
  return data;
}

double risk(const Dataset& data, const Vector& w) {
  double sum = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const double* a = data.features.row(i).values;
    sum += evaluate(Link{LinkKind::logistic, 0}, a[0] * w[0] + a[1] * w[1], data.labels[i]).value;
  }
  return sum / static_cast<double>(data.size());
}

double least_risk(const Dataset& data) {
  double least = 1;
  for (double x = -radius; x <= radius; x += 0.02)
    for (double y = -radius; y <= radius; y += 0.02)
      if (x * x + y * y <= radius * radius) least = std::min(least, risk(data, Vector{{x, y}}));
  return least;
}

struct Setting {
  std::string method;
  int points = 0;             // 0: the method's default
  double regularisation = 0;  // 0: the method's rule
  double epsilon = 1;
};

// The mean risk of fits, and its standard error.
std::pair<double, double> mean_risk(const Dataset& data, const Setting& setting) {
  const Problem problem{.data = &data, .loss = Link{LinkKind::logistic, 0}, .intercept = 0};
  const auto bits = noise::system_bits();
  Facts facts;
  facts.set("epsilon", setting.epsilon);
  facts.set("radius", radius);
  facts.set("row_norm_bound", 2.0);
  facts.set("threads", std::int64_t{1});
  if (setting.points > 0) facts.set("net_points", std::int64_t{setting.points});
  if (setting.regularisation > 0) facts.set("regularisation", setting.regularisation);
  std::vector<double> seen;
  for (int k = 0; k < fits; ++k) {
    RootMeter meter({.limit = Pure{setting.epsilon}}, *bits);
    const Release release = find_method(setting.method).fit(problem, facts, meter);
    seen.push_back(risk(data, onto_ball(release.parameters.value(), radius)));
  }
  return experiment::mean_and_error(seen);
}

std::string plot(const Dataset& data, double least) {
  Plot plot{.title = "500 records, two parameters",
            .x_label = "epsilon",
            .y_label = "mean excess risk",
            .log_x = true,
            .log_y = true};
  for (const char* method :
       {"net-exponential", "localized-exponential", "limited-output", "limited-objective"}) {
    Series series{.name = method};
    for (const double epsilon : {0.3, 0.5, 1.0, 2.0}) {
      try {
        const auto [mean, error] = mean_risk(data, {.method = method, .epsilon = epsilon});
        series.x.push_back(epsilon);
        series.y.push_back(mean - least);
        series.spread.push_back(error);
      } catch (const InfeasibleError&) {  // more cells than allowed
      }
    }
    plot.series.push_back(std::move(series));
  }
  return to_svg(plot);
}

void points(const experiment::Paths& paths) {
  const Dataset data = records();
  const double least = least_risk(data);
  std::string table = "| method | mean excess risk |\n|---|---|\n";
  const auto add = [&](const std::string& title, const Setting& setting) {
    const auto [mean, error] = mean_risk(data, setting);
    table += fmt::format("| {} | {:.4f} ± {:.4f} |\n", title, mean - least, error);
  };
  for (const int points : {25, 100, 1200})
    add(fmt::format("`net-exponential`, at most {} points", points), {"net-exponential", points});
  for (const char* method : {"localized-exponential", "limited-output", "limited-objective"})
    add(fmt::format("`{}`", method), {method});
  for (const double lambda : {0.02, 0.08, 0.32})
    for (const char* method : {"localized-exponential", "limited-output"})
      add(fmt::format("`{}`, lambda {}", method, lambda), {method, 0, lambda});
  table += fmt::format("| always 0 | {:.4f} |\n", risk(data, Vector::Zero(2)) - least);
  write_file_atomically(paths.out / "net_exponential.md", table);
  write_file_atomically(paths.out / "net_exponential.svg", plot(data, least));
  fmt::print("{}", table);
}

}  // namespace

int main(int argc, char** argv) try {
  const experiment::Flags flags = experiment::parse_flags(argc, argv);
  const experiment::Paths paths{flags.data, flags.out};
  if (flags.wants("points")) points(paths);
  if (flags.wants("dimensions")) experiment::dimensions(paths);
  if (flags.wants("localized")) experiment::localized_nets(paths);
} catch (const std::exception& error) {
  fmt::print(stderr, "experiment_net_exponential: {}\n", error.what());
  return 1;
}
