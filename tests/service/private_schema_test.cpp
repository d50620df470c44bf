#include <gtest/gtest.h>

#include "model/digest.hpp"
#include "model/json.hpp"
#include "released_files.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/fit.hpp"
#include "tacit/ledger.hpp"
#include "tacit/service.hpp"
#include "tacit/statistics.hpp"

namespace tacit {
namespace {

using testing_data::TempFolder;
using ForgedJson = nlohmann::ordered_json;

std::string people(int records) {
  std::string rows = "age,pay,job,who,y\n";
  for (int k = 0; k < records; ++k)
    rows +=
        fmt::format("{},{},{},{},{}\n", 20 + k % 50, k % 11 == 0 ? "" : fmt::format("{}.25", 100 + k % 900),
                    k % 3 == 0 ? "Sales" : "Tech", k % 1000, k % 50 < 25 ? 0 : 1);
  return rows;
}

class PrivateSchemaFile : public testing::ReleasedFiles<service::SchemaOptions> {
 protected:
  PrivateSchemaFile() {
    reading.path = folder.write("people.csv", people(2000));
    reading.target = "y";
    options.guarantee = Pure{5};
  }
  service::PrivateSchema found() { return service::private_schema_file(reading, options); }
  // The same on every run: what it holds is checked, which noise decides.
  ForgedJson repeated() {
    const auto bits = testing::seeded_bits(5);
    return ForgedJson::parse(service::private_schema_file(reading, options, *bits).json);
  }
};

TEST_F(PrivateSchemaFile, IsVerifiedUnderEveryRelationUnitAndNotion) {
  expect_verified_everywhere(
      [&] { return found().json; },
      [](const Certificate& certificate) {
        std::vector<std::string> expected{"the names of the columns are taken to be public"};
        if (certificate.neighbours == Neighbours::add_remove)
          expected.emplace_back(
              "that there is at least one record is taken to be public: a table without any is refused");
        EXPECT_EQ(certificate.assumptions, expected);
      });
}

TEST_F(PrivateSchemaFile, IsASchemaThatAFitTakes) {
  options.guarantee = Approx{4, 1e-6};
  const std::string path = save(repeated().dump());
  const Schema schema = service::load_schema(path);
  EXPECT_FALSE(schema.drafted_from_data);
  ASSERT_TRUE(schema.target.has_value());
  EXPECT_EQ(schema.target->classes, (std::vector<std::string>{"0", "1"}));
  ReadOptions how{.path = reading.path, .schema = schema};
  service::FitOptions fit;
  fit.guarantee = Pure{5};
  how.schema->found_privately = false;  // it was not: its bits are seeded
  const FittedModel model = service::fit_file(how, fit);
  EXPECT_TRUE(model.certificate.assumptions.empty());
  const Dataset test = service::read_for_evaluation(model, {.path = reading.path});
  EXPECT_GT(*evaluate(model, test).accuracy, 0.9) << "the target is a step of the age";
}

TEST_F(PrivateSchemaFile, ForgeriesAreFound) {
  options.guarantee = Approx{5, 1e-6};
  const auto honest = ForgedJson::parse(found().json);
  ASSERT_NO_THROW(service::verify_file(forged(honest), ""));
  ASSERT_FALSE(honest["released_texts"].empty()) << "2000 records have two texts";
  const auto refused = [&](auto edit, const char* what) {
    ForgedJson json = honest;
    edit(json);
    EXPECT_THROW(service::verify_file(forged(json), ""), VerificationError) << what;
  };
  refused([](auto& j) { j["columns"]["age"]["max"] = 1000; }, "a bound");
  refused([](auto& j) { j["columns"]["job"]["categories"][0] = "Mallory"; }, "a category");
  refused([](auto& j) { j["released_texts"][0][0] = "Mallory"; }, "a released text");
  refused([](auto& j) { j["released"][0][3] = 0.123456789; }, "off its grid");
  refused([](auto& j) { j["released"].erase(j["released"].size() - 1); }, "an answer left out");
  refused([](auto& j) { j["released_texts"] = ForgedJson::array(); }, "the texts left out");
  refused([](auto& j) { j["certificate"]["steps"].erase(0); }, "the failure left out");
  refused([](auto& j) { j["certificate"]["steps"].erase(3); }, "a step left out");
  refused(
      [](auto& j) {
        j["certificate"]["guarantee"]["epsilon"] = 0.1;
        j["guarantee"]["epsilon"] = 0.1;
      },
      "epsilon");
  refused([](auto& j) { j["certificate"]["options"]["epsilon"] = 0.1; }, "the option");
  refused([](auto& j) { j["certificate"]["steps"][1]["sensitivity"]["value"] = 0.1; }, "a sensitivity");
  refused([](auto& j) { j["certificate"]["steps"][1]["scale"] = 100; }, "a scale");
  refused(
      [](auto& j) {
        j["certificate"]["neighbours"] = "replace_one";
        j["neighbours"] = "replace_one";
      },
      "relation");
  refused(
      [](auto& j) {
        j["certificate"]["assumptions"] = ForgedJson::array();
        j["assumptions"] = ForgedJson::array();
      },
      "the assumption");
  refused([](auto& j) { j["user"] = {{"column", "someone"}}; }, "a user column");
  refused([](auto& j) { j["certificate"]["options"]["classes_stated"] = true; },
          "classes that were asked for");
}

// Bounds may be edited by hand; a fit must not add up a cost that was.
TEST_F(PrivateSchemaFile, WithAnotherCostThanItsStepsHaveIsNotTaken) {
  const auto honest = ForgedJson::parse(found().json);
  ForgedJson bounds = honest;
  bounds["columns"]["age"]["max"] = 1000;
  const auto edited = service::schema_release(std::filesystem::path(save(bounds.dump())));
  ASSERT_TRUE(edited.has_value());
  EXPECT_TRUE(edited->edited);
  EXPECT_EQ(std::get<Pure>(edited->guarantee).epsilon, honest["certificate"]["guarantee"]["epsilon"]);
  for (const bool sealed : {false, true}) {
    ForgedJson cheaper = honest;
    cheaper["certificate"]["guarantee"]["epsilon"] = 0.01;
    const std::string path = sealed ? forged(cheaper) : save(cheaper.dump());
    try {
      service::schema_release(std::filesystem::path(path));
      FAIL() << "taken";
    } catch (const DataError& error) {
      EXPECT_NE(std::string_view(error.what()).find("its certificate does not hold"), std::string_view::npos)
          << error.what();
    }
  }
}

// What a fit adds up is what the search cost, under its relation and for its unit, whoever edited the file.
TEST_F(PrivateSchemaFile, WhoseCostWasMadeSmallerIsNotTaken) {
  const auto honest = ForgedJson::parse(found().json);
  const auto refused = [&](auto edit, const char* what) {
    ForgedJson json = honest;
    edit(json);
    EXPECT_THROW(service::schema_release(std::filesystem::path(save(json.dump()))), DataError) << what;
  };
  const auto replaces = [](auto& j) {
    j["certificate"]["neighbours"] = "replace_one";
    j["certificate"].erase("replaced");
  };
  refused([](auto& j) { j.erase("format"); }, "no format");
  refused([](auto& j) { j["format"] = "Tacit-schema"; }, "another format");
  refused([](auto& j) { j["format"] = "tacit-description"; }, "the format of a description");
  refused(replaces, "a relation");
  refused(
      [&](auto& j) {
        replaces(j);
        j["certificate"]["options"]["neighbours"] = "replace_one";
      },
      "a relation, among the options too");
  refused([](auto& j) { j["certificate"]["unit"] = "user"; }, "a unit");
  refused(
      [](auto& j) {
        j["certificate"]["unit"] = "user";
        j["certificate"]["assumed_public"]["users"] = j["certificate"]["assumed_public"]["records"];
        j["certificate"]["assumed_public"].erase("records");
      },
      "a unit, with its number");
  refused([](auto& j) { j["certificate"]["seeded"] = true; }, "seeded bits");
  refused([](auto& j) { j["certificate"].erase("replaced"); }, "the second number left out");
}

// Edited by hand it is of use still, and verify says so; not where its cost was edited.
TEST_F(PrivateSchemaFile, IsSaidToBeOfUseWhereItsColumnsAloneWereEdited) {
  const auto said = [&](auto edit) -> std::string {
    auto json = ForgedJson::parse(found().json);
    edit(json);
    try {
      service::verify_file(save(json.dump()), "");
    } catch (const VerificationError& error) {
      return error.what();
    }
    return "it holds";
  };
  const std::string note = "takes it all the same";
  EXPECT_NE(said([](auto& j) { j["columns"]["age"]["max"] = 1000; }).find(note), std::string::npos);
  EXPECT_NE(said([](auto& j) { j["columns"]["age"]["max"] = 1000; }).find("as it was before the edit"),
            std::string::npos);
  EXPECT_EQ(said([](auto& j) { j["certificate"]["guarantee"]["epsilon"] = 0.1; }).find(note),
            std::string::npos);
}

// From C++ as well: the file says what it cost, and the certificate must.
TEST_F(PrivateSchemaFile, ACostThatNobodyStatesIsAskedFor) {
  options.classes = {"0", "1"};
  const std::string path = save(found().json);
  const ReadOptions how{.path = reading.path, .schema = read_schema(path)};
  service::FitOptions fit;
  fit.guarantee = Pure{1};
  EXPECT_THROW(service::fit_file(how, fit), UsageError);
  service::DescribeOptions describe;
  describe.guarantee = Pure{1};
  EXPECT_THROW(service::describe_file(how, describe), UsageError);
  fit.schema_release = service::schema_release(std::filesystem::path(path));
  const FittedModel model = service::fit_file(how, fit);
  EXPECT_NEAR(model.certificate.assumed_public.number("schema_epsilon"), 5, 1e-3);
}

TEST_F(PrivateSchemaFile, SeededBitsAreNotPrivate) {
  const auto bits = testing::seeded_bits(1);
  EXPECT_THROW(service::verify_file(save(service::private_schema_file(reading, options, *bits).json), ""),
               VerificationError);
}

TEST_F(PrivateSchemaFile, ChargesTheLedgerOnceAndUnderItsRelation) {
  const auto ledger = folder.path() / "people.ledger";
  const LedgerLimit limit{"people", Pure{6}};
  create_ledger(ledger, {.neighbours = Neighbours::replace_one}, {&limit, 1});
  options.ledger = service::LedgerUse{ledger, ""};
  const auto json = ForgedJson::parse(found().json);
  EXPECT_EQ(json["neighbours"], "replace_one");
  const Ledger after = read_ledger(ledger);
  ASSERT_EQ(after.budgets[0].charges.size(), 1u);
  EXPECT_EQ(after.budgets[0].charges[0].release, json["certificate"]["assumed_public"]["ledger_release"]);
  EXPECT_THROW(found(), BudgetError);
  EXPECT_EQ(read_ledger(ledger).budgets[0].charges.size(), 1u);
}

TEST_F(PrivateSchemaFile, StatedClassesAreTakenAndTheTargetIsNotAskedAbout) {
  const std::size_t asked = ForgedJson::parse(found().json)["released"].size();
  options.classes = {"no", "yes"};
  const auto json = ForgedJson::parse(found().json);
  EXPECT_EQ(json["target"]["classes"], (std::vector<std::string>{"no", "yes"}));
  EXPECT_EQ(json["released"].size(), asked - 3);
  EXPECT_NO_THROW(service::verify_file(forged(json), ""));
  options.classes = {"yes", "yes"};
  EXPECT_THROW(found(), DataError);
  options.classes = {"yes"};
  EXPECT_THROW(found(), UsageError);
}

// Columns that nobody would wish for. No error: what the records are shows in noisy counts alone.
TEST_F(PrivateSchemaFile, HostileColumnsAreNoError) {
  std::string rows = "blank,one,huge,day,comma,id,many,few,bytes,y\n";
  for (int k = 0; k < 30000; ++k)
    rows += fmt::format(",7,{},{}-0{}-1{},\"{},5\",id {},t{},{},\xff\xfe,{}\n", k % 2 ? "inf" : "-1e308",
                        1990 + k % 30, 1 + k % 9, k % 10, k % 70, k, k % 10000, k % 3 ? "a" : "b", k % 7);
  reading.path = folder.write("hostile.csv", rows);
  for (const Guarantee& guarantee : {Guarantee(Pure{4}), Guarantee(Approx{4, 1e-6})}) {
    options.guarantee = guarantee;
    EXPECT_NO_THROW(service::verify_file(save(found().json), ""));
    const auto json = repeated();
    const auto& left_out = json["left_out"];
    EXPECT_EQ(left_out["blank"], "most cells are empty");
    EXPECT_EQ(left_out["one"], "one value in most records");
    EXPECT_NE(left_out["comma"].get<std::string>().find("decimal comma"), std::string::npos);
    EXPECT_EQ(left_out["id"], "text, most of it different in every record");
    EXPECT_EQ(json["columns"]["huge"]["type"], "numeric");
    EXPECT_EQ(json["columns"]["day"]["type"], "date");
    EXPECT_LE(json["columns"]["day"]["min"].get<std::string>(), "1990-01-10");
    EXPECT_GE(json["columns"]["day"]["max"].get<std::string>(), "2019-09-19");
    const bool told = std::holds_alternative<Approx>(guarantee);
    EXPECT_EQ(json["columns"]["few"]["type"], told ? "categorical" : "hashed");
    EXPECT_EQ(json["columns"]["many"]["type"], "hashed") << "10 000 texts, none of them frequent";
    EXPECT_EQ(json["columns"]["bytes"]["type"], "hashed") << "no name that a file can hold";
    EXPECT_EQ(json["target"]["min"], 0);
    EXPECT_EQ(json["target"]["max"], 6);
  }
}

// A fit from a file that nobody has looked at, cells that are no numbers among them.
TEST_F(PrivateSchemaFile, UnreadableCellsDoNotStopTheFit) {
  std::string rows = people(2000);
  rows += "?,n/a,Sales,3,1\n,,,4,0\n";
  reading.path = folder.write("dirty.csv", rows);
  const Schema schema = parse_schema(repeated().dump(), "found");
  ReadOptions how{.path = reading.path, .schema = schema};
  how.schema->found_privately = false;  // it was not: its bits are seeded
  service::FitOptions fit;
  fit.guarantee = Pure{5};
  EXPECT_NO_THROW(service::fit_file(how, fit));
}

TEST_F(PrivateSchemaFile, NamesReachATerminalEscaped) {
  reading.target.clear();
  reading.path = folder.write("odd.csv", "\"a\x1b[31m\",b\n,2\n,3\n");
  options.guarantee = Pure{100};  // at 5, noise filled the empty column in 2 runs of 500
  const std::string text = found().text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("a\\x1b[31m"), std::string::npos) << text;
}

TEST_F(PrivateSchemaFile, ATableInMemoryIsReadAsAFileIs) {
  std::vector<double> age;
  ValueCells job;
  for (int k = 0; k < 2000; ++k) {
    age.push_back(20 + k % 50);
    job.emplace_back(k % 3 == 0 ? "Sales" : "Tech");
  }
  service::TableOfColumns table{.columns = {{"age", NumberCells{age.data(), 1}}, {"job", job}}, .rows = 2000};
  options.guarantee = Approx{4, 1e-6};
  const auto json = ForgedJson::parse(service::private_schema_table(table, options).json);
  EXPECT_EQ(json["columns"]["age"]["type"], "numeric");
  EXPECT_EQ(json["columns"]["job"]["type"], "categorical");
  EXPECT_NO_THROW(service::verify_file(forged(json), ""));
}

// Few texts, much noise: that they are more than buckets is said of hardly any column, not of one in 70.
TEST(PrivateSchemaNotes, NoiseAloneIsNotTakenForManyTexts) {
  const TempFolder folder;
  std::string rows = "a,b,c,d,e,f,g,h\n";
  for (int k = 0; k < 3000; ++k)
    for (int column = 0; column < 8; ++column)
      rows += std::string(1, static_cast<char>('p' + (k + column) % 7)) + (column < 7 ? "," : "\n");
  ReadOptions reading;
  reading.path = folder.write("texts.csv", rows);
  service::SchemaOptions options;
  options.guarantee = Pure{0.3};
  std::size_t hashed = 0, warned = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto bits = testing::seeded_bits(seed);
    const auto json = ForgedJson::parse(service::private_schema_file(reading, options, *bits).json);
    for (const auto& [name, column] : json["columns"].items()) hashed += column["type"] == "hashed" ? 1 : 0;
    if (json.contains("notes"))
      for (const auto& note : json["notes"])
        warned += note.get<std::string>().find("different texts") != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(hashed, 200U);
  EXPECT_EQ(warned, 0U);
}

}  // namespace
}  // namespace tacit
