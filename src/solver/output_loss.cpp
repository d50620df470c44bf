#include "output_loss.hpp"

#include <algorithm>
#include <limits>

#include "clip_factor.hpp"
#include "tacit/loss/limited.hpp"

namespace tacit::inline v1 {

OutputLoss::OutputLoss(const LinearLoss& loss) {
  std::size_t classes = 0;
  if (const auto* link = std::get_if<Link>(&loss)) link_ = *link;
  if (const auto* softmax = std::get_if<Softmax>(&loss)) classes = softmax->classes;
  if (const auto* network = std::get_if<Network>(&loss)) classes = network->classes;
  if (classes > 0) softmax_.emplace(classes);
}

void OutputLoss::residual(std::span<double> z, double label, std::span<double> room) const {
  constexpr double unlimited = std::numeric_limits<double>::infinity();
  if (softmax_)
    softmax_->residual(z, static_cast<std::size_t>(label), room, z);
  else
    // Infinite slopes, and those that no square can hold, are cut: what counts of them is the sign.
    z[0] = std::clamp(slope(link_, {.slope = unlimited, .curvature = unlimited}, z[0], label).first,
                      -largest_entry, largest_entry);
}

}  // namespace tacit::inline v1
