#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>

#include "solver/batch_pass.hpp"
#include "solver/certified.hpp"
#include "solver/limited_sums.hpp"
#include "solver/pairwise_sum.hpp"
#include "support/shards_here.hpp"

namespace tacit {
namespace {

Dataset some_records(std::size_t first, std::size_t records, std::size_t columns) {
  DenseRows rows{records, columns, {}};
  Dataset data;
  for (std::size_t i = first; i < first + records; ++i) {
    for (std::size_t j = 0; j < columns; ++j)
      rows.values.push_back(std::sin(static_cast<double>(i * columns + j)) *
                            std::exp(std::cos(static_cast<double>(i * j))));
    data.labels.push_back(i % 3 == 0 ? 1 : -1);
  }
  data.features = Features(std::move(rows));
  return data;
}

const std::array kinds{limited_sums_pass(), clipped_sums_pass()};

struct Sharded : testing::Sharded {
  explicit Sharded(const std::vector<std::size_t>& sizes, std::size_t columns = 4)
      : testing::Sharded(some_records(0, total(sizes), columns), sizes, kinds) {}

  static std::size_t total(const std::vector<std::size_t>& sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
  }
};

constexpr Eigen::Index parameters = 5;

LimitedObjective objective_of(const Problem& problem) {
  return {problem,
          {.slope = 1, .curvature = 1},
          {.strength = 3, .center = Vector::Zero(parameters)},
          Vector::Zero(parameters),
          1,
          1};
}

TEST(Shards, SumsOfAnObjectiveAreThoseOfAllRecordsUpToTheCertifiedRounding) {
  const Sharded sharded({700, 1, 0, 1299});
  const Dataset all = some_records(0, 2000, 4);
  const Problem whole{.data = &all, .loss = Link{LinkKind::logistic, 0}, .intercept = 1};
  LimitedObjective parts = objective_of(sharded.problem), one = objective_of(whole);
  EXPECT_EQ(parts.shape().shards, 4u);
  const Vector w = Vector::LinSpaced(parameters, -1, 1);
  Vector a, b;
  Matrix g, h;
  parts.gradient(w, a, &g);
  one.gradient(w, b, &h);
  EXPECT_LE((a - b).norm(), 2 * parts.gradient_error().at(w.norm()));
  EXPECT_GT(a.norm(), 1);
  EXPECT_LE((g - h).norm(), 1e-10 * h.norm());
  parts.curvature(w, a);
  one.curvature(w, b);
  EXPECT_LE((a - b).norm(), 1e-10 * b.norm());
  parts.prepare_line(w);
  one.prepare_line(w);
  EXPECT_NEAR(parts.line_slope(0.4), one.line_slope(0.4), 1e-9);
  EXPECT_LE((minimise(parts, {}).point - minimise(one, {}).point).norm(), 1e-9);
}

// The bound grows with the number of shards, and stays what it was for one.
TEST(Shards, AreInTheCertifiedRoundingAndInTheFactsOfTheShape) {
  Shape shape{.records = 1000, .features = 5, .outputs = 1, .loss = Link{LinkKind::logistic, 0}};
  const auto error = [&] { return gradient_error(shape, {.slope = 1, .curvature = 1}, 1, 0, 1).constant; };
  const double one = error();
  EXPECT_FALSE(shape_facts(shape).has("shards"));
  shape.shards = 4;
  EXPECT_GT(error(), one);
  EXPECT_EQ(shape_from(shape_facts(shape)).shards, 4u);
  EXPECT_GT(clipped_sum_rounding(1000, 1, 4), clipped_sum_rounding(1000, 1));
  EXPECT_EQ(joining_depth(1), 0u);
  Facts forged = shape_facts(shape);
  forged.set("shards", std::int64_t{1});
  EXPECT_THROW(shape_from(forged), VerificationError);
}

TEST(Shards, SumsArePairwiseInTheOrderOfTheShards) {
  // 2^53 and ones: whichever order adds them, the rounding tells which it was.
  const std::vector<double> terms{0x1p53, 1, 1, 1, 1, -0x1p53, 3};
  PairwiseSum sum;
  for (const double term : terms) {
    Vector v = Vector::Constant(1, term);
    sum.add(v);
  }
  Vector total;
  sum.take_total(1, total);
  // ((t0+t1)+(t2+t3)), then from the right: t6, (t4+t5), the first four.
  const double first = (terms[0] + terms[1]) + (terms[2] + terms[3]);
  EXPECT_EQ(total[0], (terms[6] + (terms[4] + terms[5])) + first);
  // Levels carried and levels joined, both at most the bits of the count.
  for (const std::size_t count : {2, 3, 4, 7, 64, 65, 1000})
    EXPECT_GE(joining_depth(count), 2 * (static_cast<std::size_t>(std::bit_width(count)) - 1));
}

TEST(Shards, BatchesAreDrawnWhereTheRecordsAre) {
  const Sharded sharded({400, 600});
  const Dataset all = some_records(0, 1000, 4);
  const Problem whole{.data = &all, .loss = Link{LinkKind::logistic, 0}, .intercept = 1};
  const Clip clip{.length = 1, .norm = 1};
  const auto batches = remote_clipped_sums(sharded.problem, clip);
  const Vector w = Vector::LinSpaced(parameters, -1, 1);
  Vector sum, expected, again;
  batches->sum(1, w, sum);
  std::vector<std::uint32_t> everyone(1000);
  for (std::uint32_t i = 0; i < everyone.size(); ++i) everyone[i] = i;
  clipped_sums(whole, clip, 1)(w, everyone, expected);
  EXPECT_LE((sum - expected).norm(), 2 * clipped_sum_rounding(1000, 1, 2));
  batches->sum(0.3, w, sum);
  batches->sum(0.3, w, again);
  EXPECT_GT((sum - again).norm(), 1e-3);  // another batch
  batches->sum(0, w, sum);
  EXPECT_EQ(sum, Vector::Zero(parameters));
}

TEST(Shards, AFailureNamesItsShardAndNothingIsAskedAfterwards) {
  const Sharded sharded({10, 10, 10});
  LimitedObjective objective = objective_of(sharded.problem);
  sharded.shards->failing = 1;
  Vector gradient;
  try {
    objective.gradient(Vector::Zero(parameters), gradient, nullptr);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_STREQ(error.what(), "shard 1: row 3 is wrong");
  }
  sharded.shards->failing = 1000;
  const int before = sharded.shards->questions;
  EXPECT_THROW(objective.gradient(Vector::Zero(parameters), gradient, nullptr), Error);
  EXPECT_EQ(sharded.shards->questions, before);
}

TEST(Shards, RowsAreNotHere) {
  const Sharded sharded({10, 10});
  RowRoom room;
  EXPECT_THROW(sharded.data.features.row(3, room), UsageError);
}

TEST(Message, ComesOutAsItWentInAndIsNotReadBeyondItsEnd) {
  MessageWriter out;
  out.put(7).put(std::string_view("seven")).put(Vector(Vector::LinSpaced(3, 1, 3))).put(true);
  MessageReader in(out.text());
  EXPECT_EQ(in.get<int>(), 7);
  EXPECT_EQ(in.text(), "seven");
  EXPECT_EQ(in.vector(), Vector(Vector::LinSpaced(3, 1, 3)));
  EXPECT_TRUE(in.get<bool>());
  EXPECT_TRUE(in.done());
  for (std::size_t size = 0; size < out.text().size(); ++size) {
    MessageReader cut(std::string_view(out.text()).substr(0, size));
    EXPECT_THROW(
        {
          cut.get<int>();
          cut.text();
          cut.vector();
          cut.get<bool>();
        },
        Error);
  }
}

}  // namespace
}  // namespace tacit
