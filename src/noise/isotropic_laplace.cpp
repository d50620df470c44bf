#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <span>
#include <vector>

#include "round_exactly.hpp"
#include "sampler_paths.hpp"
#include "tacit/core/rounding.hpp"
#include "tacit/noise/lazy_uniform.hpp"

// Isotropic Laplace noise of scale 1 in d dimensions: Γ·g/‖g‖, with Γ = −Σ ln Wᵢ over d uniforms (so Γ has
// the law of the radius, Gamma(d)) and g Gaussian by Box–Muller. Since a pair of Box–Muller coordinates has
// squared norm −2 ln U, ‖g‖² = −2 Σ ln Uᵢ over the pairs; of the last pair only the cosine counts when d is
// odd.

namespace tacit::inline v1::noise {

namespace {

constexpr double u = unit_roundoff;

// A positive number with a bound on its relative error.
struct Estimate {
  double value = 0, relative_error = 0;
};

// Pairwise, with what each addition loses (exact by Knuth's TwoSum) summed beside it: for terms ≥ 0 the
// losses add up to at most γ_depth of the sum, and their own sum is that precise again [Higham, Accuracy and
// Stability, §4.2].
Estimate sum(std::vector<double>& terms) {
  std::vector<double> lost(terms.size(), 0.0);
  std::size_t depth = 0;
  for (std::size_t count = terms.size(); count > 1; ++depth) {
    const std::size_t half = (count + 1) / 2;
    for (std::size_t i = 0; i + half < count; ++i) {
      const double a = terms[i], b = terms[i + half], both = a + b, kept = both - a;
      lost[i] += lost[i + half] + ((a - (both - kept)) + (b - kept));
      terms[i] = both;
    }
    count = half;
  }
  const double gamma = gamma_bound(2 * depth);
  return {terms[0] + lost[0], 2 * (u + gamma * gamma)};
}

// Σ 1/w, which bounds what the unread digits can do to Σ ln U. Eight sums, so that the additions overlap.
double unread_digits(std::span<const std::uint64_t> words) {
  double sums[8] = {};
  for (std::size_t i = 0; i < words.size(); ++i) sums[i % 8] += 1 / static_cast<double>(words[i]);
  return 1.01 * std::accumulate(std::begin(sums), std::end(sums), 0.0);
}

// Everything drawn for one vector.
class IsotropicDraw {
 public:
  IsotropicDraw(std::size_t dimension, BitSource& bits, const Kernels& kernels)
      : dimension_(dimension),
        pairs_((dimension + 1) / 2),
        kernels_(kernels),
        gamma_words_(padded(dimension)),
        radius_words_(padded(pairs_)),
        angle_words_(padded(pairs_)),
        cosine_(padded(pairs_)),
        sine_(padded(pairs_)),
        t_(padded(pairs_)),
        error_(padded(pairs_)) {
    bits.fill(std::span(gamma_words_).first(dimension_));
    bits.fill(std::span(radius_words_).first(pairs_));
    bits.fill(std::span(angle_words_).first(pairs_));
    kernels.box_muller(radius_words_.data(), angle_words_.data(), cosine_.data(), sine_.data(), t_.data(),
                       error_.data(), pairs_);
  }

  bool round(std::span<const double> x, double scale, const Lattice& lattice, std::span<double> out) const {
    BlockRounding rounding = block_rounding(scale, lattice);
    const Estimate stretch = gamma_over_norm();
    rounding.multiplier *= stretch.value;
    rounding.relative_error = stretch.relative_error;
    return kernels_.round(x.data(), cosine_.data(), error_.data(), out.data(), pairs_, rounding) &
           kernels_.round(x.data() + pairs_, sine_.data(), error_.data(), out.data() + pairs_,
                          dimension_ - pairs_, rounding);
  }

  std::size_t dimension() const { return dimension_; }
  std::size_t pairs() const { return pairs_; }
  const std::vector<std::uint64_t>& gamma_words() const { return gamma_words_; }
  const std::vector<std::uint64_t>& radius_words() const { return radius_words_; }
  const std::vector<std::uint64_t>& angle_words() const { return angle_words_; }

 private:
  Estimate gamma() const;
  Estimate norm() const;
  Estimate gamma_over_norm() const;

