#include "data/encoder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "encoder_rows.hpp"
#include "temp_folder.hpp"

namespace tacit {
namespace {

using namespace testing_data;
using Names = std::vector<std::string>;

TEST(Encoder, HatsInterpolateBetweenEvenKnots) {
  EXPECT_EQ(encoded(numeric(R"("knots": 5)"), {"0"}), (Row{1, 0, 0, 0, 0}));
  EXPECT_EQ(encoded(numeric(R"("knots": 5)"), {"2"}), (Row{0, 1, 0, 0, 0}));
  EXPECT_EQ(encoded(numeric(R"("knots": 5)"), {"2.5"}), (Row{0, 0.75, 0.25, 0, 0}));
  EXPECT_EQ(encoded(numeric(R"("knots": 5)"), {"8"}), (Row{0, 0, 0, 0, 1}));
  EXPECT_EQ(encoded(numeric(R"("knots": 5)"), {"1e300"}), (Row{0, 0, 0, 0, 1}));
  EXPECT_EQ(encoded(numeric(R"("knots": 5)"), {"-inf"}), (Row{1, 0, 0, 0, 0}));
}

TEST(Encoder, AListOfKnotsIsTakenAsItStands) {
  EXPECT_EQ(encoded(numeric(R"("knots": [1, 2, 6])"), {"4"}), (Row{0, 0.5, 0.5}));
  EXPECT_EQ(encoded(numeric(R"("knots": [1, 2, 6])"), {"0.5"}), (Row{1, 0, 0})) << "level before the first";
  EXPECT_EQ(encoded(numeric(R"("knots": [1, 2, 6])"), {"7"}), (Row{0, 0, 1}));
  EXPECT_EQ(encoded(numeric(R"("knots": [1, 2, 6])"), {"2"}), (Row{0, 1, 0}));
}

TEST(Encoder, HatsFollowTheTransform) {
  // log(1 + x) runs from 0 to log 9; x = 2 is halfway.
  const Row even = encoded(numeric(R"("transform": "log1p", "knots": 3)"), {"2"});
  EXPECT_NEAR(even[1], 1, 1e-15);
  const Row list = encoded(numeric(R"("transform": "log1p", "knots": [0, 8])"), {"2"});
  EXPECT_NEAR(list[1], 0.5, 1e-15);
}

TEST(Encoder, OneKnotIsACenteredLineAndNoneTheUnitInterval) {
  EXPECT_EQ(encoded(numeric(R"("knots": 1)"), {"2"}), (Row{-0.25}));
  EXPECT_EQ(encoded(numeric(R"("knots": "auto")"), {"2"}), (Row{0.25}));
  const Encoder centered(parse_schema(numeric(R"("knots": 1)"), "s"));
  EXPECT_EQ(centered.blocks(), (std::vector<FeatureBlock>{{1, 0.5}}));
  EXPECT_EQ(centered.entries(), 1u);
}

TEST(Encoder, MissingCellsHaveAFeatureOfTheirOwnWhereAsked) {
  EXPECT_EQ(encoded(numeric(R"("knots": 3, "missing": "indicator")"), {""}), (Row{0, 0, 0, 1}));
  EXPECT_EQ(encoded(numeric(R"("knots": 3, "missing": "indicator")"), {"8"}), (Row{0, 0, 1, 0}));
  EXPECT_EQ(encoded(numeric(R"("knots": 1, "missing": "indicator")"), {""}), (Row{0, 0.5}));
  EXPECT_EQ(encoded(numeric(R"("knots": 1, "missing": "indicator")"), {"8"}), (Row{0.5, 0}));
  EXPECT_EQ(encoded(numeric(R"("missing": "indicator")"), {"nan"}), (Row{0, 1}));
  EXPECT_EQ(encoded(numeric(R"("knots": 3, "missing": 4)"), {""}), (Row{0, 1, 0}));
  const std::string jobs = R"("type": "categorical", "categories": ["a", "b"], "missing": )";
  EXPECT_EQ(encoded(column(jobs + R"("indicator")"), {""}), (Row{0, 0, 0, 1}));
  EXPECT_EQ(encoded(column(jobs + R"("other")"), {""}), (Row{0, 0, 1}));
  EXPECT_EQ(encoded(column(jobs + R"("b")"), {""}), (Row{0, 1, 0}));
  // Whoever has a category of that name means it.
  EXPECT_EQ(
      encoded(column(R"("type": "categorical", "categories": ["indicator"], "missing": "indicator")"), {""}),
      (Row{1, 0}));
}

// What is not listed counts as the schema says, and as before where it does not; it never counts more than a
// category, so the block keeps its bound.
TEST(Encoder, ValuesThatAreNotListedCountLessWhereAsked) {
  const std::string jobs = R"("type": "categorical", "categories": ["a", "b"], "missing": "indicator")";
  EXPECT_EQ(encoded(column(jobs), {"x"}), (Row{0, 0, 1, 0}));
  const std::string less = column(jobs + R"(, "other": 0.125)");
  EXPECT_EQ(encoded(less, {"x"}), (Row{0.4375, 0.4375, 0.125, 0})) << "in the middle of few categories";
  EXPECT_EQ(encoded(less, {"b"}), (Row{0, 1, 0, 0}));
  EXPECT_EQ(encoded(less, {""}), (Row{0, 0, 0, 1}));
  const Schema schema = parse_schema(less, "s");
  EXPECT_EQ(Encoder(schema).blocks(), (std::vector<FeatureBlock>{{4, 1, true}})) << "it is full";
  EXPECT_EQ(schema_to_json(parse_schema(schema_to_json(schema), "s")), schema_to_json(schema));
  for (const char* bad : {"0", "1.5", "-1", "1e-9", "\"x\""})
    EXPECT_THROW(parse_schema(column(jobs + R"(, "other": )" + bad), "s"), DataError) << bad;
  EXPECT_NO_THROW(parse_schema(column(jobs + R"(, "other": 1)"), "s"));
}

// Few categories share what `other` leaves of 1; whatever it is, the stored row keeps the block's bound, and
// so do the products of a pair, which are rounded. More categories are stored as one entry.
TEST(Encoder, AValueThatIsNotListedKeepsTheBoundAmongFewCategories) {
  const auto schema = [](const std::string& categories, const std::string& other) {
    return R"({"columns": {"c": {"type": "categorical", "categories": [)" + categories + R"(], "other": )" +
           other + R"(}, "x": {"type": "numeric", "min": 0, "max": 1, "knots": 2}}, "pairs": [["c", "x"]]})";
  };
  for (const std::string categories : {R"("a")", R"("a", "b")", R"("a", "b", "d")"})
    for (const std::string other :
         {"1", "0.9999999999999999", "0.7", "0.3333333333333333", "0.125", "9.5367431640625e-7"}) {
      const Encoder encoder(parse_schema(schema(categories, other), "s"));
      const std::size_t all = encoder.blocks()[0].size, rest = encoder.features() - 2 * all;
      const Row row = encoded(encoder, {"x", "0.3"});
      ASSERT_EQ(rest, all + 2);
      const double share = row[0];
      for (std::size_t k = 0; k + 1 < all; ++k) EXPECT_EQ(row[k], share);
      EXPECT_EQ(row[all - 1], std::stod(other));
      EXPECT_LE(static_cast<double>(all - 1) * share, 1 - std::stod(other)) << "rounding is monotone";
      EXPECT_GE(static_cast<double>(all - 1) * share + std::stod(other), 1 - 0x1p-23);
      double products = 0;  // multiples of 2^-52, so that their sum is exact
      for (std::size_t k = all + 2; k < row.size(); ++k) products += row[k];
      EXPECT_LE(products, 1);
      EXPECT_EQ(encoded(encoder, {"a", "0.3"})[0], 1);
      EXPECT_EQ(encoded(encoder, {"a", "0.3"})[all - 1], 0);
    }
  const Encoder more(parse_schema(schema(R"("a", "b", "d", "e")", "0.125"), "s"));
  EXPECT_EQ(more.entries(), 1u + 2 + 2);
  EXPECT_EQ(encoded(more, {"x", "1"})[4], 0.125);
  EXPECT_EQ(encoded(more, {"x", "1"})[0], 0);
}

TEST(Encoder, HashedTextFallsIntoOneBucketByAKeyedHash) {
  const auto bucket = [](const std::string& key, const std::string& text) {
    const Row row =
        encoded(column(R"("type": "hashed", "buckets": 1000, "hash_key": ")" + key + '"'), {text});
    EXPECT_EQ(row.size(), 1000u);
    EXPECT_EQ(sum_of(row), 1);
    return std::ranges::find(row, 1.0) - row.begin();
  };
  const std::string zeros(32, '0'), published = "000102030405060708090a0b0c0d0e0f";
  // floor(1000·h/2^64) of SipHash-2-4 with the published key: h of "\x00" is 0x74f839c593dc67fd.
  EXPECT_EQ(bucket(published, std::string(1, '\0')), 456);
  EXPECT_NE(bucket(zeros, "Zürich"), bucket(published, "Zürich"));
  EXPECT_EQ(encoded(column(R"("type": "hashed", "buckets": 2, "missing": "indicator")"), {""}),
            (Row{0, 0, 1}));
  EXPECT_EQ(encoded(column(R"("type": "hashed", "buckets": 64, "missing": "none")"), {""}),
            encoded(column(R"("type": "hashed", "buckets": 64)"), {"none"}));
}

TEST(Encoder, DatesBecomeNumbersAndParts) {
  const std::string schema = column(
      R"("type": "date", "min": "2020-01-01", "max": "2020-01-09", "knots": 3, "parts": ["weekday", "month"])");
  const Encoder encoder(parse_schema(schema, "s"));
  EXPECT_EQ(encoder.features(), 3u + 12 + 7);
  EXPECT_EQ(encoder.entries(), 4u);
  const Row row = encoded(encoder, {"2020-01-03"});  // a Friday
  EXPECT_EQ(row[0], 0.5);
  EXPECT_EQ(row[1], 0.5);
  EXPECT_EQ(row[3], 1) << "January";
  EXPECT_EQ(row[3 + 12 + 4], 1) << "Friday";
  EXPECT_EQ(encoder.names()[1], "x@2020-01-05");
  EXPECT_EQ(encoder.names()[3], "x.month=1");
  Entries entries(encoder);
  EXPECT_EQ(encoder.encode(0, "3.1.2020", entries.row()).value(),
            "\"3.1.2020\" is not an ISO date or time, such as 2024-05-31 or 2024-05-31T08:15Z"
            " (\"unreadable\": \"missing\" in the schema takes it for an empty cell)");
}

TEST(Encoder, PairsAreProductsOfTwoBlocks) {
  const std::string schema =
      R"({"columns": {"x": {"type": "numeric", "min": 0, "max": 1, "knots": 2},
                      "l": {"type": "numeric", "min": 0, "max": 1, "knots": 1},
                      "c": {"type": "categorical", "categories": ["a"]}},
          "pairs": [["x", "c"], ["l", "x"]]})";
  const Encoder encoder(parse_schema(schema, "s"));
  EXPECT_EQ(encoded(encoder, {"0.25", "0", "b"}),
            (Row{0.75, 0.25, -0.5, 0, 1, 0, 0.75, 0, 0.25, -0.375, -0.125}));
  EXPECT_EQ(encoder.blocks(),
            (std::vector<FeatureBlock>{{2, 1, true}, {1, 0.5}, {2, 1, true}, {4, 1, true}, {2, 0.5}}));
  EXPECT_EQ(encoder.names()[6], "x@0*c=other");
  EXPECT_EQ(encoder.entries(), 2u + 1 + 1 + 2 + 2);
}

