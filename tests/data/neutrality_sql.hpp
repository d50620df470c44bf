#pragma once

// Pairs of tables in a database, whose cells have types of their own: whole numbers, doubles, texts, bytes
// and missing values, each in any column.

#include <sqlite3.h>

#include <memory>
#include <stdexcept>
#include <variant>

#include "neutrality_cells.hpp"

namespace tacit::neutrality {

struct Blob {
  std::string bytes;
};
using SqlCell = std::variant<std::monostate, std::int64_t, double, std::string, Blob>;
using SqlRow = std::vector<SqlCell>;

struct SqlPair {
  Pair pair;  // without the files
  std::vector<SqlRow> ordinary, hostile, alone;
};

inline SqlCell hostile_cell(Random& random) {
  switch (below(random, 8)) {
    case 0:
      return std::monostate{};
    case 1:
      return static_cast<std::int64_t>(random());
    case 2:
      return one_of(random, std::vector<double>{INFINITY, -INFINITY, -0.0, 1e308, 5e-324, 1e22, 0.1});
    case 3:
      return Blob{hostile_text(random)};
    case 4:
      return std::string("7\0", 2) + hostile_text(random);
    case 5:
      return hostile_text(random);
    default:
      return hostile_number(random);
  }
}

// What docs/data.md says of a cell in a numeric column.
inline CellKind kind_of(const SqlCell& cell) {
  if (std::holds_alternative<std::monostate>(cell)) return CellKind::empty;
  if (const auto* text = std::get_if<std::string>(&cell))
    return text->find('\0') == text->npos ? kind_of(*text) : CellKind::text;
  return std::holds_alternative<Blob>(cell) ? CellKind::text : CellKind::number;
}

inline bool legal(const SqlRow& row, const Schema& schema) {
  for (const SqlCell& cell : row)
    if (const auto* text = std::get_if<std::string>(&cell); text && text->find('\0') != text->npos)
      return false;
  const auto blank = [](const SqlCell& cell) {
    const auto* text = std::get_if<std::string>(&cell);
    return std::holds_alternative<std::monostate>(cell) || (text && without_blanks(*text).empty());
  };
  for (std::size_t i = 0; i < 2; ++i) {
    const CellKind kind = kind_of(row[i]);
    if (kind == CellKind::text) return false;
    if (kind == CellKind::empty && !std::get<NumericColumn>(schema.columns[i].kind).missing) return false;
  }
  if (blank(row[2]) && !std::get<CategoricalColumn>(schema.columns[2].kind).missing) return false;
  if (!schema.target->classes.empty()) {
    const auto* label = std::get_if<std::string>(&row[4]);
    if (!label || (without_blanks(*label) != "yes" && without_blanks(*label) != "no")) return false;
  } else if (kind_of(row[4]) == CellKind::text || kind_of(row[4]) == CellKind::empty) {
    return false;
  }
  return !blank(row[5]);
}

inline SqlRow ordinary_row(Random& random, bool classes) {
  const auto number = [&]() -> SqlCell {
    const std::size_t n = below(random, 2000);
    if (one_in(random, 2)) return static_cast<std::int64_t>(n);
    return static_cast<double>(n) / 8;
  };
  SqlCell label = one_in(random, 2) ? "yes" : "no";
  if (!classes) label = static_cast<std::int64_t>(below(random, 9));
  return {number(),
          number(),
          one_in(random, 3) ? "Baker, \"x\"" : "Sales",
          one_in(random, 3) ? hostile_text(random) : "n",
          label,
          fmt::format("p{}", below(random, 5))};
}

inline SqlPair sql_pair(Random& random) {
  SqlPair made;
  const auto missing = [&]() -> std::optional<double> {
    return one_in(random, 2) ? std::optional(20.0) : std::nullopt;
  };
  Schema schema;
  schema.columns = {{"age", NumericColumn{.min = 0, .max = 100, .missing = missing()}},
                    {"net gain", NumericColumn{.min = 1, .max = 1e6, .log1p = true, .missing = missing()}},
                    {"job", CategoricalColumn{.categories = {"Sales", "Tech"}}},
                    {"no\"te", IgnoredColumn{}}};
  if (one_in(random, 2)) std::get<CategoricalColumn>(schema.columns[2].kind).missing = "other";
  schema.target = SchemaTarget{.column = "y"};
  const bool classes = one_in(random, 2);
  if (classes) schema.target->classes = {"no", "yes"};
  if (!classes) schema.target->min = -5, schema.target->max = 5;
  schema.user = "id";

  const std::size_t count = 2 + below(random, 25), record = below(random, count);
  for (std::size_t i = 0; i < count; ++i) made.ordinary.push_back(ordinary_row(random, classes));
  SqlRow odd = ordinary_row(random, classes);
  for (SqlCell& cell : odd)
    if (one_in(random, 4)) cell = hostile_cell(random);
  made.hostile = made.ordinary;
  made.hostile[record] = odd;
  made.alone = {odd};
  made.pair.legal = legal(odd, schema);
  made.pair.options.schema = std::move(schema);
  made.pair.record = record;
  made.pair.place = fmt::format("row {},", record + 1);
  made.pair.alone_place = "row 1,";
  return made;
}

// The rows as a file of SQLite.
inline std::string sqlite_file(const std::vector<SqlRow>& rows) {
  sqlite3* opened = nullptr;
  const auto check = [&](bool ok) {
    if (!ok) throw std::runtime_error(sqlite3_errmsg(opened));
  };
  check(sqlite3_open(":memory:", &opened) == SQLITE_OK);
  const std::unique_ptr<sqlite3, decltype(&sqlite3_close)> database(opened, sqlite3_close);
  check(sqlite3_exec(opened, R"(create table t (age, "net gain", job, "no""te", y, id); begin)", nullptr,
                     nullptr, nullptr) == SQLITE_OK);
  sqlite3_stmt* prepared = nullptr;
  check(sqlite3_prepare_v2(opened, "insert into t values (?, ?, ?, ?, ?, ?)", -1, &prepared, nullptr) ==
        SQLITE_OK);
  const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> insert(prepared, sqlite3_finalize);
  for (const SqlRow& row : rows) {
    for (int i = 0; i < 6; ++i) {
      const SqlCell& cell = row[static_cast<std::size_t>(i)];
      if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
        sqlite3_bind_int64(prepared, i + 1, *whole);
      } else if (const auto* number = std::get_if<double>(&cell)) {
        sqlite3_bind_double(prepared, i + 1, *number);
      } else if (const auto* text = std::get_if<std::string>(&cell)) {
        sqlite3_bind_text(prepared, i + 1, text->data(), static_cast<int>(text->size()), SQLITE_TRANSIENT);
      } else if (const auto* blob = std::get_if<Blob>(&cell)) {
        sqlite3_bind_blob(prepared, i + 1, blob->bytes.data(), static_cast<int>(blob->bytes.size()),
                          SQLITE_TRANSIENT);
      } else {
        sqlite3_bind_null(prepared, i + 1);
      }
    }
    check(sqlite3_step(prepared) == SQLITE_DONE && sqlite3_reset(prepared) == SQLITE_OK);
  }
  check(sqlite3_exec(opened, "commit", nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_int64 size = 0;
  const std::unique_ptr<unsigned char, decltype(&sqlite3_free)> bytes(
      sqlite3_serialize(opened, "main", &size, 0), sqlite3_free);
  return {reinterpret_cast<const char*>(bytes.get()), static_cast<std::size_t>(size)};
}

inline Pair sqlite_pair(Random& random) {
  SqlPair made = sql_pair(random);
  made.pair.options.path = "t.db";
  made.pair.options.query = one_in(random, 2) ? "select * from t order by rowid"
                                              : R"(select id, y, "no""te", job, "net gain", age from t)";
  made.pair.ordinary.data = sqlite_file(made.ordinary);
  made.pair.hostile.data = sqlite_file(made.hostile);
  made.pair.alone.data = sqlite_file(made.alone);
  return made.pair;
}

}  // namespace tacit::neutrality
