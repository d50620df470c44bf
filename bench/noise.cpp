// How fast exact noise is, on one core: against plain noise from the same bits (the same Box–Muller with the
// same SLEEF functions, without error bounds and rounding) and against the standard library.
//
//   usage: bench_noise [seconds per row, default 0.5]
//
// All rows run in turn, round after round, so that a busy machine slows all of them alike; the best round of
// each counts. Aims: exact Gaussian ≥ 2 × std::normal_distribution with mt19937_64, ≥ 0.8 × plain.

#include <sleef.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "noise/kernels_avx2.hpp"
#include "noise/sampler_paths.hpp"
#include "noise/samplers.hpp"
#include "noise/shaped_laplace.hpp"
#include "tacit/mechanisms.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
extern "C" {
struct SinCosPi {
  __m256d sine, cosine;
};
__m256d Sleef_logd4_u10avx2(__m256d);
SinCosPi Sleef_sincospid4_u05avx2(__m256d);
}
#endif

namespace {

using tacit::BitSource;
constexpr std::size_t block = 512;

// x + sigma·z in plain doubles; 52 bits of each word. One block, half cosines, half sines.
void plain_block(const double* x, double sigma, const std::uint64_t* words, double* out) {
  for (std::size_t i = 0; i < block / 2; ++i) {
    const double u = (static_cast<double>(words[i] >> 12) + 0.5) * 0x1p-52;
    const Sleef_double2 angle = Sleef_sincospi_u05(static_cast<double>(words[block / 2 + i] >> 12) * 0x1p-51);
    const double radius = sigma * std::sqrt(-2 * Sleef_log_u10(u));
    out[i] = x[i] + radius * angle.y;
    out[block / 2 + i] = x[block / 2 + i] + radius * angle.x;
  }
}

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void plain_block_avx2(const double* x, double sigma, const std::uint64_t* words,
                                                  double* out) {
  const __m256i one = _mm256_castpd_si256(_mm256_set1_pd(1.0));
  const auto to_unit = [one](const std::uint64_t* w) __attribute__((target("avx2,fma"))) {  // in [1, 2)
    const __m256i mantissa = _mm256_srli_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(w)), 12);
    return _mm256_castsi256_pd(_mm256_or_si256(mantissa, one));
  };
  for (std::size_t i = 0; i < block / 2; i += 4) {
    const __m256d u = _mm256_set1_pd(2 - 0x1p-53) - to_unit(words + i);
    const SinCosPi angle = Sleef_sincospid4_u05avx2(2.0 * to_unit(words + block / 2 + i));
    const __m256d radius = sigma * _mm256_sqrt_pd(-2.0 * Sleef_logd4_u10avx2(u));
    _mm256_storeu_pd(out + i, _mm256_loadu_pd(x + i) + radius * angle.cosine);
    _mm256_storeu_pd(out + block / 2 + i, _mm256_loadu_pd(x + block / 2 + i) + radius * angle.sine);
  }
}
#endif

void add_plain(std::span<const double> x, double sigma, BitSource& bits, std::span<double> out, bool vector) {
  std::vector<std::uint64_t> words(block);
  for (std::size_t begin = 0; begin + block <= x.size(); begin += block) {
    bits.fill(words);
#if defined(__x86_64__)
    if (vector) {
      plain_block_avx2(x.data() + begin, sigma, words.data(), out.data() + begin);
      continue;
    }
#endif
    plain_block(x.data() + begin, sigma, words.data(), out.data() + begin);
  }
}

// What an encoder makes of `columns` numbers: nine hats each, and the intercept.
tacit::FeatureBlocks hats(std::size_t columns) {
  std::vector<tacit::FeatureBlock> blocks(columns, {9, 1});
  blocks.push_back({1, 1});
  return tacit::FeatureBlocks(std::move(blocks));
}