TEST(Encoder, KnotsAreCheckedWhereTheyStand) {
  const auto message = [](const std::string& knots) {
    return message_of<DataError>([&] { parse_schema(numeric(R"("knots": )" + knots), "s.json"); });
  };
  EXPECT_EQ(message("[1, 3, 2]"),
            "s.json: columns.x.knots[2]: it is 2, expected above the knot before it, which is 3");
  EXPECT_EQ(message("[1, 1]"),
            "s.json: columns.x.knots[1]: it is 1, expected above the knot before it, which is 1");
  EXPECT_EQ(message("[1, 9]"), "s.json: columns.x.knots[1]: it is 9, expected within [0, 8]");
  EXPECT_EQ(message("[1]"), "s.json: columns.x.knots: there are 1 knots, expected at least 2");
  EXPECT_EQ(message("[1, \"a\"]"), "s.json: columns.x.knots[1]: expected a number, got \"a\"");
  EXPECT_EQ(message("0"), "s.json: columns.x.knots: expected a whole number, 1 to 1024, got 0");
  EXPECT_EQ(message("2.5"), "s.json: columns.x.knots: expected a whole number, 1 to 1024, got 2.5");
  EXPECT_EQ(message("\"many\""),
            "s.json: columns.x.knots: expected \"auto\", a number, or a list of knots, got \"many\"");
  // log1p cannot tell these two apart.
  EXPECT_THROW(parse_schema(column(R"("type": "numeric", "min": 0, "max": 1e9, "transform": "log1p",
                                      "knots": [999999999.9999999, 1e9])"),
                            "s"),
               DataError);
}

