#pragma once

#include <fstream>
#include <map>
#include <sstream>

#include "algorithm/heavy_tails/limited_over_domain.hpp"
#include "algorithm/heavy_tails/localized.hpp"
#include "common.hpp"
#include "experiments/support/hard_instance.hpp"
#include "synthetic.hpp"

// How errors fall with n when gradients have k moments: k = 2, 3, 4, over two decades of n, ten draws of data
// and noise each. Every draw is a line of heavy_tails_exponents.csv, and a run goes on where the last one
// stopped.

namespace experiment {

// Draws that were made, by what, k, n and number.
class Draws {
 public:
  explicit Draws(std::filesystem::path path) : path_(std::move(path)) {
    std::ifstream file(path_);
    for (std::string line; std::getline(file, line);)
      if (const auto at = line.rfind(','); at != std::string::npos)
        values_[line.substr(0, at)] = std::stod(line.substr(at + 1));
  }
  template <class F>
  double operator()(const std::string& what, int k, std::size_t n, int draw, const F& make) {
    const std::string key = fmt::format("{},{},{},{}", what, k, n, draw);
    if (const auto found = values_.find(key); found != values_.end()) return found->second;
    const double value = make();
    std::ofstream(path_, std::ios::app) << key << ',' << fmt::format("{:.6g}", value) << '\n';
    return values_[key] = value;
  }

 private:
  std::filesystem::path path_;
  std::map<std::string, double> values_;
};

// Least squares of log(value) on log(n): −slope and its standard error.
struct Exponent {
  double value = 0, error = 0;
};
inline Exponent exponent_of(const std::vector<double>& n, const std::vector<double>& y) {
  const auto count = static_cast<double>(n.size());
  double mx = 0, my = 0;
  for (std::size_t i = 0; i < n.size(); ++i) mx += std::log(n[i]) / count, my += std::log(y[i]) / count;
  double sxx = 0, sxy = 0, rest = 0;
  for (std::size_t i = 0; i < n.size(); ++i) {
    sxx += std::pow(std::log(n[i]) - mx, 2);
    sxy += (std::log(n[i]) - mx) * (std::log(y[i]) - my);
  }
  const double slope = sxy / sxx;
  for (std::size_t i = 0; i < n.size(); ++i)
    rest += std::pow(std::log(y[i]) - my - slope * (std::log(n[i]) - mx), 2);
  return {-slope, std::sqrt(rest / (count - 2) / sxx)};
}

// Student t rows with k + ½ degrees of freedom.
inline HeavyTailed law_with(int k) {
  HeavyTailed law;
  law.degrees = k + 0.5;
  return law;
}

// (E‖a‖^k)^{1/k}, which bounds the k-th moment of an absolute loss's gradients.
inline double moment(const HeavyTailed& law, int k) {
  const Dataset rows = law.sample(400000, 1122334455);
  double sum = 0;
  for (std::size_t i = 0; i < rows.size(); ++i)
    sum += std::pow(Eigen::Map<const Vector>(rows.features.row(i).values, 5).norm(), k) /
           static_cast<double>(rows.size());
  return std::pow(sum, 1.0 / k);
}

struct ExponentCase {
  int k;
  std::size_t n;
  int draw;
  double moment;  // G_k
  const HeavyTailed* law;

