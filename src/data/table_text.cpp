#include "data/table_text.hpp"

#include <fmt/format.h>

#include <iterator>

#include "data/text.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

TableText::TableText(std::string source, const std::vector<AnswerColumn>& columns)
    : source_(std::move(source)) {
  for (const AnswerColumn& column : columns) {
    names_.push_back(column.name);
    quoted(column.name);
  }
  content_ += '\n';
  cell_ = 0;
}

void TableText::separate() {
  if (cell_++ > 0) content_ += ',';
}

void TableText::integer(long long value) {
  separate();
  fmt::format_to(std::back_inserter(content_), "{}", value);
}

void TableText::number(double value) {
  separate();
  content_ += number_text(value);
}

void TableText::quoted(std::string_view value) {
  separate();
  content_ += '"';
  for (auto at = value.find('"'); at != value.npos; at = value.find('"')) {
    content_.append(value.substr(0, at + 1)) += '"';
    value.remove_prefix(at + 1);
  }
  content_.append(value) += '"';
}

void TableText::text(std::string_view value) {
  quoted(value);
  if (value.find('\0') != value.npos)
    throw_error<DataError>("{}: row {}, column {}: a NUL byte, expected text in UTF-8", source_, row_ + 1,
                           shown(names_.at(cell_ - 1)));
}

void TableText::bytes(std::string_view value) {
  separate();
  content_ += "\"\\x";
  for (const char c : value)
    fmt::format_to(std::back_inserter(content_), "{:02x}", static_cast<unsigned char>(c));
  content_ += '"';
}

void TableText::end_row() {
  content_ += '\n';
  cell_ = 0;
  ++row_;
}

}  // namespace tacit::inline v1
