#pragma once

// Audits of what leaves besides models: statistics, scores, schemas, intervals [docs/audits.md]. A release is
// what it claims and how it is made, through a meter, of datasets that differ in one unit. It is replayed
// with the same bits, and measured from outside; each of the two has a control, which it must find.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "algorithm/statistics/answers.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/audit.hpp"
#include "tacit/root_meter.hpp"

namespace tacit::testing {

struct ReleaseAudit {
  Budget budget;  // what is claimed
  // Made of the dataset in which so many units differ: 0 and 1 are neighbours, 0 and 2 the control of a
  // replay. The noise is `quieter` times smaller than the claim asks for: more than 1 is the control of a
  // black box.
  std::function<Vector(int differ, double quieter, Meter& meter)> release;
  // For replays: the same, where later questions follow from earlier answers, with the answers of the dataset
  // in which none differ, so that the questions are the same. Empty: as it is.
  std::function<void(int differ, Meter& meter)> replayed = {};
};

// As often as one likes: a meter with a limit composes what was charged with every step.
inline Budget without_limit(Budget budget) {
  budget.limit = NoPrivacy{};
  return budget;
}

// A meter with the claim as its limit refuses what costs more.
inline void expect_within_claim(const ReleaseAudit& audited) {
  const auto bits = seeded_bits(8);
  RootMeter meter(audited.budget, *bits);
  EXPECT_NO_THROW(audited.release(0, 1, meter));
  EXPECT_FALSE(meter.steps().empty());
}

// Everything that is opened of such a dataset, the bits fixed.
inline std::vector<audit::Opened> opened_by(const ReleaseAudit& audited, int differ) {
  const auto bits = seeded_bits(9);
  RootMeter meter(without_limit(audited.budget), *bits);
  std::vector<audit::Opened> opened;
  meter.watch([&](const Step& step, std::span<const double> value) {
    opened.push_back({step, {value.begin(), value.end()}});
  });
  if (audited.replayed)
    audited.replayed(differ, meter);
  else
    audited.release(differ, 1, meter);
  EXPECT_FALSE(opened.empty()) << "nothing was watched";
  return opened;
}

inline double distance_in(Norm norm, const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double l1 = 0, l2 = 0, most = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double d = std::fabs(a[k] - b[k]);
    l1 += d;
    l2 = std::hypot(l2, d);
    most = std::max(most, d);
  }
  return norm == Norm::l1 ? l1 : norm == Norm::l2 ? l2 : most;
}

// What a step charges is at least what its noise gives away.
inline void expect_paid(const Step& step) {
  double charged = std::numeric_limits<double>::infinity();
  if (const auto* laplace = std::get_if<LaplaceEvent>(&step.event)) charged = laplace->epsilon;
  if (const auto* isotropic = std::get_if<IsotropicLaplaceEvent>(&step.event)) charged = isotropic->epsilon;
  if (const auto* gaussian = std::get_if<GaussianEvent>(&step.event)) charged = gaussian->mu;
  if (!std::isfinite(charged)) return;
  EXPECT_GE(charged, step.sensitivity.total() / step.scale * (1 - 1e-12));
}

// How far the opened values move between datasets in which so many units differ, in each step's own norm,
// over what the step admits: the furthest. Texts that one unit alone has are no movement: a failure is paid
// for them.
inline double worst_movement(const ReleaseAudit& audited, int differ) {
  const auto a = opened_by(audited, 0), b = opened_by(audited, differ);
  EXPECT_EQ(a.size(), b.size());
  double worst = 0;
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
    EXPECT_EQ(a[k].step, b[k].step) << k;
    expect_paid(a[k].step);
    if (a[k].step.mechanism == "frequent-texts" && a[k].value.size() != b[k].value.size()) continue;
    worst = std::max(worst, distance_in(a[k].step.sensitivity.norm, a[k].value, b[k].value) /
                                a[k].step.sensitivity.total());
  }
  return worst;
}

// Over all of these: no unit moves anything by more than its sensitivity, some come near to that, and two
// units at once are found.
inline void expect_replays_hold(const std::vector<ReleaseAudit>& rows, double near = 0.99) {
  expect_within_claim(rows.front());
  double worst = 0, control = 0;
  for (const ReleaseAudit& row : rows) {
    worst = std::max(worst, worst_movement(row, 1));
    control = std::max(control, worst_movement(row, 2));
  }
  EXPECT_LE(worst, 1 + 1e-12);
  EXPECT_GT(worst, near) << "the pairs show next to nothing";
  EXPECT_GT(control, 1 + 1e-12) << "the control is not found";
}

struct Measuring {
  std::size_t runs = 3000;  // on each neighbour
  double quieter = 4;       // the control's noise is smaller by this
  std::uint64_t seed = 100;
};

