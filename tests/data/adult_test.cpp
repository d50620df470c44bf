#include <gtest/gtest.h>

#include <algorithm>

#include "tacit/data.hpp"

namespace tacit {
namespace {

const std::filesystem::path folder = std::filesystem::path(TACIT_SOURCE_DIR) / "examples" / "data";

ReadResult read_adult(const std::string& file) {
  ReadOptions options;
  options.path = folder / file;
  options.schema = read_schema(folder / "adult.schema.json");
  return read_dataset(options);
}

// Counts as the dataset's documentation gives them.
TEST(Adult, HasTheDocumentedRecords) {
  for (const auto& [file, rows, rich] :
       {std::tuple{"adult.train.csv.gz", 32561u, 7841}, {"adult.test.csv.gz", 16281u, 3846}}) {
    const auto result = read_adult(file);
    EXPECT_EQ(result.data.size(), rows);
    EXPECT_EQ(std::ranges::count(result.data.labels, 1.0), rich);
    EXPECT_EQ(std::ranges::count(result.data.labels, 0.0), static_cast<long>(rows) - rich);
    EXPECT_TRUE(result.read_off_data.empty());
    EXPECT_FALSE(result.drafted_schema);
  }
}

TEST(Adult, IsEncodedSparselyWithinItsNormBound) {
  const auto result = read_adult("adult.train.csv.gz");
  EXPECT_EQ(result.data.features.columns(), 95u);
  ASSERT_TRUE(result.data.features.sparse());
  EXPECT_GE(*result.row_norm_bound * *result.row_norm_bound, 12);
  for (std::size_t i = 0; i < result.data.size(); ++i) {
    const RowView row = result.data.features.row(i);
    ASSERT_EQ(row.size, 12u);
    for (std::size_t k = 0; k < row.size; ++k) ASSERT_TRUE(row.values[k] >= 0 && row.values[k] <= 1);
  }
}

// The schema, written from the documentation, fits the table: every category occurs, and only "?" is
// unlisted.
TEST(Adult, TheSchemasCategoriesAreThoseOfTheTable) {
  const Schema schema = read_schema(folder / "adult.schema.json");
  DraftOptions options;
  options.file.path = folder / "adult.train.csv.gz";
  options.file.target = "income";
  const Schema drafted = draft_schema(options);
  ASSERT_EQ(drafted.columns.size(), schema.columns.size());
  EXPECT_EQ(drafted.target->classes, schema.target->classes);
  for (std::size_t i = 0; i < schema.columns.size(); ++i) {
    ASSERT_EQ(drafted.columns[i].name, schema.columns[i].name);
    if (const auto* number = std::get_if<NumericColumn>(&schema.columns[i].kind)) {
      const auto& found = std::get<NumericColumn>(drafted.columns[i].kind);
      EXPECT_EQ(found.min, number->min) << schema.columns[i].name;
      EXPECT_EQ(found.max, number->max);
      EXPECT_EQ(found.log1p, number->log1p);
    } else if (const auto* kind = std::get_if<CategoricalColumn>(&schema.columns[i].kind)) {
      auto found = std::get<CategoricalColumn>(drafted.columns[i].kind).categories;
      std::erase(found, "?");
      auto listed = kind->categories;
      std::ranges::sort(listed);
      EXPECT_EQ(found, listed);
    }
  }
}

}  // namespace
}  // namespace tacit
