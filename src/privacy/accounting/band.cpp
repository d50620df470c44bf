#include "privacy/accounting/band.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "tacit/core.hpp"

namespace tacit::inline v1::pld {

namespace {

using Complex = std::complex<double>;

constexpr double negligible_exponent = -100;  // ln of a modulus beyond the band, at most
constexpr double rare_mass = 10;              // of all steps together, that is bounded apart there

// When to make a transform instead [time only].
constexpr std::size_t few_points = 8192;  // for which a transform takes no time
constexpr double taps_a_point = 20;  // how much longer a point of it takes than a tap at a frequency here
constexpr int most_probes = 1000;    // of the frequencies beyond

double to_double(std::size_t k) { return static_cast<double>(k); }

// e^{2πi·frequency·at/size} − 1, within 8u of its modulus: the angle is reduced in integers.
Complex turn(std::int64_t frequency, std::int64_t at, std::size_t size) {
  const auto whole = static_cast<std::int64_t>(size);
  std::int64_t rest = (frequency * at) % whole;
  if (2 * rest > whole) rest -= whole;
  if (2 * rest < -whole) rest += whole;
  const double half_angle = std::numbers::pi * static_cast<double>(rest) / to_double(size);
  const double sine = std::sin(half_angle), cosine = std::cos(half_angle);
  return {-2 * sine * sine, 2 * sine * cosine};
}

// Real and imaginary parts apart, for the sake of wide registers.
struct Turns {
  std::vector<double> re, im;

  void add(Complex turn) {
    re.push_back(turn.real());
    im.push_back(turn.imag());
  }
};

// The transform of one factor, frequency by frequency. Less one: of a law nearly all of which is next to zero
// that is small, and known to a small relative error.
class Sweep {
 public:
  Sweep(const Factor& factor, std::size_t size);

  struct Value {
    Complex less_one;
    double error = 0;
  };
  Value next();  // at 0, 1, 2, …

  // Whether |transform|^count <= e^{negligible_exponent} at the frequencies from `from` to size/2.
  bool vanishes_from(std::size_t from) const;

  std::size_t taps() const { return mass_.size(); }
  double count() const { return count_; }
  double most_excess() const { return std::fmax(excess_ + excess_error_, 0.0); }  // of the mass over one
  double variance() const { return near_variance_; }

 private:
  void set_rare_taps_apart();
  void restart();
  void advance();
  double distance(std::size_t j) const { return static_cast<double>(at_[j]) - near_mean_; }

  static constexpr std::size_t period = 16;  // of restarts

