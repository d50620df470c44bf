#include "tacit/noise/restore.hpp"

#include "mechanism.hpp"
#include "tacit/privacy/checkpoints.hpp"

namespace tacit::inline v1::noise {

std::optional<Released<Vector>> restored(const Meter& meter) {
  const Checkpoints* checkpoints = meter.checkpoints();
  if (checkpoints == nullptr || !checkpoints->resumed()) return std::nullopt;
  return Mechanism::release(checkpoints->resumed()->state);
}

}  // namespace tacit::inline v1::noise
