#include "data/csv_layout.hpp"
#include "data/csv_parser.hpp"
#include "data/csv_plan.hpp"
#include "data/csv_rows.hpp"
#include "data/readers.hpp"
#include "data/records.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {
namespace {

// The chunks' dictionaries as one, in the order of the file, and in `numbers[row]` the numbers of that one.
template <class Number>
Dictionary merge(const std::vector<Chunk>& chunks, const std::vector<ChunkTexts>& texts,
                 Dictionary ChunkTexts::*which, std::vector<Number>& numbers) {
  Dictionary all;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    std::vector<std::uint32_t> renumbered;
    for (const auto& text : (texts[i].*which).texts()) renumbered.push_back(all.add(text));
    for (std::size_t row = chunks[i].first_row; row < chunks[i].first_row + chunks[i].rows; ++row)
      numbers[row] = static_cast<Number>(renumbered[static_cast<std::size_t>(numbers[row])]);
  }
  return all;
}

// Enough to share out evenly: a part then has at most an eighth too many.
constexpr std::size_t chunks_in_part = 8;

// The file's records, in chunks that are small enough to be shared out. Quotes may hide a line's end, so
// that where records end is told from the beginning only: every part scans all of the file, and parses its
// own.
std::vector<Chunk> scan_for_parts(const ByteSource& source, const CsvLayout& layout,
                                  const ReadOptions& options) {
  auto chunks = scan_records(source, layout.rules(), layout.records, options.chunk_bytes);
  if (chunks.empty() && options.may_be_empty) return chunks;
  if (chunks.empty()) throw_error<DataError>("{}: the file changed while it was read", source.name());
  const std::size_t wanted = chunks_in_part * options.part.of;
  if (options.part.of == 1 || chunks.size() >= wanted) return chunks;
  std::size_t bytes = 0;
  for (const Chunk& chunk : chunks) bytes += chunk.bytes;
  return scan_records(source, layout.rules(), layout.records, bytes / wanted + 1);
}

// The chunks of the part, numbered from its own first record, and where they begin.
struct PartOfFile {
  Start start;
  std::vector<Chunk> chunks;
  std::size_t records = 0;
};

PartOfFile part_of(const std::vector<Chunk>& chunks, Start start, const RecordPart& part) {
  PartOfFile own{.start = start, .chunks = {}};
  const std::size_t all = chunks.empty() ? 0 : chunks.back().first_row + chunks.back().rows;
  const std::size_t begin = all * part.number / part.of, end = all * (part.number + 1) / part.of;
  for (const Chunk& chunk : chunks) {
    if (chunk.first_row < begin) own.start.byte += chunk.bytes;
    if (chunk.first_row < begin || chunk.first_row >= end) continue;
    own.chunks.push_back(chunk);
    own.chunks.back().first_row = own.records;
    own.records += chunk.rows;
  }
  return own;
}

}  // namespace

std::size_t count_records(const ReadOptions& options) {
  if (format_of(options) == Format::encoded) return rows_of_encoded(options);
  if (format_of(options) != Format::csv) return read_dataset(options).data.size();
  const ByteSource given(options.path);
  const ByteSource source = options.schema && begins_with_a_record(options) ? given.by_name() : given;
  const CsvLayout layout = find_layout(source, options);
  return part_of(scan_for_parts(source, layout, options), layout.records, options.part).records;
}

Schema settled_schema(const ReadOptions& options, std::size_t records) {
  KnotFacts facts = options.knot_facts;
  if (!facts.records && options.count_is_public) facts.records = records;
  return with_knots(*options.schema, options.encoder, facts);
}

ReadResult read_csv(const ByteSource& given, const ReadOptions& options) {
  const ByteSource source = options.schema && begins_with_a_record(options) ? given.by_name() : given;
  const CsvLayout layout = find_layout(source, options);
  CsvPlan plan = plan_columns(layout, options);

  const auto all = scan_for_parts(source, layout, options);
  const auto [start, chunks, records] = part_of(all, layout.records, options.part);
  ReadOptions settled = options;
  if (options.schema && options.encoder != EncoderRule::linear_v1) {
    settled.schema = settled_schema(options, records);
    plan = plan_columns(layout, settled);
  }
  CsvRows rows(plan, records);
  std::vector<ChunkTexts> texts(chunks.size());
  parse_chunks(source, start, chunks, options.threads,
               [&, &own = chunks](std::size_t i, std::string_view text) {
                 parse_rows(text, own[i], layout.context, plan, RowWriter(plan, rows), texts[i]);
               });

  ReadResult result;
  if (!options.schema && !layout.header)
    result.read_off_data.push_back("columns");  // as the first record has
  result.schema = std::move(settled.schema);
  Dataset& data = result.data;
  data.names = plan.names;
  data.target_kind = plan.target.kind;
  data.classes = plan.target.classes.texts();
  data.labels = std::move(rows.labels);
  result.has_target = data.target_kind != TargetKind::none;
  if (plan.target.read_off())
    adopt_found_classes(merge(chunks, texts, &ChunkTexts::classes, data.labels), source.name(), result,
                        layout.context.decimal);
  if (plan.has_user) {
    data.users = std::move(rows.users);
    const Dictionary users = merge(chunks, texts, &ChunkTexts::users, data.users);
    data.user_count = users.size();
    if (options.keep_user_names) result.user_names = users.texts();
  }
  data.features = features_of(plan, rows);
  if (plan.encoder) {
    result.blocks = plan.encoder->blocks();
    result.row_norm_bound = row_norm_bound(result.blocks);
  }
  return result;
}

}  // namespace tacit::inline v1
