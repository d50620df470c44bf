#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "algorithm/statistics/private_schema.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/account.hpp"
#include "tacit/audit.hpp"
#include "tacit/root_meter.hpp"

namespace tacit {
namespace {

using namespace statistics;

// A table of texts, column by column.
struct Columns {
  std::vector<std::string> names;
  std::vector<ValueCells> cells;

  void add(const std::vector<std::string>& record) {
    for (std::size_t k = 0; k < record.size(); ++k) cells[k].emplace_back(record[k]);
  }
  RawTable table(const std::string& target = "") const {
    std::vector<TableColumn> columns;
    for (std::size_t k = 0; k < names.size(); ++k) columns.push_back({names[k], cells[k]});
    return raw_table(columns, cells[0].size(), target, "");
  }
};

Columns named(std::vector<std::string> names) {
  const std::size_t count = names.size();
  return {std::move(names), std::vector<ValueCells>(count)};
}

RawNames names_of(const RawTable& table) {
  RawNames names{.columns = {}, .target = table.target, .user = table.user, .classes = {}};
  for (const RawColumn& column : table.columns)
    if (column.name != table.target) names.columns.push_back(column.name);
  return names;
}

struct Found {
  FoundSchema schema;
  Guarantee spent;
  std::vector<std::vector<double>> released;
  std::vector<Step> steps;
};

Price price_of(const RawNames& names, const RangeOptions& options, std::optional<std::size_t> units) {
  return price([&](Answers& answers) { find_schema(names, options, units, nullptr, answers); },
               options.target);
}

Found find(const RawTable& table, const RangeOptions& options, std::optional<std::size_t> units,
           std::uint64_t seed) {
  const auto bits = testing::seeded_bits(seed);
  const RawNames names = names_of(table);
  RootMeter meter({options.target, options.unit, options.neighbours}, *bits);
  Found found;
  ReleasedAnswers answers(price_of(names, options, units), meter);
  found.schema = find_schema(names, options, units, &table, answers);
  found.spent = meter.spent();
  found.released = answers.released();
  found.steps = meter.steps();
  return found;
}

// age in whole years, pay with cents and a long tail, a code of three numbers, a date, a job, and a name.
Columns people(std::size_t records, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform;
  Columns columns = named({"age", "pay", "code", "day", "job", "name", "y"});
  const char* const jobs[] = {"Sales", "Tech", "Farming"};
  for (std::size_t i = 0; i < records; ++i) {
    const double u = uniform(random), v = uniform(random);
    columns.add({std::to_string(18 + static_cast<int>(70 * u)),
                 v < 0.2 ? "" : fmt::format("{:.2f}", 900.5 + 4000 * u * v),
                 std::to_string(1 + static_cast<int>(3 * v)),
                 fmt::format("20{:02}-0{}-15", 10 + static_cast<int>(8 * u), 1 + static_cast<int>(8 * v)),
                 jobs[static_cast<std::size_t>(3 * u)], fmt::format("name {}", i), u + v > 1 ? "1" : "0"});
  }
  return columns;
}

template <class Kind>
const Kind* kind_of_column(const FoundSchema& found, const std::string& name) {
  return std::get_if<Kind>(&std::ranges::find(found.schema.columns, name, &SchemaColumn::name)->kind);
}

// 600 columns of which noise shows nothing. A count of commas that it reaches in one of 100 is not believed:
// the false-alarm rate of this test, over its seeds, is 2 %.
TEST(PrivateSchema, DoesNotTakeNoiseForDecimalCommas) {
  std::vector<std::string> names;
  for (int k = 0; k < 100; ++k) names.push_back(fmt::format("x{}", k));
  Columns columns = named(names);
  for (int i = 0; i < 60; ++i) columns.add(std::vector<std::string>(100, fmt::format("{}.5", i)));
  const RawTable table = columns.table();
  const RangeOptions options{.target = Pure{1}};
  for (std::uint64_t seed = 1; seed <= 6; ++seed)
    for (const auto& [name, why] : find(table, options, 60, seed).schema.left_out)
      EXPECT_EQ(why.find("comma"), std::string::npos) << name << ": " << why;
}

void expect_numbers_found(const FoundSchema& found) {
  const auto* age = kind_of_column<NumericColumn>(found, "age");
  ASSERT_NE(age, nullptr);
  EXPECT_TRUE(age->integer);
  EXPECT_LE(age->min, 20);
  EXPECT_GE(age->min, 8);
  EXPECT_GE(age->max, 85);
  EXPECT_LE(age->max, 132);
  const auto* pay = kind_of_column<NumericColumn>(found, "pay");
  ASSERT_NE(pay, nullptr);
  EXPECT_FALSE(pay->integer);
  EXPECT_TRUE(pay->missing_indicator);
  EXPECT_LE(pay->min, 1000);
  EXPECT_GE(pay->max, 3500);
  EXPECT_LE(pay->max, 6000);
  const auto* code = kind_of_column<NumericColumn>(found, "code");
  ASSERT_NE(code, nullptr);
  EXPECT_EQ(code->min, 1);
  EXPECT_EQ(code->max, 3);
  const auto* day = kind_of_column<DateColumn>(found, "day");
  ASSERT_NE(day, nullptr);
  EXPECT_LE(day->number.min, 1263513600);      // 2010-01-15
  EXPECT_GE(day->number.max, 1502755200);      // 2017-08-15
  EXPECT_LE(day->number.max, 1577836800 + 1);  // 2020-01-01
  EXPECT_NE(kind_of_column<IgnoredColumn>(found, "name"), nullptr) << "nearly every name is another";
  ASSERT_TRUE(found.schema.target.has_value());
  EXPECT_EQ(found.schema.target->classes, (std::vector<std::string>{"0", "1"}));
}

TEST(PrivateSchema, FindsNumbersDatesAndTwoClassesWithoutADelta) {
  const RawTable table = people(3000, 1).table("y");
  const Found found = find(table, {.target = Pure{5}}, 3000, 2);
  expect_numbers_found(found.schema);
  const auto* job = kind_of_column<HashedColumn>(found.schema, "job");
  ASSERT_NE(job, nullptr);
  EXPECT_EQ(job->buckets, 16u) << "four for each of the three texts, to a power of two";
}

TEST(PrivateSchema, FindsCategoriesWithADelta) {
  const RawTable table = people(3000, 1).table("y");
  for (const Neighbours relation : {Neighbours::zero_out, Neighbours::replace_one}) {
    const Found found = find(table, {.target = Approx{5, 1e-6}, .neighbours = relation}, 3000, 2);
    expect_numbers_found(found.schema);
    const auto* job = kind_of_column<CategoricalColumn>(found.schema, "job");
    ASSERT_NE(job, nullptr);
    EXPECT_EQ(job->categories, (std::vector<std::string>{"Farming", "Sales", "Tech"}));
  }
}

TEST(PrivateSchema, FindsThemWhereTheNumberOfRecordsIsPrivate) {
  const RawTable table = people(3000, 1).table("y");
  expect_numbers_found(
      find(table, {.target = Pure{8}, .neighbours = Neighbours::add_remove}, std::nullopt, 3).schema);
}

// Two grades in three quarters of the records, others in the rest: noise must not make two classes of them.
TEST(PrivateSchema, TwoFrequentNumbersAmongOthersAreNoClasses) {
  Columns grades = named({"y"});
  for (int k = 0; k < 4000; ++k) grades.add({std::to_string(k % 20 < 8 ? 6 : k % 20 < 15 ? 5 : 3 + k % 7)});
  const RawTable table = grades.table("y");
  for (const double epsilon : {0.02, 0.05, 0.1, 0.5})
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const FoundSchema found = find(table, {.target = Pure{epsilon}}, 4000, seed).schema;
      EXPECT_TRUE(found.schema.target->classes.empty()) << epsilon << ", seed " << seed;
    }
}

TEST(PrivateSchema, ANumberTargetHasARangeHoweverMuchNoiseThereIs) {
  const RawTable table = people(50, 1).table("y");
  const Found found = find(table, {.target = Pure{1e-3}, .number_target = true}, 50, 2);
  EXPECT_EQ(found.schema.schema.target->min, 0);
  EXPECT_EQ(found.schema.schema.target->max, 1);
}

TEST(PrivateSchema, SpendsTheTargetAndNoMore) {
  const RawTable table = people(300, 4).table("y");
  for (const Guarantee& target : {Guarantee(Pure{1}), Guarantee(Approx{1, 1e-6})}) {
    const Guarantee spent = find(table, {.target = target}, 300, 5).spent;
    const double epsilon =
        std::holds_alternative<Pure>(spent) ? std::get<Pure>(spent).epsilon : std::get<Approx>(spent).epsilon;
    EXPECT_LE(epsilon, 1);
    EXPECT_GT(epsilon, 0.995);
  }
}

// Whatever the answers were: what is charged, and in which order, is the same.
TEST(PrivateSchema, CostsDoNotDependOnTheAnswers) {
  const RawTable full = people(3000, 1).table("y");
  Columns blank = named({"age", "pay", "code", "day", "job", "name", "y"});
  for (int k = 0; k < 3000; ++k) blank.add({"", "", "", "", "", "", ""});
  for (const Guarantee& target : {Guarantee(Pure{5}), Guarantee(Approx{5, 1e-6})}) {
    const Found a = find(full, {.target = target}, 3000, 6),
                b = find(blank.table("y"), {.target = target}, 3000, 6);
    ASSERT_EQ(a.steps.size(), b.steps.size());
    for (std::size_t k = 0; k < a.steps.size(); ++k) EXPECT_EQ(a.steps[k].event, b.steps[k].event) << k;
  }
}

// The noisy count of a text that 30 or 29 have: 4000 runs on each neighbour.
double measured_texts(double sigma, double delta) {
  const auto run = [&](double count) -> audit::Run {
    return [=](BitSource& bits) {
      RootMeter meter({NoPrivacy{}, Unit::item, Neighbours::zero_out}, bits);
      const Sensitivity one{.value = 1, .slack = 0, .norm = Norm::l2, .reason = "a record has one text"};
      const Sensitive<noise::TextCounts> counts({{"a", count}}, one, Neighbours::zero_out);
      const auto left = noise::frequent(counts, sigma, 100, 1e-6, meter).value();
      return Vector(Vector::Constant(1, left.empty() ? 0 : left[0].second));
    };
  };
  audit::BlackBoxOptions black_box{.runs = 4000, .confidence = 1 - 1e-6, .threads = 1};
  black_box.bits = [](std::size_t part) { return testing::seeded_bits(300 + part); };
  return audit::black_box(run(30), run(29), delta, black_box).lower_bound;
}

TEST(PrivateSchemaBlackBox, FrequentTextsKeepTheirClaimAndHalvedNoiseIsFound) {
  constexpr double delta = 0.01;
  const Event once = GaussianEvent{1};
  const double claim = std::get<Approx>(compose({&once, 1}, Approx{1, delta})).epsilon;
  EXPECT_LE(measured_texts(1, delta), claim);
  EXPECT_GT(measured_texts(0.5, delta), claim);
}

}  // namespace
}  // namespace tacit