  std::size_t size_;
  double count_;
  std::vector<double> mass_;
  std::vector<std::int64_t> at_;          // between −size/2 and size/2
  double excess_ = 0, excess_error_ = 0;  // the total mass less one
  Turns once_, now_;                      // at frequency 1 and at the next one
  std::size_t frequency_ = 0;             // the next one
  double reach_ = 0;                      // until the next restart, Σ mass·|now_| is at most this
  std::vector<std::size_t> near_;         // taps without the furthest, which have rare_mass/count at most
  double near_mass_ = 0, near_mean_ = 0, near_variance_ = 0;
};

Sweep::Sweep(const Factor& factor, std::size_t size) : size_(size), count_(factor.count) {
  long double excess = -1;
  for (const Point& point : factor.points) {
    const auto at = static_cast<std::int64_t>(point.at), whole = static_cast<std::int64_t>(size);
    mass_.push_back(point.mass);
    at_.push_back(at < whole - at ? at : at - whole);
    once_.add(turn(1, at_.back(), size));
    excess += static_cast<long double>(point.mass);
  }
  now_ = once_;
  excess_ = static_cast<double>(excess);
  // each partial sum is at most 2 + excess
  constexpr double roundoff = static_cast<double>(std::numeric_limits<long double>::epsilon() / 2);
  excess_error_ =
      unit_roundoff * std::fabs(excess_) + roundoff * to_double(taps() + 1) * (2 + std::fabs(excess_));
  set_rare_taps_apart();
}

void Sweep::set_rare_taps_apart() {
  for (std::size_t j = 0; j < taps(); ++j) near_mean_ += mass_[j] * static_cast<double>(at_[j]);
  near_.resize(taps());
  std::iota(near_.begin(), near_.end(), std::size_t{0});
  std::ranges::sort(near_, {}, [&](std::size_t j) { return std::fabs(distance(j)); });
  double left = rare_mass / count_;
  while (!near_.empty() && left > mass_[near_.back()]) {
    left = sub_down(left, mass_[near_.back()]);
    near_.pop_back();
  }
  double moment = 0;
  for (const std::size_t j : near_) {
    near_mass_ += mass_[j];
    moment += mass_[j] * static_cast<double>(at_[j]);
  }
  near_mean_ = moment / near_mass_;
  for (const std::size_t j : near_) near_variance_ += mass_[j] * distance(j) * distance(j) / near_mass_;
}

void Sweep::restart() {
  reach_ = 0;
  for (std::size_t j = 0; j < taps(); ++j) {
    const Complex now = turn(static_cast<std::int64_t>(frequency_), at_[j], size_);
    now_.re[j] = now.real();
    now_.im[j] = now.imag();
    const double step = std::fabs(once_.re[j]) + std::fabs(once_.im[j]);
    reach_ += mass_[j] * (std::fabs(now.real()) + std::fabs(now.imag()) + to_double(period) * step);
  }
}

// With E_k = e^{ika} − 1: E_{k+1} = E_k + E_1 + E_k E_1.
void Sweep::advance() {
  const std::size_t n = taps();
  double *re = now_.re.data(), *im = now_.im.data();
  const double *step_re = once_.re.data(), *step_im = once_.im.data();
  for (std::size_t j = 0; j < n; ++j) {
    const double x = re[j], y = im[j];
    re[j] = x + (step_re[j] + (x * step_re[j] - y * step_im[j]));
    im[j] = y + (step_im[j] + (x * step_im[j] + y * step_re[j]));
  }
}

// An error in E_k goes on undiminished, |1 + E_1| being 1; each step adds at most 8u|E_1| for E_1's own and
// 8u(|E_k| + |E_1|) for roundings. After fewer than 16 steps E is within 8u|E_0| + 16·24u·max|E| of the exact
// one, 400u times the largest |E| in all; summing rounds at most once a tap.
Sweep::Value Sweep::next() {
  if (frequency_ % period == 0)
    restart();
  else
    advance();
  ++frequency_;
  constexpr std::size_t lanes = 4;
  double re[lanes] = {}, im[lanes] = {};
  std::size_t j = 0;
  for (; j + lanes <= taps(); j += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      re[lane] += mass_[j + lane] * now_.re[j + lane];
      im[lane] += mass_[j + lane] * now_.im[j + lane];
    }
  for (; j < taps(); ++j) {
    re[0] += mass_[j] * now_.re[j];
    im[0] += mass_[j] * now_.im[j];
  }
  const Complex sum((re[0] + re[1]) + (re[2] + re[3]), (im[0] + im[1]) + (im[2] + im[3]));
  return {sum + excess_, unit_roundoff * (410 + to_double(taps() / lanes + 8)) * reach_ + excess_error_};
}

// Rare taps far out are bounded by their mass alone. Of the others P = |transform|² = ΣΣ m m' cos(ω(r − r')),
// ω being the angle, has |P''| <= 2 mass² variance: one evaluation bounds a whole stretch of frequencies, a
// long one where P is falling.
bool Sweep::vanishes_from(std::size_t from) const {
  const double angle = 2 * std::numbers::pi / to_double(size_);
  const double spread = near_mass_ * angle * std::sqrt(near_variance_),
               curvature = spread * spread * (1 + 1e-6);
  const double rounding =
      unit_roundoff * (to_double(taps()) + 32) * 8 * near_mass_;  // of a sum over the taps
  const double allowed = std::exp(negligible_exponent / count_) - rare_mass / count_;
  if (!(allowed > 0)) return false;  // few steps: rare taps are not rare
  const double bound = allowed * allowed * (1 - 1e-12);

  std::size_t at = from;
  for (int probe = 0; 2 * at <= size_; ++probe) {
    Complex sum = 0, slope = 0;
    for (const std::size_t j : near_) {
      const Complex term = mass_[j] * (1.0 + turn(static_cast<std::int64_t>(at), at_[j], size_));
      sum += term;
      slope += angle * distance(j) * Complex(-term.imag(), term.real());
    }
    const double power = std::norm(sum) + rounding * near_mass_;
    const double falling = -2 * (sum.real() * slope.real() + sum.imag() * slope.imag()) - rounding * spread;
    if (!(power <= bound) || probe == most_probes) return false;
    // the largest x with power − falling·x + curvature·x² <= bound
    const double root = std::sqrt(falling * falling + 4 * curvature * (bound - power));
    at += 1 + static_cast<std::size_t>(std::fmax(0.0, 0.999 * (falling + root) / (2 * curvature)));
  }
  return true;
}

// ln(1 + z)
Complex log1p(Complex z) {
  return {0.5 * std::log1p(2 * z.real() + std::norm(z)), std::atan2(z.imag(), 1 + z.real())};
}

}  // namespace

std::optional<Band> Band::of(std::span<const Factor> factors, std::size_t size) {
  if (size < few_points) return std::nullopt;
  std::vector<Sweep> sweeps;
  double variance = 0, taps = 0;
  for (const Factor& factor : factors) {
    sweeps.emplace_back(factor, size);
    variance += factor.count * sweeps.back().variance();
    taps += to_double(sweeps.back().taps());
  }
  const double most = taps_a_point * to_double(size) / taps;
  // a Gaussian of this variance has so many
  const double expected =
      std::sqrt(-2 * negligible_exponent / variance) * to_double(size) / (2 * std::numbers::pi);
  if (!(expected < most)) return std::nullopt;
  const auto main = std::ranges::max_element(
      sweeps, {}, [](const Sweep& sweep) { return sweep.count() * sweep.variance(); });

  Band band;
  band.size_ = size;
  for (std::size_t k = 0;; ++k) {
    if (to_double(k) > most || 2 * k >= size) return std::nullopt;
    Complex exponent = 0;
    double error = 0;
    bool vanishes = false;
    for (Sweep& sweep : sweeps) {
      const Sweep::Value value = sweep.next();
      const Complex term = sweep.count() * log1p(value.less_one);
      exponent += term;
      error += sweep.count() * 1.1 * value.error / std::abs(1.0 + value.less_one);
      // The logarithm's real part adds 2x and |z|², which may cancel, down to |1 + z|² = 1 + 2x + |z|².
      const Complex z = value.less_one;
      error += 16 * unit_roundoff *
               (std::abs(term) + sweep.count() * (std::fabs(z.real()) + std::norm(z)) / std::norm(1.0 + z));
      if (&sweep == &*main) vanishes = term.real() < negligible_exponent - 2 * rare_mass - 2;
    }
    error += unit_roundoff * to_double(sweeps.size()) * std::abs(exponent);
    if (vanishes) {
      if (!main->vanishes_from(k)) return std::nullopt;
      break;
    }
    if (!(error < 0.1)) return std::nullopt;
    band.spectrum_.push_back(std::polar(std::exp(exponent.real()), exponent.imag()));
    band.errors_.push_back(1.1 * error + 8 * unit_roundoff);
  }
  double rest = negligible_exponent;
  for (const Sweep& sweep : sweeps)
    if (&sweep != &*main) rest += sweep.count() * sweep.most_excess() * (1 + 1e-9);
  band.rest_ = std::exp(rest);
  return band;
}

// The sum over j is that of two geometric series with ratios z and rz, z = t e^{iθ}:
//   z(1−r) / ((1−z)(1−rz)) − z^{reach+1} / (1−z) + (rz)^{reach+1} / (1−rz).
Approximation Band::tail(std::int64_t k, std::int64_t reach, double lambda, double step) const {
  const double t = std::exp(-lambda * step), r = std::exp(-step);
  const double less_t = -std::expm1(-lambda * step), less_r = -std::expm1(-step),
               less_tr = -std::expm1(-(lambda + 1) * step);
  const double last = static_cast<double>(reach + 1);
  const double t_last = std::exp(-lambda * step * last), tr_last = std::exp(-(lambda + 1) * step * last);
  // each term's roundings, those of the exponents above, and of the sum over the frequencies
  const double rounding = unit_roundoff * (64 + 8 * (lambda + 1) * step * last + to_double(spectrum_.size()));
  k %= static_cast<std::int64_t>(size_);  // so that products with frequencies stay far from overflow
  Approximation sum;
  for (std::size_t f = 0; f < spectrum_.size(); ++f) {
    const auto frequency = static_cast<std::int64_t>(f);
    const Complex angle = turn(frequency, 1, size_), phase = 1.0 + turn(frequency, k, size_);
    const Complex last_turn = 1.0 + turn(frequency, reach + 1, size_);
    const Complex less_z = less_t - t * angle, less_rz = less_tr - t * r * angle;
    const Complex series = t * less_r * (1.0 + angle) / (less_z * less_rz);
    const Complex cut = t_last * last_turn / less_z, cut_r = tr_last * last_turn / less_rz;
    const double weight = (f == 0 ? 1 : 2) / to_double(size_);  // the other half is the mirror image
    sum.value += weight * std::real(std::conj(spectrum_[f]) * phase * (series - cut + cut_r));
    sum.error += weight * std::abs(spectrum_[f]) * (std::abs(series) + std::abs(cut) + std::abs(cut_r)) *
                 (errors_[f] + rounding);
  }
  sum.error = 1.01 * (sum.error + rest_ * t * less_r / (less_t * less_tr));
  return sum;
}

}  // namespace tacit::inline v1::pld
