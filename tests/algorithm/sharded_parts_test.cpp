#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "algorithm/nonconvex/o2nc.hpp"
#include "algorithm/secret_parts.hpp"
#include "algorithm/shard_passes.hpp"
#include "solver/limited_objective.hpp"
#include "support/shards_here.hpp"
#include "tacit/root_meter.hpp"

namespace tacit {
namespace {

Dataset some_records(std::size_t records, std::size_t columns) {
  DenseRows rows{records, columns, {}};
  Dataset data;
  for (std::size_t i = 0; i < records; ++i) {
    for (std::size_t j = 0; j < columns; ++j)
      rows.values.push_back(std::sin(static_cast<double>(7 * i * columns + j)));
    data.labels.push_back(i % 3 == 0 ? 1 : -1);
  }
  data.features = Features(std::move(rows));
  return data;
}

// The part of every record, as shards that are cut like this find it.
std::vector<std::size_t> part_of_each(const std::vector<std::size_t>& cut, const PartTerms& terms) {
  const std::size_t all = std::accumulate(cut.begin(), cut.end(), std::size_t{0});
  std::vector<std::size_t> part(all, terms.sizes.size());
  std::vector<std::size_t> before(terms.sizes.size());
  std::size_t first = 0;
  for (const std::size_t own : cut) {
    const Dataset data = some_records(own, 1);
    const Problem problem{.data = &data, .loss = Link{LinkKind::logistic, 0}, .intercept = 1};
    const OwnParts parts({.problem = &problem, .first = first, .all = all}, terms);
    for (std::size_t k = 0; k < terms.sizes.size(); ++k) {
      EXPECT_EQ(parts.first(k), before[k]);
      for (const std::uint32_t row : parts.rows(k)) {
        EXPECT_EQ(part[first + row], terms.sizes.size()) << "in two parts";
        part[first + row] = k;
      }
      before[k] += parts.rows(k).size();
    }
    first += own;
  }
  EXPECT_EQ(before, terms.sizes);
  return part;
}

TEST(SecretParts, AreDisjointOfTheRightSizesAndTheSameHoweverTheRecordsAreCut) {
  const auto bits = testing::seeded_bits(1);
  const PartTerms terms = draw_parts({100, 1, 0, 37, 250}, *bits);
  const auto whole = part_of_each({500}, terms);
  EXPECT_EQ(part_of_each({1, 199, 0, 300}, terms), whole);
  EXPECT_EQ(std::ranges::count(whole, 5u), 500 - 388) << "in none";
  EXPECT_NE(part_of_each({500}, draw_parts(terms.sizes, *bits)), whole) << "another key";
  EXPECT_THROW(part_of_each({500}, draw_parts({400, 101}, *bits)), Error);
}

// A shard that has more than it was counted with, as of a file that grew meanwhile, has no part for them.
TEST(SecretParts, RefuseRecordsBeyondAllThatThereAre) {
  const auto bits = testing::seeded_bits(1);
  const PartTerms terms = draw_parts({3, 4}, *bits);
  const Dataset data = some_records(5, 1);
  const Problem problem{.data = &data, .loss = Link{LinkKind::logistic, 0}, .intercept = 1};
  EXPECT_NO_THROW(OwnParts({.problem = &problem, .first = 2, .all = 7}, terms));
  EXPECT_THROW(OwnParts({.problem = &problem, .first = 3, .all = 7}, terms), Error);
}

// 6!/(1!2!3!) divisions, all equally likely: chi-square of 59 degrees below 59 + 6·√118, false alarm below
// 1e-6.
TEST(SecretParts, EveryDivisionIsEquallyLikely) {
  const auto bits = testing::seeded_bits(2);
  std::map<std::vector<std::size_t>, int> seen;
  constexpr int draws = 30000;
  for (int k = 0; k < draws; ++k) ++seen[part_of_each({2, 4}, draw_parts({1, 2}, *bits))];
  ASSERT_EQ(seen.size(), 60u);
  double chi_square = 0;
  for (const auto& [division, count] : seen) chi_square += std::pow(count - draws / 60.0, 2) / (draws / 60.0);
  EXPECT_LT(chi_square, 59 + 6 * std::sqrt(118));
}

// Three records at five places, of which two are in the first part, one is in the second and two are in none.
// Where the record of a place is missing, the others are as likely to be in any part: chi-square of 18
// degrees below 18 + 6·√36 + 10, false alarm below 1e-6.
TEST(SecretParts, RecordsAtMorePlacesThanThereAreAreAssignedLikeAnyOthers) {
  const auto bits = testing::seeded_bits(12);
  const Dataset data = some_records(3, 1);
  const Problem problem{.data = &data, .loss = Link{LinkKind::logistic, 0}, .intercept = 1};
  std::map<std::vector<std::size_t>, int> seen;
  constexpr int draws = 30000;
  for (int k = 0; k < draws; ++k) {
    const OwnParts own({.problem = &problem, .first = 0, .all = 3}, draw_parts({2, 1}, *bits, 5));
    std::vector<std::size_t> part(3, 2);
    for (std::size_t number = 0; number < 2; ++number)
      for (const std::uint32_t row : own.rows(number)) part[row] = number;
    ++seen[part];
  }
  double chi_square = 0, expected_draws = 0;
  for (std::size_t which = 0; which < 27; ++which) {
    const std::vector<std::size_t> part{which % 3, which / 3 % 3, which / 9};
    std::array<double, 3> free{2, 1, 2};
    double expected = draws;
    for (std::size_t i = 0; i < 3; ++i)
      expected *= std::max(0.0, free[part[i]]--) / static_cast<double>(5 - i);
    expected_draws += expected;
    if (expected == 0)
      EXPECT_EQ(seen[part], 0);
    else
      chi_square += std::pow(seen[part] - expected, 2) / expected;
  }
  EXPECT_NEAR(expected_draws, draws, 1e-6);
  EXPECT_LT(chi_square, 18 + 6 * std::sqrt(36) + 10);
  EXPECT_THROW(OwnParts({.problem = &problem, .first = 0, .all = 3}, draw_parts({1}, *bits, 2)), Error);
}

// With more places than records every division of the places is equally likely, and records keep theirs
// however they are cut: 5·4 of 6!/(1!2!3!) divisions would be told apart by two records of six places.
// Chi-square of 8 degrees below 8 + 6·√16, false alarm below 1e-6.
TEST(SecretParts, NullRecordsTakePlacesAsOthersDo) {
  const auto bits = testing::seeded_bits(2);
  std::map<std::vector<std::size_t>, double> seen, expected;
  constexpr int draws = 20000;
  const auto parts_of_two = [&](const std::vector<std::size_t>& cut) {
    const PartTerms terms = draw_parts({1, 2}, *bits, 6);
    std::vector<std::size_t> part(2, 2);
    std::size_t first = 0;
    for (const std::size_t own : cut) {
      const Dataset data = some_records(own, 1);
      const Problem problem{.data = &data, .loss = Link{LinkKind::logistic, 0}, .intercept = 1};
      const OwnParts parts({.problem = &problem, .first = first, .all = 2}, terms);
      for (std::size_t k = 0; k < 2; ++k)
        for (const std::uint32_t row : parts.rows(k)) part[first + row] = k;
      first += own;
    }
    return part;
  };
  for (int k = 0; k < draws; ++k)
    ++seen[parts_of_two(k % 2 == 0 ? std::vector<std::size_t>{2} : std::vector<std::size_t>{1, 1})];
  const double sizes[] = {1, 2, 3};
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b)
      if (const double p = sizes[a] * (sizes[b] - (a == b ? 1 : 0)) / 30; p > 0) expected[{a, b}] = p * draws;
  double chi_square = 0;
  for (const auto& [division, count] : expected)
    chi_square += (seen[division] - count) * (seen[division] - count) / count;
  EXPECT_EQ(seen.count({0, 0}), 0u) << "a part of one place has no two records";
  EXPECT_LT(chi_square, 8 + 6 * std::sqrt(16));

