// The clip norm of DP-SGD [Das23]: what it does to accuracy, and what the theorems say. Nothing here is tuned
// privately: step lengths are the best of a fixed grid by test accuracy, as in the paper.
//
//   build/experiment_clipping --data DIR --out docs/figures [--only table6|network|tails|bound|sparse|choice]
//
// DIR holds fashion_mnist (the IDX files) and a9a (LIBSVM).

#include <sys/resource.h>

#include <chrono>
#include <random>

#include "clipping_runs.hpp"
#include "tacit/algorithm/clipping/bound.hpp"
#include "tacit/algorithm/clipping/clip_norm.hpp"
#include "tacit/algorithm/clipping/lipschitz.hpp"
#include "tacit/algorithm/clipping/lower_bound.hpp"
#include "tacit/core/files.hpp"
#include "tacit/core/plot.hpp"

namespace {

using namespace clipping_runs;

void write(const Flags& flags, const std::string& name, const std::string& table, const Plot* plot) {
  write_file_atomically(flags.out / (name + ".md"), table);
  if (plot != nullptr) write_file_atomically(flags.out / (name + ".svg"), to_svg(*plot));
  fmt::print("{}\n", table);
}

struct ClipNorm {
  std::string label;
  double tau;  // 0: auto
};

// One row per clip norm, one column per epsilon.
void accuracy_table(const Flags& flags, const std::string& name, Plot plot, const Problem& train,
                    const Problem& test, const std::vector<ClipNorm>& norms,
                    const std::vector<double>& epsilons, const std::vector<double>& steps) {
  std::string table = "| clip norm |", rule = "\n|---|";
  for (const double epsilon : epsilons)
    table += fmt::format(" ({:g}, 1e-5) | step |", epsilon), rule += "---|---|";
  table += rule + "\n";
  plot.series.resize(epsilons.size());
  for (const auto& [label, tau] : norms) {
    table += "| " + label + " |";
    for (std::size_t k = 0; k < epsilons.size(); ++k) {
      clipping::Options options;
      options.target = Approx{epsilons[k], 1e-5};
      options.batch = 500;
      options.epochs = flags.epochs;
      if (tau > 0) options.clip_norm = tau;
      const Tuned best = tuned(train, test, options, steps, flags.runs);
      table +=
          fmt::format(" {:.2f} ± {:.2f} | {:g} |", best.accuracy.mean, best.accuracy.deviation, best.step);
      Series& series = plot.series[k];
      series.name = fmt::format("epsilon = {:g}", epsilons[k]);
      series.x.push_back(tau > 0 ? tau : 0.03);  // `auto` at the left end
      series.y.push_back(best.accuracy.mean);
      series.spread.push_back(best.accuracy.deviation);
    }
    table += "\n";
    fmt::print("{}", table.substr(table.rfind('\n', table.size() - 2) + 1));
    std::fflush(stdout);
  }
  write(flags, name, table, &plot);
}

// [Das23, Table 6 and Fig. 2, Fashion-MNIST]
void table6(const Flags& flags) {
  const Dataset train = images(flags.data / "fashion_mnist", "train", 60000),
                test = images(flags.data / "fashion_mnist", "t10k", 10000);
  const LinearLoss loss = Softmax{10};
  accuracy_table(flags, "clipping_table6",
                 {.title = "Fashion-MNIST, softmax on pixels",
                  .x_label = "clip norm (left end: auto)",
                  .y_label = "test accuracy, %",
                  .log_x = true},
                 {.data = &train, .loss = loss}, {.data = &test, .loss = loss},
                 {{"auto", 0},
                  {"0.1", 0.1},
                  {"1.0", 1},
                  {"3.0 (0th percentile)", 3.0},
                  {"10.0 (10th)", 10.0},
                  {"12.2 (20th)", 12.2},
                  {"15.6 (40th)", 15.6},
                  {"22.3 (80th)", 22.3},
                  {"32.4 (100th)", 32.4}},
                 {2, 4, 6}, {1, 2, 4, 8});
}

// [Das23, Table 7], with Fashion-MNIST
void network(const Flags& flags) {
  const Dataset train = images(flags.data / "fashion_mnist", "train", 20000),
                test = images(flags.data / "fashion_mnist", "t10k", 2000);
  const LinearLoss loss = Network{.hidden = 256, .activation = Activation::tanh, .classes = 10};
  accuracy_table(flags, "clipping_network",
                 {.title = "Fashion-MNIST, 256 tanh units",
                  .x_label = "clip norm",
                  .y_label = "test accuracy, %",
                  .log_x = true},
                 {.data = &train, .loss = loss}, {.data = &test, .loss = loss},
                 {{"1", 1}, {"6", 6}, {"18", 18}, {"36", 36}}, {2}, {0.3, 1, 3});
}

// ℓ(w,x) = −⟨w,x⟩ over the unit ball: finding the direction of a heavy-tailed mean.
struct LinearLossOverRows {
  const std::vector<Vector>* rows;
  std::size_t records() const { return rows->size(); }
  std::size_t parameters() const { return static_cast<std::size_t>(rows->front().size()); }
  void gradient(const Vector&, std::size_t record, std::span<double> g) const {
    for (std::size_t j = 0; j < g.size(); ++j) g[j] = -(*rows)[record][static_cast<Eigen::Index>(j)];
  }
};

// The mean excess risk over all iterates: what a random one has in expectation.
double measured_risk(const std::vector<Vector>& rows, const clipping::Options& options) {
  Vector mean = Vector::Zero(rows.front().size());
  for (const Vector& x : rows) mean += x / static_cast<double>(rows.size());
  double total = mean.norm(), count = 1;  // w₀ = 0
  Meter meter({options.target, Unit::item, options.neighbours}, system_bits());
  dp_sgd(LinearLossOverRows{&rows}, Vector::Zero(mean.size()), options, meter,
         [&](std::uint64_t, const Vector& w) { total += mean.norm() - mean.dot(w), ++count; });
  return total / count;
}

std::vector<Vector> hard_rows(std::size_t n, std::size_t d, double k, const Approx& target,
                              std::mt19937_64& random) {
  const Vector v = clipping::hard_directions(d, 1, random)[0];
  const clipping::HardInstance instance = clipping::hard_instance(n, v, k, target, random);
  std::vector<Vector> rows;
  for (const bool active : instance.active) rows.push_back(active ? instance.magnitude * v : 0 * v);
  return rows;
}

double slope(const std::vector<double>& x, const std::vector<double>& y) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double a = std::log(x[i]), b = std::log(y[i]);
    sx += a, sy += b, sxx += a * a, sxy += a * b;
  }
  const double n = static_cast<double>(x.size());
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

