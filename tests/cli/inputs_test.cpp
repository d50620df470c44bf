#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <fstream>

#include "../support/postgres_server.hpp"
#include "tool.hpp"

// Every way in for records but a plain file, through the tool.

namespace tacit::testing {
namespace {

class CliInputs : public CliTest {
 protected:
  // The tool with this file as its standard input.
  static Outcome run_with_input(const std::string& file, const std::vector<std::string>& arguments) {
    std::vector<std::string> whole{"-c", "exec \"$0\" \"$@\" < '" + file + "'", TACIT_TOOL};
    whole.insert(whole.end(), arguments.begin(), arguments.end());
    return run_tool(whole, false, "/bin/sh");
  }

  // write_classes(), with decimal commas and semicolons.
  std::string write_commas() const {
    write_classes("points.csv");
    std::string text = read("points.csv");
    for (char& c : text) c = c == ',' ? ';' : c == '.' ? ',' : c;
    return write("commas.csv", text);
  }

  // write_classes() as statements that make a table of it.
  std::string as_sql() const {
    write_classes("points.csv");
    std::ifstream file(path("points.csv"));
    std::string sql = "create table points (x1 float8, x2 float8, y text); begin;", line;
    std::getline(file, line);
    while (std::getline(file, line)) {
      const auto last = line.rfind(',');
      sql += "insert into points values (" + line.substr(0, last + 1) + "'" + line.substr(last + 1) + "');";
    }
    return sql + "commit;";
  }

