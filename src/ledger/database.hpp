#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

// SQLite, as a ledger of format 1 needs it: every failure becomes one of tacit's errors, with the path and
// one line.

namespace tacit::inline v1 {

class Database {
 public:
  enum class Use { read, upgrade };

  // Opens a file that exists. (Reading needs to write beside it, for the log.)
  Database(const std::filesystem::path& path, Use use);

  void run(const char* sql);
  std::int64_t integer(const char* sql);  // the one number that the query returns

  // Throws the error that an SQLite result code stands for.
  [[noreturn]] void fail(int code) const;
  const std::string& path() const { return path_; }
  sqlite3* handle() const { return handle_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };
  std::string path_;
  std::unique_ptr<sqlite3, Close> handle_;
};

class Statement {
 public:
  Statement(Database& database, const char* sql);

  bool next();  // to the next row; false after the last

  std::string text(int column) const;
  std::int64_t integer(int column) const { return sqlite3_column_int64(handle_.get(), column); }
  double number(int column) const { return sqlite3_column_double(handle_.get(), column); }

 private:
  struct Finalise {
    void operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }
  };
  void require(int code) const;

  Database* database_;
  std::unique_ptr<sqlite3_stmt, Finalise> handle_;
};

// What is read inside one is all of one time.
class Transaction {
 public:
  explicit Transaction(Database& database);
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();

 private:
  Database* database_;
};

}  // namespace tacit::inline v1
