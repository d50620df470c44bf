#include "tacit/meter.hpp"

#include "tacit/version.hpp"

namespace tacit::inline v1 {

Certificate certify(std::string method, const Meter& meter, Facts options, Facts assumed_public,
                    std::vector<std::string> assumptions) {
  return {.method = std::move(method),
          .guarantee = meter.spent(),
          .unit = meter.budget().unit,
          .neighbours = meter.budget().neighbours,
          .steps = meter.steps(),
          .options = std::move(options),
          .assumed_public = std::move(assumed_public),
          .assumptions = std::move(assumptions),
          .bit_source = std::string(meter.bits().name()),
          .seeded = meter.bits().seeded(),
          .watched = meter.watched(),
          .version = version};
}

}  // namespace tacit::inline v1