  // The same in one place.
  std::map<std::size_t, double> counts;
  const Dataset two = some_records(2, 1);
  for (int k = 0; k < draws; ++k) {
    const SecretParts parts(two, {1, 2}, *bits, 6);
    const std::size_t first = parts.part(0).size(), second = parts.part(1).size();
    EXPECT_LE(first, 1u);
    ++counts[3 * first + second];
  }
  // Both in none: 3·2/30; one in the first and none in the second: 2·1·3/30; both in the second: 2·1/30.
  EXPECT_NEAR(counts[0], draws * 6 / 30.0, 6 * std::sqrt(draws * 0.16));
  EXPECT_NEAR(counts[3], draws * 6 / 30.0, 6 * std::sqrt(draws * 0.16));
  EXPECT_NEAR(counts[2], draws * 2 / 30.0, 6 * std::sqrt(draws * 0.07));

  const PartTerms few = draw_parts({1}, *bits, 1);
  const Problem problem{.data = &two, .loss = Link{LinkKind::logistic, 0}, .intercept = 1};
  EXPECT_THROW(OwnParts({.problem = &problem, .first = 0, .all = 2}, few), Error)
      << "more records than places";
}

// Parts of parts too: what is summed over all of them is the sum over all records.
TEST(SecretParts, SumsOverThePartsAreTheSumOverAll) {
  const testing::Sharded sharded(some_records(600, 3), {250, 0, 350}, shard_passes());
  const auto bits = testing::seeded_bits(3);
  const Vector w = Vector::LinSpaced(4, -1, 1), zero = Vector::Zero(4);
  const auto gradient = [&](const Dataset& data) {
    Problem problem = sharded.problem;
    problem.data = &data;
    LimitedObjective objective(problem, {.slope = 1, .curvature = 1}, {.strength = 0, .center = zero}, zero,
                               1, 1);
    Vector g;
    objective.gradient(w, g, nullptr);
    return g;
  };
  const SecretParts parts(sharded.data, {200, 400}, *bits);
  const Dataset first = parts.part(0), second = parts.part(1);
  EXPECT_EQ(first.size(), 200u);
  const SecretParts halves(second, {150, 250}, *bits);
  const Vector all = gradient(sharded.whole);
  const Vector part = gradient(first), rest = gradient(halves.part(0)), more = gradient(halves.part(1));
  EXPECT_GT(part.norm(), 1);
  EXPECT_GT(rest.norm(), 1);
  EXPECT_LE((part + gradient(second) - all).norm(), 1e-10);
  EXPECT_LE((part + rest + more - all).norm(), 1e-10);
}

TEST(SecretParts, AFailureWithinAPartNamesItsShard) {
  const testing::Sharded sharded(some_records(60, 3), {30, 30}, shard_passes());
  const auto bits = testing::seeded_bits(3);
  const SecretParts parts(sharded.data, {20}, *bits);
  const Dataset part = parts.part(0);
  sharded.shards->failing = 1;
  try {
    RemotePass(part.shards, "record sizes", {});
    FAIL();
  } catch (const DataError& error) {
    EXPECT_STREQ(error.what(), "shard 1: row 3 is wrong");
  }
}

using nonconvex::Pass;

// What a run opens, step by step, with smoothing that changes next to nothing: means of clipped gradients.
std::vector<Vector> opened_along(const Problem& problem, Pass pass, const std::vector<Vector>& path,
                                 Neighbours neighbours = Neighbours::replace_one, std::size_t places = 0) {
  nonconvex::Options options{.target = Approx{2, 1e-5}, .neighbours = neighbours, .pass = pass};
  options.estimate = nonconvex::Estimate::gradients;
  options.smoothing = 1e-9;
  options.steps = static_cast<std::int64_t>(path.size());
  options.period = 1;
  options.directions = 1;
  if (pass == Pass::sampled) options.batch = static_cast<std::int64_t>(problem.data->size());
  const Shape shape = shape_of(problem);
  const auto plan =
      nonconvex::plan_o2nc(places == 0 ? shape.records : places, shape.parameters(), options, shape.shards);
  const auto bits = testing::seeded_bits(4);
  RootMeter meter({options.target, Unit::item, pass == Pass::sampled ? Neighbours::zero_out : neighbours},
                  *bits);
  std::vector<Vector> opened;
  meter.watch([&](const Step&, std::span<const double> value) {
    opened.push_back(Eigen::Map<const Vector>(value.data(), static_cast<Eigen::Index>(value.size())));
  });
  const RecordLoss loss = record_loss(problem);
  const auto oracle = nonconvex::oracle_for(loss, plan, options, meter, problem.data->shards);
  for (const Vector& z : path) oracle(z);
  return opened;
}

TEST(O2ncInShards, StepsOverAllRecordsOpenWhatOneProcessOpens) {
  const testing::Sharded sharded(some_records(600, 3), {250, 0, 350}, shard_passes());
  Problem here = sharded.problem;
  here.data = &sharded.whole;
  const std::vector<Vector> path{Vector::Zero(4), Vector::LinSpaced(4, -1, 1)};
  for (const Pass pass : {Pass::multi, Pass::sampled}) {
    const auto one = opened_along(here, pass, path), many = opened_along(sharded.problem, pass, path);
    ASSERT_EQ(one.size(), many.size());
    for (std::size_t t = 0; t < one.size(); ++t) {
      EXPECT_GT(one[t].norm(), 0.01);
      EXPECT_LE((one[t] - many[t]).norm(), 1e-7);
    }
  }
}

// At one and the same point, the batches of a single pass that uses all records are all of them together.
TEST(O2ncInShards, ASinglePassUsesEveryRecordOnce) {
  const testing::Sharded sharded(some_records(600, 3), {250, 0, 350}, shard_passes());
  Problem here = sharded.problem;
  here.data = &sharded.whole;
  const std::vector<Vector> path(10, Vector::LinSpaced(4, -1, 1));
  const auto one = opened_along(here, Pass::single, path),
             many = opened_along(sharded.problem, Pass::single, path);
  ASSERT_EQ(many.size(), 10u);
  Vector expected = Vector::Zero(4), sum = expected;
  for (const Vector& v : one) expected += v;
  for (const Vector& v : many) sum += v;
  EXPECT_LE((sum - expected).norm(), 1e-6);
  EXPECT_GT((many[0] - many[1]).norm(), 1e-3) << "batches differ";
}

// The last record of the last shard is there or not: the sums of a single pass move in one step at most,
// those over all records in each, by one contribution. Divisions are by the places, not by who is there.
TEST(O2ncInShards, AMissingRecordMovesNobodyElse) {
  const std::vector<Vector> path(10, Vector::LinSpaced(4, -1, 1));
  for (const Pass pass : {Pass::single, Pass::multi}) {
    const testing::Sharded all(some_records(600, 3), {250, 0, 350}, shard_passes()),
        fewer(testing::stretch_of(all.whole, 0, 599), {250, 0, 349}, shard_passes());
    const auto with = opened_along(all.problem, pass, path, Neighbours::zero_out, 600),
               without = opened_along(fewer.problem, pass, path, Neighbours::zero_out, 600);
    ASSERT_EQ(with.size(), 10u);
    std::size_t moved_steps = 0;
    for (std::size_t t = 0; t < 10; ++t) {
      const double moved = (with[t] - without[t]).norm(), batch = pass == Pass::single ? 60 : 600;
      EXPECT_LE(moved * batch, 1 + 1e-9) << "L = 1";
      if (moved > 1e-9) ++moved_steps;
    }
    EXPECT_EQ(moved_steps, pass == Pass::single ? 1u : 10u);
  }
}

// Both joins of its sums are in the account.
TEST(O2ncInShards, TheRoundingOfTheirSumsIsInTheSensitivity) {
  for (const Pass pass : {Pass::single, Pass::multi, Pass::sampled}) {
    nonconvex::Options options{.target = Approx{2, 1e-5}, .pass = pass};
    options.steps = 16;
    const auto one = nonconvex::plan_o2nc(5000, 4, options), many = nonconvex::plan_o2nc(5000, 4, options, 8);
    EXPECT_GT(many.start.sensitivity.slack, one.start.sensitivity.slack);
    EXPECT_GE(many.start.sigma, one.start.sigma);
  }
}

}  // namespace
}  // namespace tacit
