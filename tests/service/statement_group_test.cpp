#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "data/temp_folder.hpp"
#include "model/digest.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/fit.hpp"
#include "tacit/ledger.hpp"
#include "tacit/statistics.hpp"

// Statements about a group: made of its records alone, charged to it, and verified.

namespace tacit {
namespace {

using GroupJson = nlohmann::ordered_json;

class StatementGroups : public ::testing::Test {
 protected:
  // 600 records, 200 of which are in the north; `elsewhere` is what those of the south hold.
  std::string table(const char* name, int elsewhere) {
    std::string rows = "region,age,y\n";
    for (int k = 0; k < 600; ++k) {
      const bool north = k % 3 == 0;
      rows += fmt::format("{},{},{}\n", north ? "north" : "south", north ? 20 + k % 50 : elsewhere,
                          k % 50 < 25 ? "no" : "yes");
    }
    return folder.write(name, rows).string();
  }
  StatementGroups() {
    reading.path = table("people.csv", 30);
    with_schema = reading;
    with_schema.schema = parse_schema(
        R"({"columns": {"region": {"type": "categorical", "categories": ["north", "south"]},
                        "age": {"type": "numeric", "min": 0, "max": 100}},
            "target": {"column": "y", "classes": ["no", "yes"]}})",
        "schema");
    service::FitOptions fit;
    fit.guarantee = NoPrivacy{};
    model = folder.write("model.json", model_to_json(service::fit_file(with_schema, fit)));
  }

  // All of them, for the group or for all; of the file that `path` names.
  std::vector<std::string> all_statements(const std::optional<LedgerGroup>& group,
                                          const std::filesystem::path& path, const Guarantee& guarantee) {
    ReadOptions raw = reading, known = with_schema, unseen = reading;
    raw.path = known.path = unseen.path = path;
    raw.target = "y";
    const auto bits = testing::seeded_bits(5);
    return {service::describe_file(known, {.guarantee = guarantee, .group = group}, *bits).json,
            service::private_schema_file(raw, {.guarantee = guarantee, .group = group}, *bits).json,
            service::describe_file(unseen, {.guarantee = guarantee, .group = group}, *bits).json,
            service::evaluate_file(model, raw, {.guarantee = guarantee, .group = group}, *bits).json};
  }
  std::string describe_north() {
    return service::describe_file(with_schema, {.guarantee = Pure{5}, .group = north}).json;
  }
  std::string saved(const GroupJson& json) {
    GroupJson sealed = json;
    sealed["digest"] = sha256(sealed_bytes(sealed));
    return folder.write("s.json", layout(sealed)).string();
  }

  testing_data::TempFolder folder;
  ReadOptions reading, with_schema;
  std::filesystem::path model;
  const LedgerGroup north{"region", "north"};
};

// The step that parallel composition rests on: the same bits, the same file to the last byte.
TEST_F(StatementGroups, AreTheSameWhateverTheOtherGroupsHold) {
  const std::string other = table("other.csv", 90);
  for (const Guarantee& guarantee : {Guarantee(Pure{5}), Guarantee(Approx{5, 1e-6})}) {
    const auto ours = all_statements(north, reading.path, guarantee),
               same = all_statements(north, other, guarantee);
    EXPECT_EQ(ours, same);
    const auto everybody = all_statements(std::nullopt, reading.path, guarantee),
               changed = all_statements(std::nullopt, other, guarantee);
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NE(everybody[k], changed[k]) << "without a group the others would show: " << k;
  }
}

