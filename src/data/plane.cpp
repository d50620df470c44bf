#include "data/plane.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/log_gamma.hpp"

namespace tacit::inline v1 {

bool FeatureBlocks::holds(const RowView& row, double intercept) const {
  std::size_t k = 0, end = 0;
  for (const FeatureBlock& block : blocks_) {
    end += block.size;
    double sum = 0;
    bool exact = true;
    const auto add = [&](double x) {  // what the addition loses is known exactly [Knuth's TwoSum]
      const double both = sum + x, kept = both - sum;
      exact = exact && (sum - (both - kept)) + (x - kept) == 0;
      sum = both;
    };
    for (; k < row.size && (row.columns == nullptr ? k : row.columns[k]) < end; ++k) add(row.values[k]);
    if (intercept != 0 && &block == &blocks_.back()) add(intercept);
    if (block.full && !(exact && sum == block.bound)) return false;
  }
  return true;
}

FeatureBlocks FeatureBlocks::without_plane() const {
  std::vector<FeatureBlock> blocks = blocks_;
  for (FeatureBlock& block : blocks) block.full = false;
  return FeatureBlocks(std::move(blocks));
}

namespace {

// What a full block of k features and bound 1 has where its sum is τ ≥ 0: the volume f of the points with
// ‖v‖₁ ≤ 1 (up to a factor), and the mean of their ‖v‖₂². With h_k the k-fold convolution of e^{−|x|},
//   h_k(x) = e^{−x} Σ_m c_{k,m} x^m,   c_{k,m} = (2k−2−m)!/((k−1)! m! (k−1−m)! 2^{k−1−m}),   x ≥ 0,
//   f(τ) = Σ_m c_{k,m} τ^m (1−τ)^{k−1−m}/(k−1−m)!,
// and v₁²e^{−|v₁|} is 2h_3 − 3h_2, so that ∫v₁² has the coefficients 2c_{k+2,m} − 3c_{k+1,m} in place of c_k.
class Slice {
 public:
  explicit Slice(std::size_t size) : size_(static_cast<double>(size)) {
    const auto log_c = [](double k, double m) {
      return log_gamma(2 * k - 1 - m) - log_gamma(k) - log_gamma(m + 1) - log_gamma(k - m) -
             (k - 1 - m) * std::log(2.0);
    };
    const double k = size_;
    const double unit = log_c(k, 0) - log_gamma(k);  // f(0), the largest
    for (std::size_t i = 0; i <= size + 1; ++i) {
      const double m = static_cast<double>(i);
      if (i < size) volume_.push_back(std::exp(log_c(k, m) - log_gamma(k - m) - unit));
      const auto square = [&](double sizes) {
        return m < sizes ? std::exp(log_c(sizes, m) - log_gamma(k + 2 - m) - unit) : 0;
      };
      squares_.push_back(2 * square(k + 2) - 3 * square(k + 1));
    }
  }
  double volume(double tau) const { return polynomial(volume_, tau); }
  double mean_square(double tau) const { return size_ * polynomial(squares_, tau) / volume(tau); }

 private:
  static double polynomial(const std::vector<double>& coefficients, double tau) {
    double sum = 0;
    const double degree = static_cast<double>(coefficients.size()) - 1;
    for (std::size_t m = 0; m < coefficients.size(); ++m)
      sum += coefficients[m] * std::pow(tau, static_cast<double>(m)) *
             std::pow(1 - tau, degree - static_cast<double>(m));
    return sum;
  }

  double size_;
  std::vector<double> volume_, squares_;
};

}  // namespace

namespace {

// E‖U_j‖₂² for each block j, U uniform in K ∩ L, all divided by ρ_j²; and D.
struct PlaneSquares {
  std::vector<double> of_blocks;
  double dimension = 1;
};
PlaneSquares squares_in_plane(const std::vector<FeatureBlock>& blocks) {
  struct Kind {
    Slice slice;
    double count = 0, squares = 0;
  };
  std::map<std::size_t, Kind> kinds;
  double dimension = 1, bent = 0;
  for (const FeatureBlock& block : blocks) {
    const double k = static_cast<double>(block.size);
    dimension += block.full ? k - 1 : k;
    if (!block.full) continue;
    ++kinds.try_emplace(block.size, Kind{Slice(block.size)}).first->second.count;
    bent += k - 1;
  }
  // The volumes' product falls off like e^{−τ²·Σ(k−1)/2} or sooner than e^{−τ·…}; beyond `far` nothing is
  // left.
  constexpr int points = 400;
  const double far = std::min(1.0, 12 / std::sqrt(1 + bent));
  double mass = 0;
  for (int i = 0; i < points; ++i) {
    const double tau = far * (i + 0.5) / points;
    double weight = 1;
    for (const auto& [size, kind] : kinds) weight *= std::pow(kind.slice.volume(tau), kind.count);
    if (!(weight > 0)) break;
    mass += weight;
    for (auto& [size, kind] : kinds) kind.squares += weight * kind.slice.mean_square(tau);
  }
  PlaneSquares found{.of_blocks = {}, .dimension = dimension};
  for (const FeatureBlock& block : blocks) {
    const double k = static_cast<double>(block.size);
    found.of_blocks.push_back(block.full ? kinds.at(block.size).squares / mass : 2 * k / ((k + 1) * (k + 2)));
  }
  return found;
}

}  // namespace

double mean_square_in_plane(const std::vector<FeatureBlock>& blocks) {
  const auto [squares, dimension] = squares_in_plane(blocks);
  double sum = 0;
  for (std::size_t j = 0; j < blocks.size(); ++j) sum += blocks[j].bound * blocks[j].bound * squares[j];
  return (dimension + 1) * (dimension + 2) * sum;
}

std::vector<double> coordinate_mean_squares(const FeatureBlocks& blocks, std::size_t outputs) {
  const double r = static_cast<double>(outputs);
  double dimension = r * static_cast<double>(blocks.features());
  std::vector<double> squares;
  if (outputs == 1 && blocks.in_plane()) {
    PlaneSquares found = squares_in_plane(blocks.list());
    squares = std::move(found.of_blocks);
    dimension = found.dimension;
  } else {
    for (const FeatureBlock& block : blocks.list()) {
      const double k = static_cast<double>(block.size);
      squares.push_back(k * r * (r + 1) / ((k * r + 1) * (k * r + 2)));
    }
  }
  for (std::size_t j = 0; j < squares.size(); ++j) {
    const FeatureBlock& block = blocks.list()[j];
    squares[j] *=
        (dimension + 1) * (dimension + 2) * block.bound * block.bound / (r * static_cast<double>(block.size));
  }
  return squares;
}

}  // namespace tacit::inline v1
