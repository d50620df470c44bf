#include "audit/replay/user_checks.hpp"

#include <numeric>
#include <random>

#include "algorithm/user_level/user_erm.hpp"
#include "algorithm/user_level/user_group.hpp"
#include "algorithm/user_level/user_phased.hpp"
#include "algorithm/user_level/user_sgd.hpp"
#include "audit/replay/worst.hpp"
#include "core/numbers.hpp"

namespace tacit::inline v1::audit {

namespace {

Vector random_parameters(Eigen::Index size, double scale, std::mt19937_64& random) {
  std::normal_distribution<> normal;
  return Vector::NullaryExpr(size, [&] { return scale * normal(random); });
}

Vector sum_of_all(const BatchSums& sums, std::size_t users, const Vector& w) {
  std::vector<std::uint32_t> all(users);
  std::iota(all.begin(), all.end(), 0u);
  Vector sum;
  sums(w, all, sum);
  return sum;
}

}  // namespace

std::vector<Check> user_sgd_checks(const Replayed& replayed) {
  const Certificate& certificate = replayed.runs[0].release->certificate;
  Facts facts = certificate.options;
  facts.set("user_count", certificate.assumed_public.integer("users"));
  const auto options = user_level::SgdOptions::from(facts);
  const auto parameters = shape_of(replayed.problems[0]).parameters();
  const clipping::Plan plan = user_level::plan_user_sgd(
      static_cast<std::size_t>(certificate.assumed_public.integer("users")), parameters, options);
  std::array<UserRecords, 2> users;
  std::array<BatchSums, 2> sums;
  for (const std::size_t side : {0u, 1u}) {
    users[side] = records_of_users(*replayed.problems[side].data);
    sums[side] = user_level::user_sgd_sums(replayed.problems[side], users[side], plan, options);
  }
  std::mt19937_64 random(1);  // where to look, not noise
  double furthest = 0;
  for (const double scale : {0.0, 1e-3, 1.0, 1e3, 1e8, 1e30}) {
    const Vector w = random_parameters(static_cast<Eigen::Index>(parameters), scale, random);
    const Vector gap = sum_of_all(sums[0], users[0].users(), w) - sum_of_all(sums[1], users[1].users(), w);
    furthest = gap.hasNaN() ? std::numeric_limits<double>::infinity() : std::max(furthest, gap.stableNorm());
  }
  return {{CheckKind::movement, "how far the sum of the users' gradients moves, at any parameters", "",
           plan.sensitivity.total(), furthest}};
}

// A sum over the records, at most the cap of each user: it moves by the cap times what one record adds.
std::vector<Check> user_group_checks(const Replayed& replayed) {
  const Certificate& certificate = replayed.runs[0].release->certificate;
  const std::int64_t users = certificate.assumed_public.integer("users");
  Facts certified = certificate.options;
  certified.set("user_count", users);
  const auto options = user_level::GroupOptions::from(certified);
  const Shape shape = shape_of(replayed.problems[0]);
  const auto plan = user_level::plan_user_group(static_cast<std::size_t>(users), shape, options);
  std::mt19937_64 random(1);
  double furthest = 0;
  for (const double scale : {0.0, 1e-3, 1.0, 1e3, 1e8}) {
    const Vector w = random_parameters(static_cast<Eigen::Index>(shape.parameters()), scale, random);
    std::array<Vector, 2> sums;
    for (const std::size_t side : {0u, 1u}) {
      const Problem& problem = replayed.problems[side];
      const UserRecords all = records_of_users(*problem.data);
      const std::vector<std::uint64_t> words(all.users(), 1);
      const UserRecords kept = at_most(all, static_cast<std::size_t>(options.records_per_user), words);
      clipped_sums(problem, plan.records.clip, 1)(w, kept.record, sums[side]);
    }
    const Vector gap = sums[0] - sums[1];
    furthest = gap.hasNaN() ? std::numeric_limits<double>::infinity() : std::max(furthest, gap.stableNorm());
  }
  return {{CheckKind::movement, "how far the sum over all records of a user moves, within the cap's", "",
           static_cast<double>(options.records_per_user) * plan.records.sensitivity.total(), furthest}};
}

namespace {

// What the test guarantees at one tau, and what it is about.
struct Claimed {
  Sensitivity pairs, mean;
  double floor = 0, tau = 1, bound = 1;
};

// The worst over all that were looked at.
class MeanChecks {
 public:
  void look(const std::array<Points, 2>& points, const Claimed& claimed) {
    const Inliers a = inliers(points[0], claimed.tau, claimed.bound, 1),
                  b = inliers(points[1], claimed.tau, claimed.bound, 1);
    keep_worst(pairs_, claimed.pairs.total(), std::fabs(a.close_pairs - b.close_pairs));
    if (std::max(a.close_pairs, b.close_pairs) < claimed.floor) return;
    keep_worst(mean_, claimed.mean.total(), a.mean && b.mean ? (*a.mean - *b.mean).stableNorm() : infinity);
  }
  // The same at all taus of a grid: pairs at each, means at the first ones that the floor admits, where they
  // move furthest, and at a few wider ones.
  void look(std::array<Points, 2> points, const user_level::ScaledMeans& means, const Sensitivity& pairs) {
    std::array<std::vector<double>, 2> within;
    for (const std::size_t side : {0u, 1u}) {
      zero_beyond(points[side], means.bound);
      within[side] = close_pairs_within(points[side], means.taus, means.bound, 1);
    }
    std::size_t admitted = 0;
    for (std::size_t k = 0; k < means.taus.size(); ++k) {
      keep_worst(pairs_, pairs.total(), std::fabs(within[0][k] - within[1][k]));
      if (std::max(within[0][k], within[1][k]) < means.floor) continue;
      if (admitted++ < 3 || admitted % 16 == 0)
        look(points, {pairs, means.means[k], means.floor, means.taus[k], means.bound});
    }
  }
  std::vector<Check> result() const { return {pairs_, mean_}; }