// A replay through the door, with a delta: noise that is added is the same for the same bits, so that answers
// move as what was opened did. A record of the north moves those of the north by what their steps state, and
// none of the south; one that changes its group moves both, which is why a neighbour keeps the value.
TEST_F(StatementGroups, WithADeltaARecordMovesTheAnswersOfItsOwnGroupAlone) {
  const auto people = [&](const char* name, const char* first) {
    std::string rows = fmt::format("region,age,y\n{}\n", first);
    for (int k = 1; k < 60; ++k)
      rows +=
          fmt::format("{},{},{}\n", k % 3 == 0 ? "north" : "south", 20 + k % 50, k % 2 == 0 ? "no" : "yes");
    return folder.write(name, rows);
  };
  const auto moved = [&](const std::filesystem::path& from, const std::filesystem::path& to,
                         const char* group) {
    GroupJson told[2];
    for (int side : {0, 1}) {
      ReadOptions how = with_schema;
      how.path = side == 0 ? from : to;
      const service::DescribeOptions asked{.guarantee = Approx{5, 1e-6},
                                           .neighbours = Neighbours::replace_one,
                                           .group = LedgerGroup{"region", group},
                                           .statistics = {"mean", "histogram", "categories"}};
      told[side] = GroupJson::parse(service::describe_file(how, asked, *testing::seeded_bits(3)).json);
    }
    double most = 0;  // of what a step states; 1: all of it
    for (std::size_t k = 0; k < told[0]["released"].size(); ++k) {
      double square = 0;
      for (std::size_t i = 0; i < told[0]["released"][k].size(); ++i)
        square +=
            std::pow(told[0]["released"][k][i].get<double>() - told[1]["released"][k][i].get<double>(), 2);
      const GroupJson& step = told[0]["certificate"]["steps"][k];
      most = std::max(most, std::sqrt(square) / (step["sensitivity"]["value"].get<double>() +
                                                 4 * step["grid"].get<double>()));
    }
    return most;
  };
  const auto old = people("old.csv", "north,20,no"), young = people("young.csv", "north,69,yes"),
             gone = people("gone.csv", "south,69,yes");
  EXPECT_LE(moved(old, young, "north"), 1);
  EXPECT_GT(moved(old, young, "north"), 0.9) << "the replay does not see the record";
  EXPECT_EQ(moved(old, young, "south"), 0);
  EXPECT_GT(moved(old, gone, "north"), 0);
  EXPECT_GT(moved(old, gone, "south"), 0) << "a record that changes its group is in both releases";
}

TEST_F(StatementGroups, AreVerifiedAndSayWhatTheyAssume) {
  ReadOptions raw = reading;
  raw.target = "y";
  for (const Guarantee& guarantee : {Guarantee(Pure{5}), Guarantee(Approx{5, 1e-6})})
    for (const std::string& text :
         {service::describe_file(with_schema, {.guarantee = guarantee, .group = north}).json,
          service::describe_file(reading, {.guarantee = guarantee, .group = north}).json,
          service::private_schema_file(raw, {.guarantee = guarantee, .group = north}).json,
          service::evaluate_file(model, raw, {.guarantee = guarantee, .group = north}).json}) {
      const Certificate found = service::verify_file(folder.write("s.json", text).string(), "").certificate;
      EXPECT_EQ(found.assumed_public.integer("records"), 200);
      EXPECT_EQ(found.assumed_public.text("group_of"), "region=north");
      EXPECT_NE(found.assumptions.back().find("one group of a public column"), std::string::npos);
    }
}

TEST_F(StatementGroups, CostALedgerTheirMaximum) {
  const auto ledger = folder.path() / "people.ledger";
  const LedgerLimit limit{"people", Pure{9}};
  create_ledger(ledger, {}, {&limit, 1});
  const service::LedgerUse use{ledger, ""};
  ReadOptions raw = reading;
  raw.target = "y";
  for (const char* value : {"north", "south"}) {
    const LedgerGroup group{"region", value};
    service::private_schema_file(raw, {.guarantee = Pure{3}, .ledger = use, .group = group});
    service::describe_file(with_schema, {.guarantee = Pure{2}, .ledger = use, .group = group});
    service::evaluate_file(model, raw, {.guarantee = Pure{1}, .ledger = use, .group = group});
  }
  const LedgerBudget budget = read_ledger(ledger).budgets[0];
  EXPECT_EQ(std::get<Pure>(spent(budget)).epsilon, 6);
  EXPECT_EQ(budget.charges.back().group, (LedgerGroup{"region", "south"}));
  service::describe_file(with_schema, {.guarantee = Pure{3}, .ledger = use});  // of everybody, on top
  EXPECT_THROW(service::describe_file(with_schema, {.guarantee = Pure{1}, .ledger = use, .group = north}),
               BudgetError);
}

