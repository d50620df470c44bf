// Gaussian objective perturbation: a search for pairs of datasets that would break its δ(ε).

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "loss/limited.hpp"
#include "privacy/accounting/conversions.hpp"
#include "tacit/core.hpp"

namespace tacit {
namespace {

// ---- The ideal mechanism in one and two dimensions, its δ(ε) by summing over cells of outputs.

struct Point {
  double x = 0, y = 0;
};

// A record of the limited loss: its row and the limits that (C, Q) give it.
struct Record {
  Link link;
  Point row;
  double label = 1;
  Limits limits;
};

struct Setting {
  double slope = 1, curvature = 1, strength = 1, sigma = 1;  // C, Q, nλ, σ
  bool presence = false;  // the record is there or null; else it is replaced
  double jacobian() const { return std::log1p(curvature / strength); }
  double mu() const { return (presence ? 1 : 2) * slope / sigma; }
};

using Data = std::vector<Record>;

// −b(w) and the log-determinant of its Jacobian.
struct AtOutput {
  Point noise;
  double determinant = 0;
};

AtOutput at(const Data& data, const Setting& setting, Point w) {
  Point g{setting.strength * w.x, setting.strength * w.y};
  double xx = setting.strength, xy = 0, yy = setting.strength;
  for (const Record& r : data) {
    const LinkSlope d = slope(r.link, r.limits, r.row.x * w.x + r.row.y * w.y, r.label);
    g.x += d.first * r.row.x;
    g.y += d.first * r.row.y;
    xx += d.second * r.row.x * r.row.x;
    xy += d.second * r.row.x * r.row.y;
    yy += d.second * r.row.y * r.row.y;
  }
  return {g, xx * yy - xy * xy};
}

// In one dimension the output is a monotone function of b, so cells of outputs have exact masses: what comes
// out is a true lower bound of δ.
double delta_in_line(const Data& first, const Data& second, const Setting& s, double epsilon) {
  constexpr int cells = 4000;
  const double reach = 9 * s.sigma + static_cast<double>(first.size()) * s.slope;
  const auto noise = [&](const Data& data, int k) {
    const double w = (-1 + 2.0 * k / cells) * reach / s.strength;
    return at(data, s, {w, 0}).noise.x / s.sigma;
  };
  const auto mass = [](double from, double to) {  // of N(0,1)
    const double sign = from > 0 ? -1 : 1;        // in the upper tail: mirrored
    return std::fabs(std::erfc(-sign * to / std::sqrt(2.0)) - std::erfc(-sign * from / std::sqrt(2.0))) / 2;
  };
  double sum = 0, a = noise(first, 0), b = noise(second, 0);
  for (int k = 1; k <= cells; ++k) {
    const double next_a = noise(first, k), next_b = noise(second, k);
    sum += std::fmax(mass(a, next_a) - std::exp(epsilon) * mass(b, next_b), 0.0);
    a = next_a;
    b = next_b;
  }
  return sum;
}

// In two, densities at midpoints: right to about a percent on this grid.
double delta_in_plane(const Data& first, const Data& second, const Setting& s, double epsilon) {
  constexpr int cells = 220;
  const double reach = (6 * s.sigma + static_cast<double>(first.size()) * s.slope) / s.strength;
  const double width = 2 * reach / cells;
  const auto density = [&](const Data& data, Point w) {
    const AtOutput here = at(data, s, w);
    const double square = here.noise.x * here.noise.x + here.noise.y * here.noise.y;
    return here.determinant * std::exp(-square / (2 * s.sigma * s.sigma)) / (2 * M_PI * s.sigma * s.sigma);
  };
  double sum = 0;
  for (int i = 0; i < cells; ++i)
    for (int j = 0; j < cells; ++j) {
      const Point w{-reach + (i + 0.5) * width, -reach + (j + 0.5) * width};
      sum += std::fmax(density(first, w) - std::exp(epsilon) * density(second, w), 0.0);
    }
  return sum * width * width;
}

// far·HS_{ε−ε₀}(μ) + near·HS_{ε−ε₀}(μ/√2), with the Jacobian's term that is given.
double stated_delta(const Setting& s, bool either_sign, double jacobian, double epsilon) {
  if (s.presence) return (either_sign ? 2 : 1) * gaussian_delta(s.mu(), epsilon - jacobian);
  return (either_sign ? 2 : 1) * gaussian_delta(s.mu(), epsilon - jacobian) +
         2 * gaussian_delta(s.mu() / std::sqrt(2.0), epsilon - jacobian);
}

Record record(const Link& link, const Setting& s, Point row, double label) {
  return {link, row, label, limits_of_record(s.slope, s.curvature, std::hypot(row.x, row.y))};
}

const std::array<Link, 3> either_sign_links = {Link{LinkKind::squared, 0}, Link{LinkKind::absolute, 0},
                                               Link{LinkKind::pinball, 0.3}};
const std::array<Link, 3> one_sign_links = {Link{LinkKind::logistic, 0}, Link{LinkKind::hinge, 0},
                                            Link{LinkKind::smoothed_hinge, 0.5}};

struct Pair {
  Setting setting;
  Data first, second;
  bool either_sign = false;
};

// Rows from a tenth to ten times the typical size, labels (the places of the kinks) as far as the outputs go.
Pair random_pair(std::mt19937_64& random, int dimensions) {
  std::uniform_real_distribution<> uniform(-1, 1);
  const auto pick = [&](std::initializer_list<double> of) { return *(of.begin() + random() % of.size()); };
  Pair pair;
  Setting& s = pair.setting;
  s.slope = pick({0.15, 0.5, 1.5});
  s.curvature = pick({0.05, 0.5, 3});
  pair.either_sign = random() % 2 == 0;
  const auto& links = pair.either_sign ? either_sign_links : one_sign_links;
  const auto any = [&] {
    const double size = std::pow(10, uniform(random)), angle = dimensions == 1 ? 0 : M_PI * uniform(random);
    const Link link = links[random() % links.size()];
    const double label = pair.either_sign ? 3 * size * uniform(random) : (random() % 2 == 0 ? 1 : -1);
    const double sign = random() % 2 == 0 ? 1 : -1;
    return record(link, s, {sign * size * std::cos(angle), size * std::sin(angle)}, label);
  };
  for (auto shared = random() % 4; shared > 0; --shared) pair.first.push_back(any());
  pair.second = pair.first;
  pair.first.push_back(any());
  pair.second.push_back(any());
  return pair;
}

// The same where the record of the first is null in the second.
Pair random_presence(std::mt19937_64& random, int dimensions) {
  Pair pair = random_pair(random, dimensions);
  pair.second.pop_back();
  pair.setting.presence = true;
  return pair;
}

// How near the pair comes to the stated curve: the largest δ/stated over a few ε, each way round.
template <class Delta>
double worst_ratio(const Pair& pair, Delta delta, double jacobian_paid) {
  double worst = 0;
  const double mu = pair.setting.mu();
  for (const double more : {0.02, 0.5, 1.5, 3.0}) {
    const double epsilon = pair.setting.jacobian() + more * mu;
    const double stated = stated_delta(pair.setting, pair.either_sign, jacobian_paid, epsilon);
    worst = std::max({worst, delta(pair.first, pair.second, pair.setting, epsilon) / stated,
                      delta(pair.second, pair.first, pair.setting, epsilon) / stated});
  }
  return worst;
}

TEST(GaussianObjectiveSearch, FindsNoViolationOnALine) {
  std::mt19937_64 random(1);
  double worst = 0;
  for (int k = 0; k < 400; ++k) {
    const Pair pair = random_pair(random, 1);
    worst = std::max(worst, worst_ratio(pair, delta_in_line, pair.setting.jacobian()));
  }
  EXPECT_LE(worst, 1 + 1e-6);
  EXPECT_GE(worst, 0.3) << "the search would not see much";
}

TEST(GaussianObjectiveSearch, FindsNoViolationInAPlane) {
  std::mt19937_64 random(2);
  double worst = 0;
  for (int k = 0; k < 16; ++k) {
    const Pair pair = random_pair(random, 2);
    worst = std::max(worst, worst_ratio(pair, delta_in_plane, pair.setting.jacobian()));
  }
  EXPECT_LE(worst, 1.02);  // the grid's error
  EXPECT_GE(worst, 0.1) << "the search would not see much";
}

TEST(GaussianObjectiveSearch, FindsNoViolationOfARecordThatIsThereOrNull) {
  std::mt19937_64 random(3);
  double on_a_line = 0, in_a_plane = 0;
  for (int k = 0; k < 400; ++k) {
    const Pair pair = random_presence(random, 1);
    on_a_line = std::max(on_a_line, worst_ratio(pair, delta_in_line, pair.setting.jacobian()));
  }
  for (int k = 0; k < 16; ++k) {
    const Pair pair = random_presence(random, 2);
    in_a_plane = std::max(in_a_plane, worst_ratio(pair, delta_in_plane, pair.setting.jacobian()));
  }
  EXPECT_LE(on_a_line, 1 + 1e-6);
  EXPECT_GE(on_a_line, 0.3) << "the search would not see much";
  EXPECT_LE(in_a_plane, 1.02);  // the grid's error
  EXPECT_GE(in_a_plane, 0.1) << "the search would not see much";
}

// A gradient of length C, the same wherever the outputs go: the absolute loss with its kink out of reach.
Record line(const Setting& s, double sign) {
  return record(either_sign_links[1], s, {s.slope, 0}, sign * 1e6);
}

// A line against nothing is the Gaussian mechanism with shift C.
TEST(GaussianObjectiveSearch, ALineAgainstNothingComesNearAndStaysBelow) {
  for (const double slope : {0.15, 0.5, 1.5}) {
    Pair pair;
    pair.setting = {.slope = slope, .curvature = 0.01, .presence = true};
    pair.first = {line(pair.setting, 1)};
    const double ratio = worst_ratio(pair, delta_in_line, pair.setting.jacobian());
    EXPECT_LE(ratio, 1 + 1e-6) << slope;
    EXPECT_GE(ratio, 0.9) << slope;
  }
}

// Controls: half of the shift, or no Jacobian's term, would be seen.
TEST(GaussianObjectiveSearch, SeesWhatIsMissingFromTheAccountOfPresence) {
  std::mt19937_64 random(3);
  double free_jacobian = 0, half_the_shift = 0;
  for (int k = 0; k < 150; ++k) {
    const Pair pair = random_presence(random, 1);
    free_jacobian = std::max(free_jacobian, worst_ratio(pair, delta_in_line, 0));
    Setting quiet = pair.setting;
    quiet.sigma /= 2;
    const double epsilon = pair.setting.jacobian() + 3 * pair.setting.mu();
    half_the_shift = std::max(
        half_the_shift, delta_in_line(pair.first, pair.second, quiet, epsilon) /
                            stated_delta(pair.setting, pair.either_sign, pair.setting.jacobian(), epsilon));
  }
  EXPECT_GT(free_jacobian, 1.2);
  EXPECT_GT(half_the_shift, 2);
}

// A line against its opposite is the Gaussian mechanism with shift 2C; a kink against nothing pulls both
// ways.
TEST(GaussianObjectiveSearch, AdversarialPairsComeNearAndStayBelow) {
  for (const double slope : {0.15, 0.5, 1.5}) {
    Pair lines;
    lines.setting = {.slope = slope, .curvature = 0.01};
    lines.first = {line(lines.setting, 1)};
    lines.second = {line(lines.setting, -1)};
    Pair kink = lines;
    kink.either_sign = true;
    kink.setting.curvature = 0.3;
    kink.first = {record(either_sign_links[1], kink.setting, {0, 0.0}, 0)};
    kink.first[0].limits = {.slope = 1, .curvature = 1};
    kink.second = {record(either_sign_links[1], kink.setting, {slope, 0}, 0)};
    for (const Pair& pair : {lines, kink})
      EXPECT_LE(worst_ratio(pair, delta_in_line, pair.setting.jacobian()), 1 + 1e-6) << slope;
  }
}

// Without the Jacobian's term the same search finds violations: it would have seen them.
TEST(GaussianObjectiveSearch, SeesAJacobianThatIsNotPaidFor) {
  std::mt19937_64 random(1);
  double worst = 0;
  for (int k = 0; k < 150; ++k) {
    Pair pair = random_pair(random, 1);
    worst = std::max(worst, worst_ratio(pair, delta_in_line, 0));
  }
  EXPECT_GT(worst, 1.2);
}

// With noise of deviation 2σ/3 in the place of σ, too.
TEST(GaussianObjectiveSearch, SeesNoiseThatIsTooSmall) {
  std::mt19937_64 random(1);
  double worst = 0;
  for (int k = 0; k < 150; ++k) {
    const Pair pair = random_pair(random, 1);
    Setting quiet = pair.setting;
    quiet.sigma /= 1.5;
    const double epsilon = pair.setting.jacobian() + 3 * pair.setting.mu();
    worst =
        std::max(worst, delta_in_line(pair.first, pair.second, quiet, epsilon) /
                            stated_delta(pair.setting, pair.either_sign, pair.setting.jacobian(), epsilon));
  }
  EXPECT_GT(worst, 2);
}

// What far = 1 rests on: the slope of a link for classes has one sign for each record.
TEST(GaussianObjectiveCorners, SlopesOfClassificationLinksNeverChangeSign) {
  for (const Link& link : one_sign_links) {
    ASSERT_TRUE(facts(link).classification);
    for (const double y : {-1.0, 1.0})
      for (const double c : {1e-3, 0.3, 1e9})
        for (const double q : {1e-3, 0.3, 1e9})
          for (double s = -50; s <= 50; s += 0.37) EXPECT_LE(y * slope(link, {c, q}, s, y).first, 0);
  }
}

}  // namespace
}  // namespace tacit