  double slope(double records) const {
    return moment * std::pow(records / 5, 1.0 / k);
  }  // C = G_k(nε/d)^{1/k}
};

// (6) of the paper: λ‖w_DP − ŵ_λ‖ for Algorithm 4, λ = 1, over a ball that does not cut the noise short.
inline double primitive(const ExponentCase& at, heavy_tails::ExtensionOracle oracle) {
  const Dataset data = at.law->sample(at.n, 1000 * at.n + static_cast<std::uint64_t>(at.draw));
  const Problem problem{.data = &data, .loss = Link{LinkKind::absolute, 0}, .intercept = 0};
  const Domain domain = Ball{Vector::Zero(5), 20};
  heavy_tails::Options options{.epsilon = 1,
                               .slope_limit = at.slope(static_cast<double>(at.n)),
                               .curvature_limit = 400,
                               .regularisation = 1,
                               .threads = 1,
                               .domain = "ball:20"};
  options.extension.oracle = oracle;
  // ŵ_λ: next to no slope is limited.
  const Shape shape = shape_of(problem);
  const LossLimits open{.slope = 1e3, .curvature = 400};
  const auto plan = heavy_tails::plan_over_domain(shape, open, 1, options, domain);
  const Vector exact = heavy_tails::solve_over_domain(problem, shape, open, options, plan, Vector::Zero(5));
  return (fit(heavy_tails::double_output, problem, options) - exact).norm();
}

// Algorithm 1 with the theorem's schedule over the same ball: excess risk of the population.
inline double localized_risk(const ExponentCase& at, const std::string& solver,
                             heavy_tails::ExtensionOracle oracle, const Dataset& data, double radius,
                             const std::function<double(const Vector&)>& excess) {
  const Problem problem{.data = &data, .loss = Link{LinkKind::absolute, 0}, .intercept = 0};
  heavy_tails::LocalizedOptions options;
  options.common = {.epsilon = 1,
                    .slope_limit = at.slope(static_cast<double>(at.n) / 2),
                    .curvature_limit = 400,
                    .threads = 1,
                    .domain = fmt::format("ball:{}", radius)};
  options.common.extension.oracle = oracle;
  options.solver = solver;
  options.schedule = "theorem";
  options.tails = at.k;
  const auto bits = noise::system_bits();
  RootMeter meter({.limit = Pure{1}}, *bits);
  return excess(heavy_tails::localized(problem, options, meter).parameters.value());
}

struct ExponentRow {
  std::string name, title;
  double (*measure)(const ExponentCase&);
  std::vector<std::size_t> sizes;
  std::vector<int> orders = {2, 3, 4};
};

// Two decades of n; where every record is extended, a little lower. The others hold the n at which the
// theorem's bound comes down to the risk of w = 0 on Student t rows: it says nothing before.
inline const std::vector<std::size_t> sizes_for_limits = {1000, 3162, 10000, 31623, 100000};
inline const std::vector<std::size_t> sizes_for_extension = {300, 949, 3000, 9487, 30000};
inline const std::vector<std::size_t> sizes_beyond_limits = {31623, 100000, 316228, 1000000, 3162278};
inline const std::vector<std::size_t> sizes_beyond_extension = {3162, 10000, 31623, 100000, 316228};
inline heavy_tails::HardInstance hundredth(const ExponentCase& at) {
  return heavy_tails::packing_instance(
      Vector::Ones(5), {.records = at.n / 100, .epsilon = 1, .order = static_cast<double>(at.k)});
}
inline double on_student(const ExponentCase& at, const std::string& solver,
                         heavy_tails::ExtensionOracle oracle) {
  const Dataset data = at.law->sample(at.n, 1000 * at.n + static_cast<std::uint64_t>(at.draw));
  return localized_risk(at, solver, oracle, data, 2, [&](const Vector& w) { return at.law->excess_risk(w); });
}
inline double on_hard(ExponentCase at, const std::string& solver, heavy_tails::ExtensionOracle oracle) {
  const heavy_tails::HardInstance instance = hundredth(at);
  at.moment = 1;
  const Dataset data = heavy_tails::sample(instance, at.n, 7919 * at.n + static_cast<std::uint64_t>(at.draw));
  return localized_risk(at, solver, oracle, data, 0.5 * instance.diameter,
                        [&](const Vector& w) { return instance.excess_risk(w); });
}

// The same with a coordinate in which w = 0 stays bad; its gradients have the moment 2^{1/k}, in six
// dimensions.
inline heavy_tails::ShiftedInstance shifted_hundredth(const ExponentCase& at) {
  return heavy_tails::shifted_instance(
      Vector::Ones(5), {.records = at.n / 100, .epsilon = 1, .order = static_cast<double>(at.k)});
}
inline double on_shifted(ExponentCase at, const std::string& solver, heavy_tails::ExtensionOracle oracle) {
  const heavy_tails::ShiftedInstance instance = shifted_hundredth(at);
  at.moment = std::pow(2 * 5.0 / 6, 1.0 / at.k);
  const Dataset data = heavy_tails::sample(instance, at.n, 7919 * at.n + static_cast<std::uint64_t>(at.draw));
  return localized_risk(at, solver, oracle, data, instance.radius(),
                        [&](const Vector& w) { return instance.excess_risk(w); });
}

inline std::vector<ExponentRow> exponent_rows() {
  using enum heavy_tails::ExtensionOracle;
  return {
      {"primitive-limited", "(6), `double-output` with the limited loss",
       [](const ExponentCase& at) { return primitive(at, limited); }, sizes_for_extension},
      {"student-output", "Student t rows, `localized`, `limited-output`: excess risk",
       [](const ExponentCase& at) { return on_student(at, "limited-output", limited); }, sizes_for_limits},
      {"hard-output", "hard instance of n/100, `localized`, `limited-output`: excess risk",
       [](const ExponentCase& at) { return on_hard(at, "limited-output", limited); }, sizes_for_limits},
      {"hard-zero", "hard instance of n/100, w = 0",
       [](const ExponentCase& at) { return hundredth(at).excess_risk(Vector::Zero(5)); }, sizes_for_limits},
      {"hard-bound", "lower bound at n, D‖μ‖/128",
       [](const ExponentCase& at) {
         return heavy_tails::packing_lower_bound(
             5, {.records = at.n, .epsilon = 1, .order = static_cast<double>(at.k)});
       },
       sizes_for_limits},
      {"shifted-output", "shifted instance of n/100, `localized`, `limited-output`: excess risk",
       [](const ExponentCase& at) { return on_shifted(at, "limited-output", limited); }, sizes_for_limits},
      {"shifted-double", "shifted instance of n/100, `localized`, `double-output`: excess risk",
       [](const ExponentCase& at) { return on_shifted(at, "double-output", limited); }, sizes_for_limits},
      {"shifted-zero", "shifted instance of n/100, w = 0",
       [](const ExponentCase& at) { return shifted_hundredth(at).excess_risk(Vector::Zero(6)); },
       sizes_for_limits},
      {"hard-extension",
       "hard instance of n/100, `localized`, `double-output` with the extension: excess risk",
       [](const ExponentCase& at) { return on_hard(at, "double-output", extension); }, sizes_for_extension},
      {"student-extension", "Student t rows, `localized`, `double-output` with the extension: excess risk",
       [](const ExponentCase& at) { return on_student(at, "double-output", extension); },
       sizes_for_extension},
      {"primitive-extension", "(6): λ‖w − ŵ_λ‖, `double-output` with the extension",
       [](const ExponentCase& at) { return primitive(at, extension); }, sizes_for_extension},
      {"student-output",
       "Student t rows, `localized`, `limited-output`, n from 31623: excess risk",
       [](const ExponentCase& at) { return on_student(at, "limited-output", limited); },
       sizes_beyond_limits,
       {2}},
      {"student-extension",
       "Student t rows, `localized`, `double-output` with the extension, n from 3162: excess risk",
       [](const ExponentCase& at) { return on_student(at, "double-output", extension); },
       sizes_beyond_extension,
       {3, 4}},
      {"student-extension",
       "Student t rows, `localized`, `double-output` with the extension, n from 31623: excess risk",
       [](const ExponentCase& at) { return on_student(at, "double-output", extension); },
       sizes_beyond_limits,
       {2}}};
}

inline void exponents(const Paths& paths) {
  constexpr int draws = 10;
  Draws drawn(paths.out / "heavy_tails_exponents.csv");
  std::string table =
      "| | k | least n | tenfold | hundredfold | exponent | 1 − 1/k |\n|---|---|---|---|---|---|---|\n";
  for (const ExponentRow& row : exponent_rows())
    for (const int k : row.orders) {
      const HeavyTailed law = law_with(k);
      const double g = moment(law, k);
      std::vector<double> x, y;
      std::string cells;
      for (std::size_t at = 0; at < row.sizes.size(); ++at) {
        const std::size_t n = row.sizes[at];
        std::vector<double> seen;
        for (int draw = 0; draw < draws; ++draw) {
          seen.push_back(drawn(row.name, k, n, draw, [&] {
            return row.measure({.k = k, .n = n, .draw = draw, .moment = g, .law = &law});
          }));
          x.push_back(static_cast<double>(n));
          y.push_back(std::max(seen.back(), 1e-12));
        }
        if (at % 2 == 0) cells += fmt::format(" {:.2g} |", level(seen, 0.5));
      }
      const Exponent found = exponent_of(x, y);
      // What is a formula has no error.
      const std::string error = found.error > 5e-3 ? fmt::format(" ± {:.2f}", found.error) : "";
      table += fmt::format("| {} | {} |{} {:.2f}{} | {:.2f} |\n", row.title, k, cells, found.value, error,
                           1 - 1.0 / k);
    }
  publish(paths, "exponents", table);
}

}  // namespace experiment
