#pragma once

#include <optional>
#include <span>

#include "loss/softmax.hpp"
#include "tacit/problem.hpp"

namespace tacit::inline v1 {

// The loss as a function of a record's outputs z alone, of any model.
class OutputLoss {
 public:
  explicit OutputLoss(const LossSpec& loss);

  std::size_t outputs() const { return softmax_ ? softmax_->outputs() : robust_ ? robust_->outputs() : 1; }
  double value(std::span<const double> z, double label) const;
  // The gradient in z, in place. `room` has outputs() + 1 entries.
  void residual(std::span<double> z, double label, std::span<double> room) const;
  // The same for one record after the other, in place: outputs() entries of z and one label each. `room` has
  // outputs() + 3 entries a record.
  void residuals(std::span<double> z, std::span<const double> labels, std::span<double> room) const;

 private:
  Link link_{LinkKind::squared, 0};
  std::optional<SoftmaxLoss> softmax_;
  std::optional<RobustFit> robust_;
};

}  // namespace tacit::inline v1
