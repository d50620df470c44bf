#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tool.hpp"

namespace tacit::testing {
namespace {

class PrivateSchemaCommand : public CliTest {
 protected:
  // y says whether age + hours is above 100; job is text.
  std::string write_people() const {
    std::string rows = "age,hours,job,y\n";
    for (int i = 0; i < 4000; ++i) {
      const int a = i * 37 % 100, b = i * 61 % 101;
      rows += std::to_string(a) + ',' + std::to_string(b) + (i % 3 == 0 ? ",Sales," : ",Tech,") +
              (a + b > 100 ? "1\n" : "0\n");
    }
    return write("people.csv", rows);
  }
};

TEST_F(PrivateSchemaCommand, FindsASchemaThatVerifiesAndFits) {
  const std::string data = write_people();
  run_tool({"ledger", "create", path("people.ledger"), "--limit", "people=2"});
  const Outcome found = run_tool({"schema", data, "--target", "y", "--epsilon", "1", "--ledger",
                                  path("people.ledger"), "--output", path("s.json")});
  ASSERT_EQ(found.code, 0) << found.err;
  EXPECT_NE(found.out.find("epsilon = 1"), std::string::npos) << found.out;
  EXPECT_NE(found.out.find("Assumed: the names of the columns"), std::string::npos) << found.out;
  const Outcome verified = run_tool({"verify", path("s.json")});
  EXPECT_EQ(verified.code, 0) << verified.err;
  const Outcome fit = run_tool({"fit", data, "--schema", path("s.json"), "--epsilon", "1", "--ledger",
                                path("people.ledger"), "--model", path("m.json")});
  ASSERT_EQ(fit.code, 0) << fit.err;
  EXPECT_EQ(run_tool({"verify", path("m.json")}).code, 0);
  const auto score = parsed(run_tool({"evaluate", path("m.json"), data, "--json"}));
  EXPECT_GT(score["accuracy"].get<double>(), 0.9);
  // Both were charged: nothing is left.
  EXPECT_NE(run_tool({"schema", data, "--epsilon", "0.1", "--ledger", path("people.ledger")}).code, 0);
}

// What was released is told to whoever paid for it.
TEST_F(PrivateSchemaCommand, SaysWhatEachColumnBecame) {
  std::string rows = "age,pay,job,when,customer_id,y\n";
  for (int i = 0; i < 4000; ++i)
    rows += fmt::format("{},{}.5,{},20{:02}-03-01,{},{}\n", i % 90, i % 700, i % 3 == 0 ? "Sales" : "Tech",
                        i % 20, 100000 + 7 * i, i % 2);
  const std::string data = write("told.csv", rows);
  const Outcome found = run_tool(
      {"schema", data, "--target", "y", "--epsilon", "50", "--delta", "1e-6", "--output", path("s.json")});
  ASSERT_EQ(found.code, 0) << found.err;
  const auto schema = nlohmann::json::parse(read("s.json"));
  const auto& age = schema["columns"]["age"];
  for (const std::string& line :
       {fmt::format("age          whole numbers from {} to {}\n", age["min"].dump(), age["max"].dump()),
        std::string("pay          numbers from "), std::string("job          2 categories, and other\n"),
        std::string("when         dates from "), std::string("y            the target: 2 classes, 0, 1\n"),
        std::string(
            "Note: \"customer_id\" holds whole numbers, most of them different: if it says whose record "
            "it is, name it as the user, or make its type \"ignore\".\n")})
    EXPECT_NE(found.out.find(line), std::string::npos) << line << found.out;
  EXPECT_EQ(read("s.json").find("most of them different"), std::string::npos);  // what `verify` rebuilds
  EXPECT_EQ(run_tool({"verify", path("s.json")}).code, 0);
  // Few values say nothing of ids, but a name does.
  std::string named = "id,paid,y\n";
  for (int i = 0; i < 4000; ++i) named += fmt::format("{},{},{}\n", i % 9, i % 7, i % 2);
  const Outcome by_name = run_tool({"schema", write("named.csv", named), "--target", "y", "--epsilon", "50",
                                    "--output", path("named.json")});
  EXPECT_NE(by_name.out.find("Note: \"id\" is called an id: "), std::string::npos) << by_name.out;
  EXPECT_EQ(by_name.out.find("Note: \"paid\""), std::string::npos) << by_name.out;
}

TEST_F(PrivateSchemaCommand, AForgedCertificateIsRefused) {
  ASSERT_EQ(run_tool({"schema", write_people(), "--epsilon", "1", "--output", path("s.json")}).code, 0);
  auto json = nlohmann::ordered_json::parse(read("s.json"));
  json["guarantee"]["epsilon"] = json["certificate"]["guarantee"]["epsilon"] = 0.1;
  const Outcome refused = run_tool({"verify", write("forged.json", json.dump())});
  EXPECT_EQ(refused.code, 1) << refused.out;
  EXPECT_NE(refused.err.find("digest"), std::string::npos) << refused.err;
}

TEST_F(PrivateSchemaCommand, OverwritesNothingAndChargesNothingThen) {
  const std::string data = write_people();
  run_tool({"ledger", "create", path("people.ledger"), "--limit", "people=2"});
  write("s.json", "mine");
  const std::vector<std::string> words = {
      "schema", data, "--epsilon", "1", "--ledger", path("people.ledger"), "--output", path("s.json")};
  EXPECT_EQ(run_tool(words).code, 64);
  EXPECT_EQ(read("s.json"), "mine");
  EXPECT_TRUE(
      parsed(run_tool({"ledger", "show", path("people.ledger"), "--json"}))["budgets"][0]["charges"].empty());
  std::vector<std::string> forced = words;
  forced.emplace_back("--force");
  EXPECT_EQ(run_tool(forced).code, 0);
}

TEST_F(PrivateSchemaCommand, FlagsOfPrivacyNeedAnEpsilon) {
  const std::string data = write_people();
  for (const char* flag : {"--delta", "--neighbours", "--ledger", "--classes"})
    EXPECT_NE(run_tool({"schema", data, flag, "0.1"}).err.find("needs --epsilon"), std::string::npos) << flag;
  EXPECT_EQ(run_tool({"schema", data, "--epsilon", "inf"}).code, 64);
}

// Whether the target is text is a fact of the records: without a delta it is asked about on every run, before
// the charge, and the way out is named where the fit ends.
TEST_F(PrivateSchemaCommand, ATargetOfTextIsWarnedOfBeforeTheChargeAndHasAWayOut) {
  const std::string data = write_classes("words.csv", 4000), numbers = write_people();
  const std::string warning = "Warning: without --delta the classes of a target that is text are not found";
  const auto find = [&](const std::string& table, std::vector<std::string> more) {
    more.insert(more.begin(),
                {"schema", table, "--target", "y", "--epsilon", "2", "--force", "--output", path("s.json")});
    return run_tool(more);
  };
  EXPECT_TRUE(find(numbers, {}).err.starts_with(warning)) << "it says nothing about the records";
  EXPECT_EQ(find(data, {"--delta", "1e-6"}).err, "");
  EXPECT_EQ(find(data, {"--classes", "no,yes"}).err, "");
  const Outcome found = find(data, {});
  EXPECT_TRUE(found.err.starts_with(warning)) << found.err;
  EXPECT_NE(found.out.find("write its classes into the schema, which costs nothing"), std::string::npos)
      << found.out;
  const std::vector<std::string> fit{"fit",       data, "--schema", path("s.json"),
                                     "--epsilon", "2",  "--model",  path("m.json")};
  const Outcome refused = run_tool(fit);
  EXPECT_EQ(refused.code, 65);
  EXPECT_NE(refused.err.find("list them as \"classes\" of the schema's target"), std::string::npos)
      << refused.err;
  auto schema = nlohmann::ordered_json::parse(read("s.json"));
  schema["target"]["classes"] = {"no", "yes"};
  write("s.json", schema.dump());
  const Outcome fitted = run_tool(fit);
  EXPECT_EQ(fitted.code, 0) << fitted.err;
  EXPECT_NE(fitted.out.find("epsilon = 2 for the schema, which was edited since, epsilon = 4 together"),
            std::string::npos)
      << fitted.out;
}

// By the rule of a fit, from public values: said of any records, and not where their number is private.
TEST_F(PrivateSchemaCommand, TooFewRecordsForTheColumnsAreWarnedOf) {
  const std::string data = write_people();  // 4000 records, 4 columns
  const std::string few = "Warning: 4000 records x epsilon 0.049 / 4 columns = 49 is below 50: ";
  const auto said = [&](const std::string& command, const std::string& epsilon,
                        const std::string& neighbours) {
    const Outcome found = run_tool({command, data, "--epsilon", epsilon, "--neighbours", neighbours});
    EXPECT_EQ(found.code, 0) << found.err;
    return found.err;
  };
  EXPECT_TRUE(said("schema", "0.049", "zero_out").starts_with(few)) << said("schema", "0.049", "zero_out");
  EXPECT_TRUE(said("schema", "0.049", "replace_one").ends_with("or write a schema by hand.\n"));
  EXPECT_EQ(said("schema", "0.05", "zero_out"), "");
  EXPECT_EQ(said("schema", "0.049", "add_remove"), "");
  // Half of a description's epsilon finds its schema.
  EXPECT_TRUE(said("describe", "0.098", "zero_out").starts_with(few))
      << said("describe", "0.098", "zero_out");
  EXPECT_EQ(said("describe", "0.1", "zero_out"), "");
}

TEST_F(PrivateSchemaCommand, AColumnWithDecimalCommasSaysHowItIsRead) {
  std::string rows = "price;y\n";
  for (int k = 0; k < 2000; ++k) rows += std::to_string(k % 90) + ",5;" + std::to_string(k % 2) + "\n";
  const Outcome found = run_tool({"schema", write("prices.csv", rows), "--separator", ";", "--epsilon", "4",
                                  "--output", path("s.json")});
  ASSERT_EQ(found.code, 0) << found.err;
  EXPECT_NE(
      found.out.find("Left out: price (numbers with a decimal comma; state the decimal mark \",\" to have "
                     "them read)."),
      std::string::npos)
      << found.out;
}

// From a file that nobody described to a model, with a share of epsilon for the ranges, by default.
TEST_F(PrivateSchemaCommand, AFitWithoutASchemaFindsTheRanges) {
  const std::string data = write_people();
  const Outcome fit = run_tool({"fit", data, "--target", "y", "--epsilon", "2", "--model", path("m.json")});
  ASSERT_EQ(fit.code, 0) << fit.err;
  const auto model = nlohmann::json::parse(read("m.json"));
  EXPECT_EQ(model["certificate"]["steps"][0]["mechanism"], "private-ranges");
  EXPECT_EQ(model["certificate"]["options"]["range_epsilon"], 0.3 * 2);
  EXPECT_EQ(run_tool({"verify", path("m.json")}).code, 0);
  EXPECT_NE(fit.out.find("Assumed: the names of the columns are taken to be public"), std::string::npos)
      << "which the model tells: " << fit.out;
  const Outcome plain = run_tool({"fit", data, "--target", "y", "--epsilon", "2", "--range-share", "0"});
  EXPECT_EQ(plain.code, 65) << "there is text";
  const Outcome without = run_tool({"fit", data, "--target", "y", "--mu", "1", "--range-share", "0.2"});
  EXPECT_EQ(without.code, 64);
  EXPECT_NE(without.err.find("no effect"), std::string::npos) << without.err;
}

TEST_F(PrivateSchemaCommand, NumbersAsTheyAreHaveTheirNamesFromTheHeader) {
  const std::string data = write_classes("data.csv"), model = path("m.json");
  const Outcome fit = run_tool(
      {"fit", data, "--target", "y", "--epsilon", "2", "--range-share", "0", "--header", "--model", model});
  ASSERT_EQ(fit.code, 0) << fit.err;
  EXPECT_NE(fit.out.find("Assumed: the names of the columns are taken to be public"), std::string::npos)
      << fit.out;
  EXPECT_EQ(run_tool({"verify", model}).code, 0);
  std::string rows = read("data.csv");
  const std::string bare = write("bare.csv", rows.substr(rows.find('\n') + 1));
  const Outcome numbered = run_tool({"fit", bare, "--target", "2", "--epsilon", "2", "--range-share", "0",
                                     "--no-header", "--model", model});
  ASSERT_EQ(numbered.code, 0) << numbered.err;
  EXPECT_EQ(numbered.out.find("the names of the columns"), std::string::npos) << "there are none";
  EXPECT_NE(numbered.out.find("Assumed: the columns were read off the data"), std::string::npos);
}

}  // namespace
}  // namespace tacit::testing
