#pragma once

#include "tacit/method.hpp"
#include "tacit/service.hpp"

namespace tacit::inline v1::service {

// What a comparison is going to fit, decided before the first fit.

// A row of the table: a method under one notion, and what has come of its fits so far.
struct CompareLine {
  const Method* method = nullptr;  // nullptr: without privacy
  ComparedMethod result;
  double spent = 0;         // seconds of its finished fits
  std::size_t running = 0;  // of its fits, now
  std::string hopeless;     // why no further fit of it makes sense
};

// One fit: of a line, at an epsilon, on a split.
struct CompareJob {
  std::size_t line = 0, cell = 0, repeat = 0;
};

struct ComparePlan {
  std::vector<CompareLine> lines;  // the first: without privacy
  std::vector<NotCompared> others;
  std::vector<CompareJob> jobs;  // a first fit of everything comes before the second of anything
};

// UsageError for options out of their ranges.
void check(const CompareOptions& options);

// For records of this unit.
ComparePlan plan_comparison(const CompareOptions& options, Unit unit);

}  // namespace tacit::inline v1::service
