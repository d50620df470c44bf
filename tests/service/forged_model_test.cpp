// Somebody who edits a model file and knows how digests are made: whatever is changed, added or taken away is
// found, except what the guarantee says nothing about.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <regex>

#include "model/digest.hpp"
#include "model/statement.hpp"
#include "support/edits.hpp"
#include "support/resealed.hpp"
#include "tacit/core.hpp"
#include "tacit/fit.hpp"
#include "tacit/model.hpp"
#include "tacit/statistics.hpp"
#include "tacit/verify.hpp"

namespace tacit {
namespace {

using Pointer = Json::json_pointer;

Dataset points(std::size_t records, bool users) {
  DenseRows rows{records, 2, {}};
  Dataset data;
  for (std::size_t i = 0; i < records; ++i) {
    const double a = static_cast<double>(i % 31) / 30, b = static_cast<double>(i % 17) / 16;
    rows.values.insert(rows.values.end(), {a, b});
    data.labels.push_back(a > b ? 1 : 0);
    if (users) data.users.push_back(static_cast<std::uint32_t>(i));
  }
  data.user_count = users ? records : 0;
  data.features = Features(std::move(rows));
  data.target_kind = TargetKind::classes;
  data.classes = {"no", "yes"};
  data.names = {"a", "b"};
  return data;
}

struct Case {
  std::string method;
  Guarantee guarantee;
  std::vector<std::pair<std::string, FactValue>> options = {};
  bool row_bound = true;
  std::optional<Neighbours> neighbours = {};
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.method; }

std::vector<Case> cases() {
  const auto whole = [](std::int64_t value) { return FactValue(value); };
  return {
      {"limited-objective", Pure{4}},
      {"limited-objective", Approx{4, 1e-5}},
      {"limited-objective", Pure{4}, {}, false},  // with limits that are chosen privately
      {"limited-output", Gaussian{1}},
      {"double-output", Pure{4}},
      {"double-output", Pure{4}, {}, true, Neighbours::replace_one},
      {"localized", Pure{4}},
      {"localized", Pure{4}, {{"records", whole(1000)}}},
      {"localized", Pure{4}, {{"solver", std::string("net-exponential")}, {"net_points", whole(400)}}},
      {"net-exponential", Pure{4}},
      {"localized-exponential", Pure{0.5}},
      {"tuned", Pure{8}, {{"settings", std::string("limited-output:radius=3; limited-output:radius=5")}}},
      {"tuned", Pure{8}, {{"settings", std::string("limited-output:radius=3; net-exponential")}}},
      {"dp-sgd", Approx{4, 1e-5}, {{"epochs", 2.0}}},
      {"dp-sgd", Approx{4, 1e-5}, {{"epochs", 2.0}, {"clip_norm", std::string("private-min")}}},
      {"dp-sgd",
       Approx{4, 1e-5},
       {{"epochs", 2.0}, {"schedule", std::string("constrained")}, {"radius", 2.0}, {"failure", 0.1}}},
      {"dp-sgd", Approx{4, 1e-5}, {{"epochs", 2.0}, {"schedule", std::string("nonconvex")}, {"gap", 2.0}}},
      {"o2nc-single", Approx{4, 1e-5}},
      {"o2nc-multi", Gaussian{2}, {{"steps", whole(8)}}},
      {"o2nc-sampled", Approx{4, 1e-5}, {{"steps", whole(8)}}},
      {"o2nc-first", Approx{4, 1e-5}},
      {"o2nc-single",
       Approx{4, 1e-5},
       {{"steps", whole(16)}, {"period", whole(4)}},
       true,
       Neighbours::replace_one},
      {"o2nc-multi", Gaussian{2}, {{"steps", whole(8)}}, true, Neighbours::replace_one},
      {"o2nc-first", Approx{4, 1e-5}, {{"schedule", std::string("theorem")}, {"smoothing", 1.0}}},
      {"o2nc-single",
       Approx{4, 1e-5},
       {{"schedule", std::string("theorem")}, {"smoothing", 1.0}, {"period", whole(4)}}},
      {"dp-gd", Gaussian{2}, {{"steps", whole(5)}}},
      {"posterior-exact", Gaussian{1}, {{"samples", whole(2)}}},
      {"asap-mala", Pure{8}, {{"mala_steps", whole(20)}}},
      {"asap-mala", Gaussian{1}, {{"mala_steps", whole(20)}}, true, Neighbours::replace_one},
      {"user-sgd", Approx{4, 1e-5}, {{"epochs", 2.0}}},
      {"user-phased", Approx{8, 1e-3}, {{"records_per_user", whole(1)}}},
      {"user-erm", Approx{8, 1e-3}, {{"records_per_user", whole(1)}, {"iterations", whole(2)}}},
      {"user-group", Approx{4, 1e-5}, {{"records_per_user", whole(1)}, {"epochs", 2.0}}}};
}

Json fitted(const Case& given) {
  const bool users = find_method(given.method).unit == Unit::user;
  service::FitOptions options{.method = given.method, .guarantee = given.guarantee, .target = "c"};
  if (given.row_bound) options.row_bound = 1.5;
  if (users) options.unit = Unit::user;
  options.neighbours = given.neighbours;
  for (const auto& [key, value] : given.options) options.method_options.set(key, value);
  ReadResult read;
  read.data = points(users ? 3000 : 600, users);
  read.has_target = true;
  read.read_off_data = {"classes"};
  return Json::parse(model_to_json(service::fit_records(std::move(read), std::nullopt, options)));
}

// Refusals are about the file: it is malformed, or it does not hold. Any other error is a fault of ours.
bool is_accepted(Json json) {
  json["digest"] = sha256(sealed_bytes(json));
  try {
    verify_model(layout(json), "m.json");
    return true;
  } catch (const VerificationError&) {
    return false;
  } catch (const DataError&) {
    return false;
  }
}

// What no certificate speaks of: names, the units of predictions, who wrote the file. What led to options
// that are there is free, too; digest and version are checked on their own.
bool is_free(const std::string& place) {
  static const std::regex free(
      "/(target/(column|classes/.*|offset|scale)|features/names/.*|digest|version"
      "|certificate/(tacit|bit_source|assumed_public/"
      "(row_norm_bound|row_norm_bound_source|label_bound|method_choice)))");
  return std::regex_match(place, free);
}

// What a run is free to be told, or released, while its steps stay the same: another value is another honest
// run's. That it is there, and of the right kind, is checked.
bool may_change(const std::string& place) {
  static const std::regex told(
      "/certificate/(assumed_public/records"  // one more may lead to the very same steps
      "|options/(seed|radius|phases_passed|tau_.*|chosen|noisy_score|chosen_clip_norm|regularisation"
      "|label_offset|label_scale|slope_limit|curvature_limit|smoothing|averaging|directions|lipschitz"
      "|step_cap|step_size|step_limit|phases|net_points|cells|clip_quantile|least_acceptance|strong_"
      "convexity|smoothness|coverage))");
  return std::regex_match(place, told);
}

Json mutated(const Json& leaf, const std::string& place) {
  if (leaf.is_boolean()) return !leaf.get<bool>();
  if (leaf.is_string()) return leaf.get<std::string>() + "x";
  if (leaf.is_number_integer()) return leaf.get<std::int64_t>() + 1;
  if (leaf.is_number() && (place.starts_with("/parameters") || place.starts_with("/samples")))
    return std::nextafter(leaf.get<double>(), 1e300);
  if (leaf.is_number()) return leaf.get<double>() * 1.25 + 0.125;
  return 1;
}

// Calls visit(place) for every value in the document.
template <class Visit>
void walk(const Json& json, const std::string& place, const Visit& visit) {
  visit(json, place);
  if (json.is_object())
    for (const auto& [key, value] : json.items()) walk(value, place + "/" + key, visit);
  if (json.is_array())
    for (std::size_t k = 0; k < json.size(); ++k) walk(json[k], place + "/" + std::to_string(k), visit);
}

class ForgedModel : public ::testing::TestWithParam<Case> {};

TEST_P(ForgedModel, IsRefusedWhateverWasChangedAddedOrRemoved) {
  const Json model = fitted(GetParam());
  ASSERT_NO_THROW(verify_model(layout(model), "m.json"));
  walk(model, "", [&](const Json& value, const std::string& place) {
    const Pointer at(place);
    if (value.is_object())
      for (const char* name : {"approved_by", "epsilon", "noise_multiplier", "users", "tau_anything"}) {
        if (value.contains(name)) continue;
        Json forged = model;
        forged[at][name] = 0.01;
        EXPECT_FALSE(is_accepted(forged)) << "added " << place << "/" << name;
      }
    if (value.is_array() && !is_free(place + "/0")) {
      Json forged = model;
      forged[at].push_back(value.empty() ? Json("x") : value.back());
      EXPECT_FALSE(is_accepted(forged)) << "longer " << place;
    }
    if (place.empty() || is_free(place)) return;
    if (value.is_primitive() && !may_change(place)) {
      Json forged = model;
      forged[at] = mutated(value, place);
      EXPECT_FALSE(is_accepted(forged)) << "changed " << place << " from " << value;
    }
    Json forged = model;
    Json& parent = forged[at.parent_pointer()];
    if (parent.is_object())
      parent.erase(at.back());
    else
      parent.erase(std::stoul(at.back()));
    EXPECT_FALSE(is_accepted(forged)) << "removed " << place;
  });
}

TEST_P(ForgedModel, IsRefusedAsAFileWhateverItsNumbersAre) {
  const Json model = fitted(GetParam());
  walk(model["certificate"], "/certificate", [&](const Json& value, const std::string& place) {
    if (!value.is_number()) return;
    for (const Json& wild : {Json("inf"), Json("nan"), Json(-1), Json(1e308), Json(4.5e-320)}) {
      Json forged = model;
      forged[Pointer(place)] = wild;
      EXPECT_NO_THROW(is_accepted(forged)) << place << " = " << wild;
    }
  });
}

// One to four leaves at random, 400 times: what is still accepted promises no more than the true model.
class ForgedLeaves : public ::testing::TestWithParam<Case> {};

TEST_P(ForgedLeaves, PromiseNoMoreWhereTheyAreAccepted) {
  const Json model = fitted(GetParam());
  std::mt19937_64 random(11);
  for (int k = 0; k < 400; ++k) {
    std::vector<std::uint8_t> said(12 * (1 + random() % 4));
    for (std::uint8_t& byte : said) byte = static_cast<std::uint8_t>(random());
    testing::Bytes bytes{said.data(), said.size()};
    const Json forged = testing::edited(model, bytes);
    if (!is_accepted(forged)) continue;
    EXPECT_FALSE(testing::promises_more(forged, model)) << layout(forged);
  }
}

const auto named_by_method = [](const auto& test) {
  std::string name = std::to_string(test.index) + "_" + test.param.method;
  std::ranges::replace(name, '-', '_');
  return name;
};
INSTANTIATE_TEST_SUITE_P(EveryMethod, ForgedModel, ::testing::ValuesIn(cases()), named_by_method);
INSTANTIATE_TEST_SUITE_P(LongEveryMethod, ForgedLeaves, ::testing::ValuesIn(cases()), named_by_method);

// What the accountant has in closed form is not rounded to 24 bits, so nothing below it is taken for
// rounding.
TEST(ForgedModels, AnEpsilonALittleTooSmallIsRefused) {
  Json model = fitted({"dp-gd", Approx{1, 1e-5}, {{"steps", FactValue(std::int64_t{5})}}});
  ASSERT_TRUE(is_accepted(model));
  for (const char* where : {"guarantee", "replaced"}) {
    Json forged = model;
    Json& epsilon = forged["certificate"][where]["epsilon"];
    epsilon = epsilon.get<double>() * (1 - 1e-7);
    EXPECT_FALSE(is_accepted(forged)) << where;
  }
}

std::string refusal(const auto& verify) {
  try {
    verify();
  } catch (const VerificationError& error) {
    return error.what();
  }
  return "it holds";
}

// Of a release with a schema that was found privately, what both cost follows from the guarantee: that one is
// named first.
TEST(ForgedModels, AGuaranteeThatDoesNotFollowIsNamedBeforeWhatRestsOnIt) {
  const service::SchemaRelease found{.guarantee = Pure{1}};
  ReadResult read;
  read.data = points(600, false);
  read.has_target = true;
  service::FitOptions options{.guarantee = Pure{4}, .row_bound = 1.5, .target = "c"};
  options.schema_release = found;
  Json model = Json::parse(model_to_json(service::fit_records(std::move(read), std::nullopt, options)));
  ASSERT_TRUE(is_accepted(model));
  model["certificate"]["guarantee"]["epsilon"] = 2.0;
  const std::string of_model = refusal([&] { verify_model(testing::resealed(model), "m"); });
  EXPECT_NE(of_model.find("states epsilon = 2.0, but the steps give"), std::string::npos) << of_model;

  const Schema schema =
      parse_schema(R"({"columns": {"a": {"type": "numeric", "min": 0, "max": 1}}})", "schema");
  Dataset data;
  data.features =
      Features(DenseRows{100, 2, std::vector<double>(200, 0)});  // a's value, and whether it lacks
  data.names = {"a"};
  service::DescribeOptions asked;
  asked.guarantee = Pure{4};
  asked.schema_release = found;
  Json statement = Json::parse(service::describe_records(schema, data, asked).json);
  verify_statement(statement, "d");
  statement["certificate"]["guarantee"]["epsilon"] = statement["guarantee"]["epsilon"] = 2.0;
  const std::string of_statement =
      refusal([&] { verify_statement(Json::parse(testing::resealed(statement)), "d"); });
  EXPECT_NE(of_statement.find("states epsilon = 2.0, but the steps give"), std::string::npos) << of_statement;
}

// Whoever says that the noise for a record that is there or null was made for a replaced one.
TEST(ForgedModels, NoiseForANullRecordIsNotTakenForThatOfAReplacedOne) {
  for (const Case& given : cases()) {
    const Method& method = find_method(given.method);
    if (!protects(method, Neighbours::replace_one) || !protects(method, Neighbours::zero_out) ||
        given.neighbours)
      continue;
    Json forged = fitted(given);
    ASSERT_TRUE(is_accepted(forged)) << given.method;
    forged["certificate"]["neighbours"] = "replace_one";
    EXPECT_FALSE(is_accepted(forged)) << given.method;
    forged["certificate"].erase("replaced");
    EXPECT_FALSE(is_accepted(forged)) << given.method;
    forged["certificate"]["options"].erase("neighbours");
    EXPECT_FALSE(is_accepted(forged)) << given.method;
    forged["certificate"]["options"]["neighbours"] = "replace_one";
    EXPECT_FALSE(is_accepted(forged)) << given.method;
  }
}

// A promise for a null record has half of the noise of one for a replaced record: it cannot be told as the
// other, neither with the numbers as they are nor with those that the other would have had.
TEST(ForgedModels, APromiseForANullRecordIsNoneForAReplacedOne) {
  for (const Case& given : cases()) {
    const Method& method = find_method(given.method);
    if (given.neighbours || !protects(method, Neighbours::zero_out) ||
        !protects(method, Neighbours::replace_one))
      continue;
    const Json model = fitted(given);
    ASSERT_EQ(model["certificate"]["neighbours"], "zero_out") << given.method;
    Case replacing = given;
    replacing.neighbours = Neighbours::replace_one;
    std::erase_if(replacing.options, [](const auto& option) { return option.first == "records"; });
    const Json other = fitted(replacing);
    ASSERT_TRUE(is_accepted(other)) << given.method;
    for (const bool steps : {false, true}) {
      Json forged = model;
      Json& certificate = forged["certificate"];
      certificate["neighbours"] = "replace_one";
      certificate["options"]["neighbours"] = "replace_one";
      certificate.erase("replaced");
      EXPECT_FALSE(is_accepted(forged)) << given.method;
      certificate = other["certificate"];
      certificate["neighbours"] = "zero_out";
      if (steps) certificate["steps"] = model["certificate"]["steps"];
      EXPECT_FALSE(is_accepted(forged)) << given.method << ": two relations";
      certificate["neighbours"] = "replace_one";
      certificate["steps"] = model["certificate"]["steps"];
      EXPECT_FALSE(is_accepted(forged)) << given.method << ": the steps of the other";
    }
  }
}

TEST(ForgedModels, OfEveryPrivateMethodAreTried) {
  for (const Method& method : methods()) {
    const bool tried = std::ranges::any_of(cases(), [&](const Case& c) { return c.method == method.name; });
    EXPECT_TRUE(tried || offers(method, Notion::none)) << method.name;
  }
}

}  // namespace
}  // namespace tacit
