#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tacit/core/api.hpp"
#include "tacit/core/linalg.hpp"
#include "tacit/privacy/bit_source.hpp"

// How private can it be at most, from outputs alone [docs/audits.md]. Many runs on two neighbours; the event
// that tells them apart best is chosen on one half of the runs and measured on the other, so that choosing
// does not bias the measurement; Clopper–Pearson bounds on its two probabilities give a lower bound on
// epsilon.

namespace tacit::inline v1::audit {

// One run: everything that leaves, as numbers. Called from several threads at once.
using Run = std::function<Vector(BitSource&)>;

// A source of bits for each part of the runs; parts are the same whatever the number of threads.
using BitFactory = std::function<std::unique_ptr<BitSource>(std::size_t part)>;

struct TACIT_API BlackBoxOptions {
  std::size_t runs = 50000;    // on each of the two neighbours, ≥ 20
  double confidence = 0.9999;  // that the lower bound is one, in (0, 1)
  unsigned threads = 0;        // 0: one per core
  BitFactory bits;             // empty: system bits

  void validate() const;
};

struct BlackBoxResult {
  double lower_bound = 0;    // epsilon is at least this, with the stated confidence; ≥ 0
  double resolution = 0;     // the largest bound that so many runs can give: that of disjoint supports
  std::string event;         // where it was seen: "coordinate 0 > 1.5", "coordinate 0 in 3 of 12 cells"
  std::size_t runs = 0;      // on each of the two
  std::size_t measured = 0;  // runs behind each of the two counts
  std::size_t more_often = 0, less_often = 0;  // times the event occurred, on the one and on the other
};

// `delta`: a failure probability that the claim allows: epsilon ≥ ln((p − delta)/q).
TACIT_API BlackBoxResult black_box(const Run& first, const Run& second, double delta,
                                   const BlackBoxOptions& options);

// With probability ≥ confidence over two independent counts out of n: ln((p − delta)/q) is at least this. p
// is the probability behind `often`, q the one behind `seldom`. −∞ when nothing can be said.
TACIT_API double epsilon_lower_bound(std::size_t often, std::size_t seldom, std::size_t n, double delta,
                                     double confidence);

}  // namespace tacit::inline v1::audit
