#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "data/bytes.hpp"

namespace tacit::inline v1 {

// Whole records in a row, parsed by one thread.
struct Chunk {
  std::size_t bytes = 0;
  std::size_t rows = 0;        // records in it; blank lines are none, unless the rules say so
  std::size_t first_row = 0;   // number of its first record
  std::size_t first_line = 0;  // physical line where it begins
};

// How records are told apart: by line ends, in CSV only by those outside quotes.
struct RecordRules {
  bool quotes = true;
  bool tab_is_blank = true;  // a line of blanks is no record; a tab counts as blank unless it separates cells
  bool blank_is_record = false;  // in a table of one column, where it is an empty cell
  bool mark_is_blank = false;    // a byte order mark, which is dropped before every record
};

// Where the records lie begins here.
struct Start {
  std::size_t byte = 0;
  std::size_t line = 1;
};

// Finds the ends of records in text that comes block by block. A first pass with it tells how many rows there
// are and where to cut, so that the second can parse in parallel straight into the final matrix.
class RecordScanner {
 public:
  // Cuts a chunk at the first record end after `chunk_bytes` bytes.
  RecordScanner(std::string file, RecordRules rules, std::size_t first_line, std::size_t chunk_bytes);

  void feed(std::string_view block);  // DataError for a NUL byte
  std::vector<Chunk> finish();        // the chunks, after the last block
  std::size_t complete_rows() const { return rows_; }

 private:
  bool blank(const char* at, const char* stop);  // more of a record that was blank so far
  void end_record();
  void cut();

  std::string file_;
  RecordRules rules_;
  std::size_t chunk_bytes_;
  std::vector<Chunk> chunks_;
  Chunk open_;              // the chunk being gathered
  std::size_t line_ = 1;    // physical line that is being read
  std::size_t rows_ = 0;    // records that ended
  bool in_quotes_ = false;  // an odd number of quotes so far in this record
  bool blank_ = true;       // nothing but blanks so far in this record
  std::size_t mark_ = 0;    // how many bytes of a byte order mark it ends with
  bool begun_ = false;      // a byte of this record was seen
};

std::vector<Chunk> scan_records(const ByteSource& source, RecordRules rules, Start start,
                                std::size_t chunk_bytes);

// Calls parse(i, text of chunk i) for every chunk, on `threads` threads. When some fail, the error of the
// first of them in the file is thrown, whatever the number of threads.
void parse_chunks(const ByteSource& source, Start start, const std::vector<Chunk>& chunks, unsigned threads,
                  const std::function<void(std::size_t, std::string_view)>& parse);

}  // namespace tacit::inline v1
