// How many proposals of the exact sampler are accepted, beside what was predicted from public values alone.
// Logistic data made on the spot: rows of norm 1 around, a rule that explains most labels. Writes
// posterior_acceptance.md into the output folder.
//
//   build/experiment_posterior_acceptance --out docs/figures

#include <fmt/core.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "algorithm/posterior/exact.hpp"
#include "flags.hpp"
#include "sampler/exact.hpp"
#include "solver/certified.hpp"
#include "tacit/core.hpp"
#include "tacit/mechanisms.hpp"

namespace {

using namespace tacit;

Dataset made_data(std::size_t records, std::size_t features) {
  std::mt19937_64 random(1);
  std::normal_distribution<> normal;
  DenseRows rows{records, features, std::vector<double>(records * features)};
  Dataset data;
  for (std::size_t i = 0; i < records; ++i) {
    double square = 0, score = normal(random);
    double* row = rows.values.data() + i * features;
    for (std::size_t k = 0; k < features; ++k) square += std::pow(row[k] = normal(random), 2);
    for (std::size_t k = 0; k < features; ++k) row[k] /= std::sqrt(square);
    for (std::size_t k = 0; k < features; ++k) score += 4 * row[k] * (k % 2 == 0 ? 1 : -1);
    data.labels.push_back(score > 0 ? 1 : -1);
  }
  data.features = Features(std::move(rows));
  data.target_kind = TargetKind::numeric;
  return data;
}

struct Row {
  double acceptance = 0, seconds_to_set_up = 0, seconds_a_sample = 0;
};

// `samples` draws on the posterior of the plan, around the exact minimiser moved by the noise's usual size.
Row measure(const Problem& problem, const posterior::ExactPlan& plan, std::size_t samples) {
  using Clock = std::chrono::steady_clock;
  const auto seconds = [](auto from) { return std::chrono::duration<double>(Clock::now() - from).count(); };
  const auto d = static_cast<Eigen::Index>(shape_of(problem).features);
  Vector center = Vector::Zero(d);
  if (plan.localisation) {
    const double strength = static_cast<double>(problem.data->size()) * plan.regularisation;
    LimitedObjective objective(problem, plan.limits, {.strength = strength, .center = center}, center, 0, 1);
    center = minimise(objective, {}).point;
    center.array() += 0.7 * plan.ball / std::sqrt(static_cast<double>(d));
  }
  const auto start = Clock::now();
  sampler::ExactSampler exact({.problem = &problem,
                               .limits = plan.limits,
                               .inverse_temperature = plan.inverse_temperature,
                               .strength = plan.strength,
                               .center = center,
                               .radius = plan.ball},
                              1);
  Row row{.seconds_to_set_up = seconds(start)};
  const auto bits = noise::system_bits();
  const auto drawing = Clock::now();
  for (std::size_t k = 0; k < samples; ++k) exact.draw(plan.sample.grid, *bits);
  row.seconds_a_sample = seconds(drawing) / static_cast<double>(samples);
  row.acceptance = static_cast<double>(samples) / static_cast<double>(exact.trials());
  return row;
}

}  // namespace

int main(int argc, char** argv) {
  auto flags = experiment::read_flags(argc, argv, {"--out", "--records"});
  const std::filesystem::path out = flags["--out"];
  const std::size_t records = flags.contains("--records") ? std::stoul(flags["--records"]) : 10000;
  std::string table = "| budget | d | α | Q/α | predicted | measured |\n|---|---|---|---|---|---|\n";
  for (const std::size_t features : {5, 11, 30}) {
    const Dataset data = made_data(records, features);
    const Problem problem{.data = &data, .loss = Link{LinkKind::logistic, 0}, .intercept = 0};
    for (const Guarantee& budget : {Guarantee(Gaussian{0.3}), Guarantee(Gaussian{1}), Guarantee(Gaussian{3}),
                                    Guarantee(Pure{0.3}), Guarantee(Pure{1}), Guarantee(Pure{3})})
      for (const double scale : {100.0, 10.0, 1.0}) {
        const double d = static_cast<double>(features);
        const double alpha = scale * 0.02 * std::pow(d, 1.5) / static_cast<double>(records);
        const posterior::Options options{
            {.limits = {.regularisation = alpha, .row_norm_bound = 1.0}, .budget = budget}, {}, 1e-300};
        const auto plan = plan_exact(shape_of(problem), options);
        const bool pure = std::holds_alternative<Pure>(budget);
        if (plan.acceptance < (pure ? 1e-5 : 1e-3)) continue;  // would take minutes
        const double size = pure ? std::get<Pure>(budget).epsilon : std::get<Gaussian>(budget).mu;
        const Row row = measure(problem, plan, 30);
        table += fmt::format("| {} = {:g} | {} | {:.2g} | {:.2g} | {:.1e} | {:.2g} |\n", pure ? "ε" : "μ",
                             size, features, alpha, 0.25 / alpha, plan.acceptance, row.acceptance);
        fmt::print(stderr,
                   "{} d={} alpha={:.3g}: predicted {:.2e}, measured {:.2e}; {:.2f} s to set up, {:.3f} s a "
                   "sample\n",
                   pure ? "pure" : "gaussian", features, alpha, plan.acceptance, row.acceptance,
                   row.seconds_to_set_up, row.seconds_a_sample);
      }
  }
  write_file_atomically(out / "posterior_acceptance.md", table);
  fmt::print("{}", table);
}
