#include "algorithm/nonconvex/estimator.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <boost/random/normal_distribution.hpp>
#include <cmath>
#include <vector>

#include "algorithm/nonconvex/smoothing.hpp"
#include "core/widest.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::nonconvex {

namespace {

// splitmix64 [Steele–Lea–Flood 2014] to seed, xoshiro256++ [Blackman–Vigna 2019] to go on: a stream for each
// (key, slot), with what <random> asks of one. Utility rests on its quality, privacy on nothing of it.
class DirectionBits {
 public:
  using result_type = std::uint64_t;
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~result_type{0}; }

  DirectionBits(std::uint64_t key, std::uint64_t slot) {
    std::uint64_t x = key ^ (slot * 0xd1342543de82ef95u);
    for (std::uint64_t& word : state_) {
      x += 0x9e3779b97f4a7c15u;
      std::uint64_t z = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
      word = z ^ (z >> 31);
    }
  }

  result_type operator()() {
    const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0], t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // Uniform in (0, 1].
  double uniform() { return (static_cast<double>((*this)() >> 11) + 1) * 0x1p-53; }

 private:
  std::array<std::uint64_t, 4> state_{};
};

void fill_with_normals(std::span<double> y, DirectionBits& bits) {
  boost::random::normal_distribution<double> normal;
  for (double& x : y) x = normal(bits);
}

// A point of the unit sphere, times the radius.
void draw_direction(Vector& y, double radius, DirectionBits& bits) {
  double norm = 0;
  while (!(norm > 0)) {  // all zeros have a probability next to none
    fill_with_normals({y.data(), static_cast<std::size_t>(y.size())}, bits);
    norm = y.norm();
  }
  y *= radius / norm;
}

constexpr std::size_t lanes = 8, together = 4;

// Takes from columns `first` to `first + together` of a frame their parts along those before, in one reading
// of each. Rows are a multiple of `lanes`.
TACIT_WIDEST void take_parts(double* frame, std::size_t first, std::size_t rows) {
  double* const ys = frame + first * rows;
  double parts[largest_group][together];
  for (std::size_t j = 0; j < first; ++j) {
    double sum[together][lanes] = {};
    for (std::size_t k = 0; k < rows; k += lanes)
#pragma GCC unroll 4  // keeps the sums in registers
      for (std::size_t c = 0; c < together; ++c)
        for (std::size_t lane = 0; lane < lanes; ++lane)
          sum[c][lane] += frame[j * rows + k + lane] * ys[c * rows + k + lane];
    for (std::size_t c = 0; c < together; ++c) {
      const double* s = sum[c];
      parts[j][c] = ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
    }
  }
  for (std::size_t k = 0; k < rows; k += lanes) {
    double taken[together][lanes] = {};
    for (std::size_t j = 0; j < first; ++j)
#pragma GCC unroll 4
      for (std::size_t c = 0; c < together; ++c)
        for (std::size_t lane = 0; lane < lanes; ++lane)
          taken[c][lane] += parts[j][c] * frame[j * rows + k + lane];
    for (std::size_t c = 0; c < together; ++c)
      for (std::size_t lane = 0; lane < lanes; ++lane) ys[c * rows + k + lane] -= taken[c][lane];
  }
}

// Fills `count` columns of a frame, from `first` on, with directions that are orthogonal to each other and to
// those before. False where one of them is left with next to no length.
bool draw_columns(Matrix& frame, std::size_t d, std::size_t first, std::size_t count, DirectionBits& bits) {
  constexpr double least_length = 1e-6;  // of about √d
  const auto rows = static_cast<std::size_t>(frame.rows());
  for (std::size_t j = first; j < first + count; ++j) fill_with_normals({frame.data() + j * rows, d}, bits);
  take_parts(frame.data(), first, rows);
  for (std::size_t j = first; j < first + count; ++j) {
    auto y = frame.col(static_cast<Eigen::Index>(j));
    for (std::size_t i = first; i < j; ++i) {
      const auto before = frame.col(static_cast<Eigen::Index>(i));
      y -= before.dot(y) * before;
    }
    const double norm = y.norm();
    if (!(norm > least_length)) return false;
    y *= 1 / norm;
  }
  return true;
}

// Columns that are orthogonal to each other, each uniform on the unit sphere, by Gram–Schmidt [docs/o2nc.md,
// "Smoothing"]: in the first d rows of a frame with room for whole kernels. What is left with next to no
// length is drawn anew, which directions do not depend on.
void draw_frame(Matrix& frame, std::size_t d, std::size_t count, DirectionBits& bits) {
  const auto whole = [](std::size_t size, std::size_t part) { return (size + part - 1) / part * part; };
  frame.setZero(static_cast<Eigen::Index>(whole(d, lanes)),
                static_cast<Eigen::Index>(whole(count, together)));
  for (std::size_t first = 0; first < count; first += together)
    while (!draw_columns(frame, d, first, std::min(together, count - first), bits))
      ;
}

