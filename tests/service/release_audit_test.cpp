// Black boxes through the doors that people use: a file that a unit is in or not goes in, everything that is
// released comes out. What is read, how records of one person are weighed, how scores are made and how parts
// of a release share its guarantee is all in between. The control asks for more than the claim.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "algorithm/statistics/cell_grid.hpp"
#include "data/temp_folder.hpp"
#include "service/fit/ranges.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/audit.hpp"
#include "tacit/fit.hpp"
#include "tacit/statistics.hpp"

namespace tacit {
namespace {

// The number of records and of people is private in all files, so that neighbours are files.
constexpr Neighbours door_relation = Neighbours::add_remove;

struct DoorFiles {
  testing_data::TempFolder folder;
  ReadOptions reading[2];  // without the unit, and with it
  Unit unit;
  std::optional<LedgerGroup> group;

  // Two others, and one record, or three of one person, with everything else than theirs. With groups: all of
  // them in one, and a fourth like the one in another.
  DoorFiles(Unit whose, bool grouped) : unit(whose) {
    const bool people = unit == Unit::user;
    if (grouped) group = LedgerGroup{"g", "in"};
    const auto row = [&](const char* cells, const char* who, const char* where = "in") {
      const std::string more = people ? fmt::format(",{}", who) : grouped ? fmt::format(",{}", where) : "";
      return fmt::format("{}{}\n", cells, more);
    };
    std::string others = row("x,y", "who", "g") + row("0,no", "a") + row("0,no", "b");
    if (grouped) others += row("1,yes", "", "out");
    std::string one;
    for (int k = 0; k < (people ? 3 : 1); ++k) one += row("1,yes", "c");
    reading[0].path = folder.write("without.csv", others);
    reading[1].path = folder.write("with.csv", others + one);
    for (ReadOptions& how : reading)
      if (people) how.user = "who";
  }
  Schema schema() const {
    Schema schema;
    schema.columns = {{"x", NumericColumn{.min = 0, .max = 1, .integer = true}}};
    if (group) schema.columns.push_back({"g", CategoricalColumn{.categories = {"in", "out"}}});
    schema.target = SchemaTarget{.column = "y", .classes = {"no", "yes"}};
    schema.ignore_others = true;
    return schema;
  }
};

std::vector<std::vector<double>> released_in(const std::string& json) {
  return nlohmann::json::parse(json)["released"].get<std::vector<std::vector<double>>>();
}

Vector vector_of(const std::vector<double>& numbers) {
  return Eigen::Map<const Vector>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
}

// What leaves a door, of the file without the unit or with it.
using Door = std::function<Vector(int there, const Guarantee& guarantee, BitSource& bits)>;

Door door_of_describe(const std::shared_ptr<DoorFiles>& files) {
  return [files](int there, const Guarantee& guarantee, BitSource& bits) {
    ReadOptions reading = files->reading[there];
    reading.schema = files->schema();
    const service::DescribeOptions options{.guarantee = guarantee,
                                           .neighbours = door_relation,
                                           .group = files->group,
                                           .statistics = {"mean", "histogram"}};
    std::vector<double> all;
    for (const auto& answer : released_in(service::describe_file(reading, options, bits).json))
      all.insert(all.end(), answer.begin(), answer.end());
    return vector_of(all);
  };
}

// A model that tells the two classes apart, made without privacy.
Door door_of_evaluate(const std::shared_ptr<DoorFiles>& files) {
  ReadOptions reading = files->reading[1];
  reading.schema = files->schema();
  reading.user.clear();
  service::FitOptions fit;
  fit.guarantee = NoPrivacy{};
  const FittedModel model = service::fit_file(reading, fit);
  const auto path = files->folder.write("model.json", model_to_json(model));
  return [files, path](int there, const Guarantee& guarantee, BitSource& bits) {
    const service::EvaluateOptions options{
        .guarantee = guarantee, .neighbours = door_relation, .group = files->group};
    const auto answers = released_in(service::evaluate_file(path, files->reading[there], options, bits).json);
    std::vector<double> numbers = answers[0];  // of accuracy and of log loss; the cells by their class
    numbers.insert(numbers.end(), answers[1].begin(), answers[1].end());
    numbers.resize(numbers.size() + 2);
    for (std::size_t k = 0; k < answers[2].size(); ++k) numbers[numbers.size() - 2 + k % 2] += answers[2][k];
    return vector_of(numbers);
  };
}

// A model of three classes that no schema names, of which the file without the record has two. By their names
// the others' labels stay what they are. The broken one numbers the labels in the order in which a file has
// them, sorted: what it hands over says so by name.
enum class LabelsBy { name, place };
Door door_of_found_classes(const std::shared_ptr<DoorFiles>& files, LabelsBy labels) {
  std::string others = "x,y\n", renamed = others;
  for (int k = 0; k < 20; ++k) {
    others += k % 2 == 0 ? "b,b\n" : "c,c\n";
    renamed += k % 2 == 0 ? "b,a\n" : "c,b\n";
  }
  ReadOptions with, without;
  with.path = files->folder.write("all_classes.csv", others + "a,a\n");
  without.path = files->folder.write("two_classes.csv", labels == LabelsBy::name ? others : renamed);
  ReadOptions fitted = with;
  fitted.target = "y";
  fitted.schema.emplace();
  fitted.schema->columns = {{"x", CategoricalColumn{.categories = {"a", "b", "c"}}}};
  service::FitOptions fit;
  fit.guarantee = NoPrivacy{};
  const auto path = files->folder.write("three.json", model_to_json(service::fit_file(fitted, fit)));
  return [files, path, with, without](int there, const Guarantee& guarantee, BitSource& bits) {
    const service::EvaluateOptions options{.guarantee = guarantee, .neighbours = door_relation};
    const auto answers =
        released_in(service::evaluate_file(path, there == 1 ? with : without, options, bits).json);
    std::vector<double> numbers = answers[0];  // of accuracy and of log loss
    numbers.insert(numbers.end(), answers[1].begin(), answers[1].end());
    return vector_of(numbers);
  };
}
Door door_of_classes(const std::shared_ptr<DoorFiles>& files) {
  return door_of_found_classes(files, LabelsBy::name);
}

Door door_of_schema(const std::shared_ptr<DoorFiles>& files) {
  const std::size_t one = statistics::cell_grid().class_of(CellKind::whole, 1);
  return [files, one](int there, const Guarantee& guarantee, BitSource& bits) {
    const service::SchemaOptions options{
        .guarantee = guarantee, .neighbours = door_relation, .group = files->group};
    const auto answers = released_in(service::private_schema_file(files->reading[there], options, bits).json);
    return Vector{{answers[0][one], answers[1][0], answers[3][statistics::cell_grid().text]}};
  };
}

// Without a schema: two answers that led to the one that was found, and how many there are, which is asked
// first whatever it is.
Door door_of_unseen(const std::shared_ptr<DoorFiles>& files) {
  const std::size_t one = statistics::cell_grid().class_of(CellKind::whole, 1);
  return [files, one](int there, const Guarantee& guarantee, BitSource& bits) {
    const service::DescribeOptions options{
        .guarantee = guarantee, .neighbours = door_relation, .group = files->group, .statistics = {"mean"}};
    const std::string text = service::describe_file(files->reading[there], options, bits).json;
    const auto first = released_in(nlohmann::json::parse(text)["ranges"].dump()), second = released_in(text);
    return Vector{{first[0][one], first[1][0], second[0][0]}};
  };
}

// The ranges that a fit finds first, and its constant; the number of records is public, so a record is
// replaced.
Door door_of_ranges_and_fit(const std::shared_ptr<DoorFiles>& /*files*/) {
  const auto& grid = statistics::cell_grid();
  const std::size_t a = grid.class_of(CellKind::whole, 5), b = grid.class_of(CellKind::number, 0.5);
  return [=](int there, const Guarantee& guarantee, BitSource& bits) {
    ReadResult labelled;
    labelled.data.features = Features(DenseRows{.rows = 2, .columns = 0, .values = {}});
    labelled.data.labels = {0, there ? 1.0 : 0.0};
    labelled.data.target_kind = TargetKind::classes;
    labelled.data.classes = {"no", "yes"};
    labelled.has_target = true;
    const ValueCells cells = {std::string(), std::string(there ? "5" : "0.5")};
    service::FitOptions options;
    options.guarantee = guarantee;
    options.neighbours = Neighbours::replace_one;
    options.range_share = 0.3;
    options.method = "limited-output";
    options.method_options.set("regularisation", 10.0);
    options.threads = 1;
    const FittedModel model = service::fit_table({{"x", cells}}, labelled, options, bits);
    const auto& answers = model.ranges->numbers;
    return Vector{
        {answers[0][a] - answers[0][b], answers[1][0], model.parameters[model.parameters.size() - 1]}};
  };
}

// The same for people: one with three records comes or goes, and two is the stated number of people. One step
// on all of them, so that the fit's part is as tight as the ranges'.
Door door_of_ranges_and_fit_of_users(const std::shared_ptr<DoorFiles>& /*files*/) {
  const std::size_t five = statistics::cell_grid().class_of(CellKind::whole, 5);
  return [=](int there, const Guarantee& guarantee, BitSource& bits) {
    const std::size_t records = there ? 4 : 1;
    ReadResult labelled;
    labelled.data.features = Features(DenseRows{.rows = records, .columns = 0, .values = {}});
    labelled.data.labels.assign(records, 1);
    labelled.data.labels[0] = 0;
    labelled.data.users.assign(records, 1);
    labelled.data.users[0] = 0;
    labelled.data.user_count = there ? 2 : 1;
    labelled.data.target_kind = TargetKind::classes;
    labelled.data.classes = {"no", "yes"};
    labelled.has_target = true;
    ValueCells cells(records, std::string("5"));
    cells[0] = std::string();
    service::FitOptions options;
    options.guarantee = guarantee;
    options.neighbours = Neighbours::add_remove;
    options.range_share = 0.3;
    options.method = "user-sgd";
    options.method_options.set("user_count", std::int64_t{2});
    options.method_options.set("epochs", 1.0);
    options.method_options.set("batch", 2.0);
    options.threads = 1;
    const FittedModel model = service::fit_table({{"x", cells}}, labelled, options, bits);
    const auto& answers = model.ranges->numbers;
    return Vector{{answers[0][five], answers[1][0], model.parameters[model.parameters.size() - 1]}};
  };
}

// A lone record, or none, beside one that is null; two records are public.
Door door_of_fit_and_intervals(const std::shared_ptr<DoorFiles>& /*files*/) {
  return [](int there, const Guarantee& guarantee, BitSource& bits) {
    Dataset data;
    data.features =
        Features(DenseRows{there ? 2u : 1u, 1, there ? std::vector<double>{0, 1} : std::vector<double>{0}});
    data.labels.assign(there ? 2 : 1, 1);
    data.target_kind = TargetKind::classes;
    data.classes = {"no", "yes"};
    service::FitOptions options;
    options.guarantee = guarantee;
    options.neighbours = Neighbours::zero_out;
    options.interval_level = 0.95;
    options.method = "limited-output";
    options.method_options.set("regularisation", 10.0);
    options.method_options.set("records", std::int64_t{2});
    options.row_bound = 1;
    options.intercept = 0;
    options.threads = 1;
    const FittedModel model = service::fit(std::move(data), options, bits);
    Vector all(model.parameters.size() + model.intervals->released.size());
    all << model.parameters, model.intervals->released;
    return all;
  };
}

struct DoorCase {
  const char* label;
  Unit unit;
  Door (*door)(const std::shared_ptr<DoorFiles>& files);
  bool grouped = false;
};
void PrintTo(const DoorCase& row, std::ostream* out) { *out << row.label; }

double measured_at_door(const Door& door, const Guarantee& guarantee, double delta, std::size_t runs,
                        double confidence) {
  const ListenScope unheard(nullptr);
  const auto run = [&](int there) -> audit::Run {
    return [&, there](BitSource& bits) { return door(there, guarantee, bits); };
  };
  audit::BlackBoxOptions box{.runs = runs, .confidence = confidence, .threads = 1};
  box.bits = [](std::size_t part) { return testing::seeded_bits(7000 + part); };
  return audit::black_box(run(1), run(0), delta, box).lower_bound;
}

void expect_kept_at_door(const DoorCase& row, const Guarantee& claim, const Guarantee& control,
                         std::size_t runs, double confidence) {
  const Door door = row.door(std::make_shared<DoorFiles>(row.unit, row.grouped));
  const audit::Claim claimed = audit::claim_of(claim, 0);
  EXPECT_LE(measured_at_door(door, claim, claimed.delta, runs, confidence), claimed.epsilon);
  EXPECT_GT(measured_at_door(door, control, claimed.delta, runs, confidence), claimed.epsilon)
      << "less noise is not found";
}

class DoorBlackBoxes : public ::testing::TestWithParam<DoorCase> {};
TEST_P(DoorBlackBoxes, KeepAPureClaimAndLessNoiseIsFound) {
  expect_kept_at_door(GetParam(), Pure{1}, Pure{16}, 120, 0.999);
}

class LongDoorBlackBoxes : public ::testing::TestWithParam<DoorCase> {};
TEST_P(LongDoorBlackBoxes, KeepAPureClaimAndLessNoiseIsFound) {
  expect_kept_at_door(GetParam(), Pure{1}, Pure{8}, 600, 1 - 1e-6);
}

TEST(DoorBlackBoxesOfClasses, LabelsThatGoByTheirPlaceInTheFileAreFound) {
  const auto files = std::make_shared<DoorFiles>(Unit::item, false);
  EXPECT_LE(measured_at_door(door_of_found_classes(files, LabelsBy::name), Pure{1}, 0, 120, 0.999), 1);
  EXPECT_GT(measured_at_door(door_of_found_classes(files, LabelsBy::place), Pure{1}, 0, 120, 0.999), 1)
      << "a record that renames all others is not found";
}

// Every run has its noise planned anew, which takes long.
class LongDeltaDoorBlackBoxes : public ::testing::TestWithParam<DoorCase> {};
TEST_P(LongDeltaDoorBlackBoxes, KeepTheirClaimAndLessNoiseIsFound) {
  expect_kept_at_door(GetParam(), Approx{1, 0.01}, Approx{30, 0.01}, 60, 0.99);
}

// Both parts of a fit that finds its ranges, with what each has of epsilon and of delta. 1200 fits, each with
// its noise planned anew: about a minute.
TEST(LongDeltaRangesAndFit, KeepTheirClaimAndLessNoiseIsFound) {
  expect_kept_at_door({"ranges_and_fit_record", Unit::item, door_of_ranges_and_fit}, Approx{1, 0.01},
                      Approx{16, 0.01}, 300, 0.999);
}

TEST(LongDeltaRangesAndFit, OfUsersKeepTheirClaimAndLessNoiseIsFound) {
  expect_kept_at_door({"ranges_and_fit_user", Unit::user, door_of_ranges_and_fit_of_users}, Approx{1, 0.01},
                      Approx{16, 0.01}, 300, 0.999);
}

const DoorCase door_cases[] = {{"describe_record", Unit::item, door_of_describe},
                               {"describe_user", Unit::user, door_of_describe},
                               {"evaluate_record", Unit::item, door_of_evaluate},
                               {"evaluate_user", Unit::user, door_of_evaluate},
                               {"evaluate_classes", Unit::item, door_of_classes},
                               {"schema_record", Unit::item, door_of_schema},
                               {"schema_user", Unit::user, door_of_schema},
                               {"unseen_record", Unit::item, door_of_unseen},
                               {"unseen_user", Unit::user, door_of_unseen},
                               {"describe_group", Unit::item, door_of_describe, true},
                               {"unseen_group", Unit::item, door_of_unseen, true},
                               {"evaluate_group", Unit::item, door_of_evaluate, true},
                               {"schema_group", Unit::item, door_of_schema, true},
                               {"ranges_and_fit_record", Unit::item, door_of_ranges_and_fit},
                               {"fit_and_intervals_record", Unit::item, door_of_fit_and_intervals}};
const auto door_label = [](const auto& row) { return std::string(row.param.label); };
INSTANTIATE_TEST_SUITE_P(Table, DoorBlackBoxes, ::testing::ValuesIn(door_cases), door_label);
// The prefix is what makes them long suites.
INSTANTIATE_TEST_SUITE_P(LongTable, LongDoorBlackBoxes, ::testing::ValuesIn(door_cases), door_label);
// The others have their audits with a delta where they are made: there noise is planned once.
INSTANTIATE_TEST_SUITE_P(LongTable, LongDeltaDoorBlackBoxes,
                         ::testing::Values(DoorCase{"fit_and_intervals_record", Unit::item,
                                                    door_of_fit_and_intervals}),
                         door_label);

// A release of each of eight groups, which a ledger counts as one. The record that is there or not is in one
// group, or has another value of the column in every release.
double measured_of_all_groups(bool same_value, const Guarantee& each) {
  constexpr int groups = 8;
  const testing_data::TempFolder folder;
  const auto reading = [&](int there, int release) {
    std::string rows = "x,g\n";
    for (int k = 0; k < groups; ++k) rows += fmt::format("0,g{}\n", k);
    if (there == 1) rows += fmt::format("1,g{}\n", same_value ? 0 : release);
    ReadOptions how;
    how.path = folder.write(fmt::format("{}_{}.csv", there, release), rows);
    how.schema.emplace();
    CategoricalColumn column;
    for (int k = 0; k < groups; ++k) column.categories.push_back(fmt::format("g{}", k));
    how.schema->columns = {{"x", NumericColumn{.min = 0, .max = 1, .integer = true}}, {"g", column}};
    return how;
  };
  std::vector<ReadOptions> files[2];
  for (int there : {0, 1})
    for (int k = 0; k < groups; ++k) files[there].push_back(reading(there, k));
  const Door all = [&](int there, const Guarantee& guarantee, BitSource& bits) {
    Vector told = Vector::Zero(3);  // how many there are, and those with 0 and with 1: over all groups
    for (int k = 0; k < groups; ++k) {
      service::DescribeOptions options{.guarantee = guarantee, .neighbours = door_relation};
      options.group = LedgerGroup{"g", fmt::format("g{}", k)};
      options.statistics = {"histogram"};
      const auto answers = released_in(service::describe_file(files[there][k], options, bits).json);
      told += Vector{{answers[0][0], answers[1][0], answers[1][1]}};
    }
    return told;
  };
  return measured_at_door(all, each, 0, 1000, 0.999);
}

// Parallel composition holds for a record that has the same value in every release. The control breaks that
// assumption: the record is in all releases, and pays for one.
TEST(LongGroupBlackBoxes, ReleasesOfAllGroupsCostOneAndARecordInEveryGroupIsFound) {
  EXPECT_LE(measured_of_all_groups(true, Pure{1}), 1);
  EXPECT_GT(measured_of_all_groups(false, Pure{1}), 1) << "a record in every group is not found";
}
}  // namespace
}  // namespace tacit
