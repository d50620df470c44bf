#include "failed_reads.hpp"
#include "steps.hpp"
#include "tacit/core/error.hpp"

namespace tacit::inline v1::service {

namespace {

bool is_table(const ReadOptions& reading) {
  return (reading.format == Format::by_name ? format_by_name(reading.path) : reading.format) == Format::csv;
}

// Nothing but the first record tells whether a table's target has classes or numbers. (Classes that are found
// are an assumption of their own.)
bool numbers_were_guessed(const ReadOptions& reading, const ReadResult& read) {
  const bool stated = reading.schema && reading.schema->target;
  return is_table(reading) && reading.wish == TargetWish::as_found && !stated &&
         read.data.target_kind == TargetKind::numeric;
}

}  // namespace

FitRecords read(const ReadOptions& reading, const FitPlan& plan) {
  ReadOptions how = reading;
  how.wish = wish_for(plan.options, reading);
  how.threads = plan.options.threads;
  ReadResult found = recording_failures(plan.options.ledger, [&] {
    ReadResult result = read_dataset(how);
    if (!result.has_target) throw_error<DataError>("{}: there are no labels", reading.path.string());
    return result;
  });
  const bool guessed_numbers = numbers_were_guessed(how, found);
  FitRecords records = take(std::move(found));
  records.sources.guessed_numbers = guessed_numbers;
  records.sources.guessed_header = is_table(reading) && !reading.schema && !reading.header;
  records.sources.guessed_separator = is_table(reading) && !reading.schema && !reading.separator;
  records.sources.user_column = reading.user;
  return records;
}

FitRecords take(ReadResult read) {
  return {.data = std::move(read.data),
          .row_norm_bound = read.row_norm_bound,
          .sources = {.read_off_data = std::move(read.read_off_data), .drafted_schema = read.drafted_schema}};
}

}  // namespace tacit::inline v1::service