// With confidence 1 − 1e-6, bits fixed.
inline double measured_epsilon(const ReleaseAudit& audited, double quieter, const Measuring& how) {
  const audit::Claim claim = audit::claim_of(audited.budget.limit, 0);
  const Budget budget = without_limit(audited.budget);
  const auto run = [&](int differ) -> audit::Run {
    return [&audited, budget, quieter, differ](BitSource& bits) {
      RootMeter meter(budget, bits);
      return audited.release(differ, quieter, meter);
    };
  };
  audit::BlackBoxOptions box{.runs = how.runs, .confidence = 1 - 1e-6, .threads = 1};
  box.bits = [&](std::size_t part) { return seeded_bits(1000 * how.seed + part); };
  return audit::black_box(run(1), run(0), claim.delta, box).lower_bound;
}

inline void expect_claim_kept_and_control_found(const ReleaseAudit& audited, const Measuring& how = {}) {
  const double claim = audit::claim_of(audited.budget.limit, 0).epsilon;
  expect_within_claim(audited);
  EXPECT_LE(measured_epsilon(audited, 1, how), claim);
  EXPECT_GT(measured_epsilon(audited, how.quieter, how), claim) << "less noise is not found";
}

// Which numbers of what a statistic released are looked at: all of them.
inline Vector all_numbers(const std::vector<std::vector<double>>& released) {
  std::vector<double> all;
  for (const auto& numbers : released) all.insert(all.end(), numbers.begin(), numbers.end());
  return Eigen::Map<const Vector>(all.data(), static_cast<Eigen::Index>(all.size()));
}
using LookAt = std::function<Vector(const std::vector<std::vector<double>>& released)>;

// Opens what is asked of some records, and answers with what was released of others.
class SteeredAnswers final : public statistics::Answers {
 public:
  SteeredAnswers(const statistics::Price& price, const statistics::ReleasedAnswers& before, Meter& meter)
      : own_(price, meter), before_(price, before.released(), before.released_texts()) {}
  statistics::Answer vector(const statistics::VectorQuestion& question,
                            const std::function<Vector()>& exact) override {
    own_.vector(question, exact);
    return before_.vector(question, exact);
  }
  std::size_t choice(const statistics::ChoiceQuestion& question,
                     const std::function<Vector()>& scores) override {
    own_.choice(question, scores);
    return before_.choice(question, scores);
  }
  noise::TextCounts texts(const statistics::TextsQuestion& question,
                          const std::function<noise::TextCounts()>& exact) override {
    own_.texts(question, exact);
    return before_.texts(question, exact);
  }
  void may_fail(double delta, const std::string& reason) override {
    own_.may_fail(delta, reason);
    before_.may_fail(delta, reason);
  }

 private:
  statistics::ReleasedAnswers own_;
  statistics::RecordedAnswers before_;
};

// A statistic, asked of records, at a price.
template <class Records, class Ask>
ReleaseAudit audited_statistic(const Budget& budget, std::array<Records, 3> datasets, Ask ask,
                               const statistics::Price& paid, LookAt look_at = all_numbers) {
  const auto asked = [held = std::move(datasets), ask](int differ, statistics::Answers& answers) {
    ask(&held[static_cast<std::size_t>(differ)], answers);
  };
  const auto release = [asked, paid, look_at](int differ, double quieter, Meter& meter) {
    statistics::Price price = paid;  // Gaussian noise goes with the root of it
    price.of_share *= std::holds_alternative<Pure>(paid.target) ? quieter : quieter * quieter;
    statistics::ReleasedAnswers answers(price, meter);
    asked(differ, answers);
    return look_at(answers.released());
  };
  const auto replayed = [asked, paid](int differ, Meter& meter) {
    RootMeter unwatched(without_limit(meter.budget()), meter.bits());
    statistics::ReleasedAnswers before(paid, unwatched);
    asked(0, before);
    SteeredAnswers answers(paid, before, meter);
    asked(differ, answers);
  };
  return {budget, release, replayed};
}

// Every combination that statistics are released under, for tables of cases.
struct Terms {
  Unit unit = Unit::item;
  Guarantee target = Pure{1};
  Neighbours relation = Neighbours::zero_out;

  Budget budget() const { return {target, unit, relation}; }
  std::string label() const {
    return fmt::format("{}_{}_{}", unit == Unit::item ? "record" : "user",
                       std::holds_alternative<Pure>(target) ? "pure" : "delta", name(relation));
  }
};

inline void PrintTo(const Terms& terms, std::ostream* out) { *out << terms.label(); }

inline std::vector<Terms> all_terms(const Guarantee& pure, const Guarantee& approx) {
  std::vector<Terms> all;
  for (const Unit unit : {Unit::item, Unit::user})
    for (const Guarantee& target : {pure, approx})
      for (const Neighbours relation :
           {Neighbours::zero_out, Neighbours::replace_one, Neighbours::add_remove})
        all.push_back({unit, target, relation});
  return all;
}

// The units that differ, beside those that do not: under replace_one `other` takes the place of `one`, so
// that there are two in every dataset; else `one` is there so many times.
template <class One>
std::vector<One> differing_units(Neighbours relation, int differ, const One& one, const One& other) {
  std::vector<One> units(static_cast<std::size_t>(differ), one);
  if (relation == Neighbours::replace_one) units.resize(2, other);
  return units;
}

}  // namespace tacit::testing
