#include "algorithm/statistics/columns.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tacit::inline v1::statistics {

namespace {

__extension__ using Wide = __int128;  // ranks times levels

bool replaces(const Terms& terms) { return terms.neighbours == Neighbours::replace_one; }

std::string of_one(const Terms& terms, std::string_view what) {
  const std::string_view who =
      terms.unit == Unit::item ? "a record" : "a user, whose records weigh 1 together,";
  return fmt::format("{} {}{}", who, what, replaces(terms) ? "; one goes, one comes" : "");
}

Interval all_of(const Terms& terms) { return {0, terms.units ? terms.most() : 0x1p62}; }

// In [−1, 1], as a multiple of the weights' grid: rounded toward 0, so that it is never too large, whatever
// value and range are (a quotient that is no number is the range's low end).
std::int64_t centered(double value, Interval range) {
  const double u = (value - range.low) / (range.high - range.low);
  const double part = u > 0 ? std::min(u, 1.0) : 0;
  return static_cast<std::int64_t>((2 * part - 1) * static_cast<double>(unit_weight));
}

double in_units(std::int64_t sum) { return static_cast<double>(sum) * weight_grid; }

}  // namespace

std::string reason_of_counts(const Terms& terms) { return of_one(terms, counts_in_words); }

Answer ask_counts(const Cells& cells, const Classes& which, std::size_t classes, double share,
                  const Terms& terms, Answers& answers) {
  // A unit's weights are at least 0 and sum to 1: l1 and l2 at most 1. Two of them lie at most √2 apart.
  const VectorQuestion question{.l1 = replaces(terms) ? 2.0 : 1.0,
                                .l2 = replaces(terms) ? sqrt_up(2) : 1.0,
                                .reason = reason_of_counts(terms),
                                .range = terms.most(),
                                .dimension = classes,
                                .whole = terms.unit == Unit::item,
                                .share = share};
  return answers.vector(question, [&] {
    std::vector<std::int64_t> sums(classes, 0);
    for (std::size_t i = 0; i < cells.values.size(); ++i) sums[which(cells.values[i])] += cells.weights[i];
    Vector counts(static_cast<Eigen::Index>(classes));
    std::ranges::transform(sums, counts.begin(), in_units);
    return counts;
  });
}

Presence presence(double missing, const Step& step, const Terms& terms) {
  const double n = std::max(terms.most(), 1.0);
  const Estimate empty = estimate(missing, reach(step, terms.failure), {0, terms.most()});
  const auto& [low, high] = empty.interval;
  return {{n - empty.value, {n - high, n - low}}, {empty.value / n, {low / n, high / n}}};
}

Presence presence(double present, std::size_t noises, double missing, const Step& step, const Terms& terms) {
  const Interval possible{0, most_units};
  const Coefficients ones[] = {{1, noises}};
  Presence found;
  found.count = estimate(present, reach_of_sum(step, ones, terms.failure / 2), possible);
  // A share of two numbers: each within its noise with half of the failure.
  const Estimate there = estimate(present, reach_of_sum(step, ones, terms.failure / 4), possible);
  const Estimate empty = estimate(missing, reach(step, terms.failure / 2), possible);
  const auto share = [](double gone, double held, double unknown) {
    return gone + held > 0 ? gone / (gone + held) : unknown;
  };
  found.missing = {
      share(empty.value, there.value, 0),
      {share(empty.interval.low, there.interval.high, 0), share(empty.interval.high, there.interval.low, 1)}};
  return found;
}

MeanAnswer ask_mean(const Cells& cells, Interval range, Gaps gaps, double share, const Terms& terms,
                    Answers& answers) {
  // n public: the sum of x in [−1, 1] and the number of empty cells, of which a unit moves one only. Else the
  // sums of (1 + x)/2 and of (1 − x)/2, which add up to the number of present cells.
  const bool counted = terms.units.has_value();
  const double moves = replaces(terms) ? 2 : 1;
  const VectorQuestion question{.l1 = moves,
                                .l2 = moves,
                                .reason = of_one(terms, "has a number in [-1, 1] or an empty cell"),
                                .range = terms.most(),
                                .dimension = !counted             ? 3u
                                             : gaps == Gaps::some ? 2u
                                                                  : 1u,
                                .whole = false,
                                .share = share};
  const Answer answer = answers.vector(question, [&] {
    std::int64_t sum = 0, above = 0, below = 0, empty = 0;
    for (std::size_t i = 0; i < cells.values.size(); ++i) {
      const std::int64_t weight = cells.weights[i];
      if (std::isnan(cells.values[i])) {
        empty += weight;
        continue;
      }
      const std::int64_t part = weight * centered(cells.values[i], range) / unit_weight;
      sum += part;
      above += (weight + part) / 2;
      below += weight - (weight + part) / 2;
    }
    if (!counted) return Vector{{in_units(above), in_units(below), in_units(empty)}};
    return gaps == Gaps::some ? Vector{{in_units(sum), in_units(empty)}} : Vector{{in_units(sum)}};
  });

  const double half = terms.failure / 2;
  double sum = answer.value[0], reaches = reach(answer.step, half);
  Estimate present;
  MeanAnswer result;
  if (counted && gaps == Gaps::none) {
    reaches = reach(answer.step, terms.failure);
    present = {terms.most(), {terms.most(), terms.most()}};
  } else if (counted) {
    result.presence = presence(answer.value[1], answer.step, terms);
    const double off = reach(answer.step, half);
    const Estimate empty = estimate(answer.value[1], off, {0, terms.most()});
    // Fewer empty cells than noise can tell from none are taken for none.
    present.value = terms.most() - (empty.value > off ? empty.value : 0);
    present.interval = {terms.most() - empty.interval.high, terms.most() - empty.interval.low};
  } else {
    const Coefficients two[] = {{1, 2}};
    sum = answer.value[0] - answer.value[1];
    reaches = reach_of_sum(answer.step, two, half / 2);
    present = estimate(answer.value[0] + answer.value[1], reaches, all_of(terms));
    result.presence = presence(answer.value[0] + answer.value[1], 2, answer.value[2], answer.step, terms);
  }
  // A record's number was rounded to the grid twice, always toward the middle or down.
  if (terms.unit == Unit::item) reaches += 2 * weight_grid * std::max(present.interval.high, 0.0);
  const auto share_of = [&](double s, double m) { return std::clamp(s / std::max(m, 1.0), -1.0, 1.0); };
  const auto& [fewest, most] = present.interval;
  sum = std::clamp(sum, -std::max(most, 1.0), std::max(most, 1.0));  // as `estimate` does
  const double low = std::min(share_of(sum - reaches, fewest), share_of(sum - reaches, most));
  const double high = std::max(share_of(sum + reaches, fewest), share_of(sum + reaches, most));
  const auto number = [&](double t) { return range.low + (range.high - range.low) * ((t + 1) / 2); };
  result.mean = {number(share_of(sum, present.value)), {number(low), number(high)}};
  return result;
}