// Its column is the same in all records, and costs nothing.
TEST_F(StatementGroups, AskNothingOfTheirOwnColumn) {
  const GroupJson told = GroupJson::parse(describe_north());
  EXPECT_FALSE(told["columns"].contains("region"));
  EXPECT_EQ(told["left_out"]["region"], "the group's column, the same in all records");
  GroupJson alone = GroupJson::parse(service::describe_file(with_schema, {.guarantee = Pure{5}}).json);
  EXPECT_LT(told["released"].size(), alone["released"].size());
}

TEST_F(StatementGroups, ASchemaOfOneIsTakenByItsFit) {
  ReadOptions raw = reading;
  raw.target = "y";
  const service::SchemaOptions asked{.guarantee = Pure{20}, .group = north, .classes = {"no", "yes"}};
  const std::string text = service::private_schema_file(raw, asked).json;
  const Schema found = parse_schema(text, "schema");
  const auto& column = std::get<CategoricalColumn>(found.columns[0].kind);
  EXPECT_EQ(column.categories, std::vector<std::string>{"north"});
  ReadOptions how = reading;
  how.schema = found;
  service::FitOptions fit;
  fit.guarantee = Pure{5};
  fit.group = north;
  fit.schema_release = service::schema_release(folder.write("found.json", text));
  EXPECT_EQ(service::fit_file(how, fit).certificate.assumed_public.integer("records"), 200);
}

// The fit is of everybody, and what it costs together with its schema rests on the schema's group.
TEST_F(StatementGroups, ASchemaOfOneSaysSoInWhatItIsUsedFor) {
  ReadOptions raw = reading;
  raw.target = "y";
  const service::SchemaOptions asked{.guarantee = Pure{20}, .group = north, .classes = {"no", "yes"}};
  const auto path = folder.write("found.json", service::private_schema_file(raw, asked).json);
  ReadOptions how = reading;
  how.schema = parse_schema(read_file(path), "schema");
  service::FitOptions fit;
  fit.guarantee = Pure{5};
  fit.schema_release = service::schema_release(path);
  const service::DescribeOptions looks[] = {
      {.guarantee = Pure{5}, .schema_release = fit.schema_release},
      {.guarantee = Pure{5}, .group = north, .schema_release = fit.schema_release}};
  const std::string sentence = "the schema was found in the records of one group of a public column: ";
  for (const std::string& text :
       {model_to_json(service::fit_file(how, fit)), service::describe_file(how, looks[0]).json,
        service::describe_file(how, looks[1]).json}) {
    const GroupJson json = GroupJson::parse(text);
    const Certificate found = service::verify_file(saved(json), "").certificate;
    EXPECT_EQ(found.assumed_public.text("schema_group_of"), "region=north");
    EXPECT_EQ(
        std::ranges::count_if(found.assumptions, [&](const auto& s) { return s.starts_with(sentence); }), 1);
    const auto refused = [&](const char* what, auto edit) {
      GroupJson forged = json;
      edit(forged["certificate"]["assumed_public"], forged["certificate"]["assumptions"]);
      if (forged.contains("assumptions")) forged["assumptions"] = forged["certificate"]["assumptions"];
      EXPECT_THROW(service::verify_file(saved(forged), ""), VerificationError) << what;
    };
    const auto forget = [&](GroupJson& assumptions) {
      const auto it = std::ranges::find_if(
          assumptions, [&](const auto& s) { return s.template get<std::string>().starts_with(sentence); });
      assumptions.erase(static_cast<std::size_t>(it - assumptions.begin()));
    };
    refused("the sentence alone", [&](auto&, auto& sentences) { forget(sentences); });
    refused("the fact alone", [](auto& facts, auto&) { facts.erase("schema_group"); });
    refused("the fact and its sentence", [&](auto& facts, auto& sentences) {
      facts.erase("schema_group");
      forget(sentences);
    });
    refused("all but the words", [&](auto& facts, auto& sentences) {
      facts.erase("schema_group");
      facts.erase("schema_group_of");
      forget(sentences);
    });
    refused("another group", [](auto& facts, auto&) { facts["schema_group_of"] = "region=south"; });
  }
}

