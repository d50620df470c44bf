#include "noise/poisson_gaussian.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include "noise/coins.hpp"
#include "noise/mechanism.hpp"
#include "noise/samplers.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::noise {

namespace {

constexpr std::size_t bytes_a_mask = 64;

// Bit k: whether byte k of 64 is at most the threshold.
std::uint64_t at_most(const unsigned char* bytes, unsigned char threshold) {
  std::uint64_t mask = 0;
#if defined(__x86_64__)
  const __m128i most = _mm_set1_epi8(static_cast<char>(threshold));
  for (unsigned k = 0; k < bytes_a_mask; k += 16) {
    const __m128i some = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + k));
    const int found = _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(some, most), some));
    mask |= static_cast<std::uint64_t>(static_cast<unsigned>(found)) << k;
  }
#else
  for (unsigned k = 0; k < bytes_a_mask; ++k) mask |= std::uint64_t{bytes[k] <= threshold} << k;
#endif
  return mask;
}

}  // namespace

void poisson_batch(std::size_t records, double rate, BitSource& bits, std::vector<std::uint32_t>& members) {
  if (!(rate >= 0 && rate <= 1)) throw_error<UsageError>("a sampling rate is {}, expected 0 to 1", rate);
  if (records > std::numeric_limits<std::uint32_t>::max())
    throw_error<UsageError>("there are too many records, expected fewer than 2^32");
  members.clear();
  if (rate == 1) {
    for (std::size_t i = 0; i < records; ++i) members.push_back(static_cast<std::uint32_t>(i));
    return;
  }
  // A uniform's first byte decides unless it equals that of the rate; then the rest of the rate's digits,
  // which scaling by a power of two leaves exact, are compared with further digits.
  const double first = std::floor(rate * 256), rest = rate * 256 - first;
  const auto threshold = static_cast<unsigned char>(first);
  std::array<std::uint64_t, 512> words{};
  constexpr std::size_t per_word = sizeof(std::uint64_t), chunk = words.size() * per_word;
  for (std::size_t begin = 0; begin < records; begin += chunk) {
    const std::size_t count = std::min(chunk, records - begin);
    bits.fill(std::span(words).first((count + per_word - 1) / per_word));
    const auto* bytes = reinterpret_cast<const unsigned char*>(words.data());
    for (std::size_t at = 0; at < count; at += bytes_a_mask)
      for (std::uint64_t found = at_most(bytes + at, threshold); found != 0; found &= found - 1) {
        const std::size_t k = at + static_cast<std::size_t>(std::countr_zero(found));
        if (k >= count) break;
        if (bytes[k] < threshold || bernoulli(rest, bits))
          members.push_back(static_cast<std::uint32_t>(begin + k));
      }
  }
}

Step PoissonGaussian::plan(const PoissonGaussianEvent& event, const Sensitivity& sensitivity, double range,
                           std::size_t dimension) {
  validate(Event(event));
  // The noise is at least multiplier·sensitivity in real arithmetic; plan_gaussian checks the rest.
  const double sigma = mul_up(event.noise_multiplier, checked_total(sensitivity));
  Step step = plan_gaussian(sensitivity, sigma, range, dimension);
  step.mechanism = "poisson-gaussian";
  step.event = event;
  return step;
}

// The step is planned anew: its noise must be that of its event, whoever made it.
PoissonGaussian::PoissonGaussian(const Step& planned, double range, Meter& meter)
    : step_(
          plan(std::get<PoissonGaussianEvent>(planned.event), planned.sensitivity, range, planned.dimension)),
      event_(std::get<PoissonGaussianEvent>(planned.event)),
      range_(range),
      meter_(&meter) {
  if (meter.budget().neighbours == Neighbours::replace_one)
    throw_error<UsageError>("Poisson batches are accounted for zero_out and add_remove, not for replace_one");
  meter.charge(step_);
}

void PoissonGaussian::skip(std::uint64_t taken) {
  if (taken > event_.steps - taken_)
    throw_error<UsageError>("{} steps are said to be taken, but {} were left", taken, event_.steps - taken_);
  taken_ += taken;
}

double PoissonGaussian::begin_batch() {
  if (taken_ == event_.steps) throw_error<UsageError>("all {} steps have been taken", event_.steps);
  if (drawn_) throw_error<UsageError>("a batch was drawn, and its sum not released");
  drawn_ = true;
  return event_.rate;
}

std::span<const std::uint32_t> PoissonGaussian::draw(std::size_t records) {
  poisson_batch(records, begin_batch(), meter_->bits(), members_);
  return members_;
}

Released<Vector> PoissonGaussian::release(const Sensitive<Vector>& sum) {
  if (!drawn_) throw_error<UsageError>("a sum is to be released, but no batch was drawn for it");
  require_same_terms(sum, *meter_);
  const Vector& opened = Mechanism::open(sum);
  if (static_cast<std::size_t>(opened.size()) != step_.dimension)
    throw_error<UsageError>("a sum of dimension {} is released, expected {}", opened.size(), step_.dimension);
  require_l2(sum.sensitivity(), step_.dimension);
  if (!(checked_total(sum.sensitivity()) <= step_.sensitivity.total()))
    throw_error<UsageError>("a sum of sensitivity {} is released, but {} was paid for",
                            sum.sensitivity().total(), step_.sensitivity.total());
  const std::span<const double> x(opened.data(), step_.dimension);
  Mechanism::show(*meter_, step_, x);
  Vector out(opened.size());
  add_gaussian(x, step_.scale, Lattice{step_.grid, range_}, meter_->bits(), {out.data(), step_.dimension});
  drawn_ = false;
  ++taken_;
  return Mechanism::release(std::move(out));
}

}  // namespace tacit::inline v1::noise
