#include "algorithm/statistics/support.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "algorithm/statistics/laws.hpp"

namespace tacit::inline v1::statistics {

namespace {

constexpr std::array<std::size_t, 4> lengths = {1, 2, 4, 8};
constexpr std::size_t longest_run = 32;  // beside a range that lacks records

struct Levels {
  std::array<double, lengths.size()> of;
};

// `cells` parts, each the sum of so many counts.
Levels levels(const Step& step, std::size_t cells, double false_alarm, std::size_t counts_of_each = 1) {
  const double each = false_alarm / static_cast<double>(lengths.size() * std::max<std::size_t>(cells, 1));
  Levels result{};
  for (std::size_t l = 0; l < lengths.size(); ++l) {
    const std::size_t counts = counts_of_each * lengths[l];
    const Coefficients sum[] = {{1, counts}};
    result.of[l] = counts == 1 ? reach(step, 2 * each) : reach_of_sum(step, sum, each);
  }
  return result;
}

// The shortest run within [begin, end) that shows something; of several, the one with the largest sum.
// Without the cells at its ends whose counts are not above 0.
std::optional<Support> shortest(std::span<const double> counts, std::size_t begin, std::size_t end,
                                const Levels& above) {
  for (std::size_t l = 0; l < lengths.size(); ++l) {
    std::optional<Support> found;
    double largest = above.of[l];
    for (std::size_t k = begin; k + lengths[l] <= end; ++k) {
      const auto run = counts.subspan(k, lengths[l]);
      const double sum = std::accumulate(run.begin(), run.end(), 0.0);
      if (!(sum > largest)) continue;
      largest = sum;
      found = Support{k, k + lengths[l] - 1};
    }
    if (!found) continue;
    while (counts[found->first] <= 0) ++found->first;
    while (counts[found->last] <= 0) --found->last;
    return found;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Support> support(std::span<const double> counts, const Step& step, double false_alarm) {
  // A mistake far away does more harm than one nearby, and is to be rarer [utility only].
  constexpr double rarer = 8;
  constexpr std::size_t nearby = 3;
  const Levels near = levels(step, counts.size(), false_alarm),
               far = levels(step, counts.size(), false_alarm / rarer);
  std::optional<Support> all = shortest(counts, 0, counts.size(), far);
  if (!all) return std::nullopt;
  const auto below = [&]() -> std::optional<Support> {
    const std::size_t from = all->first - std::min(all->first, nearby);
    const auto found = shortest(counts, from, all->first, near);
    return found ? found : shortest(counts, 0, all->first, far);
  };
  const auto above = [&]() -> std::optional<Support> {
    const std::size_t end = std::min(all->last + 1 + nearby, counts.size());
    const auto found = shortest(counts, all->last + 1, end, near);
    return found ? found : shortest(counts, all->last + 1, counts.size(), far);
  };
  while (const auto more = below()) all->first = more->first;
  while (const auto more = above()) all->last = more->last;
  return all;
}

namespace {

std::vector<double> sums_of(std::span<const double> counts, std::span<const Pair> pairs) {
  std::vector<double> sums;
  for (const auto& [negative, positive] : pairs) sums.push_back(counts[negative] + counts[positive]);
  return sums;
}

// The run that exceeds its level most, by a factor.
std::optional<Guess> clearest(std::span<const double> counts, const Levels& above) {
  std::optional<Guess> best;
  for (std::size_t l = 0; l < lengths.size(); ++l)
    for (std::size_t k = 0; k + lengths[l] <= counts.size(); ++k) {
      const Support run{k, k + lengths[l] - 1};
      const double shows = sum_of(counts, run) / above.of[l];
      if (shows > (best ? best->shows : 1)) best = Guess{run, shows};
    }
  if (!best) return std::nullopt;
  while (counts[best->where.first] <= 0) ++best->where.first;
  while (counts[best->where.last] <= 0) --best->where.last;
  return best;
}

}  // namespace

std::optional<Support> support_of_pairs(std::span<const double> counts, std::span<const Pair> pairs,
                                        const Step& step, double false_alarm) {
  const std::vector<double> sums = sums_of(counts, pairs);
  const auto run = shortest(sums, 0, sums.size(), levels(step, sums.size(), false_alarm, 2));
  if (!run) return std::nullopt;
  return pairs[run->last];
}

std::optional<Guess> best_guess(std::span<const double> counts, std::span<const Pair> pairs, const Step& step,
                                double false_alarm) {
  const double each = false_alarm / 2;
  const auto single = clearest(counts, levels(step, counts.size(), each));
  const std::vector<double> sums = sums_of(counts, pairs);
  auto paired = clearest(sums, levels(step, sums.size(), each, 2));
  if (!paired || (single && single->shows >= paired->shows)) return single;
  paired->where = pairs[paired->where.last];
  return paired;
}

double sum_of(std::span<const double> counts, const Support& where) {
  const auto inside = counts.subspan(where.first, where.last - where.first + 1);
  return std::accumulate(inside.begin(), inside.end(), 0.0);
}

namespace {

// What a run shows beyond what it must, in deviations of its noise; ≤ 0: not enough. Noise alone shows a
// deviation in one run of six, and each time the range becomes four times as wide it must show half of one
// more [utility only].
double surplus(std::span<const double> counts, const Support& run, double deviation, double times_as_wide) {
  constexpr double least = 1, for_each_four = 0.5;
  const double cells = static_cast<double>(run.last - run.first + 1);
  return sum_of(counts, run) / (deviation * std::sqrt(cells)) - least -
         for_each_four * std::log(times_as_wide) / std::log(4.0);
}

}  // namespace

Support widened(std::span<const double> counts, Support where, const Step& step, double mass,
                const RangeWidth& width) {
  const double of_one = deviation(step);
  if (!(of_one > 0)) return where;  // a plan
  while (sum_of(counts, where) < mass) {
    double most = 0;
    Support best = where;
    const auto consider = [&](const Support& run) {
      const Support wider{std::min(run.first, where.first), std::max(run.last, where.last)};
      const double shows = surplus(counts, run, of_one, width(wider) / width(where));
      if (shows > most) most = shows, best = wider;
    };
    for (std::size_t length = 1; length <= longest_run; length *= 2) {
      if (where.first >= length) consider({where.first - length, where.first - 1});
      if (where.last + length < counts.size()) consider({where.last + 1, where.last + length});
    }
    if (best.first == where.first && best.last == where.last) break;
    where = best;
  }
  return where;
}

double deviation(const Step& step) {
  return step.mechanism == "gaussian" ? step.scale : std::sqrt(2.0) * step.scale;
}

double noise_level(const Step& step, std::size_t counts, double false_alarm) {
  return reach(step, 2 * false_alarm / static_cast<double>(counts));
}

}  // namespace tacit::inline v1::statistics
