#include "tacit/data.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tacit/core.hpp"
#include "temp_folder.hpp"

namespace tacit {
namespace {

using testing_data::message_of;
using Names = std::vector<std::string>;

constexpr std::string_view example = R"({
  "columns": {"age":    {"type": "numeric", "min": 17, "max": 90, "missing": 40},
              "gain":   {"type": "numeric", "min": 0, "max": 99999, "transform": "log1p"},
              "job":    {"type": "categorical", "categories": ["Sales", "Tech \"é\""], "missing": "other"},
              "fnlwgt": {"type": "ignore"}},
  "target": {"column": "income", "classes": ["<=50K", ">50K"]},
  "user": {"column": "customer_id"}, "others": "ignore", "drafted_from_data": true})";

TEST(Schema, EveryPartIsParsed) {
  const Schema schema = parse_schema(example, "s.json");
  ASSERT_EQ(schema.columns.size(), 4u);
  const auto& age = std::get<NumericColumn>(schema.columns[0].kind);
  EXPECT_EQ(age.min, 17);
  EXPECT_EQ(age.max, 90);
  EXPECT_EQ(age.missing, 40);
  EXPECT_FALSE(age.log1p);
  EXPECT_TRUE(std::get<NumericColumn>(schema.columns[1].kind).log1p);
  EXPECT_EQ(std::get<CategoricalColumn>(schema.columns[2].kind).categories, (Names{"Sales", "Tech \"é\""}));
  EXPECT_EQ(schema.target->classes, (Names{"<=50K", ">50K"}));
  EXPECT_EQ(schema.user, "customer_id");
  EXPECT_TRUE(schema.ignore_others);
  EXPECT_TRUE(schema.drafted_from_data);
}

TEST(Schema, TextIsStableThroughParsing) {
  const std::string once = schema_to_json(parse_schema(example, "s.json"));
  EXPECT_EQ(schema_to_json(parse_schema(once, "s.json")), once);
  const std::string numeric = schema_to_json(parse_schema(
      R"({"columns": {"x": {"type": "numeric", "min": -1e300, "max": 0.1}}, "target": {"column": "y", "min": 3}})",
      "s"));
  EXPECT_EQ(numeric,
            "{\n  \"columns\": {\n    \"x\": {\"type\": \"numeric\", \"min\": -1e+300, \"max\": 0.1}\n  },\n"
            "  \"target\": {\"column\": \"y\", \"min\": 3}\n}\n");
}

TEST(Schema, ANegativeZeroIsWrittenAsZero) {
  for (
      const char* text :
      {R"({"columns": {"x": {"type": "numeric", "min": -0.0, "max": 1, "missing": -0.0}}})",
       R"({"columns": {"x": {"type": "numeric", "min": -1, "max": 1, "knots": [-0.5, -0.0, 0.5]}}})",
       R"({"columns": {"x": {"type": "numeric", "min": 0, "max": 1}}, "target": {"column": "y", "min": -1, "max": -0.0}})"}) {
    const std::string once = schema_to_json(parse_schema(text, "s"));
    EXPECT_EQ(once.find("-0,"), std::string::npos) << once;
    EXPECT_EQ(schema_to_json(parse_schema(once, "s")), once);
  }
}

TEST(Schema, PublicFactsFollowFromIt) {
  const Schema schema = parse_schema(example, "s.json");
  EXPECT_EQ(encoded_columns(schema), 5u);
  EXPECT_EQ(feature_names(schema), (Names{"age", "gain", "job=Sales", "job=Tech \"é\"", "job=other"}));
  EXPECT_GE(row_norm_bound(schema), std::sqrt(3.0));
  EXPECT_LT(row_norm_bound(schema), std::sqrt(3.0) + 1e-12);
  EXPECT_THROW(row_norm_bound(parse_schema(R"({"target": {"classes": ["a", "b"]}})", "s")), UsageError);
}