  std::string write_database(const std::string& more = "") const {
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open(path("points.db").c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, (as_sql() + more).c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(database);
    return path("points.db");
  }

  std::vector<std::string> fit(const std::string& data, const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"fit", data,       "--schema", path("schema.json"), "--epsilon",
                                       "1",   "--ledger", path("l"),  "--model",           path("m.json")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  void make_ledger() const {
    write_schema();
    EXPECT_EQ(run_tool({"ledger", "create", path("l"), "--limit", "points=100"}).code, 0);
  }
  nlohmann::json ledger() const { return parsed(run_tool({"ledger", "show", path("l"), "--json"})); }

  // One line, the exit code, nothing made, nothing charged; and whether it counts as a failed read.
  void expect_refused(const Outcome& outcome, int code, const std::string& words, bool counted) {
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_FALSE(exists("m.json"));
    failed_reads_ += counted ? 1 : 0;
    const nlohmann::json shown = ledger();
    EXPECT_EQ(shown["failed_reads"], failed_reads_) << outcome.err;
    EXPECT_EQ(shown["budgets"][0]["charges"].size(), 0u);
  }

  int failed_reads_ = 0;
};

TEST_F(CliInputs, ADatabaseWithoutASchemaHasItsRangesFound) {
  const Outcome outcome =
      run_tool({"fit", write_database(), "--query", "select * from points", "--target", "y", "--epsilon", "5",
                "--range-share", "0.3", "--model", path("m.json")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(run_tool({"verify", path("m.json")}).code, 0);
}

// How many records a file of several has is nobody's business: it may have lost its only one.
TEST_F(CliInputs, OfSeveralFilesSomeMayHaveAHeaderAlone) {
  const std::string data = write_classes("points.csv"), schema = write_schema(), head = "x1,x2,y\n";
  const auto fit = [&](const std::string& first, const std::string& second) {
    return run_tool({"fit", first, second, "--shards", "2", "--schema", schema, "--epsilon", "1", "--model",
                     path("m.json")});
  };
  for (const std::string& other : {head, head + "0.5,0.5,no\n"}) {
    const Outcome fitted = fit(data, write("other.csv", other));
    EXPECT_EQ(fitted.code, 0) << fitted.err;
    EXPECT_EQ(run_tool({"verify", path("m.json")}).code, 0);
  }
  const Outcome none = fit(write("none.csv", head), write("other.csv", head));
  EXPECT_EQ(none.code, 65);
  EXPECT_NE(none.err.find("the shards have no records"), std::string::npos) << none.err;
  const Outcome alone = run_tool({"fit", path("none.csv"), "--schema", schema, "--epsilon", "1"});
  EXPECT_EQ(alone.code, 65);
  EXPECT_NE(alone.err.find("the file has a header but no records"), std::string::npos) << alone.err;
}

TEST_F(CliInputs, StandardInputIsAFileForEveryCommand) {
  const std::string data = write_classes("train.csv"), schema = write_schema();
  const Outcome fitted =
      run_with_input(data, {"fit", "-", "--schema", schema, "--epsilon", "5", "--model", path("m.json")});
  EXPECT_EQ(fitted.code, 0) << fitted.err;
  EXPECT_EQ(read("m.json").find("standard input"), std::string::npos);
  const std::string model = path("m.json");
  EXPECT_EQ(run_with_input(data, {"predict", model, "-"}).out, run_tool({"predict", model, data}).out);
  EXPECT_EQ(run_with_input(data, {"evaluate", model, "-"}).out, run_tool({"evaluate", model, data}).out);
  EXPECT_EQ(run_with_input(data, {"schema", "-", "--target", "y"}).out,
            run_tool({"schema", data, "--target", "y"}).out);
  EXPECT_EQ(run_with_input(data, {"schema", "-", "--check", schema}).out,
            run_tool({"schema", data, "--check", schema}).out);
  EXPECT_EQ(run_with_input(data, {"describe", "-", "--schema", schema, "--epsilon", "1"}).code, 0);

  // Without a schema a prediction reads the same input twice.
  ASSERT_EQ(run_tool({"fit", data, "--target", "2", "--header", "--separator", ",", "--row-bound", "2",
                      "--epsilon", "5", "--model", path("plain.json")})
                .code,
            0);
  const std::string features = write("x.csv", "x1,x2\n0.1,0.2\n0.9,0.8\n");
  EXPECT_EQ(run_with_input(features, {"predict", path("plain.json"), "-"}).out,
            run_tool({"predict", path("plain.json"), features}).out);
}

TEST_F(CliInputs, WhatIsWrongOnStandardInputIsSaidSo) {
  make_ledger();
  const std::string bad = write("bad.csv", "x1,x2,y\n0.5,old,no\n");
  expect_refused(run_with_input(bad, fit("-", {})), 65, "standard input:2:2: column \"x2\": \"old\"", true);
  expect_refused(run_with_input("/dev/null", fit("-", {})), 65, "standard input: it is empty", true);
  expect_refused(run_with_input(bad, fit("-", {"--query", "select 1"})), 64, "give a file by its name",
                 false);
  expect_refused(run_with_input(bad, {"fit", "-", "--format", "idx", "--labels", "-", "--epsilon", "1"}), 64,
                 "standard input can be one file only", false);
}

TEST_F(CliInputs, DecimalCommasAreRead) {
  make_ledger();
  const std::string data = write_commas();
  expect_refused(run_tool(fit(data, {"--decimal", ";"})), 64, "--decimal is \";\", expected . or ,", false);
  expect_refused(run_tool(fit(data, {})), 65, "column \"x1\": \"0,37\" is not a number", true);
  EXPECT_EQ(run_tool(fit(data, {"--decimal", ","})).code, 0);
  const std::string with_points = run_tool({"predict", path("m.json"), path("points.csv")}).out;
  EXPECT_EQ(run_tool({"predict", path("m.json"), data, "--decimal", ","}).out, with_points);
}

// Without the mark every fraction would count as a missing cell, and nobody could be told.
TEST_F(CliInputs, ASchemaFoundWithDecimalCommasRemembersThem) {
  const std::string data = write_commas();
  const std::string schema = path("found.json"), model = path("found_model.json");
  ASSERT_EQ(run_tool({"schema", data, "--decimal", ",", "--target", "y", "--classes", "no,yes", "--epsilon",
                      "20", "--output", schema})
                .code,
            0);
  EXPECT_EQ(nlohmann::json::parse(read("found.json"))["decimal"], ",");
  EXPECT_EQ(run_tool({"verify", schema}).code, 0);
  const Outcome checked = run_tool({"schema", data, "--check", schema, "--json"});
  EXPECT_LT(parsed(checked)["columns"]["x1"]["missing_share"].get<double>(), 0.01);
  const Outcome described = run_tool({"describe", data, "--schema", schema, "--epsilon", "50", "--json"});
  EXPECT_LT(parsed(described)["columns"]["x1"]["missing"]["value"].get<double>(), 0.05);
  ASSERT_EQ(run_tool({"fit", data, "--schema", schema, "--epsilon", "50", "--model", model}).code, 0);
  EXPECT_EQ(run_tool({"verify", model}).code, 0);
  const Outcome stated = run_tool({"predict", model, data, "--decimal", ","});
  ASSERT_EQ(stated.code, 0) << stated.err;
  EXPECT_EQ(run_tool({"predict", model, data}).out, stated.out);
  EXPECT_GT(parsed(run_tool({"evaluate", model, data, "--json"}))["accuracy"].get<double>(), 0.9);
  for (const auto& words : {std::vector<std::string>{"predict", model, data, "--decimal", "."},
                            {"fit", data, "--schema", schema, "--epsilon", "1", "--decimal", "."}}) {
    const Outcome refused = run_tool(words);
    EXPECT_EQ(refused.code, 64);
    EXPECT_NE(refused.err.find("the decimal mark is given as \".\", but the schema says \",\""),
              std::string::npos)
        << refused.err;
  }
}

// Where nothing is private a file with another decimal mark does not pass for one of missing cells.
TEST_F(CliInputs, UnreadableCellsAreToldWhereNothingIsPrivate) {
  const std::string commas = write_commas(), points = path("points.csv"), model = path("m.json");
  const std::string schema = write("lenient.json", R"({"unreadable": "missing", "columns": {
      "x1": {"type": "numeric", "min": -10, "max": 10, "missing": 0},
      "x2": {"type": "numeric", "min": -10, "max": 10, "missing": 0}},
      "target": {"column": "y", "classes": ["no", "yes"]}})");
  ASSERT_EQ(run_tool({"fit", points, "--schema", schema, "--epsilon", "5", "--model", model}).code, 0);
  const std::string text = read("commas.csv");  // a whole number is readable with either mark
  const std::string told =
      "Warning: unreadable cells were taken for missing: " + std::to_string(std::ranges::count(text, ',')) +
      ",";
  for (const char* command : {"predict", "evaluate"}) {
    const Outcome other = run_tool({command, model, commas});
    EXPECT_EQ(other.code, 0) << other.err;
    EXPECT_NE(other.err.find(told), std::string::npos) << command << other.err;
    EXPECT_EQ(run_tool({command, model, points}).err, "") << command;
    EXPECT_EQ(run_with_input(commas, {command, model, "-"}).err, "") << "read once: not counted";
  }
  for (const auto& words : {std::vector<std::string>{"evaluate", model, commas, "--epsilon", "1"},
                            {"describe", commas, "--schema", schema, "--epsilon", "1"},
                            {"fit", commas, "--schema", schema, "--epsilon", "1", "--model", path("n.json")}})
    EXPECT_EQ(run_tool(words).err.find("unreadable"), std::string::npos) << words[0];
}

TEST_F(CliInputs, CellsThatTheSchemaDoesNotCoverAreToldWhereNothingIsPrivate) {
  std::string rows = "smoker,age,y\n", upper = rows;
  for (int k = 0; k < 400; ++k) {
    const bool yes = k * 37 % 100 > 50;
    rows += fmt::format("{},{},{}\n", yes ? "true" : "false", k % 80, yes ? "yes" : "no");
    upper += fmt::format("{},{},{}\n", yes ? "TRUE" : "FALSE", k % 80 + 500, yes ? "yes" : "no");
  }
  const std::string model = path("m.json"), other = write("upper.csv", upper), data = write("d.csv", rows);
  const std::string schema = write("s.json", R"({"columns": {
      "smoker": {"type": "categorical", "categories": ["false", "true"]},
      "age": {"type": "numeric", "min": 0, "max": 90}}, "target": {"column": "y", "classes": ["no", "yes"]}})");
  ASSERT_EQ(run_tool({"fit", data, "--schema", schema, "--epsilon", "5", "--model", model}).code, 0);
  for (const char* command : {"predict", "evaluate"}) {
    const Outcome told = run_tool({command, model, other});
    ASSERT_EQ(told.code, 0) << told.err;
    for (const char* line :
         {"Warning: column \"smoker\": none of its 400 cells is one of the categories \"false\", "
          "\"true\"; ",
          "Warning: column \"age\": none of its 400 cells is within 0 to 90; "})
      EXPECT_NE(told.err.find(line), std::string::npos) << command << told.err;
    EXPECT_EQ(run_tool({command, model, data}).err, "") << command;
  }
  EXPECT_EQ(run_tool({"evaluate", model, other, "--epsilon", "5"}).err.find("cells"), std::string::npos);
}

// What separates the cells was told by the first records, and nobody states it again.
TEST_F(CliInputs, AFileWithoutAHeaderIsPredictedAsItWasFitted) {
  for (const char separator : {';', ' '}) {
    std::string rows;
    for (int k = 0; k < 2000; ++k)
      rows += fmt::format("{}{}{}{}{}\n", k * 37 % 100, separator, k * 61 % 101, separator,
                          (k * 37 % 100) + (k * 61 % 101));
    const std::string data = write("wr.csv", rows), model = path("m.json");
    ASSERT_EQ(run_tool({"fit", data, "--target", "-1", "--epsilon", "20", "--model", model}).code, 0);
    EXPECT_EQ(run_tool({"predict", model, data}).code, 0);
    const Outcome judged = run_tool({"evaluate", model, data, "--json"});
    ASSERT_EQ(judged.code, 0) << judged.err;
    const Outcome privately = run_tool({"evaluate", model, data, "--epsilon", "5"});
    EXPECT_NE(privately.code, 0);
    EXPECT_NE(privately.err.find("state the separator"), std::string::npos) << privately.err;
  }
  const Outcome refused =
      run_tool({"schema", path("wr.csv"), "--no-header", "--target", "-1", "--epsilon", "4"});
  EXPECT_EQ(refused.code, 64);
  EXPECT_NE(refused.err.find("state the separator"), std::string::npos) << refused.err;
}

TEST_F(CliInputs, AFitThatFindsRangesRemembersDecimalCommas) {
  const std::string data = write_commas(), model = path("ranges.json");
  const Outcome fitted = run_tool({"fit", data, "--decimal", ",", "--target", "y", "--range-share", "0.5",
                                   "--epsilon", "50", "--model", model});
  ASSERT_EQ(fitted.code, 0) << fitted.err;
  EXPECT_EQ(nlohmann::json::parse(read("ranges.json"))["schema"]["decimal"], ",");
  EXPECT_EQ(run_tool({"verify", model}).code, 0);
  EXPECT_GT(parsed(run_tool({"evaluate", model, data, "--json"}))["accuracy"].get<double>(), 0.9);
}

TEST_F(CliInputs, ASqliteFileIsFittedByAQuery) {
  make_ledger();
  const std::string data =
      write_database("create table bad (x1, x2, y); insert into bad values (1, 'old', 'no');");
  const std::vector<std::string> query{"--query", "select * from points where x1 >= 0"};
  expect_refused(run_tool(fit(data, {})), 64, "which records? Give a query", false);
  expect_refused(run_tool(fit(data, {"--query", "select * from point"})), 64, "no such table: point", false);
  expect_refused(run_tool(fit(data, {"--query", "select x3 from points"})), 64, "no such column: x3", false);
  expect_refused(run_tool(fit(data, {"--query", "select x1, y from points"})), 65,
                 "there is no column \"x2\", which the schema describes", true);
  expect_refused(run_tool(fit(data, {"--query", "select * from bad"})), 65,
                 "row 1, column \"x2\": \"old\" is not a number", true);
  expect_refused(run_tool(fit(path("none.db"), query)), 66, "no such file", false);
  expect_refused(run_tool(fit(data, {"--query", "select 1", "--separator", ";"})), 64, "go with CSV only",
                 false);

  ASSERT_EQ(run_tool(fit(data, query)).code, 0);
  const std::string model = read("m.json");
  EXPECT_EQ(model.find("where x1"), std::string::npos) << "the query is in no model";
  const auto certificate = nlohmann::json::parse(model)["certificate"];
  EXPECT_EQ(certificate["assumed_public"]["query"], "assumed to treat each record by itself");
  EXPECT_EQ(certificate["assumptions"],
            nlohmann::json(
                {"the records are the rows of a query, which is assumed to treat each record by itself"}));
  EXPECT_EQ(run_tool({"verify", path("m.json")}).code, 0);
  EXPECT_EQ(run_tool({"predict", path("m.json"), data, query[0], query[1]}).out,
            run_tool({"predict", path("m.json"), path("points.csv")}).out);

  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"describe", data, "--schema", path("schema.json"), "--epsilon", "1",
                                 "--json"},
        {"evaluate", path("m.json"), data, "--epsilon", "1", "--json"}}) {
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), query.begin(), query.end());
    const Outcome outcome = run_tool(arguments);
    EXPECT_EQ(parsed(outcome)["assumptions"], certificate["assumptions"]);
    EXPECT_EQ(run_tool({"verify", write("statement.json", outcome.out)}).code, 0);
  }

  // Encoded, its rows are those of the query still.
  const std::string cells = path("points.tacit");
  ASSERT_EQ(
      run_tool({"encode", data, query[0], query[1], "--schema", path("schema.json"), "--output", cells}).code,
      0);
  EXPECT_EQ(read("points.tacit").find("where x1"), std::string::npos);
  ASSERT_EQ(run_tool({"fit", cells, "--epsilon", "1", "--model", path("c.json")}).code, 0);
  EXPECT_EQ(nlohmann::json::parse(read("c.json"))["certificate"]["assumptions"], certificate["assumptions"]);
  EXPECT_EQ(run_tool({"verify", path("c.json")}).code, 0);
  EXPECT_EQ(parsed(run_tool({"evaluate", path("m.json"), cells, "--epsilon", "1", "--json"}))["assumptions"],
            certificate["assumptions"]);
  ASSERT_EQ(run_tool({"fit", cells, "--schema", path("schema.json"), "--epsilon", "1", "--shards", "2",
                      "--model", path("c.json")})
                .code,
            0);
  EXPECT_EQ(nlohmann::json::parse(read("c.json"))["certificate"]["assumptions"], certificate["assumptions"]);
}

