#include <algorithm>
#include <cmath>

#include "core/parallel.hpp"
#include "data/encoded/cells.hpp"
#include "data/encoded/format.hpp"
#include "data/readers.hpp"
#include "data/target.hpp"
#include "data/text.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {
namespace {

// A column that is wanted, and where the file has its cells.
struct WantedColumn {
  std::size_t column = 0;
  CellPlace place;
};

std::vector<WantedColumn> find_columns(const EncodedFileView& file, const RowLayout& layout,
                                       const Schema& wanted) {
  std::vector<WantedColumn> found;
  const auto& stored = file.schema().columns;
  if (file.schema().unreadable_missing && !wanted.unreadable_missing)
    throw_error<UsageError>(
        "{}: was encoded with another schema, which takes text that is not a number for a missing cell; "
        "encode the table with this one",
        file.name());
  if (file.schema().decimal && wanted.decimal && *wanted.decimal != *file.schema().decimal)
    throw_error<UsageError>(
        "{}: was encoded with another schema, which has another decimal mark; encode the table with this one",
        file.name());
  for (std::size_t k = 0; k < wanted.columns.size(); ++k) {
    const SchemaColumn& column = wanted.columns[k];
    if (std::holds_alternative<IgnoredColumn>(column.kind)) continue;
    const auto at = std::ranges::find(stored, column.name, &SchemaColumn::name);
    if (at == stored.end() || !same_cells(*at, column))
      throw_error<UsageError>(
          "{}: was encoded with another schema, in which column {} {}; encode the table with this one",
          file.name(), shown(column.name),
          at == stored.end() ? "does not occur" : "has another range, kind, categories or missing value");
    found.push_back({k, layout.place(static_cast<std::size_t>(at - stored.begin()))});
  }
  return found;
}

// The records of a part.
struct RowRange {
  std::size_t begin = 0, end = 0;
  std::size_t rows() const { return end - begin; }
};
RowRange range_of(const EncodedFileView& file, const RecordPart& part) {
  const std::size_t all = file.header().rows;
  return {all * part.number / part.of, all * (part.number + 1) / part.of};
}

// Rows that are made from a file's cells.
class MappedRows final : public RowMaker {
 public:
  MappedRows(std::shared_ptr<const EncodedFileView> file, std::vector<WantedColumn> wanted, Encoder encoder,
             const RowRange& range)
      : file_(std::move(file)),
        wanted_(std::move(wanted)),
        encoder_(std::move(encoder)),
        range_(range),
        sparse_(kept_sparse(encoder_.entries(), encoder_.features())) {}

  std::size_t rows() const override { return range_.rows(); }
  std::size_t columns() const override { return encoder_.features(); }
  bool sparse() const override { return sparse_; }

  RowView make(std::size_t i, RowRoom& room) const override {
    const std::size_t entries = encoder_.entries(), features = encoder_.features();
    room.columns.resize(entries + 1);  // so that a row without entries has column numbers too
    // A dense row comes first, the entries that it is made of after it.
    const std::size_t dense = sparse_ ? 0 : features;
    room.values.resize(dense + entries);
    const EncodedRow row{room.columns.data(), room.values.data() + dense};
    thread_local ReadAhead ahead;
    const std::byte* cells = file_->row(range_.begin + i, ahead);
    for (const WantedColumn& column : wanted_)
      expand_cells(encoder_.parts().cells[column.column], cells, column.place, row);
    encoder_.encode_pairs(row);
    if (sparse_) return {row.values, row.columns, entries};
    std::fill_n(room.values.begin(), features, 0.0);
    for (std::size_t k = 0; k < entries; ++k) room.values[row.columns[k]] = row.values[k];
    return {room.values.data(), nullptr, features};
  }

 private:
  std::shared_ptr<const EncodedFileView> file_;
  std::vector<WantedColumn> wanted_;
  Encoder encoder_;
  RowRange range_;
  bool sparse_;
};

void require_no_layout(const ReadOptions& options) {
  if (options.separator || options.header || options.skip_lines != 0 ||
      options.decimal.value_or('.') != '.' || !options.query.empty())
    throw_error<UsageError>(
        "{}: holds encoded cells; separator, header, lines to skip, decimal mark and query go with a table",
        options.path.string());
}

std::string target_column(const Schema& schema) { return schema.target ? schema.target->column : ""; }

// Target and user, as caller, schema and file have them. Where they are optional, the file may lack them.
void check_roles(const ReadOptions& options, const EncodedFileView& file) {
  const auto check = [&](std::string_view role, const std::string& asked, const std::string& stored) {
    if (asked.empty() || asked == stored || (stored.empty() && options.target_optional)) return;
    throw_error<UsageError>("{}: the {} column is given as {}, but the file was encoded with {}", file.name(),
                            role, shown(asked), stored.empty() ? "none" : shown(stored));
  };
  const Schema& stored = file.schema();
  if (options.wish != TargetWish::none)
    for (const std::string& asked : {options.target, target_column(*options.schema)})
      check("target", asked, target_column(stored));
  for (const std::string& asked : {options.user, options.schema->user}) check("user", asked, stored.user);
}

TargetPlan target_of(const EncodedFileView& file, const ReadOptions& options) {
  if (!file.schema().target || options.wish == TargetWish::none) return {};
  TargetPlan plan = plan_target(options, false);
  const bool classes = plan.kind == TargetKind::classes;
  const std::vector<std::string>& stored = file.schema().target->classes;
  if (classes != !stored.empty() || (classes && plan.classes.texts() != stored))
    throw_error<UsageError>("{}: the target was encoded {}; encode the table with a schema that says {}",
                            file.name(), stored.empty() ? "as a number" : "with other classes",
                            classes ? "which classes it has" : "that it is a number");
  return plan;
}

// One pass over the whole file: digests, cells, labels and users, before anyone relies on them. A digest
// tells damage; that cells are within their bounds, which privacy rests on, is looked at for itself.
class Reading {
 public:
  Reading(const EncodedFileView& file, const RowLayout& layout, const TargetPlan& target, bool with_users,
          const RowRange& range)
      : file_(file), layout_(layout), target_(target), encoder_(file.schema()), range_(range) {
    if (target.kind != TargetKind::none) labels.resize(range.rows());
    if (with_users) users.resize(range.rows());
  }

