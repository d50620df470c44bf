#pragma once

#include <time.h>

#include <map>

#include "stationarity.hpp"
#include "stored_runs.hpp"
#include "tacit/root_meter.hpp"

namespace nonconvex_runs {

struct Took {
  double cpu = 0;      // of all threads
  double busiest = 0;  // of the calling thread, which does all that is not shared and its part of the rest
};

inline double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

inline Took time_of(std::size_t records, std::size_t parameters, std::int64_t directions, unsigned threads) {
  const Amplitudes loss(records, parameters, 1);
  nonconvex::Options options;
  options.target = Approx{1, 1e-6};
  options.steps = 128;
  options.period = 16;
  options.directions = directions;
  options.threads = threads;
  const auto bits = noise::system_bits();
  RootMeter meter({options.target, Unit::item, Neighbours::replace_one}, *bits);
  const double cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID), own = seconds_of(CLOCK_THREAD_CPUTIME_ID);
  minimise(record_loss(loss), Amplitudes::start(parameters), options, meter);
  return {seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu, seconds_of(CLOCK_THREAD_CPUTIME_ID) - own};
}

// CPU time of zero-order fits against that of the largest, n = 10⁵, d = 100, m = 50, in the same run. Three
// runs: what varies is the machine, not the data.
inline void scaling(const Flags& flags) {
  constexpr int draws = 3;
  constexpr std::size_t records = 100000, parameters = 100;
  constexpr std::int64_t directions = 50;
  StoredRuns stored(flags.out / "nonconvex_scaling.csv");
  std::map<int, double> largest;  // of each run
  const auto over_the_largest = [&](int draw, const Took& took) {
    if (!largest.contains(draw)) largest[draw] = time_of(records, parameters, directions, 1).cpu;
    return took.cpu / largest[draw];
  };
  std::string table =
      "| records | parameters | directions | CPU time over that of the first | linear would be "
      "|\n|---|---|---|---|---|\n";
  table += fmt::format("| {} | {} | {} | 1 | 1 |\n", records, parameters, directions);
  struct Case {
    std::size_t records, parameters;
    std::int64_t directions;
  };
  for (const Case c : {Case{50000, 100, 50},
                       {25000, 100, 50},
                       {100000, 50, 50},
                       {100000, 25, 50},
                       {100000, 100, 25},
                       {100000, 100, 12}}) {
    const double share = static_cast<double>(c.records) / records * static_cast<double>(c.parameters) /
                         parameters * static_cast<double>(c.directions) / directions;
    const std::string key =
        fmt::format("{} records {} parameters {} directions", c.records, c.parameters, c.directions);
    const std::vector<double> seen = stored.draws(key, draws, [&](int draw) {
      return over_the_largest(draw, time_of(c.records, c.parameters, c.directions, 1));
    });
    table += fmt::format("| {} | {} | {} | {} | {:.3f} |\n", c.records, c.parameters, c.directions,
                         shown(seen, 3), share);
  }
  const auto both = [&] { return time_of(records, parameters, directions, 2); };
  const std::vector<double> busiest = stored.draws("two threads the busiest", draws, [&](int) {
    const Took took = both();
    return took.busiest / took.cpu;
  });
  const std::vector<double> all =
      stored.draws("two threads together", draws, [&](int draw) { return over_the_largest(draw, both()); });
  table += fmt::format(
      "\nWith two threads the busiest does {} of the work (0.50 is even); all of it takes {} of what one "
      "thread takes.\n",
      shown(busiest, 2), shown(all, 2));
  write(flags, "scaling", table, nullptr);
}

}  // namespace nonconvex_runs