TEST_F(StatementGroups, AForgedGroupIsFound) {
  const GroupJson honest = GroupJson::parse(describe_north());
  ASSERT_NO_THROW(service::verify_file(saved(honest), ""));
  const auto refused = [&](const char* what, auto edit) {
    GroupJson json = honest;
    edit(json, json["certificate"]["assumed_public"]);
    EXPECT_THROW(service::verify_file(saved(json), ""), VerificationError) << what;
  };
  refused("of a name that is no category", [](auto&, auto& facts) { facts["group_of"] = "region=west"; });
  refused("of another column", [](auto&, auto& facts) { facts["group_of"] = "age=north"; });
  refused("without its name", [](auto&, auto& facts) { facts.erase("group_of"); });
  refused("without its assumption", [](auto& json, auto& facts) {
    facts.erase("group");
    json["certificate"]["assumptions"] = json["assumptions"] = GroupJson::array();
  });
  refused("that asks about its column after all",
          [](auto& json, auto&) { json["left_out"].erase("region"); });
}

TEST_F(StatementGroups, WhatIsNoGroupIsRefused) {
  const auto refused = [&](const LedgerGroup& group) {
    EXPECT_THROW(service::describe_file(with_schema, {.guarantee = Pure{1}, .group = group}), UsageError);
  };
  refused({"region", "west"});
  refused({"age", "30"});
  refused({"nothing", "north"});
  refused({"region", " north"});
  ReadOptions people = with_schema;
  people.user = "age";
  EXPECT_THROW(service::describe_file(people, {.guarantee = Pure{1}, .group = north}), UsageError);
  ReadOptions raw = reading;
  raw.target = "y";
  for (const LedgerGroup& group : {LedgerGroup{"y", "no"}, LedgerGroup{"region", "1.5"},
                                   LedgerGroup{"region", "other"}, LedgerGroup{"region", ""}})
    EXPECT_THROW(service::private_schema_file(raw, {.guarantee = Pure{1}, .group = group}), Error);
  EXPECT_THROW(
      service::private_schema_file(raw, {.guarantee = Pure{1}, .group = LedgerGroup{"region", "west"}}),
      DataError);
}

// One schema may take an empty cell for the north, another one for the south: its record would be in both
// groups, and pay for one.
TEST_F(StatementGroups, NobodyIsInAGroupByAnEmptyCell) {
  std::get<CategoricalColumn>(with_schema.schema->columns[0].kind).missing = "north";
  EXPECT_THROW(describe_north(), UsageError);
  service::FitOptions fit;
  fit.guarantee = Pure{5};
  fit.group = north;
  EXPECT_THROW(service::fit_file(with_schema, fit), UsageError);
  std::get<CategoricalColumn>(with_schema.schema->columns[0].kind).missing = "other";
  EXPECT_NO_THROW(service::fit_file(with_schema, fit));
}

// "7" is the text of a whole number; no other text has the same value in a group.
TEST_F(StatementGroups, WholeNumbersAreTakenByTheirText) {
  reading.path = folder.write("years.csv", "year,x\n7,1\n7.0,2\n07,3\n7,4\n-0,5\n0,6\n");
  const auto count = [&](const char* value) {
    const service::SchemaOptions asked{.guarantee = Pure{1}, .group = LedgerGroup{"year", value}};
    const GroupJson json = GroupJson::parse(service::private_schema_file(reading, asked).json);
    return json["certificate"]["assumed_public"]["records"].get<int>();
  };
  EXPECT_EQ(count("7"), 2);
  EXPECT_EQ(count("0"), 1);
}

