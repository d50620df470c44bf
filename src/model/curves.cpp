#include <algorithm>
#include <cmath>
#include <map>

#include "loss/softmax.hpp"
#include "model/block_axis.hpp"
#include "model/noise_law.hpp"
#include "model/verify_intervals.hpp"
#include "tacit/core.hpp"
#include "tacit/model.hpp"

namespace tacit::inline v1 {

namespace {

// A point of a curve or a surface: what its block has there, and its share of the average.
struct Point {
  std::vector<BlockEntry> entries;
  double weight = 0;
};

std::vector<Point> points_of(const BlockAxis& block) {
  std::vector<Point> points;
  for (std::size_t k = 0; k < block.entries.size(); ++k)
    points.push_back({block.entries[k], block.weights[k]});
  return points;
}

// Feature (k, l) of a pair is the product of feature k of one block and l of the other, and comes at
// k·size + l.
std::vector<Point> points_of(const BlockAxis& first, const BlockAxis& second) {
  std::vector<Point> points;
  for (const Point& a : points_of(first))
    for (const Point& b : points_of(second)) {
      Point& point = points.emplace_back(Point{{}, a.weight * b.weight});
      for (const BlockEntry& x : a.entries)
        for (const BlockEntry& y : b.entries)
          point.entries.push_back({x.feature * second.features + y.feature, x.value * y.value});
    }
  return points;
}

class Reader {
 public:
  Reader(const FittedModel& model, Curves& made) : linear_(coefficients(model)), made_(&made) {
    made.outputs = linear_.outputs;
    made.constants = linear_.intercepts;
    AbsentNoise absent = absent_noise(model.certificate, model.features + (model.intercept != 0 ? 1 : 0));
    made.no_noise = std::move(absent.unknown);
    absent_ = std::move(absent.of_features);
    output_lengths_ = std::abs(model.scale) * lengths(model);
    if (model.intervals) {
      use_intervals(model);
      return;
    }
    KnownNoise noise = known_noise(model);
    made.no_half_width = std::move(noise.unknown);
    if (noise.law) per_length_ = noise.law->half_width(made.level) * output_lengths_;
  }

  // Reads the block that begins at the feature `first`.
  void add(Curve curve, const std::vector<Point>& points, std::optional<BlockEntry> missing,
           std::size_t first) {
    const Eigen::Index outputs = linear_.values.cols(), count = static_cast<Eigen::Index>(points.size());
    const auto value = [&](std::size_t feature) {
      return linear_.values.row(static_cast<Eigen::Index>(first + feature)).transpose();
    };
    Vector average = Vector::Zero(outputs);
    curve.y.resize(outputs, count);
    for (Eigen::Index k = 0; k < count; ++k) {
      const Point& point = points[static_cast<std::size_t>(k)];
      curve.y.col(k).setZero();
      for (const BlockEntry& entry : point.entries) curve.y.col(k) += entry.value * value(entry.feature);
      average += point.weight * curve.y.col(k);
    }
    curve.y.colwise() -= average;
    if (missing) curve.missing = missing->value * value(missing->feature) - average;
    made_->constants += average;
    if (per_length_.size() > 0) curve.half_width = per_length_ * lengths(points).transpose();
    if (widths_) curve.half_width = around_minimiser(points, first).transpose();
    if (!absent_.empty()) curve.noise = output_lengths_ * absent(points, first).transpose();
    made_->curves.push_back(std::move(curve));
  }

 private:
  // They tell how much noise there is whatever the method. Of a file that `verify` refuses they may not.
  void use_intervals(const FittedModel& model) {
    try {
      widths_.emplace(interval_widths(model));
    } catch (const Error& error) {
      made_->no_half_width = error.what();
      return;
    }
    made_->level = model.intervals->level;
    parameters_ = model.parameters.size();
    scale_ = std::abs(model.scale);
  }

