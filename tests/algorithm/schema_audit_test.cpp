// Audits of schemas that are found privately: each of the three questions, for records and for people, pure
// and with a delta.

#include <gtest/gtest.h>

#include <random>

#include "algorithm/statistics/cell_grid.hpp"
#include "algorithm/statistics/private_schema.hpp"
#include "audited_people.hpp"
#include "data/siphash.hpp"

namespace tacit {
namespace {

using namespace statistics;
using testing::held;
using testing::Holdings;

using TextRecord = std::vector<std::string>;

RawTable raw_table_of(const std::vector<std::string>& names, const std::string& target,
                      const Holdings<TextRecord>& people, Unit unit) {
  std::vector<ValueCells> cells(names.size() + 1);
  for (std::size_t who = 0; who < people.size(); ++who)
    for (const TextRecord& record : people[who]) {
      for (std::size_t k = 0; k < names.size(); ++k) cells[k].emplace_back(record[k]);
      cells.back().emplace_back(fmt::format("person {}", who));
    }
  std::vector<TableColumn> columns;
  for (std::size_t k = 0; k < names.size(); ++k) columns.push_back({names[k], cells[k]});
  if (unit == Unit::user) columns.push_back({"who", cells.back()});
  return raw_table(columns, cells.back().size(), target, unit == Unit::user ? "who" : "");
}

struct SchemaAudits {
  std::vector<std::string> names;  // the target's last, where there is one
  std::string target;
  RangeOptions options;
  Holdings<TextRecord> others;
  std::optional<std::size_t> units;
  RawNames asked;
  Price paid;

  SchemaAudits(std::vector<std::string> columns, std::string of_target, const RangeOptions& how,
               Holdings<TextRecord> rest)
      : names(std::move(columns)),
        target(std::move(of_target)),
        options(how),
        others(std::move(rest)),
        units(testing::public_units(options.neighbours, others.size())),
        asked{.columns = names,
              .target = target,
              .user = options.unit == Unit::user ? "who" : "",
              .classes = {}} {
    std::erase(asked.columns, target);
    paid = price([&](Answers& answers) { find_schema(asked, options, units, nullptr, answers); },
                 options.target);
  }

