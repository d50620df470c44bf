#include "model/certificate_json.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

struct Write {
  Json operator()(const PureEvent& e) const {
    return {{"kind", "pure"}, {"epsilon", from_double(e.epsilon)}};
  }
  Json operator()(const LaplaceEvent& e) const {
    return {{"kind", "laplace"}, {"epsilon", from_double(e.epsilon)}};
  }
  Json operator()(const IsotropicLaplaceEvent& e) const {
    return {{"kind", "isotropic-laplace"}, {"epsilon", from_double(e.epsilon)}, {"dimension", e.dimension}};
  }
  Json operator()(const GaussianEvent& e) const { return {{"kind", "gaussian"}, {"mu", from_double(e.mu)}}; }
  Json operator()(const PoissonGaussianEvent& e) const {
    return {{"kind", "poisson-gaussian"},
            {"noise_multiplier", from_double(e.noise_multiplier)},
            {"rate", from_double(e.rate)},
            {"steps", e.steps}};
  }
  Json operator()(const GaussianObjectiveEvent& e) const {
    return {{"kind", "gaussian-objective"},
            {"mu", from_double(e.mu)},
            {"jacobian", from_double(e.jacobian)},
            {"far", e.far},
            {"near", e.near}};
  }
  Json operator()(const BoundedRangeEvent& e) const {
    return {{"kind", "bounded-range"}, {"epsilon", from_double(e.epsilon)}};
  }
  Json operator()(const ApproxEvent& e) const {
    return {{"kind", "approx"}, {"epsilon", from_double(e.epsilon)}, {"delta", from_double(e.delta)}};
  }
  Json operator()(const DeltaEvent& e) const {
    return {{"kind", "failure"}, {"delta", from_double(e.delta)}};
  }
  Json operator()(const OpenEvent&) const { return {{"kind", "open"}}; }
};

}  // namespace

Json to_json(const Event& event) { return std::visit(Write{}, event); }

Event event_from_json(const Json& json) {
  const std::string kind = text(json, "kind");
  if (kind == "pure") return PureEvent{number(json, "epsilon")};
  if (kind == "laplace") return LaplaceEvent{number(json, "epsilon")};
  if (kind == "isotropic-laplace")
    return IsotropicLaplaceEvent{number(json, "epsilon"), count(json, "dimension")};
  if (kind == "gaussian") return GaussianEvent{number(json, "mu")};
  if (kind == "poisson-gaussian")
    return PoissonGaussianEvent{number(json, "noise_multiplier"), number(json, "rate"), count(json, "steps")};
  if (kind == "gaussian-objective")
    return GaussianObjectiveEvent{number(json, "mu"), number(json, "jacobian"), count(json, "far"),
                                  count(json, "near")};
  if (kind == "bounded-range") return BoundedRangeEvent{number(json, "epsilon")};
  if (kind == "approx") return ApproxEvent{number(json, "epsilon"), number(json, "delta")};
  if (kind == "failure") return DeltaEvent{number(json, "delta")};
  if (kind == "open") return OpenEvent{};
  throw_error<DataError>(
      "an event of unknown kind \"{}\", expected pure, laplace, isotropic-laplace, gaussian, "
      "poisson-gaussian, gaussian-objective, "
      "bounded-range, approx, failure or open",
      kind);
}

}  // namespace tacit::inline v1