struct Row {
  std::string name;
  std::size_t count;  // numbers a call makes
  std::function<void()> run;
  double best = 0;  // numbers a second
};

// Processor time of this thread: what other programs take does not count.
double now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double rate(const Row& row, double seconds) {
  const double begin = now();
  std::size_t made = 0;
  double elapsed = 0;
  do {
    row.run();
    made += row.count;
    elapsed = now() - begin;
  } while (elapsed < seconds);
  return static_cast<double>(made) / elapsed;
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 0.5;
  constexpr int rounds = 5;
  constexpr std::size_t n = block * 128, large = 100'000, small = 10;
  constexpr double sigma = 1.3;
  const auto bits = tacit::noise::system_bits();
  const tacit::noise::Lattice lattice = tacit::noise::lattice_for(sigma, 1);
  const auto& best = tacit::noise::best_kernels();
  const auto& portable = tacit::noise::portable_kernels();
  const bool vector = &best != &portable;
  std::vector<double> x(large), out(large);
  for (std::size_t i = 0; i < large; ++i) x[i] = std::sin(static_cast<double>(i));
  std::mt19937_64 engine(1);
  std::normal_distribution<double> normal(0, sigma);

  const auto in = [&](std::size_t size) { return std::span<const double>(x).first(size); };
  const auto to = [&](std::size_t size) { return std::span(out).first(size); };
  const auto shaped = [&](std::string name, const tacit::FeatureBlocks& blocks, std::size_t outputs) {
    const std::size_t size = outputs * blocks.features();
    return Row{std::move(name), size, [&, blocks, outputs, size] {
                 tacit::noise::add_shaped_laplace(in(size), blocks, outputs, sigma, lattice, *bits, to(size));
               }};
  };
  std::vector<Row> rows{
      {"std::normal_distribution, mt19937_64", n,
       [&] {
         for (std::size_t i = 0; i < n; ++i) out[i] = x[i] + normal(engine);
       }},
      {"plain Gaussian, same bits and functions", n, [&] { add_plain(in(n), sigma, *bits, to(n), vector); }},
      {"exact Gaussian", n, [&] { tacit::noise::add_gaussian(in(n), sigma, lattice, *bits, to(n)); }},
      {"plain Gaussian, portable", n, [&] { add_plain(in(n), sigma, *bits, to(n), false); }},
      {"exact Gaussian, portable", n,
       [&] { tacit::noise::add_gaussian(in(n), sigma, lattice, *bits, to(n), portable); }},
      {"exact Laplace", n, [&] { tacit::noise::add_laplace(in(n), sigma, lattice, *bits, to(n)); }},
      {"exact isotropic Laplace, d = 10", small,
       [&] { tacit::noise::add_isotropic_laplace(in(small), sigma, lattice, *bits, to(small)); }},
      {"exact isotropic Laplace, d = 1000", 1000,
       [&] { tacit::noise::add_isotropic_laplace(in(1000), sigma, lattice, *bits, to(1000)); }},
      {"exact isotropic Laplace, d = 100000", large,
       [&] { tacit::noise::add_isotropic_laplace(in(large), sigma, lattice, *bits, to(large)); }},
      shaped("exact shaped Laplace, 1 block of 9, intercept", hats(1), 1),
      shaped("exact shaped Laplace, 111 blocks of 9", hats(111), 1),
      shaped("the same, 9 outputs", hats(111), 9),
  };
  for (int round = 0; round < rounds; ++round)
    for (Row& row : rows) row.best = std::max(row.best, rate(row, seconds / rounds));

  std::printf("%-42s %12s %8s %8s\n", "one core", "million/s", "/ std", "/ plain");
  for (const Row& row : rows)
    std::printf("%-42s %12.1f %8.2f %8.2f\n", row.name.c_str(), row.best / 1e6, row.best / rows[0].best,
                row.best / rows[1].best);
  std::printf("exact portable / plain portable: %.2f\n", rows[4].best / rows[3].best);
}