double ask_quantile(const Cells& cells, double quantile, std::span<const double> grid, double share,
                    const Terms& terms, Answers& answers) {
  // q in whole multiples of 2^−20, so that ranks are whole numbers before they are rounded to a double.
  const auto level = static_cast<std::int64_t>(std::nearbyint(quantile * static_cast<double>(unit_weight)));
  const double q = static_cast<double>(level) * weight_grid;
  // The balance W(< c) − q·W of the weights below c and of all: a unit that goes takes at most 1 − q from the
  // one side or q from the other; one that moves, at most 1 in all.
  const ChoiceQuestion question{.moves = replaces(terms) ? 1.0 : std::max(q, 1 - q),
                                .slack = mul_up(terms.most(), 2 * unit_roundoff),
                                .reason = of_one(terms, "lies on one side of a point"),
                                .range = std::max(terms.most(), 1.0),
                                .candidates = grid.size(),
                                .share = share};
  const std::size_t chosen = answers.choice(question, [&] {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < cells.values.size(); ++i)
      if (!std::isnan(cells.values[i])) order.push_back(i);
    std::ranges::sort(order, {}, [&](std::size_t i) { return cells.values[i]; });
    std::vector<double> sorted;
    std::vector<std::int64_t> below{0};
    for (const std::size_t i : order) {
      sorted.push_back(cells.values[i]);
      below.push_back(below.back() + cells.weights[i]);
    }
    const auto balance = [&](auto at) {
      const Wide rank = static_cast<Wide>(below[static_cast<std::size_t>(at - sorted.begin())]);
      return static_cast<double>(rank * unit_weight - static_cast<Wide>(level) * below.back()) * weight_grid *
             weight_grid;
    };
    Vector scores(static_cast<Eigen::Index>(grid.size()));
    for (std::size_t k = 0; k < grid.size(); ++k)
      scores[static_cast<Eigen::Index>(k)] =
          -std::max({balance(std::ranges::lower_bound(sorted, grid[k])),
                     -balance(std::ranges::upper_bound(sorted, grid[k])), 0.0});
    return scores;
  });
  return grid[chosen];
}

Interval quantile_interval(double quantile, std::span<const double> edges, const Answer& counts,
                           double failure) {
  const std::size_t bins = edges.size() - 1;
  Interval interval{edges.front(), edges.back()};
  // One bound a side at each inner edge.
  const double each = failure / (2 * static_cast<double>(std::max<std::size_t>(bins - 1, 1)));
  double total = 0, below = 0;
  for (std::size_t k = 0; k < bins; ++k) total += counts.value[static_cast<Eigen::Index>(k)];
  for (std::size_t k = 1; k < bins; ++k) {
    below += counts.value[static_cast<Eigen::Index>(k - 1)];
    const double balance = below - quantile * total;
    const Coefficients sum[] = {{1 - quantile, k}, {quantile, bins - k}};
    const double off = reach_of_sum(counts.step, sum, each);
    if (balance + off < 0) interval.low = edges[k];
    if (balance - off > 0) {
      interval.high = edges[k];
      break;
    }
  }
  return interval;
}

std::vector<double> grid_over(const NumericColumn& column, std::size_t points) {
  const double width = column.max - column.min;
  std::vector<double> grid;
  if (column.integer && width < static_cast<double>(points)) {
    for (double k = 0; k <= width; ++k) grid.push_back(column.min + k);
  } else {
    for (std::size_t k = 0; k < points; ++k) {
      const double u = static_cast<double>(k) / static_cast<double>(points - 1);
      const double x = column.min + (column.log1p ? std::expm1(u * std::log1p(width)) : u * width);
      grid.push_back(std::clamp(column.integer ? std::nearbyint(x) : x, column.min, column.max));
    }
  }
  // Beyond 2^53 not every whole number is a double, and logarithmic points round to the same one.
  grid.erase(std::unique(grid.begin(), grid.end()), grid.end());
  return grid;
}

}  // namespace tacit::inline v1::statistics
