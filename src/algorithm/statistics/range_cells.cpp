#include "algorithm/statistics/range_cells.hpp"

#include <algorithm>
#include <cmath>

namespace tacit::inline v1::statistics {

namespace {

constexpr std::size_t most_range_cells = 64;  // [utility only]
constexpr double day = 86400;

// A power of ten that is two digits finer than the width.
struct Digits {
  double unit = 1;
  bool fraction = false;  // `unit` is then how many there are in 1

  double in_units(double x) const { return fraction ? x * unit : x / unit; }
  double back(double units) const { return fraction ? units / unit : units * unit; }
  double down(double x) const { return back(std::floor(in_units(x))); }
  double up(double x) const { return back(std::ceil(in_units(x))); }
};

Digits digits_for(double width, bool whole) {
  const int power = static_cast<int>(std::floor(std::log10(width))) - 2;
  if (power >= 0) return {std::pow(10.0, power), false};
  return whole ? Digits{} : Digits{std::pow(10.0, std::min(-power, 300)), true};
}

}  // namespace

RangeCells::RangeCells(const RawFindings& found) {
  double low = found.low, high = found.high;
  single_ = found.whole && high - low < static_cast<double>(most_range_cells);
  if (single_) {
    for (double x = low; x <= high + 1; ++x) edges_.push_back(x);
    return;
  }
  if (!(low < high)) high = low + 1;  // nothing was found: the question is asked all the same
  const double width = high - low;
  for (std::size_t k = 0; k <= most_range_cells; ++k) {
    const double u = static_cast<double>(k) / static_cast<double>(most_range_cells);
    edges_.push_back(low + (found.log1p ? std::expm1(u * std::log1p(width)) : u * width));
  }
  edges_.back() = high;
}

std::size_t RangeCells::of(double value) const {
  if (single_ && !(value >= edges_.front() && value < edges_.back() && value == std::floor(value)))
    return size();
  const auto above = static_cast<std::size_t>(std::ranges::upper_bound(edges_, value) - edges_.begin());
  return std::clamp<std::size_t>(above, 1, size()) - 1;
}

void RangeCells::narrow(std::span<const double> counts, const Support& where, const Step& step,
                        RawFindings& found) const {
  const std::size_t mode = static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin());
  if (single_) {
    const double level = noise_level(step, counts.size(), 0.05);
    for (std::size_t k = where.first; k <= where.last; ++k)
      if (counts[k] > level) found.values.push_back(edges_[k]);
    found.low = edges_[where.first];
    found.high = edges_[where.last];
    found.usual = std::clamp(edges_[mode], found.low, found.high);
    return;
  }
  const double low = edges_[where.first > 0 ? where.first - 1 : 0],
               high = edges_[std::min(where.last + 2, size())];
  if (!(low < high)) return;
  if (found.kind == ColumnKind::date) {
    found.low = std::floor(low / day) * day;
    found.high = std::ceil(high / day) * day;
    found.usual =
        std::clamp(std::floor((edges_[mode] + edges_[mode + 1]) / 2 / day) * day, found.low, found.high);
    return;
  }
  const Digits digits = digits_for(high - low, found.whole);
  found.low = digits.down(low);
  found.high = digits.up(high);
  found.usual = std::clamp(digits.down(edges_[mode] / 2 + edges_[mode + 1] / 2), found.low, found.high);
}

}  // namespace tacit::inline v1::statistics
