#include "ledger/database.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <new>

#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

constexpr int patience_milliseconds = 60'000;  // one charge takes a few; many fits may wait for each other

// SQLite names its log after the file, so that one file under two names would have two logs: charges written
// under one name would be unknown under the other.
void require_one_name(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0)
    throw_error<NotFoundError>("{}: the ledger cannot be opened: {} (`tacit ledger create` makes one)", path,
                               std::strerror(errno));
  if (!S_ISREG(status.st_mode)) throw_error<DataError>("{}: is not a ledger but a directory or device", path);
  if (status.st_nlink > 1)
    throw_error<DataError>("{}: the ledger has {} names (hard links), expected one", path, status.st_nlink);
}

}  // namespace

Database::Database(const std::filesystem::path& path, Use use) : path_(path.string()) {
  require_one_name(path_);
  sqlite3* handle = nullptr;
  // An absolute path never reads as one of SQLite's special names (":memory:").
  const std::string where = std::filesystem::absolute(path).string();
  const int code = sqlite3_open_v2(where.c_str(), &handle, SQLITE_OPEN_READWRITE, nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) fail(code);
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, patience_milliseconds);
  run("PRAGMA trusted_schema = OFF");
  if (use == Use::upgrade && sqlite3_db_readonly(handle, "main") != 0) fail(SQLITE_READONLY);
}

void Database::fail(int code) const {
  const int system_error = handle_ ? sqlite3_system_errno(handle_.get()) : 0;
  const std::string detail =
      code == SQLITE_ERROR && handle_ ? sqlite3_errmsg(handle_.get()) : sqlite3_errstr(code);
  switch (code & 0xff) {
    case SQLITE_NOMEM:
      throw std::bad_alloc();
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
      throw_error<WriteError>("{}: the ledger is held by another process for over {} s", path_,
                              patience_milliseconds / 1000);
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
      throw_error<WriteError>("{}: the ledger cannot be written: {}", path_,
                              system_error != 0 ? std::strerror(system_error) : detail);
    default:
      throw_error<DataError>("{}: the ledger is damaged: {}", path_, detail);
  }
}

void Database::run(const char* sql) {
  const int code = sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

std::int64_t Database::integer(const char* sql) {
  Statement query(*this, sql);
  if (!query.next()) fail(SQLITE_CORRUPT);
  return query.integer(0);
}

Statement::Statement(Database& database, const char* sql) : database_(&database) {
  sqlite3_stmt* handle = nullptr;
  const int code = sqlite3_prepare_v2(database.handle(), sql, -1, &handle, nullptr);
  handle_.reset(handle);
  require(code);
}

void Statement::require(int code) const {
  if (code != SQLITE_OK) database_->fail(code);
}

bool Statement::next() {
  const int code = sqlite3_step(handle_.get());
  if (code != SQLITE_ROW && code != SQLITE_DONE) database_->fail(code);
  return code == SQLITE_ROW;
}

std::string Statement::text(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(handle_.get(), column));
  return bytes == nullptr
             ? ""
             : std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column)));
}

Transaction::Transaction(Database& database) : database_(&database) { database.run("BEGIN"); }
Transaction::~Transaction() { sqlite3_exec(database_->handle(), "ROLLBACK", nullptr, nullptr, nullptr); }

}  // namespace tacit::inline v1