TEST(Encoder, OtherMistakesAreRefusedWithTheirPlace) {
  const auto message = [](const std::string& text) {
    return message_of<DataError>([&] { parse_schema(text, "s"); });
  };
  EXPECT_EQ(message(column(R"("type": "hashed", "buckets": 1)")),
            "s: columns.x.buckets: expected a whole number, 2 to 1048576, got 1");
  EXPECT_EQ(message(column(R"("type": "hashed", "buckets": 8, "hash_key": "12")")),
            "s: columns.x.hash_key: expected 32 hexadecimal digits, got \"12\"");
  EXPECT_EQ(
      message(column(R"("type": "date", "min": "2020-13-01", "max": "2021-01-01")")),
      "s: columns.x.min: expected an ISO date or time, such as \"2024-05-31\" or \"2024-05-31T08:15Z\", got "
      "\"2020-13-01\"");
  EXPECT_THROW(validate(Schema{.columns = {{"d", DateColumn{.number = {.min = 0, .max = 1e300}}}}}),
               DataError);
  EXPECT_EQ(message(column(R"("type": "date", "min": "2020-01-01", "max": "2021-01-01", "parts": ["year"])")),
            "s: columns.x.parts[0]: expected \"month\", \"weekday\" or \"hour\", got \"year\"");
  EXPECT_EQ(message(column(R"("type": "numeric", "min": 0.5, "max": 8, "integer": true)")),
            "s: columns.x: the bounds are 0.5 and 8, expected whole numbers, as the column's values are");
  const std::string two =
      R"({"columns": {"x": {"type": "numeric", "min": 0, "max": 1}, "i": {"type": "ignore"}}, "pairs": )";
  EXPECT_EQ(message(two + R"([["x", "i"]]})"),
            "s: pairs[0]: there is no feature column \"i\", expected one of \"x\"");
  EXPECT_EQ(message(two + R"([["x", "x"]]})"), "s: pairs[0]: both are \"x\", expected two columns");
  EXPECT_EQ(message(two + R"([["x"]]})"), "s: pairs[0]: expected a list of two columns, got array");
  EXPECT_EQ(message(two + R"({"x": "i"}})"), "s: pairs: expected a list of pairs of columns, got object");
  EXPECT_EQ(message(R"({"target": {"column": "y", "transform": "log1p"}})"),
            "s: target: the transform log1p is for a number with a min: log(1 + y - min)");
}

TEST(Encoder, SchemasWithAllOfItReadBack) {
  const std::string text = R"({
  "columns": {
    "x": {"type": "numeric", "min": 0, "max": 8, "transform": "log1p", "integer": true, "knots": [0, 1, 8], "missing": "indicator"},
    "k": {"type": "numeric", "min": 0, "max": 0.1, "knots": 7, "missing": 0.05},
    "c": {"type": "categorical", "categories": ["a"], "missing": "indicator"},
    "h": {"type": "hashed", "buckets": 32, "hash_key": "000102030405060708090a0b0c0d0e0f", "missing": "none"},
    "d": {"type": "date", "min": "2020-01-01", "max": "2021-01-01T12:00Z", "knots": ["2020-01-01", "2020-06-01"], "missing": "2020-03-01", "parts": ["month", "hour"]}
  },
  "pairs": [["x", "c"], ["d.hour", "h"]],
  "target": {"column": "y", "min": 0, "max": 5, "transform": "log1p"}
}
)";
  EXPECT_EQ(schema_to_json(parse_schema(text, "s")), text);
}

}  // namespace
}  // namespace tacit
