#include <algorithm>
#include <cstdlib>

#include "tool.hpp"

// Parquet files through the tool, with the stand-in for DuckDB of tests/data/fake_duckdb and its table.

namespace tacit::testing {
namespace {

class ParquetCli : public CliTest {
 protected:
  ParquetCli() {
    ::setenv("TACIT_DUCKDB", TACIT_FAKE_DUCKDB, 1);
    people_ = write("people.parquet", "PAR1 and so on");
    schema_ = write_schema_with(R"("type": "date", "min": "1970-01-01", "max": "1970-01-21")");
  }
  ~ParquetCli() override { ::unsetenv("TACIT_DUCKDB"); }

  std::string write_schema_with(const std::string& born) const {
    return write("people.json", R"json({"columns": {
      "age": {"type": "numeric", "min": 0, "max": 100, "missing": 50},
      "pay": {"type": "numeric", "min": 0, "max": 1},
      "job": {"type": "categorical", "categories": ["a job of more than twelve bytes", "Say \"x\", y"],
              "missing": "other"},
      "bo\"rn": {)json" + born + R"json(}},
      "target": {"column": "y", "classes": ["no", "yes"]}})json");
  }
  std::vector<std::string> fit_of(const std::string& data) const {
    return {"fit", data, "--schema", schema_, "--epsilon", "2", "--model", path("model.json")};
  }
  std::vector<std::string> describe_of(const std::string& data) const {
    return {"describe", data, "--schema", schema_, "--epsilon", "2", "--json"};
  }
  std::vector<std::string> encode_of(const std::string& data) const {
    return {"encode", data, "--schema", schema_, "--output", path("people.tacit")};
  }

  // Of every command: this code, this line and nothing written.
  void expect_refused(const std::string& data, int code, const std::string& line) const {
    for (const auto& command : {fit_of(data), describe_of(data), encode_of(data)}) {
      SCOPED_TRACE(command[0]);
      const Outcome outcome = run_tool(command);
      EXPECT_EQ(outcome.code, code);
      EXPECT_EQ(outcome.out, "");
      EXPECT_EQ(outcome.err, "tacit: " + line + "\n");
      EXPECT_FALSE(exists("model.json"));
      EXPECT_FALSE(exists("people.tacit"));
    }
  }

  std::string people_, schema_;
};

TEST_F(ParquetCli, IsFittedAndTheModelHolds) {
  const Outcome fit = run_tool(fit_of(people_));
  ASSERT_EQ(fit.code, 0) << fit.err;
  EXPECT_EQ(nlohmann::json::parse(read("model.json"))["certificate"]["assumed_public"]["records"], 72);
  EXPECT_EQ(run_tool({"verify", path("model.json")}).code, 0);
  const Outcome predicted = run_tool({"predict", path("model.json"), people_});
  ASSERT_EQ(predicted.code, 0) << predicted.err;
  EXPECT_GE(std::count(predicted.out.begin(), predicted.out.end(), '\n'), 72);
}

TEST_F(ParquetCli, IsDescribed) {
  const auto described = parsed(run_tool(describe_of(people_)));
  for (const char* column : {"age", "pay", "job", "bo\"rn", "y"})
    EXPECT_TRUE(described["columns"].contains(column)) << column;
}

// The cells are those of the file: one model scores both alike.
TEST_F(ParquetCli, IsEncodedAndFittedFromThere) {
  const Outcome encoded = run_tool(encode_of(people_));
  ASSERT_EQ(encoded.code, 0) << encoded.err;
  const auto labels_of = [&](const std::string& data) {
    return parsed(run_tool({"evaluate", path("model.json"), data, "--json"}));
  };
  const Outcome fit =
      run_tool({"fit", path("people.tacit"), "--epsilon", "2", "--model", path("model.json")});
  ASSERT_EQ(fit.code, 0) << fit.err;
  EXPECT_EQ(labels_of(people_), labels_of(path("people.tacit")));
}

TEST_F(ParquetCli, WithoutDuckdbTheLineNamesFileAndRemedy) {
  ::setenv("TACIT_DUCKDB", "/nonexistent/libduckdb.so", 1);
  expect_refused(
      people_, 66,
      people_ +
          ": /nonexistent/libduckdb.so cannot be loaded; Parquet needs DuckDB's C library: install "
          "libduckdb.so where libraries are looked for, or name it in TACIT_DUCKDB");
}

TEST_F(ParquetCli, AFileThatIsMissingOrNotParquetIsNamed) {
  expect_refused(path("none.parquet"), 66, path("none.parquet") + ": no such file");
  const std::string other = write("x.parquet", "age,pay\n");
  expect_refused(other, 65, other + ": cannot be read: Invalid Input Error: no magic bytes");
}

TEST_F(ParquetCli, AColumnWhoseTypeIsNoNumberIsNamed) {
  write_schema_with(R"("type": "numeric", "min": 0, "max": 1)");
  expect_refused(people_, 64,
                 people_ +
                     ": column \"bo\"rn\" has the type DATE, which cannot be a number; describe it otherwise "
                     "in the schema, or convert it first");
}

TEST_F(ParquetCli, AColumnThatIsNotThereIsNamed) {
  write_schema_with(R"("type": "date", "min": "1970-01-01", "max": "1970-01-21"},
                       "height": {"type": "numeric", "min": 0, "max": 1)");
  expect_refused(people_, 65, people_ + ": there is no column \"height\", which the schema describes");
}

}  // namespace
}  // namespace tacit::testing
