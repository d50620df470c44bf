#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <functional>
#include <map>
#include <random>
#include <vector>

#include "privacy/accounting/real_transform.hpp"
#include "support/number.hpp"
#include "tacit/core.hpp"

namespace tacit::pld {
namespace {

constexpr long bits = 192;
using testing::Number;

Number number(long double x) { return Number::of(x, bits); }

// cos and sin of 2πk/size, made once for each size.
struct Circle {
  std::vector<Number> cosine, sine;
};
const Circle& circle(std::size_t size) {
  static std::map<std::size_t, Circle> made;
  Circle& result = made[size];
  for (std::size_t k = result.cosine.size(); k < size; ++k) {
    const Number turn = number(static_cast<long double>(k)) / number(static_cast<long double>(size));
    result.cosine.push_back(cos_2pi(turn));
    result.sine.push_back(sin_2pi(turn));
  }
  return result;
}

// Complex numbers to 192 bits.
class Exact {
 public:
  explicit Exact(std::size_t size) : re_(size, number(0)), im_(size, number(0)) {}

  void set(std::size_t k, long double re, long double im) {
    re_[k] = number(re);
    im_[k] = number(im);
  }
  // Σⱼ zⱼ e^{−2πijk/size}, as a sum of transforms of the even and the odd j while there are two halves.
  void transform() {
    const std::size_t size = re_.size(), step = size % 2 == 0 ? 2 : size, length = size / step;
    if (size == 1) return;
    std::vector<Exact> parts(step, Exact(length));
    for (std::size_t j = 0; j < size; ++j) {
      parts[j % step].re_[j / step] = re_[j];
      parts[j % step].im_[j / step] = im_[j];
    }
    for (Exact& part : parts) part.transform();
    const Circle& roots = circle(size);
    for (std::size_t k = 0; k < size; ++k) {
      re_[k] = parts[0].re_[k % length];
      im_[k] = parts[0].im_[k % length];
      for (std::size_t r = 1; r < step; ++r) {
        const Number &c = roots.cosine[r * k % size], &s = roots.sine[r * k % size];
        const Number &x = parts[r].re_[k % length], &y = parts[r].im_[k % length];
        re_[k] = re_[k] + x * c + y * s;
        im_[k] = im_[k] + y * c - x * s;
      }
    }
  }
  double distance(std::size_t k, long double re, long double im) const {
    return std::hypot((number(re) - re_[k]).to_double(), (number(im) - im_[k]).to_double());
  }

