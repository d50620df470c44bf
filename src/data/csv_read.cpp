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

}  // namespace

Schema settled_schema(const ReadOptions& options, std::size_t records) {
  KnotFacts facts = options.knot_facts;
  if (!facts.records && options.count_is_public) facts.records = records;
  return with_knots(*options.schema, options.encoder, facts);
}

ReadResult read_csv(const ByteSource& given, const ReadOptions& options) {
  const ByteSource source = options.schema && begins_with_a_record(options) ? given.by_name() : given;
  const CsvLayout layout = find_layout(source, options);
  CsvPlan plan = plan_columns(layout, options);

  const auto chunks = scan_records(source, layout.rules(), layout.records, options.chunk_bytes);
  if (chunks.empty()) throw_error<DataError>("{}: the file changed while it was read", source.name());
  const std::size_t records = chunks.back().first_row + chunks.back().rows;
  ReadOptions settled = options;
  if (options.schema && options.encoder != EncoderRule::linear_v1) {
    settled.schema = settled_schema(options, records);
    plan = plan_columns(layout, settled);
  }
  CsvRows rows(plan, records);
  std::vector<ChunkTexts> texts(chunks.size());
  parse_chunks(source, layout.records, chunks, options.threads, [&](std::size_t i, std::string_view text) {
    parse_rows(text, chunks[i], layout.context, plan, RowWriter(plan, rows), texts[i]);
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
                        options.decimal);
  if (plan.has_user) {
    data.users = std::move(rows.users);
    data.user_count = merge(chunks, texts, &ChunkTexts::users, data.users).size();
  }
  data.features = features_of(plan, rows);
  if (plan.encoder) {
    result.blocks = plan.encoder->blocks();
    result.row_norm_bound = row_norm_bound(result.blocks);
  }
  return result;
}

}  // namespace tacit::inline v1
