#include "user_checks.hpp"

#include <numeric>
#include <random>

#include "tacit/algorithm/user_level/user_erm.hpp"
#include "tacit/algorithm/user_level/user_phased.hpp"
#include "tacit/algorithm/user_level/user_sgd.hpp"

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

namespace {

// What the test guarantees, and what it is about.
struct Claimed {
  Sensitivity pairs, mean;
  double floor = 0;
};

// The worst over all that were looked at.
class MeanChecks {
 public:
  void look(const Inliers& a, const Inliers& b, const Claimed& claimed) {
    keep(pairs_, claimed.pairs.total(), std::fabs(a.close_pairs - b.close_pairs));
    if (std::max(a.close_pairs, b.close_pairs) < claimed.floor) return;
    const double infinity = std::numeric_limits<double>::infinity();
    keep(mean_, claimed.mean.total(), a.mean && b.mean ? (*a.mean - *b.mean).stableNorm() : infinity);
  }
  std::vector<Check> result() const { return {pairs_, mean_}; }

 private:
  static void keep(Check& worst, double bound, double measured) {
    if (worst.bound != 0 && measured / bound <= worst.measured / worst.bound) return;
    worst.bound = bound;
    worst.measured = measured;
  }

  Check pairs_{CheckKind::movement, "how far the number of close pairs moves, within its sensitivity", "", 0,
               0};
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
      std::array<Inliers, 2> found;
      for (const std::size_t side : {0u, 1u}) {
        const UserRecords records = records_of_users(*replayed.problems[side].data);
        std::size_t counted = 0;
        found[side] = inliers(group_averages(replayed.problems[side], records, last(users, phase.users),
                                             start, phase, options, counted),
                              phase.tau, plan.bound, 1);
      }
      const user_level::TestedMean& terms = phase.release;
      checks.look(
          found[0], found[1],
          {terms.pairs, terms.mean, noise::stability_floor(terms.test, terms.pairs, terms.pair_range)});
    }
  return checks.result();
}

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
      std::array<Inliers, 2> found;
      for (const std::size_t side : {0u, 1u}) {
        const UserRecords records = records_of_users(*replayed.problems[side].data);
        UserGradients gradients = user_level::user_gradients(replayed.problems[side], records, options, 1);
        Points points(static_cast<Eigen::Index>(phase.batch), w.size());
        Vector g;
        Eigen::Index row = 0;
        for (const std::size_t user : last(users, phase.batch)) {
          gradients.mean(0, w, user, g);
          points.row(row++) = g;
        }
        found[side] = inliers(points, plan.tau, user_level::mean_bound, 1);
      }
      checks.look(found[0], found[1],
                  options.sampling == user_level::Sampling::all
                      ? Claimed{phase.stream.stability, phase.stream.value,
                                noise::StableReleases::floor(phase.stream)}
                      : Claimed{phase.tested.pairs, phase.tested.mean,
                                noise::stability_floor(phase.tested.test, phase.tested.pairs,
                                                       phase.tested.pair_range)});
    }
  return checks.result();
}

}  // namespace tacit::inline v1::audit