// [Das23, Thm I.1 and I.3]: risk ∝ φ^{1−1/k}, and nothing does better.
void tails(const Flags& flags) {
  constexpr std::size_t d = 64;
  std::mt19937_64 random(1);
  Plot plot{.title = "Heavy tails: excess risk",
            .x_label = "records × epsilon",
            .y_label = "excess risk",
            .log_x = true,
            .log_y = true};
  std::string table =
      "| k | records (ε = 1) | steps | φ | clip norm | measured risk | Thm I.1 "
      "|\n|---|---|---|---|---|---|---|\n";
  for (const double k : {2.0, 4.0}) {
    Series measured{.name = fmt::format("k = {:g}, measured", k)};
    Series bound{.name = fmt::format("k = {:g}, Thm I.1", k), .dashed = true};
    std::vector<double> costs;
    for (const std::size_t n : {500U, 1000U, 2000U, 4000U, 8000U}) {
      const Approx target{1, 1e-5};
      clipping::Options options;
      options.target = target;
      options.batch = 16;
      options.radius = 1;
      options.threads = 1;
      options.schedule = clipping::Theorem::constrained;
      options.moment_order = k;
      options.moment = std::sqrt(d / 2.0);
      options.distance = 2;  // the diameter
      const auto plan = clipping::plan_schedule(
          *options.schedule, {target, n, d, 16},
          {.moment_order = k, .moment = options.moment, .failure = 0.25, .distance = 2});
      std::vector<double> risks;
      for (int r = 0; r < flags.runs; ++r)
        risks.push_back(measured_risk(hard_rows(n, d, k, target, random), options));
      const Spread risk = spread(risks);
      measured.x.push_back(static_cast<double>(n)), measured.y.push_back(risk.mean);
      measured.spread.push_back(risk.deviation);
      bound.x.push_back(static_cast<double>(n)), bound.y.push_back(plan.risk_bound);
      costs.push_back(plan.noise_cost);
      table +=
          fmt::format("| {:g} | {} | {} | {:.4f} | {:.1f} | {:.3f} ± {:.3f} | {:.3f} |\n", k, n, plan.steps,
                      plan.noise_cost, plan.clip_norm, risk.mean, risk.deviation, plan.risk_bound);
    }
    table += fmt::format("| {:g} | exponent of φ | | | | {:.3f} | {:.3f} |\n", k, slope(costs, measured.y),
                         1 - 1 / k);
    plot.series.push_back(measured);
    plot.series.push_back(bound);
  }
  write(flags, "clipping_tails", table, &plot);
}