 private:
  std::vector<Number> re_, im_;
};

// Where each frequency is, read off the transform of x_1 = 1, which is e^{−2πik/size}.
template <class R>
struct Spectrum {
  explicit Spectrum(const RealTransform<R>& transform, std::size_t size) {
    std::vector<R> shift(size, R(0));
    shift[1] = 1;
    transform.forward(shift);
    const auto note = [&](std::size_t re, std::size_t im) {
      const double angle =
          std::atan2(re == im ? 0 : static_cast<double>(shift[im]), static_cast<double>(shift[re]));
      const auto turns =
          static_cast<std::int64_t>(std::llround(-angle / (2 * M_PI) * static_cast<double>(size)));
      const auto whole = static_cast<std::int64_t>(size);
      places[static_cast<std::size_t>((turns + whole) % whole)] = {re, im};
    };
    for (std::size_t k = 0; k < RealTransform<R>::real_ones; ++k) note(k, k);
    for (const auto& [first, length] : transform.complex_ones())
      for (std::size_t k = first; k < first + length; ++k) note(k, k + length);
  }
  std::map<std::size_t, std::pair<std::size_t, std::size_t>> places;  // of the parts, by frequency
};

// The largest error over what it may be, there and back.
template <class R>
std::pair<double, double> error_over_bound(std::size_t size, const std::vector<R>& numbers) {
  const RealTransform<R> transform(size);
  const Spectrum<R> spectrum(transform, size);
  EXPECT_EQ(spectrum.places.size(), size / 2 + 1) << "a frequency is missing";
  Exact exact(size);
  double sum = 0, worst = 0;
  for (std::size_t k = 0; k < size; ++k) {
    exact.set(k, numbers[k], R(0));
    sum += std::fabs(static_cast<double>(numbers[k]));
  }
  exact.transform();
  std::vector<R> found = numbers;
  transform.forward(found);
  for (const auto& [k, at] : spectrum.places)
    worst =
        std::fmax(worst, exact.distance(k, found[at.first], at.first == at.second ? R(0) : found[at.second]));
  const double there = worst / (transform.error() * sum);

  // back, from these numbers as a spectrum; x_j = Σ z_k e^{2πijk/size} is the transform at −j
  Exact inverse(size);
  sum = worst = 0;
  for (const auto& [k, at] : spectrum.places) {
    const bool real = at.first == at.second;
    const R re = numbers[at.first], im = real ? R(0) : numbers[at.second];
    inverse.set(k, re, im);
    if (!real) inverse.set(size - k, re, -im);
    sum += (real ? 1 : 2) * std::hypot(static_cast<double>(re), static_cast<double>(im));
  }
  inverse.transform();
  found = numbers;
  transform.backward(found);
  for (std::size_t j = 0; j < size; ++j)
    worst = std::fmax(worst, inverse.distance((size - j) % size, found[j], R(0)));
  return {there, worst / (transform.error() * sum)};
}

using Input = std::function<double(std::size_t, std::size_t, std::mt19937_64&)>;

// Random ones, and ones whose partial sums are as large as they can be, cancel, or differ by 2^60.
std::map<std::string, Input> inputs() {
  const auto uniform = [](std::mt19937_64& draw) { return std::uniform_real_distribution(-1.0, 1.0)(draw); };
  return {{"random", [=](auto, auto, auto& draw) { return uniform(draw); }},
          {"masses", [=](auto, auto, auto& draw) { return std::fabs(uniform(draw)); }},
          {"constant", [](auto, auto, auto&) { return 1.0 / 3; }},
          {"alternating", [](std::size_t k, auto, auto&) { return k % 2 == 0 ? 0.7 : -0.7; }},
          {"one wave",
           [](std::size_t k, std::size_t n, auto&) {
             return std::cos(2 * M_PI * static_cast<double>(7 * k % n) / static_cast<double>(n));
           }},
          {"signs of a wave",
           [](std::size_t k, std::size_t n, auto&) {
             return std::sin(2 * M_PI * static_cast<double>(3 * k % n) / static_cast<double>(n)) > 0 ? 0.1
                                                                                                     : -0.1;
           }},
          {"a spike among dust",
           [=](std::size_t k, auto, auto& draw) { return k == 5 ? 1.0 : 0x1p-60 * uniform(draw); }},
          {"a bell", [](std::size_t k, auto, auto&) { return std::exp(-0.01 * static_cast<double>(k * k)); }},
          {"scales", [=](auto, auto, auto& draw) {
             return std::ldexp(uniform(draw), static_cast<int>(draw() % 61) - 60);
           }}};
}

template <class R>
void expect_within_bound(std::size_t size) {
  std::mt19937_64 draw(size);
  double most = 0;
  for (const auto& [name, input] : inputs()) {
    std::vector<R> numbers(size);
    for (std::size_t k = 0; k < size; ++k) {  // all digits of a long double
      numbers[k] = static_cast<R>(input(k, size, draw));
      numbers[k] += numbers[k] * static_cast<R>(std::uniform_real_distribution(0.0, 0x1p-52)(draw));
    }
    const auto [there, back] = error_over_bound<R>(size, numbers);
    EXPECT_LE(there, 1) << name << ' ' << size;
    EXPECT_LE(back, 1) << name << ' ' << size;
    most = std::fmax(most, std::fmax(there, back));
  }
  EXPECT_GT(most, 1e-4) << "the bound says next to nothing about " << size;
}

TEST(RealTransform, IsWithinItsBoundOfTheExactTransform) {
  for (const std::size_t size :
       {2, 4, 6, 8, 10, 12, 16, 20, 24, 32, 40, 64, 80, 96, 128, 256, 640, 768, 1024}) {
    expect_within_bound<double>(size);
    expect_within_bound<long double>(size);
  }
}

TEST(LongRealTransform, IsWithinItsBoundAtLargeSizes) {
  for (const std::size_t size : {4096, 8192, 3 << 13, 5 << 12, 1 << 16}) {
    expect_within_bound<double>(size);
    expect_within_bound<long double>(size);
  }
}

// A test that cannot see a wrong root would be none: with numbers moved by 2^−40 it must fail.
TEST(RealTransform, IsToldFromOneOfOtherNumbers) {
  constexpr std::size_t size = 640;
  std::vector<double> numbers(size, 0.5), moved = numbers;
  moved[3] += 0x1p-40;
  const RealTransform<double> transform(size);
  transform.forward(numbers);
  transform.forward(moved);
  EXPECT_GT(std::fabs(numbers[0] - moved[0]), transform.error());
}

TEST(RealTransform, RefusesOtherSizes) {
  for (const std::size_t size : {0, 1, 3, 5, 7, 14, 9 * 64, 15 * 64})
    EXPECT_THROW(RealTransform<double>{size}, UsageError) << size;
}

}  // namespace
}  // namespace tacit::pld
