#include "tacit/audit.hpp"

#include <gtest/gtest.h>

#include "settings.hpp"
#include "tacit/core.hpp"

namespace tacit {
namespace {

using audit::NeighbourPair;
using audit::require_neighbours;

std::vector<NeighbourPair> built_in(const LossSpec& loss) {
  std::vector<NeighbourPair> pairs = audit::adversarial_pairs(loss, 7, 3, 1);
  for (NeighbourPair& pair : audit::lone_record_pairs(loss, 3, 1)) pairs.push_back(std::move(pair));
  return pairs;
}

TEST(NeighbourPairs, AreNeighboursWhoseLabelsFitTheirLoss) {
  for (const LossSpec& loss : testing::every_loss())
    for (const NeighbourPair& pair : built_in(loss)) {
      EXPECT_NO_THROW(require_neighbours(pair.first, pair.second)) << pair.what;
      for (const Dataset* data : {&pair.first, &pair.second})
        EXPECT_NO_THROW(validate(Problem{.data = data, .loss = loss}))
            << testing::loss_name(loss) << ", " << pair.what;
    }
}

TEST(NeighbourPairs, HaveAnOutlierAZeroRowADenormalAHugeRowAndAFlippedLabel) {
  bool huge = false, zero = false, denormal = false, flipped = false;
  for (const NeighbourPair& pair : built_in(Link{LinkKind::logistic, 0})) {
    const double a = pair.first.features.row(0).values[0], b = pair.second.features.row(0).values[0];
    huge = huge || a >= 1e300;
    zero = zero || b == 0;
    denormal = denormal || a == 5e-324;
    flipped = flipped || (a == b && pair.first.labels[0] != pair.second.labels[0]);
  }
  EXPECT_TRUE(huge && zero && denormal && flipped);
}

Dataset table(std::size_t columns, std::vector<double> values, std::vector<double> labels) {
  Dataset data;
  data.features = Features(DenseRows{labels.size(), columns, std::move(values)});
  data.target_kind = TargetKind::numeric;
  data.labels = std::move(labels);
  return data;
}

std::string refusal(const Dataset& a, const Dataset& b) {
  try {
    require_neighbours(a, b);
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

TEST(RequireNeighbours, TakesEqualDatasetsAndOneThatDiffersInOneRecord) {
  const Dataset data = table(2, {1, 2, 3, 4, 5, 6}, {1, 2, 3});
  EXPECT_EQ(refusal(data, data), "");
  EXPECT_EQ(refusal(data, table(2, {1, 2, 7, 8, 5, 6}, {1, 9, 3})), "");
}

TEST(RequireNeighbours, NamesTheRecordsWhenMoreThanOneDiffers) {
  const Dataset data = table(1, {1, 2, 3, 4}, {1, 2, 3, 4});
  const std::string message = refusal(data, table(1, {1, 0, 3, 4}, {1, 2, 3, 0}));
  EXPECT_NE(message.find("differ in 2 records"), std::string::npos) << message;
  EXPECT_NE(message.find("2 and 4"), std::string::npos) << message;
}

TEST(RequireNeighbours, RefusesOtherSizesColumnsAndClasses) {
  const Dataset data = table(1, {1, 2}, {1, 2});
  EXPECT_NE(refusal(data, table(1, {1, 2, 3}, {1, 2, 3})), "");
  EXPECT_NE(refusal(data, table(2, {1, 2, 3, 4}, {1, 2})), "");
  Dataset classes = data;
  classes.classes = {"no", "yes"};
  EXPECT_NE(refusal(data, classes), "");
}

TEST(RequireNeighbours, SeesThatASparseRowEqualsItsDenseForm) {
  const Dataset dense = table(3, {0, 5, 0, 1, 0, 2}, {1, 2});
  Dataset sparse = dense;
  sparse.features = Features(SparseRows{2, 3, {0, 1, 3}, {1, 0, 2}, {5, 1, 2}});
  EXPECT_EQ(refusal(dense, sparse), "");
}

}  // namespace
}  // namespace tacit
