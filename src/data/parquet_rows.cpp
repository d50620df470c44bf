#include <algorithm>
#include <array>
#include <utility>

#include "data/libduckdb.hpp"
#include "data/tables.hpp"
#include "data/text.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {
namespace {

// DuckDB's numbers for types, which its interface keeps fixed.
constexpr std::array whole_numbers{2, 3, 4, 5, 6, 7, 8};  // of 8 to 64 bits with a sign, 8 to 32 without
constexpr std::array doubles{10, 11};
constexpr std::array<std::pair<int, const char*>, 19> parquet_no_numbers{{{1, "BOOLEAN"},
                                                                          {12, "TIMESTAMP"},
                                                                          {13, "DATE"},
                                                                          {14, "TIME"},
                                                                          {15, "INTERVAL"},
                                                                          {18, "BLOB"},
                                                                          {20, "TIMESTAMP"},
                                                                          {21, "TIMESTAMP"},
                                                                          {22, "TIMESTAMP"},
                                                                          {24, "LIST"},
                                                                          {25, "STRUCT"},
                                                                          {26, "MAP"},
                                                                          {27, "UUID"},
                                                                          {28, "UNION"},
                                                                          {29, "BIT"},
                                                                          {30, "TIME WITH TIME ZONE"},
                                                                          {31, "TIMESTAMP WITH TIME ZONE"},
                                                                          {33, "ARRAY"},
                                                                          {36, "NULL"}}};

// How a column's values are fetched. All but plain numbers come as text, of which DuckDB writes each by
// itself.
enum class Kind { whole_number, number, text };

Kind kind_of_type(int type) {
  if (std::ranges::find(whole_numbers, type) != whole_numbers.end()) return Kind::whole_number;
  return std::ranges::find(doubles, type) != doubles.end() ? Kind::number : Kind::text;
}

std::string in_quotes(std::string_view text, char quote) {
  std::string result(1, quote);
  for (const char c : text) result.append(c == quote ? 2 : 1, c);
  return result + quote;
}

const Libduckdb& libduckdb_for(const std::string& file) {
  try {
    return libduckdb();
  } catch (const NotFoundError& error) {
    throw_error<NotFoundError>("{}: {}", file, error.what());
  }
}

class Duckdb {
 public:
  explicit Duckdb(std::string file) : duckdb_(libduckdb_for(file)), file_(std::move(file)) {
    if (duckdb_.open(nullptr, &database_) != Libduckdb::success ||
        duckdb_.connect(database_, &connection_) != Libduckdb::success) {
      close();
      throw_error<NotFoundError>("{}: DuckDB cannot be started", file_);
    }
  }
  Duckdb(const Duckdb&) = delete;
  Duckdb& operator=(const Duckdb&) = delete;
  ~Duckdb() { close(); }

  // The answer to a query, while `use` looks at it.
  template <class Use>
  void ask(const std::string& sql, Use use) const {
    Libduckdb::Result result{};
    const struct Guard {
      const Libduckdb& duckdb;
      Libduckdb::Result& result;
      ~Guard() { duckdb.destroy_result(&result); }
    } guard{duckdb_, result};
    if (duckdb_.query(connection_, sql.c_str(), &result) != Libduckdb::success) {
      const char* message = duckdb_.result_error(&result);
      const std::string_view text(message != nullptr ? message : "unknown cause");
      throw_error<DataError>("{}: cannot be read: {}", file_, trimmed(text.substr(0, text.find('\n'))));
    }
    use(result);
  }

  const Libduckdb& functions() const { return duckdb_; }
  std::string table() const { return "read_parquet(" + in_quotes(file_, '\'') + ")"; }

 private:
  void close() {
    if (connection_ != nullptr) duckdb_.disconnect(&connection_);
    if (database_ != nullptr) duckdb_.close(&database_);
  }

  const Libduckdb& duckdb_;
  std::string file_;
  Libduckdb::Database* database_ = nullptr;
  Libduckdb::Connection* connection_ = nullptr;
};

struct ParquetColumns {
  std::vector<AnswerColumn> columns;
  std::vector<Kind> kinds;
  std::string select;  // that fetches them
};

// Names and types are in the file's footer: no record is looked at.
ParquetColumns columns_of(const Duckdb& duckdb) {
  ParquetColumns found;
  duckdb.ask("select * from " + duckdb.table() + " limit 0", [&](Libduckdb::Result& result) {
    const Libduckdb& of = duckdb.functions();
    for (std::uint64_t i = 0; i < of.column_count(&result); ++i) {
      const int type = of.column_type(&result, i);
      const auto* known = std::ranges::find(parquet_no_numbers, type, &std::pair<int, const char*>::first);
      found.columns.push_back(
          {of.column_name(&result, i), known == parquet_no_numbers.end() ? "" : known->second});
      found.kinds.push_back(kind_of_type(type));
      found.select += fmt::format("{}cast({} as {})", i == 0 ? "select " : ", ",
                                  in_quotes(found.columns.back().name, '"'),
                                  found.kinds.back() == Kind::whole_number ? "bigint"
                                  : found.kinds.back() == Kind::number     ? "double"
                                                                           : "varchar");
    }
  });
  found.select += " from " + duckdb.table();
  return found;
}

void put(const void* values, std::uint64_t row, Kind kind, TableText& text) {
  if (kind == Kind::whole_number) return text.integer(static_cast<const std::int64_t*>(values)[row]);
  if (kind == Kind::number) return text.number(static_cast<const double*>(values)[row]);
  const auto& value = static_cast<const Libduckdb::Text*>(values)[row];
  const std::uint32_t length = value.here.length;
  text.text({length <= sizeof value.here.bytes ? value.here.bytes : value.there.bytes, length});
}

void put_chunk(const Libduckdb& of, Libduckdb::Chunk* chunk, const std::vector<Kind>& kinds,
               TableText& text) {
  struct Column {
    const void* values;
    const std::uint64_t* valid;
  };
  std::vector<Column> columns;
  for (std::uint64_t i = 0; i < kinds.size(); ++i) {
    Libduckdb::Vector* vector = of.chunk_vector(chunk, i);
    columns.push_back({of.vector_data(vector), of.vector_validity(vector)});
  }
  for (std::uint64_t row = 0; row < of.chunk_size(chunk); ++row) {
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      const bool valid = columns[i].valid == nullptr || (columns[i].valid[row / 64] >> row % 64 & 1) != 0;
      if (valid)
        put(columns[i].values, row, kinds[i], text);
      else
        text.missing();
    }
    text.end_row();
  }
}

}  // namespace

std::string rows_of_parquet(const ReadOptions& options) {
  const std::string file = options.path.string();
  const ByteSource exists(options.path);
  if (file.find_first_of("*?[") != file.npos)
    throw_error<UsageError>("{}: * ? [ in the name of a Parquet file stand for many files; rename it", file);
  const Duckdb duckdb(file);
  const ParquetColumns found = columns_of(duckdb);
  check_types(found.columns, options);
  TableText text(file, found.columns);
  duckdb.ask(found.select, [&](Libduckdb::Result& result) {
    const Libduckdb& of = duckdb.functions();
    while (Libduckdb::Chunk* chunk = of.fetch_chunk(result)) {
      const struct Guard {
        const Libduckdb& duckdb;
        Libduckdb::Chunk* chunk;
        ~Guard() { duckdb.destroy_chunk(&chunk); }
      } guard{of, chunk};
      put_chunk(of, chunk, found.kinds, text);
    }
  });
  return std::move(text).take();
}

}  // namespace tacit::inline v1
