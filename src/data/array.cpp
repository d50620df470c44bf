#include "data/array.hpp"

#include <bit>
#include <limits>

#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

[[noreturn]] void fail_truncated(std::string_view format, const std::string& file) {
  throw_error<DataError>("{}: the {} file ends early, is it truncated?", file, format);
}

std::uint32_t read_dimension(ByteStream& stream, const std::string& file) {
  const std::string four = read_up_to(stream, 4);
  if (four.size() < 4) fail_truncated("IDX", file);
  std::uint32_t value = 0;
  for (const char c : four) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

// An IDX file: two zero bytes, a type, the number of dimensions, each dimension as a big-endian 32-bit
// number, then the values, big-endian, the last dimension running fastest.
Array read_idx_array(ByteStream& stream, std::string_view first_four, const std::string& file) {
  Array array{.file = file};
  switch (const auto type = static_cast<unsigned char>(first_four[2])) {
    case 0x08:
      break;
    case 0x0c:
      array.kind = ArrayKind::integers, array.width = 4, array.is_signed = true;
      break;
    case 0x0d:
      array.kind = ArrayKind::reals, array.width = 4;
      break;
    case 0x0e:
      array.kind = ArrayKind::reals, array.width = 8;
      break;
    default:
      throw_error<DataError>(
          "{}: IDX type 0x{:02x}, expected 0x08 (unsigned bytes), 0x0c (32-bit integers), 0x0d (floats) or "
          "0x0e (doubles)",
          file, type);
  }
  const int dimensions = static_cast<unsigned char>(first_four[3]);
  if (dimensions < 1 || dimensions > 8)
    throw_error<DataError>("{}: {} dimensions, expected 1 to 8", file, dimensions);
  array.rows = read_dimension(stream, file);
  for (int d = 1; d < dimensions; ++d) array.extents.push_back(read_dimension(stream, file));
  read_content(stream, "IDX", array);
  return array;
}

}  // namespace

std::uint64_t Array::bits(std::size_t k) const {
  const std::size_t place = columns_first ? k % columns * rows + k / columns : k;
  std::uint64_t value = 0;
  for (unsigned i = 0; i < width; ++i) {
    const auto byte = static_cast<unsigned char>(content[place * width + i]);
    value |= std::uint64_t{byte} << 8 * (big_endian ? width - 1 - i : i);
  }
  return value;
}

std::int64_t Array::integer(std::size_t k) const {
  const unsigned unused = 64 - 8 * width;
  const std::uint64_t value = bits(k);
  if (is_signed) return static_cast<std::int64_t>(value << unused) >> unused;
  constexpr auto largest = std::numeric_limits<std::int64_t>::max();
  return value > static_cast<std::uint64_t>(largest) ? largest : static_cast<std::int64_t>(value);
}

double Array::real(std::size_t k) const {
  if (width == 8) return std::bit_cast<double>(bits(k));
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits(k))));
}

void read_content(ByteStream& stream, std::string_view format, Array& array) {
  array.columns = 1;
  std::size_t size = array.width;
  if (__builtin_mul_overflow(size, array.rows, &size)) fail_truncated(format, array.file);
  for (const std::size_t extent : array.extents) {
    if (__builtin_mul_overflow(size, extent, &size)) fail_truncated(format, array.file);
    array.columns *= extent;
  }
  if (size == 0) throw_error<DataError>("{}: the {} file has no values", array.file, format);
  array.content = read_up_to(stream, size);
  if (array.content.size() < size) fail_truncated(format, array.file);
  if (!read_up_to(stream, 1).empty())
    throw_error<DataError>("{}: the {} file goes on after its {} x {} values", array.file, format, array.rows,
                           array.columns);
}

Array read_array(const ByteSource& source) {
  const std::string& file = source.name();
  const auto stream = source.open();
  const std::string magic = read_up_to(*stream, 4);
  if (magic == npy_magic.substr(0, 4)) {
    if (read_up_to(*stream, 2) != npy_magic.substr(4)) fail_truncated("NumPy", file);
    return read_npy(*stream, file);
  }
  if (magic.size() < 4 || !magic.starts_with(std::string_view("\0\0", 2)))
    throw_error<DataError>(
        "{}: neither an IDX file (two zero bytes, type, dimensions) nor a NumPy file (\\x93NUMPY)", file);
  return read_idx_array(*stream, magic, file);
}

}  // namespace tacit::inline v1
