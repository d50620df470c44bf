#include "tacit/data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "data/plane.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

FeatureBlocks::FeatureBlocks(std::vector<FeatureBlock> blocks) : blocks_(std::move(blocks)) {
  double squares = 0;
  for (std::size_t j = 0; j < blocks_.size(); ++j) {
    const auto [size, bound, full] = blocks_[j];
    if (size == 0) throw_error<UsageError>("block {} has no features, expected at least 1", j + 1);
    if (!(bound >= 0x1p-100 && bound <= 0x1p100))
      throw_error<UsageError>("block {} has the bound {}, expected 2^-100 to 2^100", j + 1, bound);
    features_ += size;
    full_ += full ? 1 : 0;
    largest_bound_ = std::max(largest_bound_, bound);
    squares = add_up(squares, mul_up(bound, bound));
  }
  l2_bound_ = sqrt_up(squares);
}

FeatureBlocks FeatureBlocks::with_intercept(std::vector<FeatureBlock> encoded, double intercept) {
  const bool full = intercept > 0 && std::ranges::any_of(encoded, &FeatureBlock::full);
  if (intercept != 0) encoded.push_back({1, std::fabs(intercept), full});
  return FeatureBlocks(std::move(encoded));
}

namespace {

// A sum of m numbers ≥ 0 in doubles is at least (1 − γ_m) of the real one, and 1/(1 − γ_m) ≤ 1 + γ_2m.
double sum_up(double sum, std::size_t terms) { return mul_up(sum, add_up(1.0, gamma_bound(2 * terms))); }

}  // namespace

double FeatureBlocks::gauge(const RowView& row, double intercept) const {
  double most = 0;
  std::size_t k = 0, end = 0, terms = 0;
  for (const FeatureBlock& block : blocks_) {
    const std::size_t first = k;
    end += block.size;
    double sum = 0;
    for (; k < row.size && (row.columns == nullptr ? k : row.columns[k]) < end; ++k)
      sum += std::fabs(row.values[k]);
    most = std::max(most, sum / block.bound);
    terms = std::max(terms, k - first);
  }
  if (intercept != 0) most = std::max(most, std::fabs(intercept) / blocks_.back().bound);
  return sum_up(most, terms + 1);  // once for all blocks, the division with them: this runs for every record
}

double FeatureBlocks::gauge(std::span<const double> parameters, std::size_t outputs) const {
  double most = 0;
  std::size_t l = 0;
  for (const FeatureBlock& block : blocks_) {
    double sum = 0;
    for (const std::size_t end = l + block.size; l < end; ++l) {
      double length = std::fabs(parameters[l]);
      for (std::size_t o = 1; o < outputs; ++o) length = std::hypot(length, parameters[o * features_ + l]);
      sum += length;
    }
    // glibc's hypot is within 1 ulp: two roundings.
    most = std::max(most, div_up(sum_up(sum, block.size + 2 * outputs), block.bound));
  }
  return most;
}

double FeatureBlocks::mean_square(std::size_t outputs) const {
  if (outputs == 1 && in_plane()) return mean_square_in_plane(blocks_);
  // b = T·U, T ~ Gamma(rp + 1) and U uniform in K: a block's radii are Dirichlet(r, …, r, 1).
  const double r = static_cast<double>(outputs), parameters = r * static_cast<double>(features_);
  double sum = 0;
  for (const FeatureBlock& block : blocks_) {
    const double k = static_cast<double>(block.size);
    sum += block.bound * block.bound * k * r * (r + 1) / ((k * r + 1) * (k * r + 2));
  }
  return (parameters + 1) * (parameters + 2) * sum;
}

std::string FeatureBlocks::text() const {
  std::string text;
  for (std::size_t j = 0; j < blocks_.size();) {
    std::size_t same = 1;
    while (j + same < blocks_.size() && blocks_[j + same] == blocks_[j]) ++same;
    if (!text.empty()) text += ',';
    if (same > 1) text += fmt::format("{}*", same);
    // The shortest digits that come back.
    text += fmt::format("{}{}{}", blocks_[j].size, blocks_[j].full ? '=' : ':', blocks_[j].bound);
    j += same;
  }
  return text;
}

FeatureBlocks FeatureBlocks::parse(std::string_view text) {
  constexpr std::size_t most = std::size_t{1} << 24;  // features, so that no text makes memory run out
  const char *at = text.data(), *const end = text.data() + text.size();
  const auto fail = [&]() {
    throw_error<UsageError>("the blocks \"{}\" are not of the form 2*9=1,16:1,1=1", text);
  };
  const auto take = [&](auto& value) {
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc()) fail();
    at = next;
  };
  const auto skip = [&](char c) { return at != end && *at == c ? (++at, true) : false; };
  std::vector<FeatureBlock> blocks;
  std::size_t features = 0;
  do {
    std::size_t count = 1, size = 0;
    double bound = 0;
    take(size);
    if (skip('*')) {
      count = size;
      take(size);
    }
    const bool full = skip('=');
    if (!full && !skip(':')) fail();
    take(bound);
    if (count == 0 || size == 0 || count > most || size > most / count || (features += count * size) > most)
      fail();
    blocks.insert(blocks.end(), count, FeatureBlock{size, bound, full});
  } while (skip(','));
  if (at != end) fail();
  return FeatureBlocks(std::move(blocks));
}

}  // namespace tacit::inline v1
