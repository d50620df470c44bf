// How long accounts take, on one core, and how wide their brackets are.
//
//   usage: bench_account [random settings, default 300]
//
// Rows: settings people use; settings drawn from sigma 0.5–10, rate 1e-4–0.1, steps 1e2–1e6, delta
// 1e-18–1e-5; settings drawn where both the bulk and rare large losses matter (sigma 0.7–1.6, rate 1e-4–1e-3,
// steps 1e5–1e6, delta 1e-18–1e-12); calibrations. CPU time, so that a busy machine matters less. Ends with 1
// where an account takes more than 50 ms, a bracket is wider than 1e-3 relative, or the median over the wide
// range of settings is above 7 ms.

#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <vector>

#include "privacy/accounting/calibrate.hpp"
#include "tacit/account.hpp"

namespace {

struct Setting {
  double sigma, rate, delta;
  std::int64_t steps;
};

double cpu_milliseconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}

struct Row {
  double milliseconds, width;
};

Row measure(const Setting& s, bool print) {
  const double start = cpu_milliseconds();
  const tacit::Bracket b = tacit::account_poisson_gaussian(s.sigma, s.rate, s.steps, s.delta);
  const Row row{cpu_milliseconds() - start, (b.epsilon_upper - b.epsilon_lower) / b.epsilon_upper};
  if (print)
    std::printf("%8.3g %8.1g %9lld %8.0e   [%.6g, %.6g]  %7.1e  %7.1f ms\n", s.sigma, s.rate,
                static_cast<long long>(s.steps), s.delta, b.epsilon_lower, b.epsilon_upper, row.width,
                row.milliseconds);
  return row;
}

// Prints the distribution; tells whether the median is at most `usual` and nothing is above `most`.
bool summarise(const char* what, std::vector<double> values, double usual, double most) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double part) {
    return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
  };
  std::printf("%-24s median %8.3g   90 %% %8.3g   99 %% %8.3g   most %8.3g\n", what, at(0.5), at(0.9),
              at(0.99), values.back());
  const bool met = at(0.5) <= usual && values.back() <= most;
  if (!met) std::printf("%-24s too much: the median may be %g, the most %g\n", "", usual, most);
  return met;
}

constexpr double most_milliseconds = 50, widest = 1e-3;
constexpr double any = std::numeric_limits<double>::infinity();

class Draws {
 public:
  double operator()(double low, double high) {
    return std::exp(std::uniform_real_distribution(std::log(low), std::log(high))(bits_));
  }

 private:
  std::mt19937_64 bits_{1};
};

bool measure_all(const char* where, const std::vector<Setting>& settings, double usual_milliseconds) {
  std::vector<double> times, widths;
  for (const Setting& s : settings) {
    const Row row = measure(s, false);
    times.push_back(row.milliseconds);
    widths.push_back(row.width);
  }
  std::printf("%s\n", where);
  const bool fast = summarise("  account, ms", times, usual_milliseconds, most_milliseconds);
  return summarise("  width, relative", widths, any, widest) && fast;
}

}  // namespace

int main(int argc, char** argv) {
  const int draws = argc > 1 ? std::atoi(argv[1]) : 300;
  std::printf("   sigma     rate     steps    delta   epsilon                 width     time\n");
  for (const Setting& s :
       {Setting{1.1, 256.0 / 60000, 1e-5, 14062}, Setting{4, 0.01, 1e-5, 10000},
        Setting{0.8, 0.001, 1e-6, 100000}, Setting{1, 0.01, 1e-18, 1000}, Setting{2, 0.1, 1e-8, 1000000},
        Setting{10, 1e-4, 1e-18, 1000000}, Setting{0.5, 1e-3, 1e-5, 100}})
    measure(s, true);

  Draws draw;
  std::vector<Setting> anywhere, corner;
  for (int k = 0; k < draws; ++k) {
    anywhere.push_back(
        {draw(0.5, 10), draw(1e-4, 0.1), draw(1e-18, 1e-5), static_cast<std::int64_t>(draw(1e2, 1e6))});
    corner.push_back(
        {draw(0.7, 1.6), draw(1e-4, 1e-3), draw(1e-18, 1e-12), static_cast<std::int64_t>(draw(1e5, 1e6))});
  }
  bool met = measure_all("anywhere", anywhere, 7);
  met = measure_all("rare large losses", corner, any) && met;

  std::vector<double> calibrations;
  for (int k = 0; k < std::max(draws / 10, 1); ++k) {
    const double epsilon = draw(0.1, 10), start = cpu_milliseconds();
    tacit::calibrate_noise(tacit::Approx{epsilon, 1e-6}, draw(1e-3, 0.1),
                           static_cast<std::int64_t>(draw(1e2, 1e5)));
    calibrations.push_back(cpu_milliseconds() - start);
  }
  summarise("calibrate, ms", calibrations, any, any);
  return met ? 0 : 1;
}