// Whatever finite number a cell holds, its feature is in [0, 1], and the ends of the range are the ends of
// [0, 1].
TEST(Schema, EncodedNumbersNeverLeaveTheUnitInterval) {
  const double huge = std::numeric_limits<double>::max(), tiny = std::numeric_limits<double>::denorm_min();
  for (const bool log1p : {false, true})
    for (const auto& [min, max] : std::vector<std::pair<double, double>>{{0, 1},
                                                                         {-3, 7.7},
                                                                         {0, 99999},
                                                                         {0, tiny},
                                                                         {-huge / 2, huge / 2},
                                                                         {1, std::nextafter(1, 2)},
                                                                         {1e-300, 1e-299}}) {
      const NumericColumn column{.min = min, .max = max, .log1p = log1p};
      EXPECT_EQ(encode_number(column, min), 0);
      EXPECT_EQ(encode_number(column, max), 1);
      double last = 0;
      for (int k = -20; k <= 120; ++k) {
        const double x = min + (max - min) * (k / 100.0);
        const double feature = encode_number(column, x);
        EXPECT_GE(feature, last) << min << " " << max << " " << x;
        EXPECT_LE(feature, 1);
        last = feature;
      }
      for (const double x : {-huge, huge, tiny, -tiny, -0.0}) {
        EXPECT_GE(encode_number(column, x), 0);
        EXPECT_LE(encode_number(column, x), 1);
      }
    }
  EXPECT_EQ(encode_number({.min = 10, .max = 20}, 12), 0.2);
  EXPECT_DOUBLE_EQ(encode_number({.min = 1, .max = 100, .log1p = true}, 10), std::log(10) / std::log(100));
}

