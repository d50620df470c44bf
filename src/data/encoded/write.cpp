#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <mutex>

#include "core/new_file.hpp"
#include "core/parallel.hpp"
#include "data/csv_layout.hpp"
#include "data/csv_parser.hpp"
#include "data/encoded/cells.hpp"
#include "data/encoded/format.hpp"
#include "data/tables.hpp"
#include "data/text.hpp"

namespace tacit::inline v1 {
namespace {

void require_schema(const ReadOptions& options) {
  if (!options.schema)
    throw_error<UsageError>("encoding a table needs a schema, which says what its columns are");
  validate(*options.schema);
  const bool target = !options.schema->target && !options.target.empty();
  if (target || (options.schema->user.empty() && !options.user.empty()))
    throw_error<UsageError>("encoded cells have the target and users of their schema; name them there");
}

// A file of a known number of rows, mapped while it is written.
class Output {
 public:
  Output(const std::filesystem::path& path, const Schema& schema, const EncodedOrigin& origin,
         std::size_t rows, std::size_t row_bytes)
      : file_(path, NewFile::Readers::owner) {
    constexpr std::uint64_t page = 4096;
    std::string text = schema_to_json(schema);
    if (origin != EncodedOrigin{}) {
      text = text_with_origin(text, origin);
      header_.version = EncodedHeader::version_with_origin;
    }
    header_.rows = rows;
    header_.row_bytes = row_bytes;
    header_.schema_bytes = text.size();
    header_.first_row = (sizeof header_ + text.size() + page - 1) / page * page;
    // A full disk is found here: a page that cannot be written to later would end the process.
    const auto size = static_cast<off_t>(header_.file_bytes());
    if (const int error = ::posix_fallocate(file_.descriptor(), 0, size); error != 0) fail_write(path, error);
    map_.emplace(file_.descriptor(), header_.file_bytes(), path);
    std::memcpy(map_->bytes() + sizeof header_, text.data(), text.size());
  }

  std::byte* row(std::size_t i) { return map_->bytes() + header_.first_row + i * header_.row_bytes; }

  EncodedFile finish(std::size_t users, unsigned threads) {
    header_.users = users;
    parallel_parts(header_.blocks(), threads, [&](std::size_t begin, std::size_t end, unsigned) {
      for (std::size_t block = begin; block < end; ++block)
        store(map_->bytes() + header_.digests() + block * sizeof(Sha256),
              sha256_of(block_bytes(map_->bytes(), header_, block)));
    });
    header_.digest = whole_digest(map_->bytes(), header_);
    store(map_->bytes(), header_);
    map_.reset();
    file_.keep();
    return {.rows = header_.rows,
            .users = users,
            .bytes = header_.file_bytes(),
            .digest = "sha256:" + hex(header_.digest)};
  }

 private:
  NewFile file_;
  EncodedHeader header_;
  std::optional<Mapping> map_;
};

// Stores the cells of one record at a time (csv_parser.hpp).
class CellWriter {
 public:
  CellWriter(const Encoder& encoder, const RowLayout& layout, Output& output)
      : encoder_(&encoder), layout_(&layout), output_(&output) {}

  void begin(std::size_t row) { row_ = output_->row(row); }
  template <class Cell>
  Fault encode(std::size_t column, const Cell& cell) {
    return read_cell(encoder_->parts(), column, cell, CellSink{row_, layout_->place(column)});
  }
  void plain(std::size_t, double) {}  // there is a schema
  // As it is written: the range of the target is no part of the file.
  void label(double, double as_written) { store(row_ + *layout_->label, as_written); }
  void user(std::uint32_t number) { store(row_ + *layout_->user, number); }
  void end() {}

 private:
  const Encoder* encoder_;
  const RowLayout* layout_;
  Output* output_;
  std::byte* row_ = nullptr;
};

// The users of all chunks, numbered in the order of the file. Chunks come in any order; each is settled, and
// its own texts forgotten, once those before it are.
class Users {
 public:
  Users(const std::vector<Chunk>& chunks, std::size_t place, Output& output)
      : chunks_(chunks), place_(place), output_(output), waiting_(chunks.size()) {}

  void settle(std::size_t chunk, Dictionary users) {
    const std::lock_guard lock(mutex_);
    waiting_[chunk] = std::move(users);
    for (; next_ < chunks_.size() && waiting_[next_]; ++next_) renumber(next_);
  }
  std::size_t count() const { return all_.size(); }

 private:
  void renumber(std::size_t chunk) {
    std::vector<std::uint32_t> renumbered;
    for (const std::string& text : waiting_[chunk]->texts()) renumbered.push_back(all_.add(text));
    waiting_[chunk] = Dictionary();
    const Chunk& rows = chunks_[chunk];
    for (std::size_t i = rows.first_row; i < rows.first_row + rows.rows; ++i) {
      std::byte* const at = output_.row(i) + place_;
      store(at, renumbered[load<std::uint32_t>(at)]);
    }
  }

  const std::vector<Chunk>& chunks_;
  std::size_t place_;
  Output& output_;
  std::mutex mutex_;
  std::vector<std::optional<Dictionary>> waiting_;
  std::size_t next_ = 0;
  Dictionary all_;
};

}  // namespace

EncodedFile encode_file(const ReadOptions& options, const std::filesystem::path& output) {
  return encode_file(options, output, "");
}

EncodedFile encode_file(const ReadOptions& given, const std::filesystem::path& path,
                        std::string_view schema_file) {
  require_schema(given);
  const OpenTable table = open_table(given);
  ReadOptions options = table.options;
  options.wish = TargetWish::as_found;
  options.target_optional = false;
  const ByteSource source = begins_with_a_record(options) ? table.source.by_name() : table.source;
  const CsvLayout csv = find_layout(source, options);
  const CsvPlan plan = plan_columns(csv, options);
  const RowLayout layout(*options.schema, *plan.encoder);
  const auto chunks = scan_records(source, csv.rules(), csv.records, options.chunk_bytes);
  if (chunks.empty()) throw_error<DataError>("{}: the file changed while it was read", source.name());

  const EncodedOrigin origin{.by_query = !given.query.empty(), .schema_file = std::string(schema_file)};
  Output output(path, *options.schema, origin, chunks.back().first_row + chunks.back().rows, layout.bytes());
  Users users(chunks, layout.user.value_or(0), output);
  parse_chunks(source, csv.records, chunks, options.threads, [&](std::size_t i, std::string_view text) {
    throw_if_stopped();
    ChunkTexts texts;
    parse_rows(text, chunks[i], csv.context, plan, CellWriter(*plan.encoder, layout, output), texts);
    if (layout.user) users.settle(i, std::move(texts.users));
  });
  return output.finish(users.count(), options.threads);
}

}  // namespace tacit::inline v1
