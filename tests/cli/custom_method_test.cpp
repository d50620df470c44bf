// A tool with one method more, which is one file with a table: examples/custom_method/mean_direction.cpp.

#include <gtest/gtest.h>

#include "tool.hpp"

namespace tacit::testing {
namespace {

Outcome run(const std::vector<std::string>& arguments) {
  return run_tool(arguments, false, TACIT_TOOL_WITH_CUSTOM_METHOD);
}

class OwnMethod : public CliTest {
 protected:
  Outcome fit(std::vector<std::string> more) {
    std::vector<std::string> arguments = {"fit",      write_classes("data.csv"), "--schema",  write_schema(),
                                          "--method", "mean-direction",          "--epsilon", "2",
                                          "--model",  path("own.json")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
};

TEST_F(OwnMethod, IsListedWithItsOptions) {
  const std::string listed = run({"methods", "mean-direction"}).out;
  EXPECT_NE(listed.find("guarantee: pure, for one record; assumes nothing"), std::string::npos) << listed;
  EXPECT_NE(listed.find("--row-length         longer rows are cut to it; 1e-6 to 1e6; default: 1\n"),
            std::string::npos)
      << listed;
  EXPECT_EQ(run_tool({"methods", "mean-direction"}).code, 64);
}

TEST_F(OwnMethod, HasFlagsHelpAndCompletion) {
  EXPECT_NE(run({"fit", "--help"}).out.find("--row-length"), std::string::npos);
  EXPECT_NE(run({"completion", "bash"}).out.find("--row-length"), std::string::npos);
  EXPECT_NE(fit({"--row-length", "0"}).err.find("row-length is 0, expected 1e-6 to 1e6"), std::string::npos);
  EXPECT_NE(fit({"--stretch", "much"}).err.find("stretch is \"much\", expected a whole number"),
            std::string::npos);
  EXPECT_NE(fit({"--clip-norm", "1"}).err.find("--clip-norm is not an option of the method mean-direction"),
            std::string::npos);
}

TEST_F(OwnMethod, WritesACertificateThatVerifies) {
  const Outcome fitted = fit({"--row-length", "0.5", "--stretch", "4"});
  ASSERT_EQ(fitted.code, 0) << fitted.err;
  const auto options = nlohmann::json::parse(read("own.json"))["certificate"]["options"];
  EXPECT_EQ(options["row_length"], 0.5);
  EXPECT_EQ(options["stretch"], 4);
  EXPECT_EQ(options.size(), 4u) << options;  // and epsilon, and the noise
  const Outcome verified = run({"verify", path("own.json")});
  EXPECT_EQ(verified.code, 0) << verified.err;
  EXPECT_NE(run_tool({"verify", path("own.json")}).err.find("unknown to this tacit"), std::string::npos);
}

// Its row does not say that its proof covers a record that becomes null: neither by itself nor among settings
// is it charged to a ledger for such records.
TEST_F(OwnMethod, IsNotChargedToALedgerForNullRecordsUnlessItsRowSaysSo) {
  ASSERT_EQ(run({"ledger", "create", path("l.db"), "--limit", "all=4"}).code, 0);
  const auto refused = [&](const std::vector<std::string>& method) {
    std::vector<std::string> arguments = {"fit",       write_classes("data.csv"),
                                          "--schema",  write_schema(),
                                          "--ledger",  path("l.db"),
                                          "--epsilon", "2",
                                          "--model",   path("own.json")};
    arguments.insert(arguments.end(), method.begin(), method.end());
    return run(arguments);
  };
  for (const auto& method : std::vector<std::vector<std::string>>{
           {"--method", "mean-direction"}, {"--method", "tuned", "--settings", "mean-direction"}}) {
    const Outcome fitted = refused(method);
    EXPECT_EQ(fitted.code, 64) << method.back();
    EXPECT_NE(fitted.err.find("zero_out"), std::string::npos) << fitted.err;
  }
  EXPECT_EQ(parsed(run({"ledger", "show", path("l.db"), "--json"}))["charges"].size(), 0u);
}

TEST_F(OwnMethod, IsNotTunedBesideAStatedNumberOfRecords) {
  const Outcome fitted = run({"fit", write_classes("data.csv"), "--schema", write_schema(), "--epsilon", "2",
                              "--neighbours", "replace_one", "--method", "tuned", "--settings",
                              "mean-direction", "--records", "100000", "--model", path("own.json")});
  EXPECT_EQ(fitted.code, 64);
  EXPECT_NE(fitted.err.find("mean-direction counts the records that it sees"), std::string::npos)
      << fitted.err;
}

TEST_F(OwnMethod, IsReplayedByAudits) {
  const Outcome audited =
      run({"audit", "--method", "mean-direction", "--epsilon", "1", "--runs", "2000", "--json"});
  ASSERT_EQ(audited.code, 0) << audited.err << audited.out;
  const auto found = parsed(audited);
  EXPECT_TRUE(found["replay"]["ok"].get<bool>());
  EXPECT_GT(found["replay"]["pairs"].get<int>(), 0);
}

}  // namespace
}  // namespace tacit::testing