TEST(Schema, MistakesAreRefusedWithTheirPlace) {
  const auto message = [](std::string_view text) {
    return message_of<DataError>([&] { parse_schema(text, "s"); });
  };
  const auto column = [&](const std::string& body) {
    return message(R"({"columns": {"a": {)" + body + "}}}");
  };
  EXPECT_EQ(message("{\n  \"columns\": {,}}"), "s:2:15: not valid JSON");
  EXPECT_EQ(message(""), "s:1:1: not valid JSON");
  EXPECT_EQ(message("[]"), "s: top level: expected an object, got array");
  EXPECT_EQ(message(R"({"colums": {}})"),
            "s: top level: unknown key \"colums\", expected one of columns, pairs, target, user, others, "
            "unreadable, decimal, drafted_from_data");
  EXPECT_EQ(message(R"({"columns": []})"),
            "s: columns: expected an object with one entry per column, got array");
  EXPECT_EQ(message(R"({"columns": {"a": 3}})"), "s: columns.a: expected an object, got 3");
  EXPECT_EQ(message(R"({"columns": {"a\nb": 3}})"), "s: columns.a\\x0ab: expected an object, got 3");
  EXPECT_EQ(message(R"({"columns": {"a": {"type": "ignore"}, "a": {"type": "ignore"}}})"),
            "s: the key \"a\" appears twice");
  EXPECT_EQ(column(""), "s: columns.a: lacks \"type\"");
  EXPECT_EQ(
      column(R"("type": "number")"),
      "s: columns.a.type: expected \"numeric\", \"categorical\", \"hashed\", \"date\" or \"ignore\", got "
      "\"number\"");
  EXPECT_EQ(column(R"("type": "numeric", "min": 0)"), "s: columns.a: lacks \"max\"");
  EXPECT_EQ(column(R"("type": "numeric", "min": "0", "max": 1)"),
            "s: columns.a.min: expected a number, got \"0\"");
  EXPECT_EQ(column(R"("type": "numeric", "min": 1, "max": 1)"),
            "s: columns.a: min is 1, expected below max, which is 1");
  EXPECT_EQ(column(R"("type": "numeric", "min": 0, "max": 1e999)"), "s: a number is too large for a double");
  EXPECT_EQ(column(R"("type": "numeric", "min": -1e308, "max": 1e308)"),
            "s: columns.a: max - min is too large for a double");
  EXPECT_EQ(column(R"("type": "numeric", "min": 0, "max": 1, "missing": 2)"),
            "s: columns.a: missing is 2, expected a number in [0, 1]");
  EXPECT_EQ(column(R"("type": "numeric", "min": 0, "max": 1, "transform": "sqrt")"),
            "s: columns.a.transform: expected \"log1p\", got \"sqrt\"");
  EXPECT_EQ(column(R"("type": "numeric", "min": 0, "max": 1, "categories": [])"),
            "s: columns.a: unknown key \"categories\", expected one of type, min, max, transform, missing, "
            "knots, integer");
  EXPECT_EQ(column(R"("type": "categorical", "categories": [])"),
            "s: columns.a: categories are empty, expected at least one");
  EXPECT_EQ(column(R"("type": "categorical", "categories": ["x", 1])"),
            "s: columns.a.categories[1]: expected a text, got 1");
  EXPECT_EQ(column(R"("type": "categorical", "categories": ["x", "x"])"),
            "s: columns.a.categories: \"x\" appears twice");
  EXPECT_EQ(column(R"("type": "categorical", "categories": [""])"),
            "s: columns.a.categories: a name is empty");
  EXPECT_EQ(column(R"("type": "categorical", "categories": [" x"])"),
            "s: columns.a.categories: \" x\" has blanks around it, which cells never have");
  EXPECT_EQ(
      column(R"("type": "categorical", "categories": ["other"])"),
      "s: columns.a: \"other\" stands for every value that is not listed: leave it out of the categories");
  EXPECT_EQ(column(R"("type": "categorical", "categories": ["x"], "missing": "y")"),
            "s: columns.a: missing is \"y\", expected one of the categories or \"other\"");
  EXPECT_EQ(message(R"({"target": {"column": "y", "classes": ["a"]}})"),
            "s: target.classes: there is only one, expected at least two");
  EXPECT_EQ(message(R"({"target": {"column": "y", "classes": []}})"),
            "s: target.classes: expected at least two classes, got array");
  EXPECT_EQ(message(R"({"target": {"column": "y", "classes": ["a", "a"]}})"),
            "s: target.classes: \"a\" appears twice");
  EXPECT_EQ(message(R"({"target": {"column": "y", "classes": ["a", "b"], "min": 0}})"),
            "s: target: it has classes and bounds, expected one or the other");
  EXPECT_EQ(message(R"({"target": {"column": "y", "min": 2, "max": 1}})"),
            "s: target: min is 2, expected below max, which is 1");
  EXPECT_EQ(
      message(R"({"columns": {"y": {"type": "numeric", "min": 0, "max": 1}}, "target": {"column": "y"}})"),
      "s: column names: \"y\" appears twice");
  EXPECT_EQ(message(R"({"user": {}})"), "s: user: lacks \"column\"");
  EXPECT_EQ(message(R"({"others": "drop"})"), "s: others: expected \"ignore\", got \"drop\"");
  EXPECT_EQ(message(R"({"drafted_from_data": 1})"), "s: drafted_from_data: expected true or false, got 1");
}

TEST(Schema, MoreCategoriesThanAModelCanBearAreRefused) {
  std::string listed = "\"0\"";
  for (int k = 1; k <= 1 << 20; ++k) listed += ",\"" + std::to_string(k) + '"';
  const std::string text = R"({"columns": {"a": {"type": "categorical", "categories": [)" + listed + "]}}}";
  EXPECT_EQ(message_of<DataError>([&] { parse_schema(text, "s"); }),
            "s: columns.a.categories: expected at most 1048576 texts (the type hashed takes any number of "
            "values), got array");
}

TEST(Schema, IsReadFromAFile) {
  const testing_data::TempFolder folder;
  EXPECT_EQ(read_schema(folder.write("s.json", example)).user, "customer_id");
  EXPECT_THROW(read_schema(folder.path() / "none.json"), NotFoundError);
  const auto path = folder.write("bad.json", "{");
  EXPECT_TRUE(message_of<DataError>([&] { read_schema(path); }).starts_with(path.string() + ":1:"));
}

}  // namespace
}  // namespace tacit
