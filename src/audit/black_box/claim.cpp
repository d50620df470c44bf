#include "tacit/audit.hpp"

#include <limits>

#include "privacy/accounting/conversions.hpp"

namespace tacit::inline v1::audit {

namespace {

struct AtDelta {
  double delta;
  Claim operator()(const NoPrivacy&) const { return {std::numeric_limits<double>::infinity(), 0}; }
  Claim operator()(const Pure& pure) const { return {pure.epsilon, 0}; }
  Claim operator()(const Approx& approx) const { return {approx.epsilon, approx.delta}; }
  Claim operator()(const auto& other) const { return {to_approx(other, delta).epsilon, delta}; }
};

}  // namespace

Claim claim_of(const Guarantee& guarantee, double delta) { return std::visit(AtDelta{delta}, guarantee); }

}  // namespace tacit::inline v1::audit
