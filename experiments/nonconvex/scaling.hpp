#pragma once

#include <time.h>

#include "stationarity.hpp"
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
  RootMeter meter({options.target}, *bits);
  const double cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID), own = seconds_of(CLOCK_THREAD_CPUTIME_ID);
  minimise(record_loss(loss), Amplitudes::start(parameters), options, meter);
  return {seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu, seconds_of(CLOCK_THREAD_CPUTIME_ID) - own};
}

// CPU time of zero-order fits against that of the largest, n = 10⁵, d = 100, m = 50, all in this one run.
inline void scaling(const Flags& flags) {
  const Took both = time_of(100000, 100, 50, 2), one = time_of(100000, 100, 50, 1);
  std::string table =
      "| records | parameters | directions | CPU time over that of the first | linear would be "
      "|\n|---|---|---|---|---|\n";
  table += "| 100000 | 100 | 50 | 1 | 1 |\n";
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
    const double share = static_cast<double>(c.records) / 1e5 * static_cast<double>(c.parameters) / 100 *
                         static_cast<double>(c.directions) / 50;
    table += fmt::format("| {} | {} | {} | {:.3f} | {:.3f} |\n", c.records, c.parameters, c.directions,
                         time_of(c.records, c.parameters, c.directions, 1).cpu / one.cpu, share);
  }
  table += fmt::format(
      "\nWith two threads the busiest does {:.2f} of the work (0.50 is even); all of it takes {:.2f} of what "
      "one thread "
      "takes.\n",
      both.busiest / both.cpu, both.cpu / one.cpu);
  write(flags, "scaling", table, nullptr);
}

}  // namespace nonconvex_runs
