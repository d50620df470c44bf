#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tacit::inline v1 {

// A column of a database's answer. Its name and type are public.
struct AnswerColumn {
  std::string name;
  std::string no_number{};  // the name of its type, where none of its values can be a number
};

// A table as CSV text, from cells that come with a type, row by row. Each cell is written by its own value
// alone: a number in digits, a text in quotes, a missing value as an empty cell. So what becomes of it is
// what becomes of that cell in a file (docs/schema.md).
class TableText {
 public:
  TableText(std::string source, const std::vector<AnswerColumn>& columns);

  void integer(long long value);
  void number(double value);  // the shortest text that reads as the number, whole ones in digits alone
  void text(std::string_view value);   // DataError for a NUL byte, naming row and column
  void bytes(std::string_view value);  // \\x and hexadecimal digits
  void missing() { quoted({}); }
  void end_row();

  std::size_t rows() const { return row_; }
  std::string take() && { return std::move(content_); }

 private:
  void separate();
  void quoted(std::string_view value);

  std::string source_;
  std::vector<std::string> names_;
  std::string content_;
  std::size_t row_ = 0, cell_ = 0;
};

}  // namespace tacit::inline v1