 private:
  // Any outlier moves them by all of their bound: not what tells which pair shows most.
  Check pairs_{CheckKind::ideal, "how far the number of close pairs moves, within its sensitivity", "", 0, 0};
  Check mean_{CheckKind::movement, "how far the mean of inliers moves, within its sensitivity", "", 0, 0};
};

std::vector<std::size_t> in_order(std::size_t count) {
  std::vector<std::size_t> all(count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

// The user who differs is the last one: everyone before is left out where a phase has fewer places.
std::vector<std::size_t> last(std::size_t users, std::size_t count) {
  std::vector<std::size_t> all = in_order(users);
  return {all.end() - static_cast<std::ptrdiff_t>(count), all.end()};
}

constexpr double starts[] = {0.0, 1e-2, 1.0};

}  // namespace

std::vector<Check> user_phased_checks(const Replayed& replayed) {
  const Certificate& certificate = replayed.runs[0].release->certificate;
  const auto options = user_level::PhasedOptions::from(certificate.options);
  const auto users = static_cast<std::size_t>(certificate.assumed_public.integer("users"));
  const auto parameters = shape_of(replayed.problems[0]).parameters();
  const auto plan = user_level::plan_user_phased(users, parameters, options);
  std::mt19937_64 random(1);
  MeanChecks checks;
  for (const user_level::Phase& phase : plan.phases)
    for (const double scale : starts) {
      const Vector start = random_parameters(static_cast<Eigen::Index>(parameters), scale, random);
      std::array<Points, 2> points;
      for (const std::size_t side : {0u, 1u}) {
        const UserRecords records = records_of_users(*replayed.problems[side].data);
        std::size_t counted = 0;
        points[side] = group_averages(replayed.problems[side], records, last(users, phase.users), start,
                                      phase, options, counted);
      }
      const user_level::TestedMean& terms = phase.release;
      if (!options.spread)
        checks.look(points, phase.chosen.means, phase.chosen.choice.pairs);
      else
        checks.look(points, {terms.pairs, terms.mean,
                             noise::stability_floor(terms.test, terms.pairs, terms.pair_range), phase.tau,
                             plan.bound});
    }
  return checks.result();
}

namespace {

Points gradients_of(const Problem& problem, const std::vector<std::size_t>& members, const Vector& w,
                    const user_level::ErmOptions& options) {
  const UserRecords records = records_of_users(*problem.data);
  UserGradients gradients = user_level::user_gradients(problem, records, options, 1);
  Points points(static_cast<Eigen::Index>(members.size()), w.size());
  Vector g;
  Eigen::Index row = 0;
  for (const std::size_t user : members) {
    gradients.mean(0, w, user, g);
    points.row(row++) = g;
  }
  return points;
}

}  // namespace

std::vector<Check> user_erm_checks(const Replayed& replayed) {
  const Certificate& certificate = replayed.runs[0].release->certificate;
  const auto options = user_level::ErmOptions::from(certificate.options);
  const auto users = static_cast<std::size_t>(certificate.assumed_public.integer("users"));
  const Shape shape = shape_of(replayed.problems[0]);
  const auto plan = user_level::plan_user_erm(shape, users, options);
  std::mt19937_64 random(1);
  MeanChecks checks;
  for (const user_level::ErmPhase& phase : plan.phases)
    for (const double scale : starts) {
      const Vector w = random_parameters(static_cast<Eigen::Index>(shape.parameters()), scale, random);
      std::array<Points, 2> points;
      for (const std::size_t side : {0u, 1u})
        points[side] = gradients_of(replayed.problems[side], last(users, phase.batch), w, options);
      const user_level::TestedMean& terms = phase.tested;
      if (!plan.tau)
        checks.look(points, phase.tracked.means, phase.tracked.choice.pairs);
      else if (options.sampling == user_level::Sampling::all)
        checks.look(points, {phase.stream.stability, phase.stream.value,
                             noise::StableReleases::floor(phase.stream), *plan.tau, user_level::mean_bound});
      else
        checks.look(points, {terms.pairs, terms.mean,
                             noise::stability_floor(terms.test, terms.pairs, terms.pair_range), *plan.tau,
                             user_level::mean_bound});
    }
  return checks.result();
}

}  // namespace tacit::inline v1::audit
