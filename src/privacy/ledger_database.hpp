#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

// SQLite, as the ledger needs it: every failure becomes one of tacit's errors, with the path and one line.

namespace tacit::inline v1 {

class Database {
 public:
  enum class Use { read, write };

  // Opens a file that exists. With Use::write, every commit is on the disk when it returns.
  Database(const std::filesystem::path& path, Use use);

  void run(const char* sql);
  std::int64_t integer(const char* sql);  // the one number that the query returns
  std::int64_t last_row() const { return sqlite3_last_insert_rowid(handle_.get()); }

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

  Statement& bind(std::string_view text);
  Statement& bind(std::int64_t number);
  Statement& bind(double number);

  bool next();  // to the next row; false after the last
  void run();   // a statement without rows; it can be bound and run again

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
  int bound_ = 0;
};

// All or nothing: what was not committed is undone, also by a crash.
class Transaction {
 public:
  // A writing transaction waits for its turn and then sees what all others wrote.
  Transaction(Database& database, Database::Use use);
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();
  void commit();

 private:
  Database* database_;
  bool open_ = true;
};

}  // namespace tacit::inline v1
