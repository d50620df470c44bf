#include "tool.hpp"

// Descriptions, with a schema and without one.

namespace tacit::testing {
namespace {

class DescribeCommand : public CliTest {};

TEST_F(DescribeCommand, DescribesATableAndItsStatementIsVerified) {
  const std::string data = write_classes("data.csv"), schema = write_schema();
  const Outcome found = run_tool(
      {"describe", data, "--schema", schema, "--epsilon", "1", "--json", "--output", path("page.html")});
  ASSERT_EQ(found.code, 0) << found.err;
  const nlohmann::json json = parsed(found);
  EXPECT_EQ(json["private"], true);
  EXPECT_EQ(json["count"]["value"], 400);
  EXPECT_TRUE(json["columns"]["x1"].contains("quantiles"));
  EXPECT_NE(read("page.html").find("<svg"), std::string::npos);
  EXPECT_EQ(run_tool({"verify", write("d.json", found.out)}).code, 0);
  std::string edited = found.out;
  edited.replace(edited.find("\"confidence\": 0.95"), 18, "\"confidence\": 0.99");
  EXPECT_NE(run_tool({"verify", write("e.json", edited)}).code, 0);
}

TEST_F(DescribeCommand, ADescriptionNeedsAFiniteEpsilon) {
  const std::string data = write_classes("data.csv");
  EXPECT_EQ(run_tool({"describe", data, "--schema", write_schema(), "--epsilon", "inf"}).code, 64);
  EXPECT_EQ(run_tool({"describe", data, "--epsilon", "inf"}).code, 64);
}

// Within the same epsilon, with one charge.
TEST_F(DescribeCommand, ADescriptionWithoutASchemaFindsOne) {
  const std::string data = write_classes("data.csv"), ledger = path("people.ledger");
  ASSERT_EQ(run_tool({"ledger", "create", ledger, "--limit", "people=20"}).code, 0);
  const Outcome found = run_tool({"describe", data, "--epsilon", "20", "--range-share", "0.4", "--ledger",
                                  ledger, "--output", path("page.html")});
  ASSERT_EQ(found.code, 0) << found.err;
  EXPECT_NE(found.out.find("Of this, epsilon = 8 found the schema and epsilon = 12 the numbers."),
            std::string::npos)
      << found.out;
  EXPECT_EQ(run_tool({"verify", path("page.json")}).code, 0);
  EXPECT_NE(read("page.html").find("found the schema"), std::string::npos);
  EXPECT_EQ(run_tool({"describe", data, "--epsilon", "1", "--ledger", ledger}).code, 77);
  const Outcome both =
      run_tool({"describe", data, "--schema", write_schema(), "--epsilon", "1", "--range-share", "0.4"});
  EXPECT_EQ(both.code, 64);
  EXPECT_NE(both.err.find("the schema states the ranges"), std::string::npos) << both.err;
  // A first line that may be a record is not taken for names.
  EXPECT_NE(run_tool({"describe", write("bare.csv", "1,2\n3,4\n"), "--epsilon", "1"}).code, 0);
}

}  // namespace
}  // namespace tacit::testing