  void run(unsigned threads) {
    if (range_.rows() == 0) return;
    const std::size_t rows = file_.header().block_rows, first = range_.begin / rows,
                      blocks = (range_.end - 1) / rows + 1 - first;
    parallel_parts(blocks, threads, [&](std::size_t begin, std::size_t end, unsigned) {
      ReadAhead ahead;
      for (std::size_t block = first + begin; block < first + end; ++block) {
        throw_if_stopped();
        file_.check_block(block, ahead);
        for (std::size_t i = std::max(range_.begin, block * rows),
                         last = std::min(range_.end, (block + 1) * rows);
             i < last; ++i)
          check_row(i);
      }
    });
  }

  std::vector<double> labels;
  std::vector<std::uint32_t> users;

 private:
  template <class... Args>
  [[noreturn]] void fail(std::size_t i, fmt::format_string<Args...> format, Args&&... args) const {
    throw_error<DataError>("{}: record {}, {}", file_.name(), i + 1,
                           fmt::format(format, std::forward<Args>(args)...));
  }

  void check_row(std::size_t i) {
    const std::byte* row = file_.row(i);
    const auto& columns = file_.schema().columns;
    for (std::size_t k = 0; k < columns.size(); ++k)
      if (const Fault fault = fault_in_cells(encoder_.parts().cells[k], row, layout_.place(k)))
        fail(i, "column {}: {}", shown(columns[k].name), *fault);
    const std::size_t own = i - range_.begin;
    if (!labels.empty()) labels[own] = label(i, load<double>(row + *layout_.label));
    if (!users.empty()) {
      users[own] = load<std::uint32_t>(row + *layout_.user);
      if (users[own] >= file_.header().users)
        fail(i, "user {} is not below {}", users[own], file_.header().users);
    }
  }

  double label(std::size_t i, double stored) const {
    if (target_.kind == TargetKind::classes) {
      const auto classes = static_cast<double>(target_.classes.size());
      if (!(stored >= 0 && stored < classes && stored == std::floor(stored)))
        fail(i, "the target: {} is not the number of a class below {}", stored, classes);
      return stored;
    }
    const double cut = number_label(target_, stored).value();
    if (!std::isfinite(cut)) fail(i, "the target is {}, expected a finite number", cut);
    return cut;
  }

  const EncodedFileView& file_;
  const RowLayout& layout_;
  const TargetPlan& target_;
  Encoder encoder_;
  RowRange range_;
};

// Users are numbers in the file: whose they are beyond it nobody could tell.
void require_no_users(const ReadOptions& options, bool wants_users) {
  if (wants_users && (options.part.of > 1 || options.keep_user_names))
    throw_error<UsageError>("{}: encoded cells do not say who the users are; in parts, give the table itself",
                            options.path.string());
}

}  // namespace

std::size_t rows_of_encoded(const ReadOptions& options) {
  return range_of(EncodedFileView(options.path), options.part).rows();
}

ReadResult read_encoded(const ReadOptions& given) {
  require_no_layout(given);
  const auto file = std::make_shared<const EncodedFileView>(given.path);
  ReadOptions options = given;
  if (!options.schema) options.schema = file->schema();
  const RowLayout layout(file->schema(), Encoder(file->schema()));
  check_roles(options, *file);
  const bool wants_users = !options.user.empty() || !options.schema->user.empty();
  require_no_users(options, wants_users);
  const TargetPlan target = target_of(*file, options);
  const RowRange range = range_of(*file, options.part);
  Schema schema = settled_schema(options, file->header().rows);
  std::vector<WantedColumn> wanted = find_columns(*file, layout, schema);
  Reading reading(*file, layout, target, wants_users && layout.user.has_value(), range);
  reading.run(options.threads);

  Encoder encoder(schema);
  ReadResult result;
  result.has_target = target.kind != TargetKind::none;
  result.blocks = encoder.blocks();
  result.row_norm_bound = row_norm_bound(result.blocks);
  Dataset& data = result.data;
  data.names = encoder.names();
  data.target_kind = target.kind;
  data.classes = target.classes.texts();
  data.labels = std::move(reading.labels);
  data.users = std::move(reading.users);
  data.user_count = data.users.empty() ? 0 : file->header().users;
  data.features =
      Features(std::make_shared<const MappedRows>(file, std::move(wanted), std::move(encoder), range));
  result.schema = std::move(schema);
  return result;
}

}  // namespace tacit::inline v1
