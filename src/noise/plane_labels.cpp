#include "noise/plane_labels.hpp"

#include <algorithm>
#include <functional>

#include "noise/coins.hpp"
#include "noise/lazy_uniform.hpp"

namespace tacit::inline v1::noise {

namespace {

Interval whole_number(std::size_t value, long precision) {
  return Interval(static_cast<double>(value), precision);  // far below 2^53
}

// φ_{k,μ} over φ_{k,0}: φ_{μ+1}/φ_μ = 2(k−1−μ)²/((μ+1)(2k−2−μ)).
std::vector<Interval> volume_coefficients(std::size_t k, long precision) {
  std::vector<Interval> phi{Interval(1, precision)};
  for (std::size_t mu = 0; mu + 1 < k; ++mu)
    phi.push_back(phi.back() * whole_number(2 * (k - 1 - mu) * (k - 1 - mu), precision) /
                  whole_number((mu + 1) * (2 * k - 2 - mu), precision));
  return phi;
}

std::vector<Interval> product(const std::vector<Interval>& a, const std::vector<Interval>& b,
                              long precision) {
  std::vector<Interval> result(a.size() + b.size() - 1, Interval(0, precision));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = 0; k < b.size(); ++k) result[i + k] += a[i] * b[k];
  return result;
}

// i with probability ∝ weights[i] > 0, which can be enclosed as tightly as asked: U·Σ lies between the sum of
// those before i and that with i.
using Enclosures = std::function<std::vector<Interval>(long precision)>;
std::size_t choose(const Enclosures& weights, BitSource& bits) {
  LazyUniform uniform(bits);
  for (std::size_t words = 1;; words *= 2) {
    require_sane_bits(words);
    uniform.extend(words, bits);
    const long precision = precision_for(words, 1);
    const std::vector<Interval> all = weights(precision);
    Interval total(0, precision);
    for (const Interval& weight : all) total += weight;
    const Interval place = uniform.enclosure(precision) * total;
    Interval below(0, precision);
    for (std::size_t i = 0;; ++i) {
      if (i + 1 == all.size()) return i;
      below += all[i];
      if (place < below) return i;
      if (!(place > below)) break;  // undecided
    }
  }
}

}  // namespace

std::size_t PlaneLabels::Block::negatives() const {
  return static_cast<std::size_t>(std::ranges::count(negative, true));
}

PlaneLaw::PlaneLaw(const FeatureBlocks& blocks) {
  if (!blocks.in_plane()) throw_error<UsageError>("fewer than two blocks are full: there is no plane");
  for (const FeatureBlock& block : blocks.list())
    if (block.full) {
      sizes_.push_back(block.size);
      degree_ += block.size - 1;
    }
}

const PlaneLaw::Weights& PlaneLaw::weights(long precision) {
  const auto known = weights_.find(precision);
  if (known != weights_.end()) return known->second;
  Weights made{.volumes = {}, .products = {{Interval(1, precision)}}};
  for (const std::size_t k : sizes_) {
    const auto& volume = made.volumes.try_emplace(k, volume_coefficients(k, precision)).first->second;
    made.products.push_back(product(made.products.back(), volume, precision));
  }
  return weights_.emplace(precision, std::move(made)).first->second;
}

// Φ_M·M!(N−M)! over N!: Φ_M/C(N, M).
std::vector<Interval> PlaneLaw::of_sum(long precision) {
  std::vector<Interval> result = weights(precision).products.back();
  Interval choices(1, precision);
  for (std::size_t m = 0; m <= degree_; ++m) {
    result[m] /= choices;
    if (m < degree_)
      choices = choices * whole_number(degree_ - m, precision) / whole_number(m + 1, precision);
  }
  return result;
}

// Given that the first j + 1 labels have this sum: φ_{k,μ} times what the first j have for the rest.
std::vector<Interval> PlaneLaw::of_block(std::size_t j, std::size_t sum, std::size_t least, std::size_t most,
                                         long precision) {
  const Weights& all = weights(precision);
  const std::vector<Interval>&volume = all.volumes.at(sizes_[j]), &before = all.products[j];
  std::vector<Interval> result;
  for (std::size_t mu = least; mu <= most; ++mu) result.push_back(volume[mu] * before[sum - mu]);
  return result;
}

PlaneLabels PlaneLaw::draw(BitSource& bits) {
  PlaneLabels labels{.negative = bernoulli(0.5, bits), .sum = 0, .blocks = {}};
  labels.blocks.resize(sizes_.size());
  labels.sum = choose([&](long precision) { return of_sum(precision); }, bits);

  std::size_t sum = labels.sum, degree = degree_;  // of the blocks that are left
  for (std::size_t j = sizes_.size(); j-- > 0;) {
    const std::size_t k = sizes_[j];
    PlaneLabels::Block& block = labels.blocks[j];
    degree -= k - 1;
    const std::size_t least = sum > degree ? sum - degree : 0, most = std::min(sum, k - 1);
    if (least == most)
      block.mu = least;
    else
      block.mu =
          least + choose([&](long precision) { return of_block(j, sum, least, most, precision); }, bits);
    sum -= block.mu;

    // Which features are above 0: of 2k−2−μ things k−1 are chosen, all choices alike, and the features are k
    // of these things. (m features can be chosen in C(k,m)·C(k−2−μ, k−1−m) ways, its weight.)
    block.negative.assign(k, false);
    if (block.mu + 1 == k) continue;
    std::size_t things = 2 * k - 2 - block.mu, wanted = k - 1;
    for (std::size_t l = 0; l < k; ++l, --things) {
      block.negative[l] = draw_below(things, bits) >= wanted;
      wanted -= block.negative[l] ? 0 : 1;
    }
  }
  return labels;
}

}  // namespace tacit::inline v1::noise
