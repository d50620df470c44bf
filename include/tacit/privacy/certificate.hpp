#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tacit/core/linalg.hpp"
#include "tacit/privacy/facts.hpp"
#include "tacit/privacy/guarantee.hpp"
#include "tacit/privacy/meter.hpp"
#include "tacit/privacy/sensitive.hpp"
#include "tacit/privacy/step.hpp"

namespace tacit::inline v1 {

// Why a release keeps its promise: enough to recompute the guarantee from public values alone.
struct Certificate {
  std::string method;   // name in `tacit methods`
  Guarantee guarantee;  // what the accountant gives for the steps
  Unit unit = Unit::item;
  Neighbours neighbours = Neighbours::replace_one;
  std::vector<Step> steps;               // in the order they were taken
  Facts options;                         // the method's public options, complete: `verify` rebuilds the plan
  Facts assumed_public;                  // n, dimension, bounds, where they come from
  std::vector<std::string> assumptions;  // what the guarantee rests on beyond the mathematics; usually empty
  std::string bit_source;
  bool seeded = false;   // made with seeded bits: not private
  bool watched = false;  // an audit looked inside: not private
  std::string version;   // of tacit
};

// A fitted parameter vector with its certificate. Only mechanisms make a Released, so only they make this.
struct Release {
  Released<Vector> parameters;
  Certificate certificate;
  std::vector<Released<Vector>>
      samples;  // a sampler's: all of them, `parameters` last; empty when there is one
  std::optional<Released<Vector>> center;  // of the ball that a sampler drew from, released before
};

// Fills guarantee, unit, neighbours, steps, bit source and version from the meter.
TACIT_API Certificate certify(std::string method, const Meter& meter, Facts options, Facts assumed_public);

}  // namespace tacit::inline v1
