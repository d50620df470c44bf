#include <fmt/format.h>

#include "core/utf8.hpp"
#include "privacy/accounting/replaced.hpp"
#include "tacit/core.hpp"
#include "tacit/meter.hpp"
#include "tacit/version.hpp"

namespace tacit::inline v1 {

Certificate certify(std::string method, const Meter& meter, Facts options, Facts assumed_public,
                    std::vector<std::string> assumptions) {
  return {.method = std::move(method),
          .guarantee = meter.spent(),
          .unit = meter.budget().unit,
          .neighbours = meter.budget().neighbours,
          .replaced = {},
          .steps = meter.steps(),
          .options = std::move(options),
          .assumed_public = std::move(assumed_public),
          .assumptions = std::move(assumptions),
          .bit_source = std::string(meter.bits().name()),
          .seeded = meter.bits().seeded(),
          .watched = meter.watched(),
          .version = version};
}

std::optional<Guarantee> replaced_guarantee(const Certificate& certificate) {
  if (certificate.neighbours == Neighbours::replace_one ||
      std::holds_alternative<NoPrivacy>(certificate.guarantee))
    return std::nullopt;
  if (certificate.replaced) return certificate.replaced;
  return replaced_guarantee(certificate.steps, certificate.guarantee);
}

namespace {

// A delta that was worked out, with few digits and never less; the one that was asked for has few.
Guarantee with_short_delta(Guarantee guarantee) {
  if (auto* approx = std::get_if<Approx>(&guarantee)) approx->delta = std::stod(decimal_up(approx->delta, 6));
  return guarantee;
}

}  // namespace

std::string describe(const Certificate& certificate) {
  std::string text = describe(certificate.guarantee, certificate.unit, certificate.neighbours);
  if (certificate.seeded)
    text =
        "Not private: it was made with seeded bits, which anyone can repeat. With random ones it would be: " +
        text;
  if (const std::optional<Guarantee> replaced = replaced_guarantee(certificate))
    text += fmt::format(" For a larger change the same release gives: {}",
                        describe(with_short_delta(*replaced), certificate.unit, Neighbours::replace_one));
  if (certificate.assumed_public.has("group_of"))
    text += fmt::format(" It is for the records of the group {} alone.",
                        visible(certificate.assumed_public.text("group_of")));
  // A guarantee of the model alone is less than what was spent [docs/certificate.md].
  if (certificate.assumed_public.has("schema_cost"))
    text += fmt::format(" The schema was found privately, too: {}.",
                        visible(certificate.assumed_public.text("schema_cost")));
  return text;
}

}  // namespace tacit::inline v1
