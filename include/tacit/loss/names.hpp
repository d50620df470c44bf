#pragma once

#include <string_view>

namespace tacit::inline v1 {

// Every loss that `tacit fit --loss` takes, for people to read.
inline constexpr std::string_view loss_names =
    "squared, huber, absolute, pinball, logistic, hinge, smoothed-hinge, poisson, softmax, tanh-network, "
    "relu-network, tanh-absolute, relu-absolute, phase-retrieval or max-affine";

}  // namespace tacit::inline v1
