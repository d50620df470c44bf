#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "data/database_url.hpp"
#include "data/libpq.hpp"
#include "data/tables.hpp"
#include "data/text.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {
namespace {

// Types of which no value is a number, by their identifiers in pg_type, which PostgreSQL keeps fixed.
constexpr std::array<std::pair<unsigned, const char*>, 11> postgresql_no_numbers{
    {{16, "boolean"},
     {17, "bytea"},
     {114, "json"},
     {1082, "date"},
     {1083, "time"},
     {1114, "timestamp"},
     {1184, "timestamp with time zone"},
     {1186, "interval"},
     {1266, "time with time zone"},
     {2950, "uuid"},
     {3802, "jsonb"}}};

// How values are written must not depend on the server's or the user's settings. The transaction sees one
// state of the database and changes nothing.
constexpr const char* begin =
    "set datestyle to 'ISO, YMD'; set timezone to 'UTC'; set intervalstyle to 'iso_8601'; "
    "set bytea_output to 'hex'; set extra_float_digits to 1; set client_encoding to 'UTF8'; "
    "begin transaction isolation level repeatable read read only";

std::string first_line(const char* message) {
  const std::string_view text(message);
  return std::string(trimmed(text.substr(0, text.find('\n'))));
}

class Server {
 public:
  explicit Server(const std::string& url) : pq_(libpq()), name_(shown_url(url)) {
    check_url(url);
    // What the URL says itself comes later and counts.
    const std::array keywords{"connect_timeout", "application_name", "dbname",
                              static_cast<const char*>(nullptr)};
    const std::array values{"10", "tacit", url.c_str(), static_cast<const char*>(nullptr)};
    connection_.reset(pq_.connect(keywords.data(), values.data(), 1));
    if (!connection_) throw std::bad_alloc();
    if (pq_.status(connection_.get()) != Libpq::connection_ok)
      throw_error<NotFoundError>("{}: cannot be reached: {}", name_,
                                 first_line(pq_.error_message(connection_.get())));
    const auto result = taken(pq_.execute(connection_.get(), begin));
    if (pq_.result_status(result.get()) != Libpq::command_ok)
      throw_error<NotFoundError>("{}: {}", name_, first_line(pq_.result_error(result.get())));
  }

  // Names and syntax are looked up here, before any record is.
  std::vector<AnswerColumn> prepare(const std::string& query) {
    const auto prepared = taken(pq_.prepare(connection_.get(), "", query.c_str(), 0, nullptr));
    if (pq_.result_status(prepared.get()) != Libpq::command_ok) fail_query(prepared.get());
    const auto described = taken(pq_.describe(connection_.get(), ""));
    if (pq_.result_status(described.get()) != Libpq::command_ok) fail_query(described.get());
    std::vector<AnswerColumn> columns;
    for (int i = 0; i < pq_.fields(described.get()); ++i) {
      const unsigned type = pq_.type(described.get(), i);
      booleans_.push_back(type == Libpq::of_boolean);
      const auto* known =
          std::ranges::find(postgresql_no_numbers, type, &std::pair<unsigned, const char*>::first);
      columns.push_back(
          {pq_.name(described.get(), i), known == postgresql_no_numbers.end() ? "" : known->second});
    }
    if (columns.empty()) throw_error<UsageError>("{}: the query must be a single SELECT", name_);
    return columns;
  }

  // The records, one at a time.
  void run(TableText& text) {
    if (pq_.send(connection_.get(), "", 0, nullptr, nullptr, nullptr, 0) == 0 ||
        pq_.set_single_row_mode(connection_.get()) == 0)
      throw_error<NotFoundError>("{}: {}", name_, first_line(pq_.error_message(connection_.get())));
    while (const auto result = Taken(pq_.next_result(connection_.get()), {&pq_})) {
      const int status = pq_.result_status(result.get());
      if (status != Libpq::single_tuple && status != Libpq::tuples_ok)
        throw_error<DataError>("{}: the query failed: {}", name_, first_line(pq_.result_error(result.get())));
      for (int row = 0; row < pq_.rows(result.get()); ++row) put_row(result.get(), row, text);
    }
  }

 private:
  struct Clear {
    const Libpq* pq = nullptr;
    void operator()(Libpq::Result* result) const { pq->clear(result); }
  };
  using Taken = std::unique_ptr<Libpq::Result, Clear>;

  struct Finish {
    void operator()(Libpq::Connection* connection) const { libpq().finish(connection); }
  };

  Taken taken(Libpq::Result* result) const {
    if (result == nullptr) throw std::bad_alloc();
    return Taken(result, {&pq_});
  }

  [[noreturn]] void fail_query(const Libpq::Result* result) const {
    throw_error<UsageError>("{}: the query cannot be run: {}", name_, first_line(pq_.result_error(result)));
  }

  // Values come as text; each is written by itself.
  void put_row(const Libpq::Result* result, int row, TableText& text) {
    for (int i = 0; i < static_cast<int>(booleans_.size()); ++i) {
      const std::string_view value(pq_.value(result, row, i),
                                   static_cast<std::size_t>(pq_.length(result, row, i)));
      if (pq_.is_null(result, row, i) != 0)
        text.missing();
      else if (booleans_[static_cast<std::size_t>(i)])
        text.text(value == "t" ? "true" : "false");
      else
        text.text(value);
    }
    text.end_row();
  }

  const Libpq& pq_;
  std::string name_;
  std::unique_ptr<Libpq::Connection, Finish> connection_;
  std::vector<bool> booleans_;  // of each column, whether it has this type
};

}  // namespace

std::string answer_of_postgresql(const ReadOptions& options) {
  Server server(options.path.string());
  const std::vector<AnswerColumn> columns = server.prepare(options.query);
  check_types(columns, options);
  TableText text(shown_url(options.path.string()), columns);
  server.run(text);
  return std::move(text).take();
}

}  // namespace tacit::inline v1
