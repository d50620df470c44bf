#include "data/records.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <limits>
#include <mutex>

#include "core/parallel.hpp"
#include "data/text.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {
namespace {

const char* find_byte(const char* begin, const char* end, char byte) {
  return static_cast<const char*>(std::memchr(begin, byte, static_cast<std::size_t>(end - begin)));
}

void skip_bytes(ByteStream& stream, std::size_t count) {
  std::vector<char> unused(std::min<std::size_t>(count, 1u << 16));
  while (count > 0) {
    const std::size_t got = stream.read(unused.data(), std::min(count, unused.size()));
    if (got == 0) return;
    count -= got;
  }
}

}  // namespace

RecordScanner::RecordScanner(std::string file, RecordRules rules, std::size_t first_line,
                             std::size_t chunk_bytes)
    : file_(std::move(file)), rules_(rules), chunk_bytes_(chunk_bytes), line_(first_line) {
  open_.first_line = first_line;
}

void RecordScanner::feed(std::string_view block) {
  const char* at = block.data();
  const char* const end = at + block.size();
  if (const char* nul = find_byte(at, end, '\0'))
    throw_error<DataError>("{}:{}: a NUL byte, expected text in UTF-8", file_,
                           line_ + std::count(at, nul, '\n'));

  const bool any_quotes = rules_.quotes && find_byte(at, end, '"') != nullptr;
  while (at < end) {
    const char* const line_end = find_byte(at, end, '\n');
    const char* const stop = line_end ? line_end : end;
    if (any_quotes && std::count(at, stop, '"') % 2 == 1) in_quotes_ = !in_quotes_;
    blank_ = blank_ && blank(at, stop);
    open_.bytes += static_cast<std::size_t>(stop - at);
    begun_ = true;
    at = stop;
    if (!line_end) return;
    ++at, ++line_, ++open_.bytes;
    if (!in_quotes_) end_record();
  }
}

// Marks may be cut by the end of a block.
bool RecordScanner::blank(const char* at, const char* stop) {
  return std::all_of(at, stop, [&](char c) {
    if (rules_.mark_is_blank && c == byte_order_mark[mark_]) {
      mark_ = (mark_ + 1) % byte_order_mark.size();
      return true;
    }
    return mark_ == 0 && (c == ' ' || c == '\r' || (rules_.tab_is_blank && c == '\t'));
  });
}

void RecordScanner::end_record() {
  if (!blank_ || mark_ != 0 || rules_.blank_is_record) ++open_.rows, ++rows_;
  blank_ = true;
  mark_ = 0;
  begun_ = false;
  if (open_.bytes >= chunk_bytes_) cut();
}

void RecordScanner::cut() {
  chunks_.push_back(open_);
  open_ = {.bytes = 0, .rows = 0, .first_row = rows_, .first_line = line_};
}

std::vector<Chunk> RecordScanner::finish() {
  in_quotes_ = false;  // a quote that is never closed is found by the parser, which knows where it was opened
  if (begun_) end_record();
  if (open_.bytes > 0) cut();
  return std::move(chunks_);
}

std::vector<Chunk> scan_records(const ByteSource& source, RecordRules rules, Start start,
                                std::size_t chunk_bytes) {
  const auto stream = source.open();
  skip_bytes(*stream, start.byte);
  RecordScanner scanner(source.name(), rules, start.line, chunk_bytes);
  std::vector<char> block(std::size_t{1}
                          << 18);  // stays in the processor's cache between reading and scanning
  for (;;) {
    const std::size_t count = stream->read(block.data(), block.size());
    scanner.feed({block.data(), count});
    if (count < block.size()) return scanner.finish();
  }
}

void parse_chunks(const ByteSource& source, Start start, const std::vector<Chunk>& chunks, unsigned threads,
                  const std::function<void(std::size_t, std::string_view)>& parse) {
  const auto stream = source.open();
  skip_bytes(*stream, start.byte);
  std::mutex mutex;  // guards all below, and the stream
  std::size_t next = 0, failed = std::numeric_limits<std::size_t>::max();
  std::exception_ptr failure;

  // Chunks are handed out in order, so that every chunk before a failed one has been parsed too.
  const auto take = [&](std::vector<char>& buffer) {
    const std::lock_guard lock(mutex);
    if (next == chunks.size() || failure) return chunks.size();
    buffer.resize(chunks[next].bytes);
    if (stream->read(buffer.data(), buffer.size()) < buffer.size())
      throw_error<DataError>("{}: the file changed while it was read", source.name());
    return next++;
  };
  const auto work = [&](std::size_t, std::size_t, unsigned) {
    std::vector<char> buffer;
    for (;;) {
      const std::size_t i = take(buffer);
      if (i == chunks.size()) return;
      try {
        parse(i, {buffer.data(), buffer.size()});
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (i < failed) failed = i, failure = std::current_exception();
      }
    }
  };
  if (threads == 0) threads = default_threads();
  const auto workers = static_cast<unsigned>(std::min<std::size_t>(threads, chunks.size()));
  if (workers > 0) parallel_parts(workers, workers, work);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace tacit::inline v1
