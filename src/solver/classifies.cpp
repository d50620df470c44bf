#include "tacit/problem.hpp"

namespace tacit::inline v1 {

bool classifies(const LossSpec& loss) {
  if (const auto* network = std::get_if<Network>(&loss)) return network->classes > 0;
  if (std::holds_alternative<RobustFit>(loss)) return false;
  const auto* link = std::get_if<Link>(&loss);
  return link == nullptr || facts(*link).classification;
}

}  // namespace tacit::inline v1
