#include <algorithm>
#include <cmath>
#include <vector>

#include "core/numbers.hpp"
#include "noise/coins.hpp"
#include "tacit/core.hpp"

// Notation: candidate i wins when ln Eᵢ − lᵢ is least, Eᵢ = −ln(1 − Vᵢ), l = log weight, V uniform. Winners
// have small E, that is small V, where the first digits of V and log1p keep their relative precision.

namespace tacit::inline v1::noise {

namespace {

struct Bracket {
  double low = 0, high = 0;
};

// ln(−ln(1 − V)) − l, for V in [w, w + 1]·2^−64; increasing in V.
Bracket fast_bracket(std::uint64_t word, double log_weight) {
  // Rounding w down to a double and then stepping over w + 1.
  const double low = next_down(static_cast<double>(word)) * 0x1p-64;
  const double high = next_up(add_up(static_cast<double>(word), 1)) * 0x1p-64;
  const auto log_time = [](double v, double (*directed)(double)) {
    return directed(std::log(directed(-std::log1p(-v))));
  };
  return {low <= 0 ? -infinity : sub_down(log_time(low, library_down), log_weight),
          high >= 1 ? infinity : sub_up(log_time(high, library_up), log_weight)};
}

struct Candidate {
  std::size_t index;
  double log_weight;
  LazyUniform uniform;

  Interval enclosure(std::size_t words, BitSource& bits) {
    uniform.extend(words, bits);
    const long precision = precision_for(words, 1) + 128;
    return log(-log1p(-uniform.enclosure(precision))) - log_weight;
  }
};

// Doubles the digits of all that may still win until one is left.
std::size_t decide(std::vector<Candidate> candidates, BitSource& bits) {
  for (std::size_t words = 1; candidates.size() > 1; words *= 2) {
    require_sane_bits(words);
    std::vector<Interval> times;
    for (Candidate& candidate : candidates) times.push_back(candidate.enclosure(words, bits));
    std::size_t first = 0;
    for (std::size_t i = 1; i < times.size(); ++i)
      if (times[i] < times[first]) first = i;
    std::vector<Candidate> left;
    for (std::size_t i = 0; i < candidates.size(); ++i)
      if (!(times[first] < times[i])) left.push_back(std::move(candidates[i]));
    candidates = std::move(left);
  }
  return candidates.front().index;
}

}  // namespace

std::size_t exponential_race(std::span<const double> log_weights, BitSource& bits) {
  for (const double weight : log_weights)
    if (std::isnan(weight) || weight == infinity)
      throw_error<UsageError>("a log weight is {}, expected a finite number or -inf", weight);
  std::vector<std::uint64_t> words(log_weights.size());
  bits.fill(words);

  std::vector<Bracket> brackets(log_weights.size());
  double best = infinity;
  bool possible = false;
  for (std::size_t i = 0; i < log_weights.size(); ++i) {
    if (log_weights[i] == -infinity) continue;
    possible = true;
    brackets[i] = fast_bracket(words[i], log_weights[i]);
    best = std::min(best, brackets[i].high);
  }
  if (!possible) throw_error<UsageError>("no candidate has a positive weight");

  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < log_weights.size(); ++i)
    if (log_weights[i] != -infinity && brackets[i].low <= best)
      candidates.push_back({i, log_weights[i], LazyUniform(words[i])});
  return decide(std::move(candidates), bits);
}

}  // namespace tacit::inline v1::noise
