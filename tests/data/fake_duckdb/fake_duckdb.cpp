// A stand-in for DuckDB's C library, so that the tests need none: the same functions, over one table in two
// chunks. It knows the two queries that tacit asks, and refuses a file that does not begin as a Parquet file
// does.

#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "data/libduckdb.hpp"

using tacit::Libduckdb;

namespace {

constexpr std::array<const char*, 5> names{"age", "pay", "job", "bo\"rn", "y"};
constexpr std::array<int, 5> types{4, 10, 17, 13, 17};  // INTEGER, FLOAT, VARCHAR, DATE, VARCHAR
constexpr const char* casts =
    "select cast(\"age\" as bigint), cast(\"pay\" as double), cast(\"job\" as varchar), "
    "cast(\"bo\"\"rn\" as varchar), cast(\"y\" as varchar) from ";

struct Column {
  std::vector<std::int64_t> whole{};
  std::vector<double> numbers{};
  std::vector<std::string> held{};
  std::vector<Libduckdb::Text> texts{};
  std::vector<std::uint64_t> valid{};  // none: all are
};

Column column_of(std::vector<std::string> held, std::vector<std::uint64_t> valid = {}) {
  Column column{.held = std::move(held), .valid = std::move(valid)};
  for (const std::string& text : column.held) {
    Libduckdb::Text value{};
    value.here.length = static_cast<std::uint32_t>(text.size());
    if (text.size() <= sizeof value.here.bytes) {
      std::memcpy(value.here.bytes, text.data(), text.size());
    } else {
      std::memcpy(value.there.prefix, text.data(), sizeof value.there.prefix);
      value.there.bytes = text.c_str();
    }
    column.texts.push_back(value);
  }
  return column;
}

struct Chunk {
  std::uint64_t rows;
  std::array<Column, 5> columns;
};

// 70 records, so that the bits of one column take two words; then 2.
std::vector<Chunk> chunks() {
  std::vector<Chunk> made(2);
  made[0].rows = 70;
  made[0].columns[0] = {.whole = std::vector<std::int64_t>(70, 20), .valid = {~std::uint64_t{0}, 0b011111}};
  made[0].columns[1] = {.numbers = std::vector<double>(70, 0.5)};
  made[0].columns[2] = column_of(std::vector<std::string>(70, "a job of more than twelve bytes"));
  made[0].columns[3] = column_of(std::vector<std::string>(70, "1970-01-11"));
  made[0].columns[4] = column_of(std::vector<std::string>(70, "no"));
  made[1].rows = 2;
  made[1].columns[0] = {.whole = {100, std::numeric_limits<std::int64_t>::min()}};
  made[1].columns[1] = {.numbers = {std::numeric_limits<double>::infinity(), 1}};
  made[1].columns[2] = column_of({"twelve bytes", "Say \"x\", y"}, {0b10});
  made[1].columns[3] = column_of({"1970-01-01", "1970-01-21"});
  made[1].columns[4] = column_of({"yes", "yes"});
  return made;
}

struct Answer {
  bool records;
  std::size_t next;
  std::vector<Chunk> chunks;
  std::string error;
};

Answer& of(const Libduckdb::Result& result) { return *static_cast<Answer*>(result.internal); }

}  // namespace

#define FAKE extern "C" __attribute__((visibility("default")))

FAKE int duckdb_open(const char*, void** database) { return *database = new int(0), 0; }
FAKE void duckdb_close(void** database) { delete static_cast<int*>(*database), *database = nullptr; }
FAKE int duckdb_connect(void*, void** connection) { return *connection = new int(0), 0; }
FAKE void duckdb_disconnect(void** connection) {
  delete static_cast<int*>(*connection), *connection = nullptr;
}

FAKE int duckdb_query(void*, const char* sql, Libduckdb::Result* result) {
  const std::string asked(sql), table = asked.substr(asked.find("read_parquet('"));
  const std::string file = table.substr(14, table.find("')") - 14);
  auto* answer = new Answer{};
  result->internal = answer;
  std::string start(4, ' ');
  std::ifstream(file, std::ios::binary).read(start.data(), 4);
  if (start != "PAR1") return answer->error = "Invalid Input Error: no magic bytes\nmore", 1;
  if (asked == "select * from " + table && asked.ends_with(" limit 0")) return 0;
  if (asked != casts + table) return answer->error = "Parser Error: " + asked, 1;
  answer->records = true;
  answer->chunks = chunks();
  return 0;
}
FAKE const char* duckdb_result_error(Libduckdb::Result* result) { return of(*result).error.c_str(); }
FAKE void duckdb_destroy_result(Libduckdb::Result* result) {
  delete &of(*result), result->internal = nullptr;
}
FAKE std::uint64_t duckdb_column_count(Libduckdb::Result*) { return names.size(); }
FAKE const char* duckdb_column_name(Libduckdb::Result*, std::uint64_t i) { return names.at(i); }
FAKE int duckdb_column_type(Libduckdb::Result*, std::uint64_t i) { return types.at(i); }
FAKE void* duckdb_fetch_chunk(Libduckdb::Result result) {
  Answer& answer = of(result);
  return answer.next < answer.chunks.size() ? &answer.chunks[answer.next++] : nullptr;
}
FAKE void duckdb_destroy_data_chunk(void** chunk) { *static_cast<Chunk*>(*chunk) = {}, *chunk = nullptr; }
FAKE std::uint64_t duckdb_data_chunk_get_size(void* chunk) { return static_cast<Chunk*>(chunk)->rows; }
FAKE void* duckdb_data_chunk_get_vector(void* chunk, std::uint64_t i) {
  return &static_cast<Chunk*>(chunk)->columns.at(i);
}
FAKE void* duckdb_vector_get_data(void* vector) {
  auto& column = *static_cast<Column*>(vector);
  if (!column.whole.empty()) return column.whole.data();
  if (!column.numbers.empty()) return column.numbers.data();
  return column.texts.data();
}
FAKE std::uint64_t* duckdb_vector_get_validity(void* vector) {
  auto& column = *static_cast<Column*>(vector);
  return column.valid.empty() ? nullptr : column.valid.data();
}