  testing::ReleaseAudit of(const std::vector<TextRecord>& one, const std::vector<TextRecord>& other,
                           testing::LookAt look_at = testing::all_numbers) const {
    std::array<RawTable, 3> tables;
    const auto datasets = testing::three_datasets(others, options.neighbours, one, other);
    for (std::size_t k = 0; k < 3; ++k) tables[k] = raw_table_of(names, target, datasets[k], options.unit);
    const auto ask = [o = options, n = asked, u = units](const RawTable* table, Answers& answers) {
      find_schema(n, o, u, table, answers);
    };
    return testing::audited_statistic({options.target, options.unit, options.neighbours}, std::move(tables),
                                      ask, paid, std::move(look_at));
  }
};

RangeOptions range_options(const testing::Terms& terms) {
  return {.target = terms.target, .unit = terms.unit, .neighbours = terms.relation};
}

// ---- Replays: numbers, a code, dates, few texts, many texts, and two classes.

const std::vector<std::string> columns_of_people = {"age", "pay", "code", "day", "job", "name", "y"};

Holdings<TextRecord> people_with_texts(Unit unit) {
  constexpr std::size_t records = 800;
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform;
  const char* const jobs[] = {"Sales", "Tech", "Farming"};
  Holdings<TextRecord> people(unit == Unit::item ? records : records / 2);
  for (std::size_t i = 0; i < records; ++i) {
    const double u = uniform(random), v = uniform(random);
    people[i % people.size()].push_back(
        {std::to_string(18 + static_cast<int>(70 * u)),
         v < 0.2 ? "" : fmt::format("{:.2f}", 900.5 + 4000 * u * v),
         std::to_string(1 + static_cast<int>(3 * v)),
         fmt::format("20{:02}-0{}-15", 10 + static_cast<int>(8 * u), 1 + static_cast<int>(8 * v)),
         jobs[static_cast<std::size_t>(3 * u)], fmt::format("name {}", i), u + v > 1 ? "1" : "0"});
  }
  return people;
}

const std::vector<TextRecord> far_texts = {
    {"18", "900.50", "1", "2010-01-15", "Sales", "name 7", "0"},
    {"", "", "", "", "", "", ""},
    {"1e308", "-inf", "-9007199254740991", "0000-01-01", "Tech", "new", "1"},
    {"text", "1,5", "2020-01-01", "7", "Farming", "name 1", "?"}};

class SchemaReplays : public ::testing::TestWithParam<testing::Terms> {};

TEST_P(SchemaReplays, NoAnswerMovesByMoreThanItsSensitivityAndTwoUnitsAreFound) {
  const Unit unit = GetParam().unit;
  const SchemaAudits audits(columns_of_people, "y", range_options(GetParam()), people_with_texts(unit));
  std::vector<std::vector<TextRecord>> units;
  for (const TextRecord& record : far_texts) units.push_back(held(unit, record));
  if (unit == Unit::user) units.push_back(far_texts);
  std::vector<testing::ReleaseAudit> rows;
  for (std::size_t one = 0; one < units.size(); ++one)
    for (std::size_t other = 0; other < units.size(); ++other)
      if (one != other &&
          (GetParam().relation == Neighbours::replace_one || other == (one + 1) % units.size()))
        rows.push_back(audits.of(units[one], units[other]));
  testing::expect_replays_hold(rows);
}

const auto schema_terms_label = [](const auto& row) { return row.param.label(); };
INSTANTIATE_TEST_SUITE_P(Terms, SchemaReplays,
                         ::testing::ValuesIn(testing::all_terms(Pure{30}, Approx{20, 1e-6})),
                         schema_terms_label);

// A person with many records, each with a value of its own.
TEST(SchemaReplay, APersonWithManyRecordsMovesItByNoMore) {
  Holdings<TextRecord> others(200);
  for (std::size_t k = 0; k < 400; ++k) others[k / 2].push_back({std::to_string(k % 9)});
  for (const Guarantee& target : {Guarantee(Pure{5}), Guarantee(Approx{5, 1e-6})})
    for (const int records : {1, 2, 64, 1000}) {
      std::vector<TextRecord> one;
      for (int k = 0; k < records; ++k) one.push_back({fmt::format("{}.5", 100 + k)});
      const SchemaAudits audits({"x"}, "", {.target = target, .unit = Unit::user}, others);
      testing::expect_replays_hold({audits.of(one, {})});
    }
}

// ---- Black boxes.

struct SchemaCase {
  const char* question;
  Unit unit;
  Guarantee target;
};
void PrintTo(const SchemaCase& row, std::ostream* out) { *out << row.question; }
const auto schema_label = [](const auto& row) {
  const testing::Terms terms{row.param.unit, row.param.target};
  return fmt::format("{}_{}", row.param.question, terms.label());
};

// One number of each of the three answers: the first two by their places, the third by its own, where it has
// so many.
testing::LookAt numbers_at(std::size_t kind, std::size_t third) {
  return [=](const std::vector<std::vector<double>>& released) {
    return Vector{{released[0][kind], released[1][0], third < released[2].size() ? released[2][third] : 0}};
  };
}

testing::ReleaseAudit schema_audit(const SchemaCase& row) {
  const std::string question = row.question;
  RangeOptions options{.target = row.target, .unit = row.unit};
  if (question == "numbers") {
    // Noise hides everything, so that the range is [0, 1], and 0.3 is in the 20th of 64 parts. Those of one
    // person differ a little: three values.
    options.number_target = true;
    const Holdings<TextRecord> blank(2, held(row.unit, TextRecord{""}));
    std::vector<TextRecord> one{{"0.3"}};
    if (row.unit == Unit::user) one = {{"0.3"}, {"0.301"}, {"0.302"}};
    return SchemaAudits({"x"}, "x", options, blank)
        .of(one, {}, numbers_at(cell_grid().class_of(CellKind::number, 0.3), 19));
  }
  // So many that the noise shows that it is text.
  const Holdings<TextRecord> others(60, held(row.unit, TextRecord{"a"}));
  const std::size_t third = std::holds_alternative<Pure>(row.target)
                                ? static_cast<std::size_t>(siphash_2_4(HashKey{}, "a") % text_buckets)
                                : 0;
  return SchemaAudits({"x"}, "", options, others)
      .of(held(row.unit, TextRecord{"a"}), {}, numbers_at(cell_grid().text, third));
}

class SchemaBlackBoxes : public ::testing::TestWithParam<SchemaCase> {};

TEST_P(SchemaBlackBoxes, KeepTheirClaimAndLessNoiseIsFound) {
  testing::expect_claim_kept_and_control_found(schema_audit(GetParam()), {.runs = 600, .quieter = 6});
}

INSTANTIATE_TEST_SUITE_P(Table, SchemaBlackBoxes,
                         ::testing::Values(SchemaCase{"numbers", Unit::item, Pure{1}},
                                           SchemaCase{"numbers", Unit::user, Pure{1}},
                                           SchemaCase{"numbers", Unit::item, Approx{1, 0.01}},
                                           SchemaCase{"numbers", Unit::user, Approx{1, 0.01}},
                                           SchemaCase{"texts", Unit::item, Pure{1}},
                                           SchemaCase{"texts", Unit::user, Pure{1}},
                                           SchemaCase{"texts", Unit::item, Approx{1, 0.01}},
                                           SchemaCase{"texts", Unit::user, Approx{1, 0.01}}),
                         schema_label);

// A text that one unit alone has: whether it is told, 4000 runs on each neighbour.
double measured_lone_text(double failure, double delta) {
  const auto run = [&](bool there) -> audit::Run {
    return [=](BitSource& bits) {
      RootMeter meter({NoPrivacy{}, Unit::item, Neighbours::zero_out}, bits);
      const Sensitivity one{.value = 1, .slack = 0, .norm = Norm::l2, .reason = "a record has one text"};
      noise::TextCounts counts{{"a", 30}};
      if (there) counts.emplace_back("b", 1);
      const Sensitive<noise::TextCounts> opened(counts, one, Neighbours::zero_out);
      const auto told = noise::frequent(opened, 1, 100, failure, meter).value();
      return Vector(Vector::Constant(1, static_cast<double>(told.size())));
    };
  };
  audit::BlackBoxOptions box{.runs = 4000, .confidence = 1 - 1e-6, .threads = 1};
  box.bits = [](std::size_t part) { return testing::seeded_bits(500 + part); };
  return audit::black_box(run(true), run(false), delta, box).lower_bound;
}

TEST(SchemaBlackBox, ATextOfOneUnitAloneIsToldAsSeldomAsIsPaidForAndALowerThresholdIsFound) {
  constexpr double delta = 0.01;
  EXPECT_EQ(measured_lone_text(delta, delta), 0);
  EXPECT_GT(measured_lone_text(0.2, delta), 1);
}

}  // namespace
}  // namespace tacit