TEST_F(CliInputs, APostgresqlServerIsAskedByAQuery) {
  make_ledger();
  PostgresServer server;
  server.run(as_sql() + "create table born (x1 date, x2 float8, y text);");
  const std::vector<std::string> query{"--query", "select * from points"};
  expect_refused(run_tool(fit(server.url(), {})), 64, server.shown_url() + ": which records? Give a query",
                 false);
  expect_refused(run_tool(fit(server.url(), {"--query", "select * from point"})), 64,
                 "relation \"point\" does not exist", false);
  expect_refused(run_tool(fit(server.url(), {"--query", "select * from born"})), 64,
                 "column \"x1\" has the type date, which cannot be a number", false);
  expect_refused(run_tool(fit(server.url(), {"--query", "select x1, x2 || 'm' as x2, y from points"})), 65,
                 server.shown_url() + ": row 1, column \"x2\": \"0m\" is not a number", true);

  const Outcome fitted = run_tool(fit(server.url(), query));
  ASSERT_EQ(fitted.code, 0) << fitted.err;
  for (const std::string& text : {read("m.json"), fitted.out, fitted.err, read("l")})
    for (const char* secret : {"s3cr", "127.0.0.1", "select", "postgresql://"})
      EXPECT_EQ(text.find(secret), std::string::npos) << secret;
  EXPECT_EQ(run_tool({"predict", path("m.json"), server.url(), query[0], query[1]}).out,
            run_tool({"predict", path("m.json"), path("points.csv")}).out);
  std::filesystem::remove(path("m.json"));
  std::filesystem::remove(path("l"));
  make_ledger();
  failed_reads_ = 0;
  server.stop();
  const Outcome away = run_tool(fit(server.url(), query));
  expect_refused(away, 66, server.shown_url() + ": cannot be reached: ", false);
  EXPECT_EQ(away.err.find("s3cr"), std::string::npos);
}

}  // namespace
}  // namespace tacit::testing
