#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/bytes.hpp"

// Numbers in rows, from an IDX or a NumPy file.

namespace tacit::inline v1 {

enum class ArrayKind { bytes, integers, reals };

struct Array {
  std::string file{};
  ArrayKind kind = ArrayKind::bytes;
  unsigned width = 1;      // bytes of a number: 1, 2, 4 or 8
  bool is_signed = false;  // integers
  bool big_endian = true;
  bool columns_first = false;  // of a matrix: a column's numbers are beside each other, not a row's
  std::size_t rows = 0, columns = 1;
  std::vector<std::size_t> extents{};  // of one row, outermost first: of an image, height and width
  std::string content{};

  // Of number k, the last dimension running fastest.
  std::uint64_t bits(std::size_t k) const;
  unsigned char byte(std::size_t k) const { return static_cast<unsigned char>(bits(k)); }
  std::int64_t integer(std::size_t k) const;  // those beyond 2^63 become 2^63 − 1
  double real(std::size_t k) const;           // of reals
};

// DataError, with the file's name, when it is neither or not whole.
Array read_array(const ByteSource& source);

// What follows a NumPy file's first six bytes.
constexpr std::string_view npy_magic = "\x93NUMPY";
Array read_npy(ByteStream& stream, const std::string& file);

// The values, after the header has said how many; `format` is what messages call the file.
void read_content(ByteStream& stream, std::string_view format, Array& array);

}  // namespace tacit::inline v1