  // Of every point, where y = ⟨g, the parameters⟩.
  Vector around_minimiser(const std::vector<Point>& points, std::size_t first) const {
    Vector average = Vector::Zero(parameters_), half(static_cast<Eigen::Index>(points.size()));
    const auto add = [&](Vector& to, const Point& point, double weight) {
      for (const BlockEntry& entry : point.entries)
        to[static_cast<Eigen::Index>(first + entry.feature)] += weight * entry.value;
    };
    for (const Point& point : points) add(average, point, point.weight);
    for (std::size_t k = 0; k < points.size(); ++k) {
      Vector g = -average;
      add(g, points[k], 1);
      half[static_cast<Eigen::Index>(k)] = scale_ * widths_->minimiser(g, made_->level);
    }
    return half;
  }

  // The feature that a point has of its own is its first: of a value that is not listed `other`.
  Vector absent(const std::vector<Point>& points, std::size_t first) const {
    Vector found(static_cast<Eigen::Index>(points.size()));
    for (std::size_t k = 0; k < points.size(); ++k) {
      const BlockEntry& own = points[k].entries.front();
      found[static_cast<Eigen::Index>(k)] = std::abs(own.value) * absent_.at(first + own.feature);
    }
    return found;
  }

  // ‖g‖ of every point, where y = ⟨g, the block's coefficients⟩: the point's entries minus the average.
  static Vector lengths(const std::vector<Point>& points) {
    std::map<std::size_t, double> average;
    for (const Point& point : points)
      for (const BlockEntry& entry : point.entries) average[entry.feature] += point.weight * entry.value;
    double squares = 0;
    for (const auto& [feature, mean] : average) squares += mean * mean;
    Vector found(static_cast<Eigen::Index>(points.size()));
    for (std::size_t k = 0; k < points.size(); ++k) {
      double square = squares;
      for (const BlockEntry& entry : points[k].entries)
        square += entry.value * (entry.value - 2 * average[entry.feature]);
      found[static_cast<Eigen::Index>(k)] = std::sqrt(std::max(0.0, square));
    }
    return found;
  }

  // How long an output is in the parameters of a feature: softmax has one parameter less than classes.
  static Vector lengths(const FittedModel& model) {
    if (!std::holds_alternative<Softmax>(model.loss)) return Vector::Ones(1);
    return SoftmaxLoss(model.classes.size()).basis().rowwise().norm();
  }

  Coefficients linear_;
  Curves* made_;
  std::optional<intervals::Widths> widths_;
  Eigen::Index parameters_ = 0;
  double scale_ = 1;
  std::vector<double> absent_;  // of each feature that no record has; empty: not known
  Vector output_lengths_;
  Vector per_length_;  // half width of each output for a point with ‖g‖ = 1; empty: not known
};

void require_columns(const FittedModel& model) {
  if (std::holds_alternative<Network>(model.loss) || std::holds_alternative<RobustFit>(model.loss))
    throw_error<UsageError>("the loss {} has no curves: what a column adds depends on the others",
                            name(model.loss));
  if (!model.schema || model.schema->columns.empty())
    throw_error<UsageError>(
        "there are no curves: the model was fitted without a schema, which says what its columns are; "
        "`tacit report` lists its largest coefficients");
}

}  // namespace

Curves curves(const FittedModel& model) {
  require_columns(model);
  Curves made;
  Reader reader(model, made);
  const std::vector<BlockAxis> blocks = block_axes(*model.schema);
  std::map<std::string, const BlockAxis*> named;
  std::size_t features = 0;
  for (const BlockAxis& block : blocks) features += block.features;
  for (const BlockAxis& block : blocks) named[block.axis.column] = &block;
  for (const auto& [a, b] : model.schema->pairs) features += named.at(a)->features * named.at(b)->features;
  if (features != model.features)
    throw_error<DataError>("the schema makes {} features, the model has {}", features, model.features);

  std::size_t first = 0;
  for (const BlockAxis& block : blocks) {
    reader.add({.name = block.axis.column, .axes = {block.axis}}, points_of(block), block.missing, first);
    first += block.features;
  }
  for (const auto& pair : model.schema->pairs) {
    const BlockAxis &a = *named.at(pair[0]), &b = *named.at(pair[1]);
    reader.add({.name = pair[0] + "*" + pair[1], .axes = {a.axis, b.axis}}, points_of(a, b), {}, first);
    first += a.features * b.features;
  }
  return made;
}

}  // namespace tacit::inline v1
