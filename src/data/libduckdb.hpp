#pragma once

#include <cstdint>

namespace tacit::inline v1 {

// The functions of DuckDB's C interface that reading a table needs, declared as its documentation has them
// ("C API") and looked up when they are first used. Nothing of it is needed to build the tool.
struct Libduckdb {
  struct Database;
  struct Connection;
  struct Chunk;
  struct Vector;

  struct Result {  // handed over by value, so its size is part of the interface
    std::uint64_t column_count, row_count, rows_changed;
    void* columns;
    char* error_message;
    void* internal;
  };
  union Text {  // up to 12 bytes lie in it, longer ones elsewhere
    struct {
      std::uint32_t length;
      char bytes[12];
    } here;
    struct {
      std::uint32_t length;
      char prefix[4];
      const char* bytes;
    } there;
  };
  static_assert(sizeof(Text) == 16 && sizeof(Result) == 48);  // as the library has them

  enum : int { success = 0 };

  int (*open)(const char* path, Database**);
  void (*close)(Database**);
  int (*connect)(Database*, Connection**);
  void (*disconnect)(Connection**);
  int (*query)(Connection*, const char* sql, Result*);
  const char* (*result_error)(Result*);
  void (*destroy_result)(Result*);
  std::uint64_t (*column_count)(Result*);
  const char* (*column_name)(Result*, std::uint64_t column);
  int (*column_type)(Result*, std::uint64_t column);
  Chunk* (*fetch_chunk)(Result);
  void (*destroy_chunk)(Chunk**);
  std::uint64_t (*chunk_size)(Chunk*);
  Vector* (*chunk_vector)(Chunk*, std::uint64_t column);
  void* (*vector_data)(Vector*);
  std::uint64_t* (*vector_validity)(Vector*);  // a bit for each row; none: all are valid
};

// The library that the environment variable TACIT_DUCKDB names, or libduckdb.so. NotFoundError when it cannot
// be loaded.
const Libduckdb& libduckdb();

}  // namespace tacit::inline v1
