#include <iterator>

#include "cluster_fixture.hpp"

// Audits of methods over records in shards: replays on neighbours, and the black box.

namespace tacit::testing {
namespace {

constexpr int refuted = 2;

int audit_here(const std::string& method, const Arguments& more) {
  Arguments arguments{method};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Outcome outcome = run_tool(arguments, false, TACIT_SHARDED_AUDIT);
  EXPECT_NE(outcome.code, 1) << outcome.err;
  EXPECT_NE(outcome.out.find(" pairs, "), std::string::npos);
  if (outcome.code == refuted) ::testing::Test::RecordProperty("refuted", outcome.out);
  return outcome.code;
}

int audit_over_mpi(int processes, const std::string& method, const Arguments& more) {
  Arguments command{TACIT_SHARDED_AUDIT, method, "mpi"};
  command.insert(command.end(), more.begin(), more.end());
  const Outcome outcome = run_processes(processes, command);
  EXPECT_NE(outcome.out.find(" pairs, "), std::string::npos) << outcome.err;
  return outcome.code;
}

TEST(ShardedAudit, FindsNothingAgainstMethodsInShards) {
  for (const char* method : {"limited-output", "dp-gd", "dp-sgd", "user-sgd"})
    EXPECT_EQ(audit_here(method, {"3", "200"}), 0) << method;
}

TEST(ShardedAudit, RefutesShardsThatCountRecordsTwice) {
  for (const char* method : {"limited-output", "dp-gd", "dp-sgd", "user-sgd"})
    EXPECT_EQ(audit_here(method, {"3", "200", "twice"}), refuted) << method;
}

TEST(ShardedAudit, DoesBothOverMpi) {
  EXPECT_EQ(audit_over_mpi(2, "dp-gd", {"100"}), 0);
  EXPECT_EQ(audit_over_mpi(2, "dp-gd", {"100", "twice"}), refuted);
}

TEST(ShardedAudit, TakesExactSamplesOfLinksAndClasses) {
  for (const Arguments& how : {Arguments{"3", "200"}, Arguments{"3", "200", "softmax"}})
    EXPECT_EQ(audit_here("posterior-exact", how), 0) << how.size();
  EXPECT_EQ(audit_here("posterior-exact", {"3", "200", "softmax", "twice"}), refuted);
}

TEST(ShardedAudit, TakesNoiseInThePlaneOfFullBlocks) {
  for (const char* relation : {"zero_out", "replace_one", "add_remove"}) {
    EXPECT_EQ(audit_here("limited-objective", {"3", "1000", "plane", relation}), 0) << relation;
    EXPECT_EQ(audit_here("limited-objective", {"3", "20", "plane", "twice", relation}), refuted) << relation;
  }
  EXPECT_EQ(audit_over_mpi(2, "limited-objective", {"100", "plane"}), 0);
}

constexpr std::array sharded_methods{"limited-objective",
                                     "limited-output",
                                     "double-output",
                                     "net-exponential",
                                     "localized",
                                     "tuned",
                                     "posterior-exact",
                                     "asap-mala",
                                     "dp-sgd",
                                     "dp-gd",
                                     "o2nc-single",
                                     "o2nc-multi",
                                     "o2nc-sampled",
                                     "o2nc-first",
                                     "localized-exponential",
                                     "user-sgd",
                                     "user-group"};

// Those that the method protects.
Arguments relations_of(const char* method) {
  std::istringstream lines(run_tool({method, "relations"}, false, TACIT_SHARDED_AUDIT).out);
  const Arguments relations{std::istream_iterator<std::string>(lines), {}};
  EXPECT_FALSE(relations.empty()) << method;
  return relations;
}

TEST(LongShardedAudit, FindsNothingAgainstAnyMethodThatTakesShards) {
  for (const char* method : sharded_methods)
    for (const std::string& relation : relations_of(method))
      EXPECT_EQ(audit_here(method, {"4", "1000", relation}), 0) << method << ", " << relation;
  for (const Arguments& how : {Arguments{"4", "1000", "mu"}, Arguments{"4", "1000", "mu", "softmax"}})
    EXPECT_EQ(audit_here("posterior-exact", how), 0) << how.size();
}

// Samples of a posterior of one margin have so much to spare on these pairs that twice is not too much.
const char* control_of(std::string_view method) {
  return method == "posterior-exact" || method == "asap-mala" ? "times=4" : "twice";
}

TEST(LongShardedAudit, NorOverMpi) {
  for (const char* method : sharded_methods)
    for (const std::string& relation : relations_of(method)) {
      EXPECT_EQ(audit_over_mpi(2, method, {"200", relation}), 0) << method << ", " << relation;
      EXPECT_EQ(audit_over_mpi(2, method, {"20", relation, control_of(method)}), refuted)
          << method << ", " << relation;
    }
  EXPECT_EQ(audit_over_mpi(2, "posterior-exact", {"200", "softmax", "twice"}), refuted);
}

}  // namespace
}  // namespace tacit::testing
