#include "noise/restore.hpp"

#include "noise/mechanism.hpp"
#include "privacy/checkpoints.hpp"

namespace tacit::inline v1::noise {

std::optional<Released<Vector>> restored(const Meter& meter) {
  const Checkpoints* checkpoints = meter.checkpoints();
  if (checkpoints == nullptr || !checkpoints->resumed()) return std::nullopt;
  return Mechanism::release(checkpoints->resumed()->state);
}

}  // namespace tacit::inline v1::noise