// What a file tells apart, and a data frame or a database does not: the record of 7.0 is in the group 7
// there, and must be in no other one here.
TEST_F(StatementGroups, NumbersAndDatesThatHaveSeveralTextsAreNoGroups) {
  const std::vector<std::string> several{"7.0",
                                         "07",
                                         "+7",
                                         "1e2",
                                         "-0",
                                         "0.5",
                                         "7,0",
                                         "9007199254740992",
                                         "9007199254740993",
                                         "1e3",
                                         ".5",
                                         "5.",
                                         "inf",
                                         "nan",
                                         "2024-05-01",
                                         "2024-05-01 00:00"};
  for (const std::string& value : several) {
    SCOPED_TRACE(value);
    const LedgerGroup group{"region", value};
    std::get<CategoricalColumn>(with_schema.schema->columns[0].kind).categories = {value, "south"};
    service::FitOptions fit;
    fit.guarantee = Pure{5};
    fit.group = group;
    ReadOptions raw = reading;
    raw.target = "y";
    EXPECT_THROW(service::fit_file(with_schema, fit), UsageError);
    EXPECT_THROW(service::describe_file(with_schema, {.guarantee = Pure{1}, .group = group}), UsageError);
    EXPECT_THROW(service::private_schema_file(raw, {.guarantee = Pure{1}, .group = group}), UsageError);
    EXPECT_THROW(service::evaluate_file(model, raw, {.guarantee = Pure{1}, .group = group}), UsageError);
  }
  for (const std::string value : {"7", "-7", "9007199254740991", "7 years", "1.2.3"}) {
    std::get<CategoricalColumn>(with_schema.schema->columns[0].kind).categories = {value, "south"};
    reading.path = with_schema.path = folder.write("one.csv", "region,age,y\n" + value + ",20,no\n");
    EXPECT_NO_THROW(
        service::describe_file(with_schema, {.guarantee = Pure{1}, .group = LedgerGroup{"region", value}}))
        << value;
  }
}

// A file has true, a data frame True, and both are the same people.
TEST_F(StatementGroups, TruthValuesAreNoGroups) {
  for (const std::string value : {"true", "True", "TRUE", "false", "False", "fAlSe"}) {
    SCOPED_TRACE(value);
    const LedgerGroup group{"region", value};
    std::get<CategoricalColumn>(with_schema.schema->columns[0].kind).categories = {value, "south"};
    reading.path = with_schema.path = folder.write("one.csv", "region,age,y\n" + value + ",20,no\n");
    ReadOptions raw = reading;
    raw.target = "y";
    EXPECT_THROW(service::private_schema_file(raw, {.guarantee = Pure{1}, .group = group}), UsageError);
    EXPECT_THROW(service::evaluate_file(model, raw, {.guarantee = Pure{1}, .group = group}), UsageError);
    try {
      service::describe_file(with_schema, {.guarantee = Pure{1}, .group = group});
      FAIL() << "made";
    } catch (const UsageError& error) {
      EXPECT_NE(std::string_view(error.what())
                    .find("give the column texts such as yes and no, in a column of another name"),
                std::string_view::npos)
          << error.what();
    }
  }
  for (const std::string value : {"yes", "t", "truest", "untrue"}) {
    std::get<CategoricalColumn>(with_schema.schema->columns[0].kind).categories = {value, "south"};
    with_schema.path = folder.write("one.csv", "region,age,y\n" + value + ",20,no\n");
    EXPECT_NO_THROW(
        service::describe_file(with_schema, {.guarantee = Pure{1}, .group = LedgerGroup{"region", value}}))
        << value;
  }
}

