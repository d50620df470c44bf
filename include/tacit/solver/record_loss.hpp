#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "tacit/core/api.hpp"
#include "tacit/core/linalg.hpp"
#include "tacit/loss/own_loss.hpp"
#include "tacit/solver/problem.hpp"

namespace tacit::inline v1 {

// One record's loss at one point, by value, by gradient or both: what methods for losses without structure
// ask for. Both are bitwise functions of the record and w, and may be called from several threads at once.
struct RecordLoss {
  std::size_t records = 0, parameters = 0;
  std::function<double(const Vector& w, std::size_t record)> value;                          // or empty
  std::function<void(const Vector& w, std::size_t record, std::span<double> out)> gradient;  // or empty
};

// Of any problem: linear models, networks, robust fits. At a kink the gradient is a Clarke subgradient. The
// problem must outlive it.
TACIT_API RecordLoss record_loss(const Problem& problem);

// Of a caller's own loss, which must outlive it.
template <class L>
requires(Loss<L> || ValueLoss<L>) RecordLoss record_loss(const L& loss) {
  RecordLoss result{loss.records(), loss.parameters(), {}, {}};
  if constexpr (ValueLoss<L>)
    result.value = [&loss](const Vector& w, std::size_t record) { return double(loss.value(w, record)); };
  if constexpr (Loss<L>)
    result.gradient = [&loss](const Vector& w, std::size_t record, std::span<double> out) {
      loss.gradient(w, record, out);
    };
  return result;
}

}  // namespace tacit::inline v1