// A point with a small loss, to compare with: accelerated gradient descent without privacy.
Vector comparator(const Problem& problem, int passes) {
  const double n = static_cast<double>(problem.data->size());
  const auto G = clipping::lipschitz_constants(problem);
  const double norm = *std::max_element(G.begin(), G.end()) / std::sqrt(2);
  std::vector<std::uint32_t> all(problem.data->size());
  std::iota(all.begin(), all.end(), 0U);
  // The Hessian is at most ‖x̃‖²/2 in every direction; on the mean of images it is far less.
  const BatchSums sums = clipped_sums(problem, {.length = 8 / (n * norm * norm), .limited = false}, 1);
  Vector w = Vector::Zero(static_cast<Eigen::Index>(shape_of(problem).parameters())), before = w, sum;
  for (int t = 0; t < passes; ++t) {
    const Vector ahead = w + (t / (t + 3.0)) * (w - before);
    sums(ahead, all, sum);
    before = w;
    w = ahead - sum;
  }
  return w;
}

// [Das23, Thm 5.4/H.1] against a run on real data. The theorem holds with any point in the place of w*.
void bound(const Flags& flags) {
  const Dataset train = images(flags.data / "fashion_mnist", "train", 10000);
  const Problem problem{.data = &train, .loss = Softmax{10}};
  const auto G = clipping::lipschitz_constants(problem);
  const Vector u = comparator(problem, 200);
  const Judgement at_u = judge(problem, u);
  const double least_risk = clipping::interpolation_gap(at_u.losses);  // min f_i = 0
  const double largest = *std::max_element(G.begin(), G.end()), least = *std::min_element(G.begin(), G.end());
  fmt::print("u: loss {:.4f}, norm {:.2f}; G from {:.2f} to {:.2f}\n", least_risk, u.norm(), least, largest);

  Plot plot{.title = "Theorem 5.4 on Fashion-MNIST",
            .x_label = "clip norm",
            .y_label = "loss above that of the comparator",
            .log_x = true,
            .log_y = true};
  Series measured{.name = "measured"}, whole{.name = "bound", .dashed = true},
      first{.name = "bound, term A (interpolation)", .dashed = true};
  std::string table =
      "| clip norm | α of the run | measured | term A | term B | bound |\n|---|---|---|---|---|---|\n";
  for (const double part : {0.03, 0.1, 0.3, 0.5, 0.7, 1.0}) {
    clipping::Options options;
    options.target = Approx{2, 1e-5};
    options.batch = 500;
    options.schedule = clipping::Theorem::interpolation;
    options.moment = part * largest;
    options.distance = u.norm();
    options = with_schedule(train.size(), shape_of(problem).parameters(), options);
    const clipping::Plan plan = plan_dp_sgd(shape_of(problem), options);
    std::vector<double> gaps(train.size(), 0.0);
    double seen = 0;
    run(problem, options, [&](std::uint64_t step, const Vector& w) {
      if (step % std::max<std::uint64_t>(1, plan.steps / 20) != 0) return;
      const Judgement here = judge(problem, w);
      for (std::size_t i = 0; i < gaps.size(); ++i) gaps[i] += here.losses[i];
      ++seen;
    });
    for (double& gap : gaps) gap /= seen;
    const double tau = part * largest, alpha = clipping::progress_ratio(gaps, G, tau);
    const double z = std::get<PoissonGaussianEvent>(plan.release.event).noise_multiplier;
    const auto steps = static_cast<double>(plan.steps);
    clipping::ConvexRun terms{
        .distance = u.norm(),
        .step_scale = u.norm(),
        .steps = steps,
        .noise_cost = clipping::noise_cost(shape_of(problem).parameters(), z, 500, steps),
        .largest_lipschitz = largest};
    const double term_a = clipping::risk_bound(terms, tau, alpha);
    terms.interpolation_gap = least_risk;
    const double all = clipping::risk_bound(terms, tau, alpha);
    const double risk = clipping::interpolation_gap(gaps) - least_risk;
    for (Series* series : {&measured, &whole, &first}) series->x.push_back(tau);
    measured.y.push_back(risk), whole.y.push_back(all), first.y.push_back(term_a);
    table += fmt::format("| {:.2f} | {:.3f} | {:.3f} | {:.2f} | {:.2f} | {:.2f} |\n", tau, alpha, risk,
                         term_a, all - term_a, all);
  }
  plot.series = {measured, whole, first};
  write(flags, "clipping_bound", table, &plot);
}

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

