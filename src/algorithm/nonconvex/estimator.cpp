#include "algorithm/nonconvex/estimator.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "algorithm/nonconvex/smoothing.hpp"
#include "noise/samplers.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::nonconvex {

namespace {

// splitmix64 [Steele–Lea–Flood 2014] to seed, xoshiro256++ [Blackman–Vigna 2019] to go on: a stream for each
// (key, slot). Utility rests on its quality, privacy on nothing of it.
class DirectionBits final : public BitSource {
 public:
  DirectionBits(std::uint64_t key, std::uint64_t slot) {
    std::uint64_t x = key ^ (slot * 0xd1342543de82ef95u);
    for (std::uint64_t& word : state_) {
      x += 0x9e3779b97f4a7c15u;
      std::uint64_t z = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
      word = z ^ (z >> 31);
    }
  }
  void fill(std::span<std::uint64_t> words) override {
    for (std::uint64_t& word : words) word = next();
  }
  bool seeded() const override { return true; }
  std::string_view name() const override { return "xoshiro256++"; }

  // Uniform in (0, 1].
  double uniform() { return (static_cast<double>(next() >> 11) + 1) * 0x1p-53; }

 private:
  std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0], t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  std::array<std::uint64_t, 4> state_{};
};

// The directions of one record: points of the unit sphere, in order. Their normal deviates are drawn for many
// directions at a time, as a call of the sampler has a cost of its own.
class Directions {
 public:
  // `normals` and `group` are room, kept between calls.
  Directions(std::size_t parameters, std::size_t count, std::vector<double>& normals, Matrix& group,
             DirectionBits& bits)
      : parameters_(parameters), left_(count), normals_(&normals), group_(&group), bits_(&bits) {
    constexpr std::size_t numbers_at_once = 1024;
    normals.resize(parameters * std::clamp<std::size_t>(numbers_at_once / parameters, 1, count));
    next_ = normals.size();
  }

  // The next one, times the radius; independent of all others.
  void draw(Vector& y, double radius) {
    double norm = 0;
    while (!(norm > 0)) {  // all zeros have a probability next to none
      next_normals(y);
      norm = y.norm();
    }
    y *= radius / norm;
    --left_;
  }

  // The next one, times the radius, orthogonal to the others of its group [docs/o2nc.md, "Smoothing"]. Each
  // is uniform on the sphere; one that is left with next to no length is drawn anew, which its direction does
  // not depend on.
  void draw_orthogonal(Vector& y, double radius) {
    constexpr double least_part = 1e-6;
    const auto d = static_cast<Eigen::Index>(parameters_);
    const auto largest = static_cast<Eigen::Index>(std::min(parameters_, largest_group));
    if (group_->rows() != d || group_->cols() != largest) group_->resize(d, largest);
    if (in_group_ == largest) in_group_ = 0;
    double norm = 0, drawn = 0;
    while (!(norm > least_part * drawn)) {
      next_normals(y);
      drawn = y.norm();
      const auto others = group_->leftCols(in_group_);
      parts_.noalias() = others.transpose() * y;
      y.noalias() -= others * parts_;
      norm = y.norm();
    }
    group_->col(in_group_++) = y / norm;
    y *= radius / norm;
    --left_;
  }

 private:
  void next_normals(Vector& y) {
    if (next_ == normals_->size()) refill();
    y = Eigen::Map<const Vector>(normals_->data() + next_, static_cast<Eigen::Index>(parameters_));
    next_ += parameters_;
  }
  void refill() {
    static const noise::Lattice fine = noise::lattice_for(1, 0);
    normals_->resize(std::min(normals_->size(), left_ * parameters_));
    std::ranges::fill(*normals_, 0.0);
    noise::add_gaussian(*normals_, 1, fine, *bits_, *normals_);
    next_ = 0;
  }

  std::size_t parameters_, left_, next_ = 0;
  std::vector<double>* normals_;
  Matrix* group_;
  Vector parts_;  // of a direction along the others
  Eigen::Index in_group_ = 0;
  DirectionBits* bits_;
};

struct Room {
  Vector direction, point;
  Matrix group;
  std::vector<double> gradient, normals;
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
  Room& room = room_for(out.size());
  DirectionBits bits(key_, slot);
  Directions directions(out.size(), directions_, room.normals, room.group, bits);
  std::ranges::fill(out, 0.0);
  const double d = static_cast<double>(out.size()), m = static_cast<double>(directions_);
  for (std::size_t j = 0; j < directions_; ++j) {
    if (kind_ == Estimate::values) {
      // (d/2α)(f(z + αy) − f(z − αy))y, y on the unit sphere; `direction` is αy.
      directions.draw_orthogonal(room.direction, smoothing_);
      double slope = 0;
      for (std::size_t p = 0; p < points.size(); ++p)
        slope += signs[p] * difference(*points[p], room.direction, record, room.point);
      slope *= d / (2 * smoothing_ * smoothing_ * m);
      for (std::size_t k = 0; k < out.size(); ++k)
        out[k] += slope * room.direction[static_cast<Eigen::Index>(k)];
    } else {
      // ∇f(z + y), y uniform in the ball.
      directions.draw(room.direction, smoothing_ * std::pow(bits.uniform(), 1 / d));
      for (std::size_t p = 0; p < points.size(); ++p)
        add_gradient(*points[p], room.direction, record, signs[p] / m, room.point, room.gradient, out);
    }
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
