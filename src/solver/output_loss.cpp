#include "solver/output_loss.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "loss/limited.hpp"
#include "solver/clip_factor.hpp"

namespace tacit::inline v1 {

OutputLoss::OutputLoss(const LossSpec& loss) {
  std::size_t classes = 0;
  if (const auto* link = std::get_if<Link>(&loss)) link_ = *link;
  if (const auto* softmax = std::get_if<Softmax>(&loss)) classes = softmax->classes;
  if (const auto* network = std::get_if<Network>(&loss)) {
    classes = network->classes;
    if (network->absolute) link_.kind = LinkKind::absolute;
  }
  if (const auto* robust = std::get_if<RobustFit>(&loss)) robust_ = *robust;
  if (classes > 0) softmax_.emplace(classes);
}

void OutputLoss::residual(std::span<double> z, double label, std::span<double> room) const {
  constexpr double unlimited = std::numeric_limits<double>::infinity();
  if (softmax_)
    softmax_->residual(z, static_cast<std::size_t>(label), room, z);
  else if (robust_)
    tacit::residual(*robust_, z, label);
  else
    // Infinite slopes, and those that no square can hold, are cut: what counts of them is the sign.
    z[0] = std::clamp(slope(link_, {.slope = unlimited, .curvature = unlimited}, z[0], label).first,
                      -largest_entry, largest_entry);
}

void OutputLoss::residuals(std::span<double> z, std::span<const double> labels,
                           std::span<double> room) const {
  const std::size_t width = outputs(), n = labels.size();
  if (softmax_)
    return softmax_->residuals(z, labels, room.first((width + 1) * n), room.subspan((width + 1) * n));
  for (std::size_t i = 0; i < n; ++i) residual(z.subspan(i * width, width), labels[i], room);
}

double OutputLoss::value(std::span<const double> z, double label) const {
  if (softmax_) return softmax_->value(z, static_cast<std::size_t>(label));
  if (robust_) return std::fabs(prediction(*robust_, z) - label);
  return evaluate(link_, z[0], label).value;
}

}  // namespace tacit::inline v1
