#pragma once

// Regularised empirical risk minimisation without privacy: the yardstick, and `--epsilon inf`.

#include "solver/shard_pass.hpp"
#include "tacit/core.hpp"
#include "tacit/meter.hpp"
#include "tacit/method.hpp"
#include "tacit/problem.hpp"

namespace tacit::inline v1::plain {

struct TACIT_API Options {
  double regularisation = 1e-8;  // > 0 per record; the intercept is left free
  double tolerance = 1e-10;      // of the gradient, relative to the start
  unsigned threads = 0;          // 0: one per core

  static const OptionTable<Options>& table();
  void validate() const { table().validate(*this); }
  static Options from(const Facts& facts) { return table().read(facts); }
};

// How a shard answers for the sizes of its records.
PassKind record_sizes_pass();

TACIT_API Release fit(const Problem& problem, const Options& options, Meter& meter);

}  // namespace tacit::inline v1::plain
