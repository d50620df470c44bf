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

TEST_F(PrivateSchemaCommand, AForgedCertificateIsRefused) {
  ASSERT_EQ(run_tool({"schema", write_people(), "--epsilon", "1", "--output", path("s.json")}).code, 0);
  std::string text = read("s.json");
  const std::string epsilon = "\"epsilon\": 1";
  for (std::size_t at = text.find(epsilon); at != std::string::npos; at = text.find(epsilon, at + 1))
    text.replace(at, epsilon.size(), "\"epsilon\": 0.1");
  EXPECT_EQ(run_tool({"verify", write("forged.json", text)}).code,
            run_tool({"verify", write("edited.json", read("s.json").insert(1, "\"x\": 1,"))}).code);
  EXPECT_NE(run_tool({"verify", path("forged.json")}).code, 0);
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

}  // namespace
}  // namespace tacit::testing