Dataset sparse_data(std::size_t records, std::size_t columns, std::size_t per_row) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform;
  SparseRows rows{.rows = records, .columns = columns};
  Dataset data;
  std::vector<std::uint32_t> chosen(per_row);
  for (std::size_t i = 0; i < records; ++i) {
    for (auto& c : chosen)  // a few columns are common and most are rare, as words are
      c = static_cast<std::uint32_t>(static_cast<double>(columns) * std::pow(uniform(random), 4));
    std::sort(chosen.begin(), chosen.end());
    const auto end = std::unique(chosen.begin(), chosen.end());
    double score = 0;
    for (auto c = chosen.begin(); c != end; ++c) {
      rows.column.push_back(*c), rows.value.push_back(1);
      score += *c % 3 == 0 ? 1 : -0.5;  // columns whose number is a multiple of 3 speak for one class
    }
    rows.start.push_back(rows.column.size());
    data.labels.push_back(score > 0 ? 1 : -1);
  }
  data.features = Features(std::move(rows));
  return data;
}

void sparse_row(std::string& table, const std::string& name, const Dataset& data, double epochs) {
  const Problem problem{.data = &data, .loss = Link{LinkKind::logistic, 0}};
  const double before = peak_megabytes(),
               entries = static_cast<double>(data.features.sparse_rows().value.size());
  clipping::Options options;
  options.target = Approx{2, 1e-5};
  options.epochs = epochs;
  options.threads = 1;
  Meter meter({options.target, Unit::item, options.neighbours}, system_bits());
  const Vector w = dp_sgd(problem, options, meter).parameters.value();
  double right = 0, z = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    scores(problem, i, w, {&z, 1});
    right += (z > 0) == (data.labels[i] > 0);
  }
  const double cells = static_cast<double>(data.size()) * static_cast<double>(data.features.columns());
  table +=
      fmt::format("| {} | {} × {} | {:.1f} | {:.0f} | {:.0f} | {:.0f} | {:.1f} % |\n", name, data.size(),
                  data.features.columns(), entries / static_cast<double>(data.size()), cells * 8 / 1048576,
                  before, peak_megabytes(), 100 * right / static_cast<double>(data.size()));
}

void sparse(const Flags& flags) {
  std::string table =
      "| data | shape | entries a row | dense it would be, MB | peak before, MB | peak after, MB | training "
      "accuracy "
      "|\n|---|---|---|---|---|---|---|\n";
  Dataset a9a = read_dataset({.path = flags.data / "a9a" / "a9a",
                              .format = Format::libsvm,
                              .columns = 123,
                              .wish = TargetWish::numeric})
                    .data;
  sparse_row(table, "a9a", a9a, 10);
  sparse_row(table, "synthetic", sparse_data(1'000'000, 100'000, 50), 1);
  write(flags, "clipping_sparse", table, nullptr);
}

// The clip norm chosen privately: the quantile against the paper's noisy minimum.
void choice(const Flags& flags) {
  const Dataset train = images(flags.data / "fashion_mnist", "train", 60000);
  const Problem problem{.data = &train, .loss = Softmax{10}};
  auto G = clipping::lipschitz_constants(problem);
  std::sort(G.begin(), G.end());
  const auto rank = [&](double tau) { return std::lower_bound(G.begin(), G.end(), tau) - G.begin(); };
  std::string table = fmt::format("The least G is {:.2f}, the 1st percentile {:.2f}, the largest {:.2f}.\n\n",
                                  G[0], G[600], G.back()) +
                      "| way | ε | clip norms in 20 draws | records below |\n|---|---|---|---|\n";
  for (const double epsilon : {0.1, 0.3, 3.0})
    for (const bool quantile : {true, false}) {
      std::vector<double> drawn;
      for (int k = 0; k < 20; ++k) {
        Meter meter({.limit = Pure{epsilon}, .neighbours = Neighbours::zero_out}, system_bits());
        drawn.push_back((quantile ? clipping::private_clip_norm(problem, {epsilon, 0.01, train.size()}, meter)
                                  : clipping::noisy_min_clip_norm(problem, {epsilon, 40}, meter))
                            .value());
      }
      const auto [low, high] = std::minmax_element(drawn.begin(), drawn.end());
      table += fmt::format("| {} | {:g} | {:.2f} to {:.2f} | {} to {} |\n",
                           quantile ? "`private-min`, 1st percentile" : "noisy minimum within [0, 40]",
                           epsilon, *low, *high, rank(*low), rank(*high));
    }
  write(flags, "clipping_choice", table, nullptr);
}

}  // namespace

int main(int argc, char** argv) try {
  const Flags flags = parse(argc, argv);
  const std::vector<std::pair<std::string, void (*)(const Flags&)>> figures = {
      {"choice", choice}, {"tails", tails},     {"bound", bound},
      {"sparse", sparse}, {"network", network}, {"table6", table6}};
  for (const auto& [name, draw] : figures)
    if (flags.only.empty() || flags.only == name) draw(flags);
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
