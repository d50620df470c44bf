#include "data/csv_cells.hpp"

#include <algorithm>
#include <cstring>

namespace tacit::inline v1 {

bool CellCursor::take_mark() {
  if (context_->has_rows || !std::string_view(at_, end_).starts_with(byte_order_mark)) return false;
  at_ += byte_order_mark.size();
  return true;
}

// Marks are dropped before every record: which of them is the first of a file is for the others to say. In a
// query's row they are part of a text.
bool CellCursor::next_record() {
  if (at_ == end_) return false;
  if (context_->blank_is_record())
    while (take_mark())
      ;
  while (!context_->blank_is_record()) {
    do skip_padding();
    while (take_mark());
    if (at_ == end_) return false;
    if (*at_ != '\n') break;
    ++at_, ++line_;
  }
  cells_ = 0;
  ++row_;
  record_line_ = line_;
  record_done_ = false;
  return true;
}

std::string_view CellCursor::next() {
  begin_cell();
  skip_padding();
  return at_ < end_ && *at_ == '"' ? quoted() : unquoted();
}

std::string_view CellCursor::unquoted() {
  const char* const start = at_;
  while (at_ < end_ && !ends_cell(*at_)) {
    if (*at_ == '"') fail("a quote inside a cell, expected the whole cell in quotes and its quotes doubled");
    ++at_;
  }
  const auto text = trimmed({start, static_cast<std::size_t>(at_ - start)});
  end_cell();
  return text;
}

std::string_view CellCursor::quoted() {
  const char* start = ++at_;
  unescaped_.clear();
  for (;;) {
    const auto* quote = static_cast<const char*>(std::memchr(at_, '"', static_cast<std::size_t>(end_ - at_)));
    if (!quote) fail("the quote that opens here is never closed");
    at_ = quote + 1;
    if (at_ == end_ || *at_ != '"') break;
    unescaped_.append(start, quote + 1);
    start = ++at_;
  }
  const std::string_view last(start, static_cast<std::size_t>(at_ - 1 - start));
  std::string_view text = last;
  if (!unescaped_.empty()) text = unescaped_.append(last);
  line_ += static_cast<std::size_t>(std::ranges::count(text, '\n'));

  const char* const after = at_;
  skip_padding();
  const bool ended = at_ == end_ || ends_cell(*at_) || (separator_ == ' ' && at_ > after);
  if (!ended) fail("text after the closing quote, expected a separator or the end of the line");
  end_cell();
  return text;
}

std::string CellCursor::place(std::size_t cell) const {
  if (context_->has_rows) return fmt::format("{}: row {}, ", context_->file, row_);
  return fmt::format("{}:{}:{}: ", context_->file, record_line_, cell);
}

void CellCursor::fail_cell(const std::string& what) const {
  const std::string name = cells_ > 0 && cells_ <= context_->names.size()
                               ? fmt::format("column {}: ", shown(context_->names[cells_ - 1]))
                               : "";
  throw_error<DataError>("{}{}{}", place(cells_), name, what);
}

void CellCursor::fail_ragged(std::size_t expected) {
  while (!record_done_) next();
  // The place is the first cell that is missing or too many.
  const std::string name = cells_ < expected && cells_ < context_->names.size()
                               ? fmt::format("column {} is missing: ", shown(context_->names[cells_]))
                               : "";
  const bool numbered = !context_->names.empty() && context_->names.front() == "0";
  std::string_view hint;
  if (numbered && cells_ == 1)
    hint = "; if its cells are separated otherwise, state the separator";
  else if (numbered && record_line_ == 2 && cells_ > expected)
    hint =
        "; if the first line has counts, as in scikit-learn's files, skip it and say that there is no header";
  throw_error<DataError>("{}{}the record has {} cell{}, expected {}{}", place(std::min(cells_, expected) + 1),
                         name, cells_, cells_ == 1 ? "" : "s", expected, hint);
}

}  // namespace tacit::inline v1
