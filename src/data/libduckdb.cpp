#include "data/libduckdb.hpp"

#include <cstdlib>

#include "data/shared_library.hpp"

namespace tacit::inline v1 {
namespace {

Libduckdb load_libduckdb() {
  const char* named = std::getenv("TACIT_DUCKDB");
  const SharedLibrary library(named != nullptr ? named : "libduckdb.so",
                              "Parquet needs DuckDB's C library: install libduckdb.so where libraries are "
                              "looked for, or name it in TACIT_DUCKDB");
  Libduckdb duckdb{};
  library.find("duckdb_open", duckdb.open);
  library.find("duckdb_close", duckdb.close);
  library.find("duckdb_connect", duckdb.connect);
  library.find("duckdb_disconnect", duckdb.disconnect);
  library.find("duckdb_query", duckdb.query);
  library.find("duckdb_result_error", duckdb.result_error);
  library.find("duckdb_destroy_result", duckdb.destroy_result);
  library.find("duckdb_column_count", duckdb.column_count);
  library.find("duckdb_column_name", duckdb.column_name);
  library.find("duckdb_column_type", duckdb.column_type);
  library.find("duckdb_fetch_chunk", duckdb.fetch_chunk);
  library.find("duckdb_destroy_data_chunk", duckdb.destroy_chunk);
  library.find("duckdb_data_chunk_get_size", duckdb.chunk_size);
  library.find("duckdb_data_chunk_get_vector", duckdb.chunk_vector);
  library.find("duckdb_vector_get_data", duckdb.vector_data);
  library.find("duckdb_vector_get_validity", duckdb.vector_validity);
  return duckdb;
}

}  // namespace

const Libduckdb& libduckdb() {
  static const Libduckdb duckdb = load_libduckdb();
  return duckdb;
}

}  // namespace tacit::inline v1
