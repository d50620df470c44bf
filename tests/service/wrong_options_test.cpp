#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <limits>

#include "data/temp_folder.hpp"
#include "tacit/fit.hpp"
#include "tacit/ledger.hpp"
#include "tacit/method.hpp"

// An option that a method refuses costs nothing, also where a share of the guarantee would find the ranges
// first: the ledger stays as it was, byte for byte.

namespace tacit {
namespace {

using testing_data::TempFolder;

constexpr int rows_of_file = 300;

class WrongOptions : public ::testing::TestWithParam<std::string> {
 protected:
  WrongOptions() {
    std::string rows = "age,pay,who,class\n";
    for (int k = 0; k < rows_of_file; ++k)
      rows += fmt::format("{},{},{},{}\n", 20 + k % 50, k % 70, k % 100, k % 50 < 25 ? "no" : "yes");
    reading_.path = folder_.write("people.csv", rows);
    reading_.target = "class";
    const LedgerLimit limit{"people", Approx{99, 1e-3}};
    for (const Neighbours relation : {Neighbours::zero_out, Neighbours::replace_one, Neighbours::add_remove})
      for (const Unit unit : {Unit::item, Unit::user})
        create_ledger(ledger(unit, relation), {.accountant = "approx", .unit = unit, .neighbours = relation},
                      {&limit, 1});
  }

  std::filesystem::path ledger(Unit unit, Neighbours relation) const {
    return folder_.path() / fmt::format("{}_{}.ledger", record_or_user(unit), name(relation));
  }

  // What a fit of the method is asked for, with room for its ranges.
  service::FitOptions asked(const Method& method) const {
    service::FitOptions options;
    options.method = method.name;
    options.unit = method.unit;
    options.guarantee = offers(method, Notion::pure) ? Guarantee(Pure{4}) : Guarantee(Approx{4, 1e-6});
    options.range_share = 0.3;
    options.ledger = service::LedgerUse{ledger(method.unit, method.neighbours.front()), ""};
    return options;
  }
  ReadOptions reading(const Method& method) const {
    ReadOptions reading = reading_;
    if (method.unit == Unit::user) reading.user = "who";
    return reading;
  }

  // Refused, by words that name the option, and nothing was charged or written down.
  void expect_refused(const Method& method, const service::FitOptions& options, const std::string& words) {
    const std::string before = read_file(options.ledger->path);
    bool stepped = false;
    service::FitOptions watched = options;
    watched.before_each_step = [&](const Step&) { stepped = true; };
    const std::string why =
        testing_data::message_of<Error>([&] { service::fit_file(reading(method), watched); });
    EXPECT_NE(why.find(words), std::string::npos) << why;
    EXPECT_EQ(why.find("spent"), std::string::npos) << why;
    EXPECT_FALSE(stepped);
    EXPECT_EQ(read_file(options.ledger->path), before) << why;
  }

  TempFolder folder_;
  ReadOptions reading_;
};

// Values that the line of the table refuses.
std::vector<FactValue> refused_by(const OptionSpec& spec) {
  std::vector<FactValue> values;
  const auto add = [&](double value) {
    if (spec.numbers.holds(value)) return;
    if (spec.kind == OptionKind::text)
      values.emplace_back(fmt::format("{}", value));
    else if (spec.kind == OptionKind::integer)
      values.emplace_back(static_cast<std::int64_t>(value));
    else
      values.emplace_back(value);
  };
  if (spec.kind == OptionKind::integer) values.emplace_back(2.5);
  if (spec.kind == OptionKind::text && spec.words.empty()) return values;  // a text of its own form
  if (spec.kind == OptionKind::text) values.emplace_back(std::string("nonsense"));
  for (const double value : {-1.0, 0.0, 1e300}) {
    if (spec.kind == OptionKind::integer && value > 1e18) continue;
    if (spec.kind != OptionKind::text || !spec.numbers.in_short().empty()) add(value);
  }
  if (spec.kind == OptionKind::number) values.emplace_back(std::numeric_limits<double>::quiet_NaN());
  return values;
}

TEST_P(WrongOptions, CostNothing) {
  const Method& method = find_method(GetParam());
  std::size_t tried = 0;
  for (const OptionSpec& spec : method.options)
    for (const FactValue& value : refused_by(spec)) {
      SCOPED_TRACE(fmt::format("{} {}", spec.name, shown(value)));
      service::FitOptions options = asked(method);
      options.method_options.set(spec.fact(), value);
      expect_refused(method, options, spec.name);
      ++tried;
    }
  EXPECT_GT(tried, 3U);
}

// Without a stated number of records, where it is private, nothing is read.
TEST_P(WrongOptions, ANumberOfRecordsThatIsMissingCostsNothing) {
  const Method& method = find_method(GetParam());
  if (!protects(method, Neighbours::add_remove)) return;
  service::FitOptions options = asked(method);
  options.neighbours = Neighbours::add_remove;
  options.ledger->path = ledger(method.unit, Neighbours::add_remove);
  for (const auto& share : {std::optional(0.3), std::optional(0.0)}) {
    options.range_share = share;
    expect_refused(method, options, "add_remove keeps the number of");
  }
}

std::vector<std::string> private_methods() {
  std::vector<std::string> names;
  for (const Method& method : methods())
    if (offers(method, Notion::pure) || offers(method, Notion::approx)) names.push_back(method.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(EveryMethod, WrongOptions, ::testing::ValuesIn(private_methods()),
                         [](const auto& m) {
                           std::string name = m.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

// What one option says of another, or of the number of records, is for the method to refuse.
class WrongTogether : public WrongOptions {};

struct Together {
  const char* method;
  std::vector<std::pair<const char*, FactValue>> options;
  const char* words;
};

TEST_F(WrongTogether, CostNothing) {
  const std::vector<Together> cases = {
      {"dp-sgd", {{"batch", 500.0}}, "batch is 500, expected at most the 300 records"},
      {"", {{"batch", 500.0}}, "batch is 500, expected at most the 300 records"},
      {"dp-gd", {{"clip_norm", std::string("0.1")}, {"regularisation", 10.0}}, "times regularisation"},
      {"", {{"clip_norm", std::string("0.1")}, {"regularisation", 10.0}}, "times regularisation"},
      {"dp-sgd", {{"seed", std::int64_t{7}}}, "seed has no effect"},
      {"user-sgd", {{"batch", 500.0}}, "batch"},
      {"limited-output", {{"limit_share", 0.8}, {"column_share", 0.8}}, "column-share"},
      {"dp-sgd", {{"schedule", std::string("constrained")}}, "radius"},
  };
  for (const Together& one : cases) {
    SCOPED_TRACE(fmt::format("{} {}", one.method, one.options.front().first));
    const Method& method = find_method(*one.method ? one.method : "dp-sgd");
    service::FitOptions options = asked(method);
    options.method = one.method;
    for (const auto& [key, value] : one.options) options.method_options.set(key, value);
    expect_refused(method, options, one.words);
    ReadOptions planned = reading(method);
    planned.schema = Schema{.columns = {{"age", NumericColumn{.min = 20, .max = 70}}},
                            .target = SchemaTarget{.column = "class", .classes = {"no", "yes"}},
                            .user = planned.user};
    options.range_share.reset();
    EXPECT_NE(testing_data::message_of<Error>([&] {
                static_cast<void>(
                    service::plan_fit(planned, options, method.unit == Unit::user ? 100 : rows_of_file));
              }).find(one.words),
              std::string::npos)
        << "nor is it planned";
  }
}

}  // namespace
}  // namespace tacit