// What no command would have made a group of is none in a file, either.
TEST_F(StatementGroups, AForgedNameThatCanBeNoGroupIsRefused) {
  ReadOptions raw = reading;
  raw.target = "y";
  service::FitOptions fit;
  fit.guarantee = Pure{5};
  fit.group = north;
  const std::string fitted = model_to_json(service::fit_file(with_schema, fit));
  fit.guarantee = Pure{0.01};  // a constant, whose schema ignores its columns
  const std::string constant = model_to_json(service::fit_file(with_schema, fit));
  const std::string judged = service::evaluate_file(model, raw, {.guarantee = Pure{5}, .group = north}).json;
  const auto refused = [&](const std::string& text, const char* name) {
    GroupJson json = GroupJson::parse(text);
    json["certificate"]["assumed_public"]["group_of"] = name;
    try {
      service::verify_file(saved(json), "");
    } catch (const VerificationError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  for (const std::string& text : {fitted, constant, judged, describe_north()}) {
    EXPECT_EQ(refused(text, "region=north"), "");
    for (const char* name : {"site=7.0", "site=07", "site=true", "site= 7", "region=7.0", "site=2024-05-01"})
      EXPECT_NE(refused(text, name), "") << name;
  }
  EXPECT_NE(refused(judged, "site=7.0").find("expected a text or a whole number"), std::string::npos);
  EXPECT_NE(refused(fitted, "region=west").find("the group region=west is not a category of the schema"),
            std::string::npos);
  EXPECT_NE(refused(fitted, "age=7").find("the group age=7 is not a category of the schema"),
            std::string::npos);
}

// Charged as one group's and shown as everybody's: the ledger's maximum over groups would not hold for it.
TEST_F(StatementGroups, AFileThatStatesAnotherGroupThanItsChargeIsNotCountedByItsLedger) {
  const auto ledger = folder.path() / "people.ledger";
  const LedgerLimit limit{"people", Pure{20}};
  create_ledger(ledger, {}, {&limit, 1});
  service::FitOptions fit;
  fit.guarantee = Pure{5};
  fit.ledger = service::LedgerUse{ledger, ""};
  const GroupJson all = GroupJson::parse(model_to_json(service::fit_file(with_schema, fit)));
  std::get<CategoricalColumn>(with_schema.schema->columns[0].kind).categories = {"north", "<b>"};
  fit.group = LedgerGroup{"region", "<b>"};
  std::string rows = "region,age,y\n";
  for (int k = 0; k < 200; ++k) rows += fmt::format("<b>,{},{}\n", k % 90, k % 2 == 0 ? "no" : "yes");
  with_schema.path = folder.write("b.csv", rows);
  const GroupJson of_group = GroupJson::parse(model_to_json(service::fit_file(with_schema, fit)));
  const auto report = [&](const GroupJson& json) {
    return service::project_report({.files = {saved(json)}, .ledger = ledger});
  };
  EXPECT_EQ(report(of_group).failure, "");
  EXPECT_EQ(report(all).failure, "");

  GroupJson without = of_group;
  GroupJson& certificate = without["certificate"];
  for (const char* key : {"group", "group_of"}) certificate["assumed_public"].erase(key);
  std::erase_if(certificate["assumptions"].get_ref<GroupJson::array_t&>(), [](const GroupJson& sentence) {
    return sentence.get<std::string>().find("one group of a public column") != std::string::npos;
  });
  ASSERT_NO_THROW(service::verify_file(saved(without), "")) << "by itself the file holds";
  EXPECT_EQ(report(without).failure,
            "s.json: not charged here: it was charged for the group region=<b>, but states no group");
  EXPECT_NE(report(without).page.find("for the group region=&lt;b&gt;, but states no group"),
            std::string::npos);
  EXPECT_EQ(report(without).page.find("region=<b>"), std::string::npos);
  EXPECT_TRUE(GroupJson::parse(report(without).json)["files"][0]["charged_to"].is_null());

  GroupJson of_everybody = of_group;
  of_everybody["certificate"]["assumed_public"]["ledger_release"] =
      all["certificate"]["assumed_public"]["ledger_release"];
  EXPECT_EQ(report(of_everybody).failure,
            "s.json: not charged here: it was charged for everybody, but states the group region=<b>");
}

}  // namespace
}  // namespace tacit
