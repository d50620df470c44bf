#pragma once

namespace tacit::inline v1 {

// The functions of libpq, PostgreSQL's client library, that a query needs, declared as its documentation has
// them ("libpq — C Library") and looked up when they are first used. Nothing of it is needed to build the
// tool.
struct Libpq {
  struct Connection;  // PGconn
  struct Result;      // PGresult

  enum : int { connection_ok = 0 };                                // ConnStatusType
  enum : int { command_ok = 1, tuples_ok = 2, single_tuple = 9 };  // ExecStatusType
  enum : unsigned { of_boolean = 16 };                             // an object identifier of pg_type

  Connection* (*connect)(const char* const* keywords, const char* const* values, int expand_dbname);
  int (*status)(const Connection*);
  char* (*error_message)(const Connection*);
  void (*finish)(Connection*);
  Result* (*execute)(Connection*, const char* command);
  Result* (*prepare)(Connection*, const char* name, const char* query, int count, const unsigned* types);
  Result* (*describe)(Connection*, const char* name);
  int (*send)(Connection*, const char* name, int count, const char* const* values, const int* lengths,
              const int* formats, int result_format);
  int (*set_single_row_mode)(Connection*);
  Result* (*next_result)(Connection*);
  int (*result_status)(const Result*);
  char* (*result_error)(const Result*);
  void (*clear)(Result*);
  int (*rows)(const Result*);
  int (*fields)(const Result*);
  char* (*name)(const Result*, int field);
  unsigned (*type)(const Result*, int field);
  int (*is_null)(const Result*, int row, int field);
  char* (*value)(const Result*, int row, int field);
  int (*length)(const Result*, int row, int field);
};

// NotFoundError when the library is not installed.
const Libpq& libpq();

}  // namespace tacit::inline v1
