#pragma once

// Cells that a reader might trip over, and what docs/schema.md says of them.

#include <cmath>
#include <cstdlib>
#include <regex>

#include "neutrality.hpp"

namespace tacit::neutrality {

inline std::string hostile_number(Random& random) {
  static const std::vector<std::string> cells{"1e309",
                                              "-1e309",
                                              "1e308",
                                              "-1e308",
                                              "inf",
                                              "-inf",
                                              "+inf",
                                              "Infinity",
                                              "nan",
                                              "-nan",
                                              "NaN",
                                              "1e-400",
                                              "1e999999999999999999999",
                                              "0x1p3",
                                              "0x10",
                                              "+1",
                                              "-0",
                                              "+-1",
                                              "1_000",
                                              "1,5",
                                              "1 000",
                                              "１",
                                              " 7 ",
                                              "\t8\t",
                                              "",
                                              "7.",
                                              ".5",
                                              "1e",
                                              "e1",
                                              "--",
                                              "?",
                                              "NA",
                                              "NULL",
                                              "1\r",
                                              "\xef\xbb\xbf"
                                              "3",
                                              "0x",
                                              "1d3",
                                              "1.5f",
                                              "∞"};
  if (one_in(random, 30)) return std::string(10'000, '9');
  if (one_in(random, 30)) return "0." + std::string(10'000, '0') + "1";
  return one_of(random, cells);
}

inline std::string hostile_text(Random& random) {
  static const std::vector<std::string> pieces{
      "Sales", "Tech", "other", "\t",           ";",        "|", ",",    ":",        " ",
      "\n",    "\r\n", "\r",    "\"",           "\"\"",     "é", "\xe9", "\xff\xfe", "1",
      "2.5",   "=1+1", "#",     "\xef\xbb\xbf", "\xc2\xa0", "'", "\\",   "\x1f\x8b"};
  std::string text;
  for (std::size_t i = below(random, 5); i > 0; --i) text += one_of(random, pieces);
  return text;
}

inline std::string without_blanks(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
  return first == text.npos ? "" : text.substr(first, last + 1 - first);
}

enum class CellKind { empty, number, beyond_doubles, text };

// What a cell of a numeric column is, by a reading of the documentation that shares no code with the readers.
inline CellKind kind_of(const std::string& cell) {
  static const std::regex number(R"([+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?)"),
      infinite("[+-]?(inf|infinity)", std::regex::icase), nan("[+-]?nan", std::regex::icase);
  const std::string text = without_blanks(cell);
  if (text.empty() || std::regex_match(text, nan)) return CellKind::empty;
  if (std::regex_match(text, infinite)) return CellKind::beyond_doubles;
  if (text.size() > 5000)
    return text[0] == '0' ? CellKind::number : CellKind::beyond_doubles;  // the long ones
  if (!std::regex_match(text, number)) return CellKind::text;
  return std::isinf(std::strtod(text.c_str(), nullptr)) ? CellKind::beyond_doubles : CellKind::number;
}

}  // namespace tacit::neutrality
