#include "tacit/loss.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "loss/limited.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();

struct NamedLink {
  std::string_view name;
  Link link;
};
constexpr std::array<NamedLink, 8> links = {{{"squared", {LinkKind::squared, 0}},
                                             {"huber", {LinkKind::huber, 1}},
                                             {"absolute", {LinkKind::absolute, 0}},
                                             {"pinball", {LinkKind::pinball, 0.5}},
                                             {"logistic", {LinkKind::logistic, 0}},
                                             {"hinge", {LinkKind::hinge, 0}},
                                             {"smoothed-hinge", {LinkKind::smoothed_hinge, 0.5}},
                                             {"poisson", {LinkKind::poisson, 0}}}};

}  // namespace

std::string_view name(LinkKind kind) {
  for (const auto& entry : links)
    if (entry.link.kind == kind) return entry.name;
  return "unknown";
}

Link parse_link(std::string_view text) {
  for (const auto& entry : links)
    if (text == entry.name) return entry.link;
  throw_error<UsageError>("unknown loss \"{}\", expected {}", text, loss_names);
}

void validate(const Link& link) {
  const double p = link.parameter;
  const bool positive = p > 0 && std::isfinite(p);
  if ((link.kind == LinkKind::huber || link.kind == LinkKind::smoothed_hinge) && !positive)
    throw_error<UsageError>("the parameter of the {} loss is {}, expected > 0", name(link.kind), p);
  if (link.kind == LinkKind::pinball && !(p > 0 && p < 1))
    throw_error<UsageError>("the quantile of the pinball loss is {}, expected between 0 and 1", p);
}

LinkFacts facts(const Link& link) {
  const double p = link.parameter;
  switch (link.kind) {
    case LinkKind::squared:
      return {unbounded, 1, false, true};
    case LinkKind::huber:
      return {p, 1, false, false};
    case LinkKind::absolute:
      return {1, unbounded, false, false};
    case LinkKind::pinball:
      return {std::fmax(p, 1 - p), unbounded, false, false};
    case LinkKind::logistic:
      return {1, 0.25, true, false};
    case LinkKind::hinge:
      return {1, unbounded, true, false};
    case LinkKind::smoothed_hinge:
      return {1, 1 / p, true, false};
    case LinkKind::poisson:
      return {unbounded, unbounded, false, true};
  }
  return {};
}

LinkPoint evaluate(const Link& link, double s, double y) {
  return evaluate(link, {.slope = unbounded, .curvature = unbounded}, s, y);
}

}  // namespace tacit::inline v1
