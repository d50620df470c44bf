#include <gtest/gtest.h>

#include "data/encoder.hpp"
#include "tacit/data.hpp"
#include "temp_folder.hpp"

namespace tacit {
namespace {

using testing_data::message_of;
using Row = std::vector<double>;

constexpr std::string_view schema_text = R"({
  "columns": {"age": {"type": "numeric", "min": 0, "max": 80, "knots": 5},
              "when": {"type": "date", "min": "2020-01-01", "max": "2020-01-09", "missing": "indicator"},
              "city": {"type": "hashed", "buckets": 16},
              "kids": {"type": "numeric", "min": 0, "max": 8}},
  "pairs": [["kids", "age"]], "target": {"column": "y", "classes": ["no", "yes"]}})";

// The columns in another order than the schema's, with cells of every kind.
constexpr std::string_view table =
    "city,age,y,kids,when\nBern,30,yes,2,2020-01-03\n\"Bern\",200,no,-1,\nGenf,40,yes,8,2020-01-09T00:00Z\n";

class EncodedRead : public ::testing::Test {
 protected:
  EncodedRead() {
    options_.path = folder_.write("t.csv", table);
    options_.schema = parse_schema(schema_text, "s");
  }
  static Row dense(const Features& features, std::size_t i) {
    Row row(features.columns());
    const RowView view = features.row(i);
    for (std::size_t k = 0; k < view.size; ++k) row[view.columns ? view.columns[k] : k] = view.values[k];
    return row;
  }
  testing_data::TempFolder folder_;
  ReadOptions options_;
};

TEST_F(EncodedRead, RowsComeFromTheEncoderStraightIntoSparseStorage) {
  const ReadResult read = read_dataset(options_);
  const Encoder encoder(*options_.schema);
  const Features& features = read.data.features;
  EXPECT_TRUE(features.sparse());
  EXPECT_EQ(features.sparse_rows().value.size(), 3 * encoder.entries());
  EXPECT_EQ(encoder.entries(), 2u + 2 + 1 + 1 + 2) << "columns and kinds count, not features";
  EXPECT_EQ(read.data.names, encoder.names());
  EXPECT_EQ(read.blocks, encoder.blocks());
  const Row row = dense(features, 0);
  EXPECT_EQ(Row(row.begin(), row.begin() + 7), (Row{0, 0.5, 0.5, 0, 0, 0.25, 0}));
  EXPECT_EQ(row[7 + 16], 0.25) << "kids";
  EXPECT_EQ(Row(row.end() - 5, row.end()), (Row{0, 0.125, 0.125, 0, 0}));
  EXPECT_EQ(dense(features, 1)[6], 1) << "the date is missing";
  const Row second = dense(features, 1);
  EXPECT_EQ(Row(row.begin() + 7, row.begin() + 23), Row(second.begin() + 7, second.begin() + 23))
      << "quotes are no part of the city";
}

TEST_F(EncodedRead, OpenKnotsAreSettledByTheRuleAndKeptWithTheSchema) {
  options_.encoder = EncoderRule::hats;
  const ReadResult hats = read_dataset(options_);
  EXPECT_EQ(std::get<NumericColumn>(hats.schema->columns[3].kind).knots, Knots(std::size_t{9}));
  EXPECT_EQ(std::get<NumericColumn>(hats.schema->columns[0].kind).knots, Knots(std::size_t{5})) << "stated";
  // Whoever reads with the schema that was kept gets the same rows.
  ReadOptions again;
  again.path = options_.path;
  again.schema = parse_schema(schema_to_json(*hats.schema), "kept");
  const ReadResult kept = read_dataset(again);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(dense(kept.data.features, i), dense(hats.data.features, i));

  options_.encoder = EncoderRule::automatic;  // three records: a straight line
  options_.knot_facts.epsilon = 1;
  const auto kids = [&] {
    return std::get<NumericColumn>(read_dataset(options_).schema->columns[3].kind).knots;
  };
  EXPECT_EQ(kids(), Knots(std::size_t{1}));
  options_.count_is_public = false;
  EXPECT_EQ(kids(), Knots(std::size_t{9})) << "the rule must not look at how many there are";
}

TEST_F(EncodedRead, TablesInMemoryGetTheSameRows) {
  const std::vector<double> ages{30, 200, 40}, kids{2, -1, 8};
  const ValueCells cities{"Bern", "Bern", "Genf"}, dates{"2020-01-03", "", "2020-01-09T00:00Z"};
  const std::vector<TableColumn> all{{"age", NumberCells{ages.data()}},
                                     {"kids", NumberCells{kids.data()}},
                                     {"city", cities},
                                     {"when", dates}};
  const ReadResult here = encode_table(all, 3, *options_.schema), file = read_dataset(options_);
  EXPECT_EQ(here.blocks, file.blocks);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(dense(here.data.features, i), dense(file.data.features, i));
}

TEST_F(EncodedRead, ABadCellIsNamedWithItsPlace) {
  options_.path = folder_.write("bad.csv", "city,age,y,kids,when\nBern,30,yes,2,3. Mai\n");
  const std::string message = message_of<DataError>([&] { read_dataset(options_); });
  EXPECT_NE(message.find(":2:5: column \"when\": \"3. Mai\" is not an ISO date or time"), message.npos)
      << message;
}

}  // namespace
}  // namespace tacit
