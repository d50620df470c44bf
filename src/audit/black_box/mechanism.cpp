#include "audit/black_box/mechanism.hpp"

#include <iterator>

#include "audit/black_box/mechanism_rows.hpp"

namespace tacit::inline v1::audit {

std::span<const AuditedMechanism> audited_mechanisms() {
  static const std::vector<AuditedMechanism> table = [] {
    std::vector<AuditedMechanism> rows;
    for (auto part : {noise_rows(), choice_rows(), stream_rows()})
      std::move(part.begin(), part.end(), std::back_inserter(rows));
    return rows;
  }();
  return table;
}

BlackBoxResult audit_mechanism(const AuditedMechanism& mechanism, const Knobs& knobs,
                               const BlackBoxOptions& options) {
  const auto on = [&](Side side) {
    return [&, side](BitSource& bits) { return mechanism.run(side, knobs, bits); };
  };
  return black_box(on(Side::first), on(Side::second), mechanism.claim.delta, options);
}

}  // namespace tacit::inline v1::audit
