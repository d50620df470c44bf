#include <cmath>
#include <map>
#include <span>
#include <vector>

#include "core/numbers.hpp"
#include "noise/estimates.hpp"
#include "noise/gaussian_reference.hpp"
#include "noise/lazy_uniform.hpp"
#include "noise/round_exactly.hpp"
#include "noise/sampler_paths.hpp"
#include "tacit/core.hpp"

// Isotropic Laplace noise of scale 1 in d dimensions: Γ·g/‖g‖, with Γ = −Σ ln Wᵢ over d uniforms (so Γ has
// the law of the radius, Gamma(d)) and g Gaussian by Box–Muller. Since a pair of Box–Muller coordinates has
// squared norm −2 ln U, ‖g‖² = −2 Σ ln Uᵢ over the pairs; of the last pair only the cosine counts when d is
// odd.

namespace tacit::inline v1::noise {

namespace {

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
    const bool first = kernels_.round(x.data(), cosine_.data(), error_.data(), out.data(), pairs_, rounding);
    const bool second = kernels_.round(x.data() + pairs_, sine_.data(), error_.data(), out.data() + pairs_,
                                       dimension_ - pairs_, rounding);
    return first && second;
  }

  std::span<const std::uint64_t> gamma_words() const { return std::span(gamma_words_).first(dimension_); }
  std::span<const std::uint64_t> radius_words() const { return std::span(radius_words_).first(pairs_); }
  std::span<const std::uint64_t> angle_words() const { return std::span(angle_words_).first(pairs_); }

 private:
  Estimate norm() const;
  Estimate gamma_over_norm() const;

  std::size_t dimension_, pairs_;
  const Kernels& kernels_;
  std::vector<std::uint64_t> gamma_words_, radius_words_, angle_words_;
  std::vector<double> cosine_, sine_, t_, error_;
};

// ‖g‖ = √(2 Σ t).
Estimate IsotropicDraw::norm() const {
  const bool odd = dimension_ % 2 == 1;
  std::vector<double> terms(t_.begin(), t_.begin() + static_cast<std::ptrdiff_t>(pairs_));
  double last_error = 0;
  if (odd) {
    const double z = cosine_[pairs_ - 1];
    terms.back() = 0.5 * z * z;
    last_error = half_square_error(z, error_[pairs_ - 1]);
  }
  const Estimate total = sum(terms);
  // Per pair: 1/w (bits not read), u (rounding of w). On the whole: 4u (logarithm), the sum.
  const double unread = unread_digits(std::span(radius_words_).first(pairs_));
  const double absolute = 1.05 * (unread + u * static_cast<double>(pairs_) + last_error);
  return gaussian_length(total.value, absolute + (4.1 * u + 1.05 * total.relative_error) * total.value);
}

Estimate IsotropicDraw::gamma_over_norm() const {
  return quotient(gamma_sum(gamma_words_, dimension_, kernels_), norm());
}

// The same vector in interval arithmetic. Γ/‖g‖ is computed once for each number of words.
class IsotropicReference {
 public:
  IsotropicReference(const IsotropicDraw& draw, BitSource& bits)
      : bits_(bits),
        gamma_(draw.gamma_words().begin(), draw.gamma_words().end()),
        gaussian_(draw.gamma_words().size(), draw.radius_words(), draw.angle_words(), bits) {}

  Interval coordinate(std::size_t j, std::size_t words, long precision) {
    const Interval along = gaussian_.coordinate(j, words, precision);
    return along * gamma_over_norm(words, precision);
  }

 private:
  const Interval& gamma_over_norm(std::size_t words, long precision) {
    const auto known = gamma_over_norm_.find(words);
    if (known != gamma_over_norm_.end()) return known->second;
    const Interval gamma = minus_log_product(gamma_, words, precision, bits_);
    const Interval norm = gaussian_.length(words, precision);
    return gamma_over_norm_.emplace(words, gamma / norm).first->second;
  }

  BitSource& bits_;
  std::vector<LazyUniform> gamma_;
  GaussianReference gaussian_;
  std::map<std::size_t, Interval> gamma_over_norm_;
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
      out[j] = round_exactly(x[j], scale, lattice, 2 * x.size(), [&](std::size_t words, long precision) {
        return reference.coordinate(j, words, precision);
      });
}

void add_isotropic_laplace(std::span<const double> x, double scale, const Lattice& lattice, BitSource& bits,
                           std::span<double> out) {
  add_isotropic_laplace(x, scale, lattice, bits, out, best_kernels());
}

}  // namespace tacit::inline v1::noise
