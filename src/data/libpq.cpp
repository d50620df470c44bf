#include "data/libpq.hpp"

#include "data/shared_library.hpp"

namespace tacit::inline v1 {
namespace {

Libpq load_libpq() {
  const SharedLibrary library("libpq.so.5",
                              "PostgreSQL needs its client library (on Debian the package libpq5)");
  Libpq pq{};
  library.find("PQconnectdbParams", pq.connect);
  library.find("PQstatus", pq.status);
  library.find("PQerrorMessage", pq.error_message);
  library.find("PQfinish", pq.finish);
  library.find("PQexec", pq.execute);
  library.find("PQprepare", pq.prepare);
  library.find("PQdescribePrepared", pq.describe);
  library.find("PQsendQueryPrepared", pq.send);
  library.find("PQsetSingleRowMode", pq.set_single_row_mode);
  library.find("PQgetResult", pq.next_result);
  library.find("PQresultStatus", pq.result_status);
  library.find("PQresultErrorMessage", pq.result_error);
  library.find("PQclear", pq.clear);
  library.find("PQntuples", pq.rows);
  library.find("PQnfields", pq.fields);
  library.find("PQfname", pq.name);
  library.find("PQftype", pq.type);
  library.find("PQgetisnull", pq.is_null);
  library.find("PQgetvalue", pq.value);
  library.find("PQgetlength", pq.length);
  return pq;
}

}  // namespace

const Libpq& libpq() {
  static const Libpq pq = load_libpq();
  return pq;
}

}  // namespace tacit::inline v1
