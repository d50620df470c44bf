#include "audit/black_box/event.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <boost/math/special_functions/erf.hpp>

#include "tacit/core.hpp"

namespace tacit::inline v1::audit {

namespace {

// [heuristic: power only] Few outputs in a cell make its ratio a matter of chance.
constexpr std::size_t most_cells = 64, least_cells = 8, outputs_per_cell = 1000;

std::size_t cell_of(std::span<const double> thresholds, double value) {
  return static_cast<std::size_t>(std::ranges::lower_bound(thresholds, value) - thresholds.begin());
}

std::vector<double> values(const Feature& feature, std::span<const Vector> outputs) {
  std::vector<double> result(outputs.size());
  std::ranges::transform(outputs, result.begin(), feature.value);
  return result;
}

// Every value where they are few; else quantiles of both samples together.
std::vector<double> pooled_thresholds(std::vector<double> a, const std::vector<double>& b) {
  a.insert(a.end(), b.begin(), b.end());
  std::ranges::sort(a);
  const auto distinct = [](std::vector<double> x) {
    x.erase(std::unique(x.begin(), x.end()), x.end());
    return x;
  };
  if (std::vector<double> all = distinct(a); all.size() <= most_cells) return all;
  const std::size_t cells = std::clamp(a.size() / outputs_per_cell, least_cells, most_cells);
  std::vector<double> thresholds{a.front()};
  for (std::size_t k = 1; k < cells; ++k) thresholds.push_back(a[k * a.size() / cells]);
  return distinct(std::move(thresholds));
}

struct Counts {
  double first = 0, second = 0;
  Counts& operator+=(const Counts& other) {
    first += other.first;
    second += other.second;
    return *this;
  }
};

// Judges events by Wilson's bounds in place of the Clopper–Pearson ones: they are near and cheap, and
// choosing an event needs no guarantee.
class Judge {
 public:
  Judge(std::size_t n, double delta, double confidence)
      : n_(static_cast<double>(n)),
        delta_(delta),
        z_(std::sqrt(2.0) * boost::math::erfc_inv(1 - confidence)) {}

  double score(double often, double seldom) const {
    const double p = bound(often, -1) - delta_;
    return p > 0 ? std::log(p / bound(seldom, 1)) : -std::numeric_limits<double>::infinity();
  }

 private:
  double bound(double count, double side) const {
    const double p = count / n_, zz = z_ * z_ / n_;
    return (p + zz / 2 + side * std::sqrt(zz * (p * (1 - p) + zz / 4))) / (1 + zz);
  }
  double n_, delta_, z_;
};

struct Best {
  double score = -std::numeric_limits<double>::infinity();
  OutputEvent event;
};

// Tries one feature: one cell, and unions of cells that grow in the order of the ratio of the two counts, and
// in the order of the cells from either end (thresholds).
class Search {
 public:
  Search(const Feature& feature, std::vector<double> thresholds, std::vector<Counts> counts,
         const Judge& judge)
      : feature_(feature), thresholds_(std::move(thresholds)), counts_(std::move(counts)), judge_(judge) {}

  void run(Best& best) const {
    std::vector<std::size_t> order(counts_.size());
    std::iota(order.begin(), order.end(), 0);
    for (const std::size_t cell : order) grow(std::span(&cell, 1), best);
    grow(order, best);
    std::ranges::reverse(order);
    grow(order, best);
    std::ranges::sort(order, std::greater(),
                      [&](std::size_t k) { return (counts_[k].first + 1) / (counts_[k].second + 1); });
    grow(order, best);
    std::ranges::reverse(order);
    grow(order, best);
  }

 private:
  void grow(std::span<const std::size_t> order, Best& best) const {
    Counts sum;
    for (std::size_t k = 0; k < order.size(); ++k) {
      sum += counts_[order[k]];
      offer(order.first(k + 1), judge_.score(sum.first, sum.second), true, best);
      offer(order.first(k + 1), judge_.score(sum.second, sum.first), false, best);
    }
  }

  void offer(std::span<const std::size_t> cells, double score, bool likelier_on_first, Best& best) const {
    if (!(score > best.score)) return;
    best.score = score;
    best.event = {feature_, thresholds_, std::vector<bool>(counts_.size()), likelier_on_first};
    for (const std::size_t k : cells) best.event.cells[k] = true;
  }

  const Feature& feature_;
  std::vector<double> thresholds_;
  std::vector<Counts> counts_;
  const Judge& judge_;
};

}  // namespace

bool OutputEvent::contains(const Vector& output) const {
  return cells[cell_of(thresholds, feature.value(output))];
}

std::string OutputEvent::describe() const {
  const auto in = static_cast<std::size_t>(std::ranges::count(cells, true));
  // A run of cells that starts or ends at an end is a threshold.
  const auto edge =
      static_cast<std::size_t>(std::ranges::adjacent_find(cells, std::not_equal_to()) - cells.begin());
  const bool one_run =
      std::adjacent_find(cells.begin() + static_cast<std::ptrdiff_t>(std::min(edge + 1, cells.size())),
                         cells.end(), std::not_equal_to()) == cells.end();
  if (edge < thresholds.size() && one_run)
    return fmt::format("{} {} {:.6g}", feature.name, cells.front() ? "<=" : ">", thresholds[edge]);
  return fmt::format("{} in {} of {} cells", feature.name, in, cells.size());
}

OutputEvent choose_event(std::span<const Vector> first, std::span<const Vector> second, double delta,
                         double confidence) {
  const Judge judge(first.size(), delta, confidence);
  const std::vector<Feature> features = candidate_features(first, second);
  Best best;
  for (const Feature& feature : features) {
    const std::vector<double> a = values(feature, first), b = values(feature, second);
    const std::vector<double> thresholds = pooled_thresholds(a, b);
    std::vector<Counts> counts(thresholds.size() + 1);
    for (const double x : a) counts[cell_of(thresholds, x)].first += 1;
    for (const double x : b) counts[cell_of(thresholds, x)].second += 1;
    Search(feature, thresholds, std::move(counts), judge).run(best);
  }
  return best.event;
}

}  // namespace tacit::inline v1::audit