struct Room {
  Vector direction, point;
  Matrix frame;
  std::vector<double> gradient;
};

Room& room_for(std::size_t parameters) {
  static thread_local Room room;
  room.direction.resize(static_cast<Eigen::Index>(parameters));
  room.point.resize(static_cast<Eigen::Index>(parameters));
  room.gradient.resize(parameters);
  return room;
}

// ∇f_α(z), or minus that: the first point counts once, the second is taken away.
constexpr std::array<double, 2> signs = {1, -1};

}  // namespace

BallEstimator::BallEstimator(const RecordLoss& loss, Estimate estimate, double smoothing, double lipschitz,
                             std::size_t directions, std::uint64_t key)
    : loss_(&loss),
      kind_(estimate),
      smoothing_(smoothing),
      lipschitz_(lipschitz),
      directions_(directions),
      key_(key) {
  if (kind_ == Estimate::values && !loss.value)
    throw_error<UsageError>("estimates by values need a loss that has values");
  if (kind_ == Estimate::gradients && !loss.gradient)
    throw_error<UsageError>("estimates by gradients need a loss that has gradients");
}

void BallEstimator::gradient(const Vector& z, std::size_t record, std::uint64_t slot,
                             std::span<double> out) const {
  const std::array points = {&z};
  estimate(points, record, slot, out);
}

void BallEstimator::change(const Vector& z, const Vector& before, std::size_t record, std::uint64_t slot,
                           std::span<double> out) const {
  const std::array points = {&z, &before};
  estimate(points, record, slot, out);
}

void BallEstimator::estimate(std::span<const Vector* const> points, std::size_t record, std::uint64_t slot,
                             std::span<double> out) const {
  std::ranges::fill(out, 0.0);
  if (kind_ == Estimate::values)
    estimate_by_values(points, record, slot, out);
  else
    estimate_by_gradients(points, record, slot, out);
}

// The mean of (d/2α)(f(z + αy) − f(z − αy))y over y on the unit sphere, in groups of orthogonal ones.
void BallEstimator::estimate_by_values(std::span<const Vector* const> points, std::size_t record,
                                       std::uint64_t slot, std::span<double> out) const {
  DirectionBits bits(key_, slot);
  Room& room = room_for(out.size());
  const double d = static_cast<double>(out.size()), m = static_cast<double>(directions_);
  Eigen::Map<Vector> sum(out.data(), static_cast<Eigen::Index>(out.size()));
  for (std::size_t left = directions_; left > 0;) {
    const std::size_t size = std::min({out.size(), largest_group, left});
    left -= size;
    draw_frame(room.frame, out.size(), size, bits);
    for (std::size_t j = 0; j < size; ++j) {
      room.direction = smoothing_ * room.frame.col(static_cast<Eigen::Index>(j)).head(sum.size());
      double slope = 0;
      for (std::size_t p = 0; p < points.size(); ++p)
        slope += signs[p] * difference(*points[p], room.direction, record, room.point);
      sum += (d * slope / (2 * smoothing_ * smoothing_ * m)) * room.direction;
    }
  }
}

// The mean of ∇f(z + y) over y uniform in the ball of radius α.
void BallEstimator::estimate_by_gradients(std::span<const Vector* const> points, std::size_t record,
                                          std::uint64_t slot, std::span<double> out) const {
  DirectionBits bits(key_, slot);
  Room& room = room_for(out.size());
  const double d = static_cast<double>(out.size()), m = static_cast<double>(directions_);
  for (std::size_t j = 0; j < directions_; ++j) {
    draw_direction(room.direction, smoothing_ * std::pow(bits.uniform(), 1 / d), bits);
    for (std::size_t p = 0; p < points.size(); ++p)
      add_gradient(*points[p], room.direction, record, signs[p] / m, room.point, room.gradient, out);
  }
}

double BallEstimator::difference(const Vector& z, const Vector& direction, std::size_t record,
                                 Vector& point) const {
  point = z + direction;
  const double up = loss_->value(point, record);
  point = z - direction;
  const double rise = up - loss_->value(point, record), most = 2 * smoothing_ * lipschitz_;
  return std::isnan(rise) ? 0 : std::clamp(rise, -most, most);
}

void BallEstimator::add_gradient(const Vector& z, const Vector& offset, std::size_t record, double sign,
                                 Vector& point, std::span<double> gradient, std::span<double> out) const {
  point = z + offset;
  std::ranges::fill(gradient, 0.0);
  loss_->gradient(point, record, gradient);
  double largest = 0;
  for (const double g : gradient) {
    if (!std::isfinite(g)) return;  // counts as zero
    largest = std::fmax(largest, std::fabs(g));
  }
  if (largest == 0) return;
  double squares = 0;
  for (const double g : gradient) squares += (g / largest) * (g / largest);
  const double factor = sign * std::fmin(1.0, lipschitz_ / largest / std::sqrt(squares));
  for (std::size_t k = 0; k < out.size(); ++k) out[k] += factor * gradient[k];
}

}  // namespace tacit::inline v1::nonconvex
