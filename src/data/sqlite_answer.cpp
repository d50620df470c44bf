#include <sqlite3.h>

#include <algorithm>
#include <memory>

#include "data/tables.hpp"
#include "data/text.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {
namespace {

constexpr int patience_milliseconds = 5000;

struct Close {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Database = std::unique_ptr<sqlite3, Close>;
using Statement = std::unique_ptr<sqlite3_stmt, Close>;

// For reading alone: a query changes nothing, whatever it says.
Database open_database(const std::string& file) {
  const ByteSource exists(file);
  sqlite3* handle = nullptr;
  // An absolute path never reads as one of SQLite's special names (":memory:").
  const std::string path = std::filesystem::absolute(file).string();
  const int code = sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READONLY, nullptr);
  Database database(handle);
  if (code == SQLITE_NOMEM) throw std::bad_alloc();
  if (code != SQLITE_OK) throw_error<NotFoundError>("{}: cannot be opened: {}", file, sqlite3_errstr(code));
  sqlite3_busy_timeout(database.get(), patience_milliseconds);
  return database;
}

// A damaged file may say that a value, or a table's description, is as large as can be.
std::string reason(int code, sqlite3* database) {
  return code == SQLITE_NOMEM ? "SQLite is out of memory, or the file is damaged" : sqlite3_errmsg(database);
}

// Names and syntax are looked up here, before any record is.
Statement prepare(sqlite3* database, const std::string& file, const std::string& query) {
  sqlite3_stmt* handle = nullptr;
  const char* rest = nullptr;
  const int code =
      sqlite3_prepare_v2(database, query.c_str(), static_cast<int>(query.size()) + 1, &handle, &rest);
  Statement statement(handle);
  if (code == SQLITE_NOTADB) throw_error<NotFoundError>("{}: is not a SQLite file", file);
  if (code != SQLITE_OK)
    throw_error<UsageError>("{}: the query cannot be run: {}", file, reason(code, database));
  const bool more = std::string_view(rest).find_first_not_of(" \t\r\n;") != std::string_view::npos;
  if (!statement || more || sqlite3_column_count(statement.get()) == 0 ||
      sqlite3_stmt_readonly(statement.get()) == 0)
    throw_error<UsageError>("{}: the query must be a single SELECT", file);
  return statement;
}

std::vector<AnswerColumn> columns_of(sqlite3_stmt* statement) {
  std::vector<AnswerColumn> columns;
  for (int i = 0; i < sqlite3_column_count(statement); ++i) {
    const char* name = sqlite3_column_name(statement, i);
    if (name == nullptr) throw std::bad_alloc();
    columns.push_back({name});
  }
  return columns;
}

// A value has the type that it was stored with, whatever its column says.
void put(sqlite3_stmt* statement, int i, TableText& text) {
  const auto bytes = [&](const void* first) {
    return std::string_view(static_cast<const char*>(first),
                            static_cast<std::size_t>(sqlite3_column_bytes(statement, i)));
  };
  switch (sqlite3_column_type(statement, i)) {
    case SQLITE_INTEGER:
      return text.integer(sqlite3_column_int64(statement, i));
    case SQLITE_FLOAT:
      return text.number(sqlite3_column_double(statement, i));
    case SQLITE_TEXT:
      return text.text(bytes(sqlite3_column_text(statement, i)));
    case SQLITE_BLOB:
      return text.bytes(bytes(sqlite3_column_blob(statement, i)));
    default:
      return text.missing();
  }
}

}  // namespace

std::string answer_of_sqlite(const ReadOptions& options) {
  const std::string file = options.path.string();
  const Database database = open_database(file);
  const Statement statement = prepare(database.get(), file, options.query);
  const std::vector<AnswerColumn> columns = columns_of(statement.get());
  TableText text(file, columns);
  for (;;) {
    const int code = sqlite3_step(statement.get());
    if (code == SQLITE_DONE) return std::move(text).take();
    if (code != SQLITE_ROW)
      throw_error<DataError>("{}: the query failed at row {}: {}", file, text.rows() + 1,
                             reason(code, database.get()));
    for (int i = 0; i < static_cast<int>(columns.size()); ++i) put(statement.get(), i, text);
    text.end_row();
  }
}

}  // namespace tacit::inline v1
