#include "solver/shard_pass.hpp"
#include "tacit/problem.hpp"

namespace tacit::inline v1 {

Facts shape_facts(const Shape& shape) {
  Facts facts;
  facts.set("records", static_cast<std::int64_t>(shape.records));
  facts.set("features", static_cast<std::int64_t>(shape.features));
  facts.set("intercept", shape.intercept);
  if (const auto* link = std::get_if<Link>(&shape.loss)) {
    facts.set("loss", std::string(name(link->kind)));
    if (link->parameter != 0) facts.set("loss_parameter", link->parameter);
  } else if (const auto* network = std::get_if<Network>(&shape.loss)) {
    facts.set("loss", std::string(name(*network)));
    facts.set("hidden", static_cast<std::int64_t>(network->hidden));
    facts.set("classes", static_cast<std::int64_t>(network->classes));
  } else if (const auto* robust = std::get_if<RobustFit>(&shape.loss)) {
    facts.set("loss", std::string(name(robust->kind)));
    facts.set("pieces", static_cast<std::int64_t>(robust->pieces));
  } else {
    facts.set("loss", std::string("softmax"));
    facts.set("classes", static_cast<std::int64_t>(shape.outputs + 1));
  }
  if (shape.shards > 1) facts.set("shards", static_cast<std::int64_t>(shape.shards));
  return facts;
}

Shape shape_from(const Facts& facts) {
  Shape shape{.records = static_cast<std::size_t>(facts.integer("records")),
              .features = static_cast<std::size_t>(facts.integer("features")),
              .outputs = 1,
              .loss = Link{},
              .intercept = facts.number("intercept")};
  if (facts.has("feature_blocks")) shape.blocks = FeatureBlocks::parse(facts.text("feature_blocks"));
  if (facts.has("shards")) {
    // As many as they are stated for: one alone is not stated.
    if (facts.integer("shards") < 2 || facts.integer("shards") > most_shards)
      throw_error<VerificationError>("the certificate states {} shards, expected 2 to {}",
                                     facts.integer("shards"), most_shards);
    shape.shards = static_cast<std::size_t>(facts.integer("shards"));
  }
  if (shape.records == 0 || shape.features == 0)
    throw VerificationError("the certificate states an empty problem");
  const std::string& loss = facts.text("loss");
  auto network = parse_network(loss);
  const auto classes = loss == "softmax" || network ? static_cast<std::size_t>(facts.integer("classes")) : 0;
  if (loss == "softmax" ? classes < 2 : classes == 1)
    throw_error<VerificationError>("the certificate states {} classes", classes);
  if (network) {
    network->hidden = static_cast<std::size_t>(facts.integer("hidden"));
    if (network->hidden == 0)
      throw_error<VerificationError>("the certificate states a network without hidden units");
    network->classes = classes;
    shape.loss = *network;
    shape.outputs = network->outputs();
    shape.hidden = network->hidden;
  } else if (auto robust = parse_robust(loss)) {
    robust->pieces = static_cast<std::size_t>(facts.integer("pieces"));
    validate(*robust);
    shape.loss = *robust;
    shape.outputs = robust->outputs();
  } else if (loss == "softmax") {
    shape.loss = Softmax{classes};
    shape.outputs = classes - 1;
  } else {
    Link link = parse_link(loss);
    if (facts.has("loss_parameter")) link.parameter = facts.number("loss_parameter");
    shape.loss = link;
  }
  return shape;
}

}  // namespace tacit::inline v1