  std::size_t dimension_, pairs_;
  const Kernels& kernels_;
  std::vector<std::uint64_t> gamma_words_, radius_words_, angle_words_;
  std::vector<double> cosine_, sine_, t_, error_;
};

// Γ as the sum of −ln of products of eight: fewer logarithms, and no less precise.
Estimate IsotropicDraw::gamma() const {
  constexpr std::size_t factors = 8;  // a product of eight Û ≥ 2^−64 does not underflow
  std::vector<double> uniform((dimension_ + factors - 1) / factors * factors, 1.0);
  kernels_.to_uniform(gamma_words_.data(), uniform.data(), dimension_);
  std::fill(uniform.begin() + static_cast<std::ptrdiff_t>(dimension_), uniform.end(), 1.0);

  std::vector<double> terms(padded(uniform.size() / factors), 1.0);
  for (std::size_t i = 0; i < uniform.size(); ++i) terms[i / factors] *= uniform[i];
  kernels_.minus_log(terms.data(), terms.size());
  const Estimate total = sum(terms);
  // Per uniform: 1/w (bits not read), u (rounding of w), u (the product). On the whole: 4u (logarithm), the
  // sum.
  const double unread = unread_digits(std::span(gamma_words_).first(dimension_));
  const double absolute = 1.05 * (unread + 2 * u * static_cast<double>(dimension_));
  return {total.value, absolute / total.value + 4.1 * u + 1.05 * total.relative_error};
}

// ‖g‖ = √(2 Σ t).
Estimate IsotropicDraw::norm() const {
  const bool odd = dimension_ % 2 == 1;
  std::vector<double> terms(t_.begin(), t_.begin() + static_cast<std::ptrdiff_t>(pairs_));
  double last_error = 0;
  if (odd) {
    const double z = cosine_[pairs_ - 1], error = error_[pairs_ - 1];
    terms.back() = 0.5 * z * z;
    last_error = std::abs(z) * error + error * error + 2 * u * terms.back();
  }
  const Estimate total = sum(terms);
  // Per pair: 1/w (bits not read), u (rounding of w). On the whole: 4u (logarithm), the sum.
  const double unread = unread_digits(std::span(radius_words_).first(pairs_));
  const double absolute = 1.05 * (unread + u * static_cast<double>(pairs_) + last_error);
  const double relative = absolute / total.value + 4.1 * u + 1.05 * total.relative_error;
  // √ halves a small relative error: |√(1 + e) − 1| ≤ 0.51|e| for |e| ≤ 0.01; + u for the root itself.
  return {std::sqrt(2 * total.value),
          relative <= 0.01 ? 0.51 * relative + u : std::numeric_limits<double>::infinity()};
}

Estimate IsotropicDraw::gamma_over_norm() const {
  const Estimate a = gamma(), b = norm();
  // (1 + e₁)/(1 + e₂) for |e| ≤ 0.01 is 1 + e with |e| ≤ 1.02(|e₁| + |e₂|); three more roundings.
  const double relative = 1.05 * (a.relative_error + b.relative_error) + 4 * u;
  return {a.value / b.value, relative <= 0.01 ? relative : std::numeric_limits<double>::infinity()};
}

// The same vector in ball arithmetic. Γ/‖g‖ is computed once for each number of words.
class IsotropicReference {
 public:
  IsotropicReference(const IsotropicDraw& draw, BitSource& bits)
      : dimension_(draw.dimension()),
        pairs_(draw.pairs()),
        bits_(bits),
        gamma_(draw.gamma_words().begin(),
               draw.gamma_words().begin() + static_cast<std::ptrdiff_t>(dimension_)),
        radius_(draw.radius_words().begin(),
                draw.radius_words().begin() + static_cast<std::ptrdiff_t>(pairs_)),
        angle_(draw.angle_words().begin(), draw.angle_words().begin() + static_cast<std::ptrdiff_t>(pairs_)) {
  }

  Ball coordinate(std::size_t j, std::size_t words, slong precision) {
    Ball result = gaussian(j, words, precision);
    arb_mul(result.get(), result.get(), gamma_over_norm(words, precision).get(), precision);
    return result;
  }

 private:
  Ball gaussian(std::size_t j, std::size_t words, slong precision) {
    LazyUniform &radius = radius_[j % pairs_], &angle = angle_[j % pairs_];
    radius.extend(words, bits_);
    angle.extend(words, bits_);
    return box_muller_enclosure(radius.enclosure(), angle.enclosure(),
                                j < pairs_ ? Coordinate::cosine : Coordinate::sine, precision);
  }

  // −ln of the product of the uniforms.
  Ball minus_log_product(std::span<LazyUniform> uniforms, std::size_t words, slong precision) {
    Ball product(1.0);
    for (LazyUniform& uniform : uniforms) {
      uniform.extend(words, bits_);
      arb_mul(product.get(), product.get(), uniform.enclosure().get(), precision);
    }
    arb_log(product.get(), product.get(), precision);
    arb_neg(product.get(), product.get());
    return product;
  }

  const Ball& gamma_over_norm(std::size_t words, slong precision) {
    const auto known = gamma_over_norm_.find(words);
    if (known != gamma_over_norm_.end()) return known->second;
    Ball gamma = minus_log_product(gamma_, words, precision);
    const bool odd = dimension_ % 2 == 1;
    Ball norm = minus_log_product(std::span(radius_).first(odd ? pairs_ - 1 : pairs_), words, precision);
    arb_mul_2exp_si(norm.get(), norm.get(), 1);
    if (odd) {
      const Ball last = gaussian(pairs_ - 1, words, precision);
      arb_addmul(norm.get(), last.get(), last.get(), precision);
    }
    arb_sqrtpos(norm.get(), norm.get(), precision);
    arb_div(gamma.get(), gamma.get(), norm.get(), precision);
    return gamma_over_norm_.emplace(words, std::move(gamma)).first->second;
  }

  std::size_t dimension_, pairs_;
  BitSource& bits_;
  std::vector<LazyUniform> gamma_, radius_, angle_;
  std::map<std::size_t, Ball> gamma_over_norm_;
};

}  // namespace

void add_isotropic_laplace(std::span<const double> x, double scale, const Lattice& lattice, BitSource& bits,
                           std::span<double> out, const Kernels& kernels) {
  validate(scale, lattice);
  if (x.empty()) return;
  const IsotropicDraw draw(x.size(), bits, kernels);
  if (draw.round(x, scale, lattice, out)) return;
  IsotropicReference reference(draw, bits);
  for (std::size_t j = 0; j < x.size(); ++j)
    if (std::isnan(out[j]))
      out[j] = round_exactly(x[j], scale, lattice, 2 * x.size(), [&](std::size_t words, slong precision) {
        return reference.coordinate(j, words, precision);
      });
}

void add_isotropic_laplace(std::span<const double> x, double scale, const Lattice& lattice, BitSource& bits,
                           std::span<double> out) {
  add_isotropic_laplace(x, scale, lattice, bits, out, best_kernels());
}

}  // namespace tacit::inline v1::noise
