// What an epoch of DP-SGD costs, against the same training without privacy in the same engine, and against
// the roofline of the machine: memory bandwidth and peak flops, measured in the same run.
//
//   build/bench_dp_sgd [--records N] [--columns D] [--classes K] [--batch B] [--rounds R]
//
// Synthetic images, one thread, processor time. Every number is the best of `rounds`; an epoch is a thirtieth
// of a fit of as many, the default, with all that a fit does once. Ends with 1 where an epoch takes more
// than 1.3 times one without privacy, or reaches less than half of the roofline.

#include <fmt/core.h>
#include <time.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <string>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "algorithm/clipping/dp_sgd.hpp"
#include "core/large_array.hpp"
#include "noise/poisson_gaussian.hpp"
#include "tacit/mechanisms.hpp"
#include "tacit/root_meter.hpp"

namespace {

using namespace tacit;

// Of this process alone: one thread, so that other programs do not count.
double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double seconds_of(const auto& work) {
  const double begin = cpu_seconds();
  work();
  return cpu_seconds() - begin;
}

double best_of(int rounds, const auto& work) {
  double best = 1e300;
  for (int k = 0; k < rounds; ++k) best = std::min(best, seconds_of(work));
  return best;
}

Dataset images(std::size_t records, std::size_t columns, std::size_t classes) {
  std::mt19937_64 random(1);
  Dataset data;
  DenseRows rows{records, columns, large_array(records * columns)};
  for (double& pixel : rows.values) pixel = static_cast<double>(random() % 256) / 255;
  for (std::size_t i = 0; i < records; ++i) data.labels.push_back(static_cast<double>(random() % classes));
  data.features = Features(std::move(rows));
  return data;
}

// Seconds to read every value once.
double seconds_to_read(const std::vector<double>& values, int rounds) {
  volatile double sink = 0;
  return best_of(rounds, [&] {
    double sum[16] = {};
    for (std::size_t k = 0; k + 16 <= values.size(); k += 16)
      for (std::size_t lane = 0; lane < 16; ++lane) sum[lane] += values[k + lane];
    sink = std::accumulate(sum, sum + 16, 0.0);
  });
}

constexpr double epochs = 30, most_ratio = 1.3, least_share = 0.5;

constexpr std::size_t chains = 12, links = 20'000'000;

// Fused multiply-adds on registers alone.
#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] double chains_of_four() {
  __m256d sum[chains];
  for (__m256d& s : sum) s = _mm256_set1_pd(1e-3);
  const __m256d a = _mm256_set1_pd(0.999999), b = _mm256_set1_pd(1e-9);
  for (std::size_t k = 0; k < links; ++k)
    for (__m256d& s : sum) s = _mm256_fmadd_pd(s, a, b);
  __m256d total = sum[0];
  for (std::size_t c = 1; c < chains; ++c) total += sum[c];
  return total[0] + total[1] + total[2] + total[3];
}

[[gnu::target("avx512f,prefer-vector-width=512")]] double chains_of_eight() {
  __m512d sum[chains];
  for (__m512d& s : sum) s = _mm512_set1_pd(1e-3);
  const __m512d a = _mm512_set1_pd(0.999999), b = _mm512_set1_pd(1e-9);
  for (std::size_t k = 0; k < links; ++k)
    for (__m512d& s : sum) s = _mm512_fmadd_pd(s, a, b);
  __m512d total = sum[0];
  for (std::size_t c = 1; c < chains; ++c) total += sum[c];
  double all = 0;
  for (int lane = 0; lane < 8; ++lane) all += total[lane];
  return all;
}
#endif

// With the widest registers, which the kernels use too; the faster, where narrower ones are.
double peak_flops(int rounds) {
  volatile double sink = 0;
#if defined(__x86_64__)
  double peak = 0;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    peak = 2.0 * 4 * chains * links / best_of(rounds, [&] { sink = chains_of_four(); });
  if (__builtin_cpu_supports("avx512f"))
    peak = std::max(peak, 2.0 * 8 * chains * links / best_of(rounds, [&] { sink = chains_of_eight(); }));
  if (peak > 0) return peak;
#endif
  const double seconds = best_of(rounds, [&] {
    double sum[chains] = {};
    for (std::size_t k = 0; k < links; ++k)
      for (double& s : sum) s = s * 0.999999 + 1e-9;
    sink = std::accumulate(sum, sum + chains, 0.0);
  });
  return 2.0 * chains * links / seconds;
}

// The same loop with every gradient as it is, and no noise.
void train_openly(const Problem& problem, const clipping::Plan& plan, BitSource& bits) {
  const BatchSums sums = clipped_sums(problem, {.length = 1e-3 * plan.clip.length, .limited = false}, 1);
  Vector w = Vector::Zero(static_cast<Eigen::Index>(shape_of(problem).parameters())), sum;
  std::vector<std::uint32_t> batch;
  for (std::uint64_t t = 0; t < plan.steps; ++t) {
    noise::poisson_batch(problem.data->size(), plan.rate, bits, batch);
    sums(w, batch, sum);
    w -= sum;
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, double> flags = {
      {"--records", 60000}, {"--columns", 784}, {"--classes", 10}, {"--batch", 500}, {"--rounds", 5}};
  for (int k = 1; k + 1 < argc; k += 2) flags.at(argv[k]) = std::stod(argv[k + 1]);
  const auto flag = [&](const char* name) { return static_cast<std::size_t>(flags.at(name)); };
  const int rounds = static_cast<int>(flag("--rounds"));

  const Dataset data = images(flag("--records"), flag("--columns"), flag("--classes"));
  const Problem problem{.data = &data, .loss = Softmax{flag("--classes")}};
  clipping::Options options;
  options.target = Approx{2, 1e-5};
  options.batch = flags.at("--batch");
  options.epochs = epochs;
  options.threads = 1;
  const clipping::Plan plan = plan_dp_sgd(shape_of(problem), options);
  options.noise_multiplier = std::get<PoissonGaussianEvent>(plan.release.event).noise_multiplier;
  const auto bits = noise::system_bits();

  const double open = best_of(rounds, [&] { train_openly(problem, plan, *bits); }) / epochs;
  const double kept = best_of(rounds,
                              [&] {
                                RootMeter meter({options.target, Unit::item, options.neighbours}, *bits);
                                dp_sgd(problem, options, meter);
                              }) /
                      epochs;
  const double reading = seconds_to_read(data.features.dense_rows().values, rounds);
  const double peak = peak_flops(rounds);
  // Forward and backward: a product and a sum each, for every value and output.
  const double flops = 4.0 * static_cast<double>(data.size() * shape_of(problem).parameters());
  const double roofline = std::max(reading, flops / peak);

  fmt::print("an epoch with privacy      {:.4f} s\n", kept);
  fmt::print("an epoch without           {:.4f} s   ratio {:.2f}\n", open, kept / open);
  fmt::print("reading the data once      {:.4f} s   {:.1f} GB/s\n", reading,
             8e-9 * static_cast<double>(data.size() * data.features.columns()) / reading);
  fmt::print("its arithmetic at peak     {:.4f} s   {:.1f} GFlop/s\n", flops / peak, 1e-9 * peak);
  fmt::print("roofline                   {:.4f} s   share reached {:.2f}\n", roofline, roofline / kept);
  return kept <= most_ratio * open && roofline >= least_share * kept ? 0 : 1;
}
