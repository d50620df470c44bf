#include <gtest/gtest.h>

#include "data/neutrality_sql.hpp"
#include "support/postgres_server.hpp"
#include "tacit/core.hpp"
#include "tacit/data.hpp"

namespace tacit {
namespace {

using neutrality::Blob;
using neutrality::Random;
using neutrality::SqlCell;
using neutrality::SqlPair;
using neutrality::SqlRow;
using testing::PostgresServer;
using testing_data::message_of;

ReadOptions people(const PostgresServer& server) {
  ReadOptions options;
  options.path = server.url();
  options.query = "select * from people order by id";
  options.schema = Schema{};
  options.schema->columns = {
      {"id", IgnoredColumn{}},
      {"age", NumericColumn{.min = 0, .max = 100, .missing = 50}},
      {"pay", NumericColumn{.min = 0, .max = 10}},
      {"member", CategoricalColumn{.categories = {"true", "false"}}},
      {"born", DateColumn{.number = {.min = 0, .max = 86400 * 400.0}}},
  };
  options.schema->target = SchemaTarget{.column = "y", .classes = {"no", "yes"}};
  return options;
}

// One server for all: starting one takes longer than what it is asked.
TEST(PostgreSql, AnswersAreReadByTheirTypesAndMistakesHaveOneLine) {
  PostgresServer server;
  server.run(
      "create table people (id int, age float8, pay numeric(6, 2), member boolean, born timestamptz, y text);"
      "insert into people values (1, 20.5, 1.50, true, '1970-01-11T00:00:00+02', 'no'),"
      "(2, 'infinity', 2.00, false, '1970-02-01', 'yes'), (3, null, 10, true, '1971-01-01', 'yes');"
      "create view late as select 1 / (id - 2) as age, y from people order by id;");
  ReadOptions options = people(server);
  const ReadResult read = read_dataset(options);
  ASSERT_EQ(read.data.size(), 3u);
  EXPECT_EQ(read.data.labels, (std::vector<double>{0, 1, 1}));
  const auto row = [&](std::size_t i) { return neutrality::row(read, i); };
  EXPECT_EQ(row(0), (std::vector<double>{0.205, 0.15, 1, 0, 0, (10 * 24 - 2) / (400 * 24.0)}));
  EXPECT_EQ(row(1), (std::vector<double>{1, 0.2, 0, 1, 0, 31 / 400.0}));
  EXPECT_EQ(row(2), (std::vector<double>{0.5, 1, 1, 0, 0, 365 / 400.0}));

  const std::string name = server.shown_url() + ": ";
  const auto usage = [&] { return message_of<UsageError>([&] { read_dataset(options); }); };
  options.query = "select * from peopl";
  EXPECT_EQ(usage(), name + "the query cannot be run: ERROR:  relation \"peopl\" does not exist");
  options.query = "select wage from people";
  EXPECT_EQ(usage(), name + "the query cannot be run: ERROR:  column \"wage\" does not exist");
  for (const char* query : {"delete from people", "select 1; select 2", ";", "select $1::int"}) {
    options.query = query;
    EXPECT_THROW(read_dataset(options), Error) << query;
  }
  options.query = "select id, born as age, pay, member, born, y from people";
  EXPECT_EQ(usage(), name +
                         "column \"age\" has the type timestamp with time zone, which cannot be a number; "
                         "describe it otherwise in the schema, or convert it first");
  const auto data = [&] { return message_of<DataError>([&] { read_dataset(options); }); };
  options.query = "select id, 'old' as age, pay, member, born, y from people";
  EXPECT_EQ(data(), name +
                        "row 1, column \"age\": \"old\" is not a number, expected one"
                        " (\"unreadable\": \"missing\" in the schema takes it for an empty cell)");
  options.query = "select age, y from late";
  EXPECT_EQ(data(), name + "the query failed: ERROR:  division by zero");
  options.query = "insert into people (id) values (9) returning *";  // in a transaction for reading
  EXPECT_NE(data().find("read-only transaction"), std::string::npos);

  const auto away = [&] { return message_of<NotFoundError>([&] { read_dataset(options); }); };
  options = people(server);
  const auto without_secrets = [](const std::string& message) {
    return message.find("s3cr") == message.npos && message.find("%40ss") == message.npos;
  };
  options.path = "postgresql://ann:s3crWRONG@" + server.shown_server() + "/postgres";
  EXPECT_TRUE(without_secrets(away())) << away();
  EXPECT_EQ(away().find(name + "cannot be reached: "), 0u) << away();
  options.path = "postgresql://" + server.shown_server() + "/postgres?user=ann&password=s3crWRONG";
  EXPECT_TRUE(without_secrets(away())) << away();
  server.stop();
  options = people(server);
  EXPECT_EQ(away().find(name + "cannot be reached: "), 0u) << away();
  EXPECT_TRUE(without_secrets(away())) << away();
}

TEST(PostgreSql, AUrlThatHidesWhereItsPasswordEndsIsNotShown) {
  ReadOptions options;
  options.query = "select 1";
  for (const char* url : {"postgresql://ann:s3cr@t@host/db", "postgresql://ann:s3cr/t@host/db",
                          "postgresql://ann:s3:cr@host/db", "postgresql://ann:s3cr?t@host/db",
                          "postgres://ann:s3cr@host:s3cr/db"}) {
    options.path = url;
    const std::string message = message_of<UsageError>([&] { read_dataset(options); });
    EXPECT_EQ(message.find("s3"), message.npos) << message;
    EXPECT_NE(message.find("%40"), message.npos) << message;
    EXPECT_EQ(source_name(url), "the URL of the database");
  }
  EXPECT_EQ(source_name("postgresql://ann:s3cr@[::1]:5432/db?password=s3cr"),
            "postgresql://ann@[::1]:5432/db");
  EXPECT_EQ(source_name("postgres:///db"), "postgres:///db");
}

// A cell as PostgreSQL's text holds it: all columns of the tables are text, bytes aside.
std::string literal(const SqlCell& cell) {
  const auto quoted = [](const std::string& text) {
    std::string result = "'";
    for (const char c : text) result += c == '\'' ? std::string("''") : std::string(1, c);
    return result + "'";
  };
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return quoted(std::to_string(*whole));
  if (const auto* number = std::get_if<double>(&cell)) return quoted(fmt::format("{}", *number));
  if (const auto* text = std::get_if<std::string>(&cell)) return quoted(*text);
  return "null";
}

bool storable(const SqlRow& row) {
  for (const SqlCell& cell : row) {
    if (std::holds_alternative<Blob>(cell)) return false;
    const auto* text = std::get_if<std::string>(&cell);
    // Not UTF-8, or with a NUL: PostgreSQL holds no such text.
    if (text && text->find_first_of(std::string("\xe9\xff\xfe\x8b\0", 5)) != text->npos) return false;
  }
  return true;
}

TEST(PostgreSql, OneRecordChangesNothingForOthers) {
  constexpr std::size_t pairs = 30;
  PostgresServer server;
  const testing_data::TempFolder folder;
  Random random(6);
  std::vector<SqlPair> made;
  std::string script = "begin;";
  while (made.size() < pairs) {
    SqlPair pair = neutrality::sql_pair(random);
    bool good = true;
    for (const SqlRow& row : pair.hostile) good = good && storable(row);
    for (const SqlRow& row : pair.ordinary) good = good && storable(row);
    if (!good) continue;
    for (const auto& [which, rows] :
         {std::pair("a", &pair.ordinary), {"b", &pair.hostile}, {"c", &pair.alone}}) {
      const std::string table = fmt::format("{}{}", which, made.size());
      script += fmt::format(
          "create table {} (n int, age text, \"net gain\" text, job text, \"no\"\"te\" text, y text, id "
          "text);",
          table);
      for (std::size_t i = 0; i < rows->size(); ++i) {
        script += fmt::format("insert into {} values ({}", table, i);
        for (const SqlCell& cell : (*rows)[i]) script += ", " + literal(cell);
        script += ");";
      }
    }
    made.push_back(std::move(pair));
  }
  server.run(script + "commit;");
  std::size_t refused = 0;
  for (std::size_t k = 0; k < pairs; ++k) {
    neutrality::Pair& pair = made[k].pair;
    pair.options.format = Format::postgresql;
    pair.options.path = server.url();
    const auto query = [&](const char* which) {
      return fmt::format("select age, \"net gain\", job, \"no\"\"te\", y, id from {}{} order by n", which, k);
    };
    pair.ordinary.data = query("a");
    pair.hostile.data = query("b");
    pair.alone.data = query("c");
    ASSERT_EQ(neutrality::broken(folder, pair, random), "") << k;
    if (!*pair.legal) ++refused;
  }
  EXPECT_GT(refused, pairs / 20);
  EXPECT_LT(refused, pairs - pairs / 20);
}

}  // namespace
}  // namespace tacit
