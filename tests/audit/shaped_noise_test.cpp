// Audits of noise with the shape of a record: replays of objective perturbation on pairs of encoded rows, and
// a black box on the noise alone. Both must catch half the noise and a block's bound that is understated.

#include <gtest/gtest.h>

#include <cmath>

#include "algorithm/heavy_tails/limited_objective.hpp"
#include "audit/replay/objective_checks.hpp"
#include "noise/shaped_laplace.hpp"
#include "settings.hpp"
#include "solver/certified.hpp"
#include "tacit/root_meter.hpp"

namespace tacit {
namespace {

// Three hats, two categories (of bound ½, so that the blocks differ), the intercept.
const FeatureBlocks blocks({{3, 1}, {2, 0.5}, {1, 1}});
const FeatureBlocks understated({{3, 0.5}, {2, 0.5}, {1, 1}});
// The same, all full: rows lie in a plane.
const FeatureBlocks planar_blocks({{3, 1, true}, {2, 0.5, true}, {1, 1, true}});
const FeatureBlocks understated_in_plane({{3, 0.5, true}, {2, 0.5, true}, {1, 1, true}});

enum class ShapedFault {
  none,
  half_the_noise,
  understated_in_certificate,  // slopes are limited by the true bounds, noise and certificate have smaller
                               // ones
  euclidean_limit,             // slopes are limited to C₂/‖a‖₂ in place of s/‖a‖_K
  free_jacobian,               // the Jacobian's share of epsilon is spent on noise as well
  rows_off_the_plane,          // noise is in the plane of the full blocks, rows elsewhere count all the same
};

template <ShapedFault fault>
Release faulty(const Problem& problem, const Facts& facts, Meter& meter) {
  auto options = heavy_tails::ObjectiveOptions::from(facts);
  options.common.neighbours = meter.budget().neighbours;
  Shape shape = shape_of(problem);
  shape.records = static_cast<std::size_t>(*options.common.records);
  heavy_tails::ObjectivePlan plan = heavy_tails::plan_limited_objective(shape, options);
  LossLimits limits = plan.limits;
  Step& step = plan.perturbation;
  if constexpr (fault == ShapedFault::half_the_noise) step.scale /= 2;
  if constexpr (fault == ShapedFault::understated_in_certificate)
    plan.limits.blocks = limits.blocks.in_plane() ? understated_in_plane : understated;
  if constexpr (fault == ShapedFault::euclidean_limit) limits = {limits.gradient_norm(), limits.curvature};
  if constexpr (fault == ShapedFault::free_jacobian)
    step.scale = step.sensitivity.total() / std::get<PureEvent>(step.event).epsilon;
  if constexpr (fault == ShapedFault::rows_off_the_plane) limits.blocks = limits.blocks.without_plane();
  step.grid = noise::shaped_perturbation_grid(plan.limits.blocks, step.scale);

  const Vector b = noise::perturb_shaped(step, plan.limits.blocks, shape.outputs, meter).value;
  const double strength = static_cast<double>(shape.records) * plan.regularisation;
  LimitedObjective objective(problem, limits, {.strength = strength, .center = Vector::Zero(b.size())}, b,
                             options.common.label_bound.value_or(0), 1);
  const Ideal<Vector> ideal(onto_ball(minimise(objective, {}).point, plan.radius), plan.distance, "claimed");
  Released<Vector> released = noise::cover(ideal, Pure{plan.cover_epsilon}, plan.range, meter);
  Facts certified = heavy_tails::option_facts(options.common, plan.limits, plan.regularisation);
  certified.set("neighbours", std::string(name(options.common.neighbours)));
  certified.set("projection_radius", plan.radius);
  certified.set("feature_blocks", plan.limits.blocks.text());
  return {std::move(released), certify("limited-objective", meter, std::move(certified),
                                       heavy_tails::public_facts(shape, options.common))};
}

// Encoded rows that lie apart as far as they can: at knots, halfway between them, and rows that break every
// bound.
std::vector<std::vector<double>> nasty_rows() {
  return {{1, 0, 0, 0.5, 0},   {0, 0, 1, 0, 0.5},        {0.5, 0.5, 0, 0.25, 0.25},
          {0, 0.5, 0.5, 0, 0}, {-1e30, 1e30, 0, 1e3, 0}, {1e-30, 0, 0, 0, 0},
          {0, 0, 0, 0, 0}};
}

// What an encoder made: rows, and the shape that noise is made for.
struct Encoded {
  FeatureBlocks blocks;
  std::vector<std::vector<double>> rows;
};
Encoded nasty() { return {blocks, nasty_rows()}; }
// The same blocks, full, and rows in their plane, but for the last three.
Encoded planar() {
  return {planar_blocks,
          {{1, 0, 0, 0.5, 0},
           {0, 0, 1, 0, 0.5},
           {0.5, 0.5, 0, 0.25, 0.25},
           {0, 0.5, 0.5, 0.5, 0},
           {0, 1, 0, 0, 0.25},
           {-1e30, 1e30, 0, 1e3, 0},
           {0, 0, 0, 0, 0}}};
}
// A fit without columns: records are labels alone.
Encoded intercept_alone() { return {FeatureBlocks({{1, 1}}), std::vector<std::vector<double>>(7)}; }

Dataset records(const std::vector<std::vector<double>>& rows, const std::vector<double>& labels) {
  DenseRows dense{rows.size(), rows.front().size(), {}};
  for (const auto& row : rows) dense.values.insert(dense.values.end(), row.begin(), row.end());
  Dataset data;
  data.features = Features(std::move(dense));
  data.labels = labels;
  return data;
}

std::vector<audit::NeighbourPair> pairs(const std::vector<std::vector<double>>& rows, const LossSpec& loss,
                                        Neighbours relation) {
  std::vector<audit::NeighbourPair> pairs;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<double> labels;
    for (std::size_t k = 0; k < rows.size(); ++k)
      labels.push_back(audit::extreme_label(loss, static_cast<int>(k)));
    std::vector<std::vector<double>> others = rows;
    others[0] = rows[i];
    std::vector<double> other_labels = labels;
    other_labels[0] = audit::extreme_label(loss, static_cast<int>(i + 1));
    pairs.push_back({"row " + std::to_string(i), records(rows, labels), records(others, other_labels)});
  }
  return relation == Neighbours::replace_one ? pairs : audit::presence_pairs(pairs);
}

Facts facts() {
  Facts facts;
  facts.set("epsilon", 1.0);
  facts.set("label_bound", 10.0);
  facts.set("regularisation", 10.0);
  facts.set("records", std::int64_t{7});
  facts.set("threads", std::int64_t{1});
  return facts;
}

// The names of the checks that failed.
template <ShapedFault fault>
std::string failures(const LossSpec& loss, Neighbours relation, const Encoded& encoded = nasty()) {
  Method method = find_method("limited-objective");
  if constexpr (fault != ShapedFault::none) method.fit = faulty<fault>;
  const audit::Subject subject{.method = &method,
                               .loss = loss,
                               .blocks = encoded.blocks,
                               .facts = facts(),
                               .budget = {Pure{1}, Unit::item, relation}};
  const auto bits = testing::seeded_bits(8);
  std::string text;
  for (const audit::NeighbourPair& pair : pairs(encoded.rows, loss, relation)) {
    const audit::Replayed replayed = audit::replay(subject, pair, *bits);
    if (const std::string failure = replayed.runs[0].failure + replayed.runs[1].failure; !failure.empty())
      return failure;
    for (const auto& checks : {audit::check_replay(replayed), audit::objective_checks(replayed)})
      for (const audit::Check& check : checks)
        if (!check.ok())
          text += fmt::format("{} ({}): bound {}, measured {}\n", check.what, pair.what, check.bound,
                              check.measured);
  }
  return text;
}

constexpr Neighbours relations[] = {Neighbours::replace_one, Neighbours::zero_out, Neighbours::add_remove};
bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

TEST(ShapedNoiseReplay, PassesForEveryLossAndRelation) {
  for (const LossSpec& loss : testing::every_loss())
    for (const Neighbours relation : relations)
      EXPECT_EQ(failures<ShapedFault::none>(loss, relation), "")
          << testing::loss_name(loss) << ", " << name(relation);
}

TEST(ShapedNoiseReplay, CatchesHalfTheNoise) {
  for (const Neighbours relation : relations)
    for (const LossSpec& loss : {LossSpec(Link{LinkKind::logistic, 0}), LossSpec(Softmax{3})}) {
      const std::string failed = failures<ShapedFault::half_the_noise>(loss, relation);
      EXPECT_TRUE(has(failed, "log-densities")) << failed;
      EXPECT_TRUE(has(failed, "the shift over scale")) << failed;
    }
}

TEST(ShapedNoiseReplay, CatchesABlocksBoundThatIsUnderstated) {
  for (const Neighbours relation : relations)
    EXPECT_TRUE(has(failures<ShapedFault::understated_in_certificate>(Link{LinkKind::logistic, 0}, relation),
                    "distance to the ideal sample"));
}

TEST(ShapedNoiseReplay, CatchesALimitInTheEuclideanNorm) {
  EXPECT_TRUE(has(failures<ShapedFault::euclidean_limit>(Link{LinkKind::squared, 0}, Neighbours::zero_out),
                  "distance to the ideal sample"));
}

TEST(ShapedNoiseReplay, CatchesAJacobianThatWasNotPaidFor) {
  for (const Neighbours relation : relations)
    EXPECT_TRUE(has(failures<ShapedFault::free_jacobian>(Link{LinkKind::logistic, 0}, relation),
                    "the Jacobian's term"));
}

std::vector<LossSpec> losses_of_one_output() {
  std::vector<LossSpec> losses;
  for (const LossSpec& loss : testing::every_loss())
    if (std::holds_alternative<Link>(loss)) losses.push_back(loss);
  return losses;
}

TEST(PlaneNoiseReplay, PassesForEveryLossOfOneOutputAndRelation) {
  for (const LossSpec& loss : losses_of_one_output())
    for (const Neighbours relation : relations)
      EXPECT_EQ(failures<ShapedFault::none>(loss, relation, planar()), "")
          << testing::loss_name(loss) << ", " << name(relation);
}

TEST(PlaneNoiseReplay, CatchesHalfTheNoiseAndRowsOffThePlane) {
  const LossSpec loss = Link{LinkKind::logistic, 0};
  for (const Neighbours relation : relations) {
    const std::string halved = failures<ShapedFault::half_the_noise>(loss, relation, planar());
    EXPECT_TRUE(has(halved, "log-densities")) << halved;
    EXPECT_TRUE(has(halved, "the shift over scale")) << halved;
    const std::string off = failures<ShapedFault::rows_off_the_plane>(loss, relation, planar());
    EXPECT_TRUE(has(off, "distance to the ideal sample")) << off;
  }
}

TEST(PlaneNoiseReplay, CatchesABlocksBoundThatIsUnderstated) {
  for (const Neighbours relation : relations) {
    const std::string failed =
        failures<ShapedFault::understated_in_certificate>(Link{LinkKind::logistic, 0}, relation, planar());
    EXPECT_TRUE(has(failed, "distance to the ideal sample")) << failed;
  }
}

// The gradients of two neighbours, as an objective has them that leaves rows off the plane out, and as one
// has them that counts them: the check of the plane passes for the one and fails for the other.
TEST(PlaneNoiseReplay, TheCheckOfThePlaneFailsForARecordOutsideIt) {
  const LossSpec loss = Link{LinkKind::logistic, 0};
  const std::vector<Vector> outputs{Vector::Zero(6), Vector::Constant(6, 0.1), Vector::Unit(6, 0)};
  const auto failed = [&](const std::vector<double>& row, const FeatureBlocks& counted) {
    std::vector<std::vector<double>> rows{{1, 0, 0, 0.5, 0}, {0, 0, 1, 0, 0.5}}, others = rows;
    others[1] = row;
    const Dataset data[] = {records(rows, {1, 1}), records(others, {1, 1})};
    const auto problem = [&](const Dataset& of) {
      return Problem{.data = &of, .loss = loss, .intercept = 1, .domain = WholeSpace{}, .blocks = counted};
    };
    const Problem problems[] = {problem(data[0]), problem(data[1])};
    const LossLimits limits{.slope = 0.5, .curvature = 0.5, .blocks = counted};
    const Regulariser regulariser{.strength = 1, .center = Vector::Zero(6)};
    LimitedObjective first(problems[0], limits, regulariser, Vector::Zero(6), 0, 1),
        second(problems[1], limits, regulariser, Vector::Zero(6), 0, 1);
    return !audit::plane_check(planar_blocks, first, second, outputs).ok();
  };
  const std::vector<double> inside{0, 0.5, 0.5, 0.25, 0.25}, outside{0, 1, 0, 0, 0.25};
  EXPECT_FALSE(failed(inside, planar_blocks));
  EXPECT_FALSE(failed(inside, planar_blocks.without_plane()));
  EXPECT_FALSE(failed(outside, planar_blocks)) << "the record is taken for a null one";
  EXPECT_TRUE(failed(outside, planar_blocks.without_plane()));
}

// A certificate that claims a plane for rows that are not in it: their gradients leave it.
TEST(PlaneNoiseReplay, CatchesGradientsOffThePlane) {
  Method method = find_method("limited-objective");
  const LossSpec loss = Link{LinkKind::logistic, 0};
  const audit::Subject subject{.method = &method,
                               .loss = loss,
                               .blocks = blocks,  // none is full
                               .facts = facts(),
                               .budget = {Pure{1}, Unit::item, Neighbours::replace_one}};
  const auto bits = testing::seeded_bits(8);
  std::string text;
  for (const audit::NeighbourPair& pair : pairs(nasty_rows(), loss, Neighbours::replace_one)) {
    audit::Replayed replayed = audit::replay(subject, pair, *bits);
    for (audit::WatchedRun& run : replayed.runs)
      run.release->certificate.options.set("feature_blocks", std::string("3=1,2=0.5,1=1"));
    for (const audit::Check& check : audit::objective_checks(replayed))
      if (!check.ok()) text += check.what;
  }
  EXPECT_TRUE(has(text, "distance to the ideal sample")) << text;
}

TEST(InterceptAloneReplay, PassesForEveryLossAndRelationAndCatchesHalfTheNoise) {
  for (const Neighbours relation : relations) {
    for (const LossSpec& loss : testing::every_loss())
      EXPECT_EQ(failures<ShapedFault::none>(loss, relation, intercept_alone()), "")
          << testing::loss_name(loss) << ", " << name(relation);
    EXPECT_TRUE(
        has(failures<ShapedFault::half_the_noise>(Link{LinkKind::logistic, 0}, relation, intercept_alone()),
            "log-densities"));
  }
}

// Whole fits of the intercept alone, on six labels of one class, with and without a seventh of the other.
// 4000 runs on each, confidence 0.9999.
double fitted_lower_bound(Release (*fit)(const Problem&, const Facts&, Meter&)) {
  const LossSpec loss = Link{LinkKind::logistic, 0};
  const Encoded encoded = intercept_alone();
  std::vector<double> labels(6, audit::extreme_label(loss, 0));
  const Dataset without = records(std::vector<std::vector<double>>(6), labels);
  labels.push_back(audit::extreme_label(loss, 1));
  const Dataset with = records(encoded.rows, labels);
  const auto run = [&](const Dataset& data) {
    return [&data, &loss, &encoded, fit](BitSource& bits) {
      const Problem problem{
          .data = &data, .loss = loss, .intercept = 1, .domain = WholeSpace{}, .blocks = encoded.blocks};
      RootMeter meter({Pure{2}, Unit::item, Neighbours::zero_out}, bits);
      Facts settings = facts();
      settings.set("epsilon", 2.0);
      return fit(problem, settings, meter).parameters.value();
    };
  };
  return audit::black_box(run(with), run(without), 0, testing::seeded_black_box(4000, 0.9999, 5)).lower_bound;
}

TEST(InterceptAloneBlackBox, HoldsItsClaimAndCatchesHalfTheNoise) {
  EXPECT_LE(fitted_lower_bound(find_method("limited-objective").fit), 2);
  EXPECT_GT(fitted_lower_bound(faulty<ShapedFault::half_the_noise>), 2);
}

// The noise alone, around gradients at two opposite corners of K: the gauge of their difference is 2, so at
// scale 2 it is 1-DP, and tight. 40 000 runs on each, confidence 0.9999.
double lower_bound(const FeatureBlocks& drawn, double scale, std::size_t outputs) {
  const auto run = [&](double sign) {
    return [&drawn, scale, outputs, sign](BitSource& bits) {
      Vector x = Vector::Zero(static_cast<Eigen::Index>(outputs * drawn.features())), out = x;
      x[0] = sign;
      const auto size = static_cast<std::size_t>(x.size());
      noise::add_shaped_laplace({x.data(), size}, drawn, outputs, scale, noise::lattice_for(scale, 1), bits,
                                {out.data(), size});
      return out;
    };
  };
  return audit::black_box(run(-1), run(1), 0, testing::seeded_black_box(40000, 0.9999, 3)).lower_bound;
}

TEST(ShapedNoiseBlackBox, HoldsItsClaimAndCatchesHalfTheNoiseAndAnUnderstatedBound) {
  EXPECT_LE(lower_bound(blocks, 2, 1), 1);
  EXPECT_GT(lower_bound(blocks, 1, 1), 1);
  EXPECT_GT(lower_bound(understated, 2, 1), 1);
}

// The noise in the plane alone, around the gradients ±a of a row at a corner: their difference has the
// gauge 2. `dimension` is that of the Gamma law: with another one the vector is stretched so that ‖b‖_K has
// its law.
double plane_lower_bound(double scale, std::size_t dimension, double first_bound = 1) {
  const FeatureBlocks drawn({{2, first_bound, true}, {2, 1, true}, {1, 1, true}});
  const auto run = [&](double sign) {
    return [&drawn, scale, dimension, sign](BitSource& bits) {
      const std::vector<double> corner{1, 0, 1, 0, 1}, zero(5, 0.0);
      std::vector<double> b(5);
      noise::add_shaped_laplace(zero, drawn, 1, scale, noise::lattice_for(scale, 0), bits, b);
      double stretch = 1;
      if (dimension != drawn.plane_dimension()) {
        std::vector<std::uint64_t> words(dimension);
        bits.fill(words);
        double gamma = 0;
        for (const std::uint64_t word : words) gamma -= std::log((static_cast<double>(word) + 0.5) * 0x1p-64);
        stretch = scale * gamma / drawn.gauge(b, 1);
      }
      Vector out(5);
      for (std::size_t l = 0; l < 5; ++l)
        out[static_cast<Eigen::Index>(l)] = sign * corner[l] + stretch * b[l];
      return out;
    };
  };
  return audit::black_box(run(-1), run(1), 0, testing::seeded_black_box(8000, 0.9999, 3)).lower_bound;
}

TEST(PlaneNoiseBlackBox, HoldsItsClaimAndCatchesHalfTheNoiseAndAWrongDimension) {
  EXPECT_LE(plane_lower_bound(2, 3), 1);
  EXPECT_GT(plane_lower_bound(1, 3), 1);
  EXPECT_GT(plane_lower_bound(2, 1), 1);
  EXPECT_GT(plane_lower_bound(2, 3, 0.5), 1) << "the bound of one block, understated";
}

TEST(ShapedNoiseBlackBox, HoldsItsClaimForTwoOutputsAndCatchesAThirdOfTheNoise) {
  // Single coordinates, which is all that a black box looks at, show less of a feature with two of them: half
  // the noise measures 0.94.
  EXPECT_LE(lower_bound(FeatureBlocks({{1, 1}, {1, 1}}), 2, 2), 1);
  EXPECT_GT(lower_bound(FeatureBlocks({{1, 1}, {1, 1}}), 2.0 / 3, 2), 1);
  EXPECT_GT(lower_bound(FeatureBlocks({{1, 1.0 / 3}, {1, 1}}), 2, 2), 1);
}

}  // namespace
}  // namespace tacit
