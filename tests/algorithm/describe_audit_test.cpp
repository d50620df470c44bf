// Audits of descriptions: every statistic, for records and for people, pure and with a delta.

#include <gtest/gtest.h>

#include <random>

#include "algorithm/statistics/describe.hpp"
#include "audited_people.hpp"

namespace tacit {
namespace {

using namespace statistics;
using testing::held;
using testing::Holdings;
using testing::no_cell;

// Age, pay and job.
using DescribedRecord = std::array<double, 3>;

struct DescribeCase {
  const char* statistic;
  testing::Terms terms;
  testing::Measuring how = {};
};
void PrintTo(const DescribeCase& row, std::ostream* out) {
  *out << row.statistic << ' ' << row.terms.label();
}

DescribeOptions describe_options(const DescribeCase& row) {
  const std::string what = row.statistic;
  const bool all = what == "everything";
  return {.target = row.terms.target,
          .unit = row.terms.unit,
          .neighbours = row.terms.relation,
          .means = all || what == "mean",
          .quantiles = all || what == "quantile",
          .histograms = all || what == "histogram",
          .categories = all || what == "categories",
          .levels = {0.5},
          .bins = 2};
}

// Of the columns that the statistic is about; `oldest` bounds the age.
Schema described_columns(const std::string& statistic, double oldest) {
  Schema schema;
  if (statistic != "mean" && statistic != "categories")
    schema.columns.push_back({"age", NumericColumn{.min = 0, .max = oldest, .integer = true}});
  if (statistic == "mean" || statistic == "everything")
    schema.columns.push_back(
        {"pay", NumericColumn{.min = -1, .max = 3, .integer = oldest < 100}});  // then a quantile is cheap
  if (statistic == "categories" || statistic == "everything")
    schema.columns.push_back({"job", CategoricalColumn{.categories = {"a", "b"}}});
  return described(schema);
}

Table described_table(const Holdings<DescribedRecord>& people, const Schema& schema, Unit unit) {
  Table table{.columns = {}, .weights = testing::weights_among(people, unit)};
  for (const SchemaColumn& column : schema.columns) {
    const std::size_t which = column.name == "age" ? 0 : column.name == "pay" ? 1 : 2;
    table.columns.emplace_back();
    for (const auto& person : people)
      for (const DescribedRecord& record : person) table.columns.back().push_back(record[which]);
  }
  return table;
}

struct DescribeAudits {
  DescribeOptions options;
  Schema schema;
  Holdings<DescribedRecord> others;
  std::optional<std::size_t> units;
  Price paid;

  DescribeAudits(const DescribeCase& row, double oldest, Holdings<DescribedRecord> rest)
      : options(describe_options(row)),
        schema(described_columns(row.statistic, oldest)),
        others(std::move(rest)),
        units(testing::public_units(options.neighbours, others.size())),
        paid(price([&](Answers& answers) { describe(schema, options, units, nullptr, answers); },
                   options.target)) {}

  testing::ReleaseAudit of(const std::vector<DescribedRecord>& one,
                           const std::vector<DescribedRecord>& other) const {
    std::array<Table, 3> tables;
    const auto datasets = testing::three_datasets(others, options.neighbours, one, other);
    for (std::size_t k = 0; k < 3; ++k) tables[k] = described_table(datasets[k], schema, options.unit);
    const auto ask = [o = options, s = schema, u = units](const Table* table, Answers& answers) {
      describe(s, o, u, table, answers);
    };
    return testing::audited_statistic({options.target, options.unit, options.neighbours}, std::move(tables),
                                      ask, paid);
  }
};

// 40 ordinary records, of as many or of half as many people.
Holdings<DescribedRecord> ordinary_people(Unit unit) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform;
  Holdings<DescribedRecord> people(unit == Unit::item ? 40 : 20);
  for (std::size_t i = 0; i < 40; ++i)
    people[i % people.size()].push_back({uniform(random) < 0.1 ? no_cell : std::floor(101 * uniform(random)),
                                         4 * uniform(random) * uniform(random) - 1,
                                         uniform(random) < 0.1 ? no_cell : std::floor(3 * uniform(random))});
  return people;
}

const std::vector<DescribedRecord> far_records = {
    {0, -1, 0},     {100, 3, 2},         {no_cell, no_cell, no_cell},
    {50, 1e300, 1}, {-1e300, -1e300, 0}, {no_cell, 3, 0}};

// Each far record, or a person with copies of it, with 65 of them, or with some of all.
std::vector<std::vector<DescribedRecord>> far_units(Unit unit) {
  std::vector<std::vector<DescribedRecord>> units;
  for (const DescribedRecord& record : far_records) units.push_back(held(unit, record));
  if (unit == Unit::item) return units;
  units.push_back(held(unit, far_records[1], 65));
  units.push_back(far_records);
  return units;
}

class DescribeReplays : public ::testing::TestWithParam<testing::Terms> {};

TEST_P(DescribeReplays, NoStatisticMovesByMoreThanItsSensitivityAndTwoUnitsAreFound) {
  const Unit unit = GetParam().unit;
  const DescribeAudits audits({"everything", GetParam()}, 100, ordinary_people(unit));
  const auto units = far_units(unit);
  std::vector<testing::ReleaseAudit> rows;
  for (const auto& one : units)
    for (const auto& other : units)
      if (GetParam().relation == Neighbours::replace_one || &other == &units[0])
        rows.push_back(audits.of(one, other));
  testing::expect_replays_hold(rows);
}

const auto terms_label = [](const auto& row) { return row.param.label(); };
INSTANTIATE_TEST_SUITE_P(Terms, DescribeReplays,
                         ::testing::ValuesIn(testing::all_terms(Pure{1}, Approx{1, 1e-6})), terms_label);

class DescribeBlackBoxes : public ::testing::TestWithParam<DescribeCase> {};

// One unit at the upper end of everything, or none, beside two who have empty cells.
TEST_P(DescribeBlackBoxes, KeepTheirClaimAndLessNoiseIsFound) {
  const Unit unit = GetParam().terms.unit;
  const Holdings<DescribedRecord> blank(2, held(unit, DescribedRecord{no_cell, no_cell, no_cell}));
  const auto one = held(unit, DescribedRecord{1, 3, 1}), other = held(unit, DescribedRecord{0, -1, 0});
  testing::expect_claim_kept_and_control_found(DescribeAudits(GetParam(), 1, blank).of(one, other),
                                               GetParam().how);
}

std::vector<DescribeCase> describe_cases() {
  std::vector<DescribeCase> cases;
  for (const testing::Terms& terms : testing::all_terms(Pure{1}, Approx{1, 0.01})) {
    for (const char* statistic : {"categories", "mean", "histogram"})
      if (terms.relation == Neighbours::zero_out) cases.push_back({statistic, terms});
    // A choice shows less than it may: more runs.
    if (terms.relation == Neighbours::zero_out) cases.push_back({"quantile", terms, {.runs = 8000}});
    cases.push_back({"everything", terms, {.runs = 1500, .quieter = 8}});
  }
  return cases;
}
const auto describe_label = [](const auto& row) {
  return fmt::format("{}_{}", row.param.statistic, row.param.terms.label());
};
INSTANTIATE_TEST_SUITE_P(Table, DescribeBlackBoxes, ::testing::ValuesIn(describe_cases()), describe_label);

}  // namespace
}  // namespace tacit
