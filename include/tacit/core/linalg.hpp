#pragma once

#include <Eigen/Core>

namespace tacit::inline v1 {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

}  // namespace tacit::inline v1
