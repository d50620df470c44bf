#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tacit/guarantee.hpp"
#include "tacit/ledger.hpp"

// The privacy filter of each accountant: which sequences of releases, each chosen after seeing the earlier
// ones, together keep the limit. Sources and proofs: docs/ledger.md.

namespace tacit::inline v1 {

// The limit as the accountant keeps it. UsageError when it cannot.
Guarantee limit_in(std::string_view accountant, const Guarantee& limit);

// A release's guarantee in the notion of `limit`. UsageError when it has none there.
Guarantee amount_in(const Guarantee& asked, const Guarantee& limit);

// A sum of numbers >= 0, rounded up once, at the end: the errors of the additions are added up apart.
struct SumUp {
  double high = 0, low = 0;
  void add(double x);
  double value() const;
};

// What charges give together, without keeping them: one charge more costs the same after any number.
class Tally {
 public:
  explicit Tally(Guarantee limit);
  // As it was stored. Nothing when the numbers make no sense.
  static std::optional<Tally> stored(Guarantee limit, std::uint64_t count, std::vector<SumUp> sums,
                                     std::optional<Guarantee> only);

  void add(const Guarantee& amount);
  Guarantee spent() const;  // rounded up
  Guarantee left() const;   // rounded down; 0 when nothing is left
  bool admits(const Guarantee& amount) const;
  bool keeps_limit() const;

  std::uint64_t count() const { return count_; }
  const std::vector<SumUp>& sums() const { return sums_; }
  const std::optional<Guarantee>& only() const { return only_; }  // the charge, while there is one

 private:
  Guarantee limit_;
  std::uint64_t count_ = 0;
  std::vector<SumUp> sums_;
  std::optional<Guarantee> only_;
};

// What was charged for one group.
struct GroupTally {
  LedgerGroup group;
  Tally tally;
};

// What one person pays at most: what was charged for everybody, and for each column the dearest group. (Each
// number of a guarantee has a maximum of its own, which is no less than that of any group.)
Tally with_groups(Tally everybody, const std::vector<GroupTally>& groups);

// The tally of the group, which is entered if it is not there yet.
Tally& tally_of(std::vector<GroupTally>& groups, const LedgerGroup& group, const Guarantee& limit);

}  // namespace tacit::inline v1
