#include <algorithm>
#include <array>

#include "data/array.hpp"
#include "data/text.hpp"
#include "tacit/core.hpp"

// NumPy's file of one array: \x93NUMPY, two bytes of version, the length of the header (2 bytes, from version
// 2 on 4, little-endian), the header, the values. The header is a Python dict,
//   {'descr': '<f4', 'fortran_order': False, 'shape': (60000, 784), }
// padded with blanks.

namespace tacit::inline v1 {

namespace {

constexpr std::size_t longest_header = 1 << 16;

[[noreturn]] void fail_header(const std::string& file) {
  throw_error<DataError>(
      "{}: not a NumPy file's header, expected {{'descr': …, 'fortran_order': …, 'shape': (…)}}", file);
}

std::size_t read_length(ByteStream& stream, std::size_t bytes, const std::string& file) {
  const std::string text = read_up_to(stream, bytes);
  if (text.size() < bytes) fail_header(file);
  std::size_t value = 0;
  for (std::size_t i = bytes; i-- > 0;) value = value << 8 | static_cast<unsigned char>(text[i]);
  return value;
}

// Reads the dict from left to right.
class Header {
 public:
  Header(std::string text, std::string file) : text_(std::move(text)), file_(std::move(file)) {}

  bool takes(char c) {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!takes(c)) fail_header(file_);
  }
  std::string quoted() {
    expect('\'');
    const std::size_t end = text_.find('\'', at_);
    if (end == text_.npos) fail_header(file_);
    std::string found = text_.substr(at_, end - at_);
    at_ = end + 1;
    return found;
  }
  std::string word() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    const std::size_t begin = at_;
    while (at_ < text_.size() && std::string_view(" ,})").find(text_[at_]) == std::string_view::npos) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  bool truth() {
    const std::string found = word();
    if (found != "True" && found != "False") fail_header(file_);
    return found == "True";
  }
  std::vector<std::size_t> shape() {
    std::vector<std::size_t> found;
    expect('(');
    while (!takes(')')) {
      const auto extent = integer_in(word());
      if (!extent || *extent < 0) fail_header(file_);
      found.push_back(static_cast<std::size_t>(*extent));
      if (takes(',')) continue;
      expect(')');
      break;
    }
    return found;
  }
  void expect_end() {
    takes(' ');
    if (at_ != text_.size()) fail_header(file_);
  }

 private:
  std::string text_, file_;
  std::size_t at_ = 0;
};

struct Described {
  std::string_view type;
  ArrayKind kind;
  unsigned width;
  bool is_signed;
};
constexpr std::array described{
    Described{"u1", ArrayKind::bytes, 1, false},    Described{"b1", ArrayKind::bytes, 1, false},
    Described{"i1", ArrayKind::integers, 1, true},  Described{"i2", ArrayKind::integers, 2, true},
    Described{"i4", ArrayKind::integers, 4, true},  Described{"i8", ArrayKind::integers, 8, true},
    Described{"u2", ArrayKind::integers, 2, false}, Described{"u4", ArrayKind::integers, 4, false},
    Described{"u8", ArrayKind::integers, 8, false}, Described{"f4", ArrayKind::reals, 4, true},
    Described{"f8", ArrayKind::reals, 8, true}};

void describe(const std::string& type, Array& array) {
  const auto* known =
      std::ranges::find(described, std::string_view(type).substr(type.empty() ? 0 : 1), &Described::type);
  if (type.empty() || std::string_view("<>|").find(type[0]) == std::string_view::npos ||
      known == described.end())
    throw_error<DataError>(
        "{}: numbers of the type {}, expected float32, float64, bool or integers of 8 to 64 bits "
        "(array.astype)",
        array.file, shown(type));
  array.kind = known->kind;
  array.width = known->width;
  array.is_signed = known->is_signed;
  array.big_endian = type[0] == '>';
}

}  // namespace

Array read_npy(ByteStream& stream, const std::string& file) {
  const std::size_t major = read_length(stream, 1, file);
  read_length(stream, 1, file);  // minor
  if (major < 1 || major > 3) throw_error<DataError>("{}: NumPy format {}, expected 1, 2 or 3", file, major);
  const std::size_t length = read_length(stream, major == 1 ? 2 : 4, file);
  if (length > longest_header) fail_header(file);
  std::string text = read_up_to(stream, length);
  if (text.size() < length) fail_header(file);
  text.erase(text.find_last_not_of(" \n") + 1);

  Array array{.file = file};
  std::vector<std::size_t> shape;
  Header header(std::move(text), file);
  header.expect('{');
  std::array<bool, 3> seen{};
  while (!header.takes('}')) {
    const std::string key = header.quoted();
    header.expect(':');
    const std::size_t which = key == "descr" ? 0 : key == "fortran_order" ? 1 : key == "shape" ? 2 : 3;
    if (which == 3 || std::exchange(seen[which], true)) fail_header(file);
    if (which == 0) describe(header.quoted(), array);
    if (which == 1) array.columns_first = header.truth();
    if (which == 2) shape = header.shape();
    if (header.takes(',')) continue;
    header.expect('}');
    break;
  }
  header.expect_end();
  if (std::ranges::find(seen, false) != seen.end()) fail_header(file);
  if (shape.empty() || shape.size() > 8)
    throw_error<DataError>("{}: {} dimensions, expected 1 to 8", file, shape.size());
  if (array.columns_first && shape.size() > 2)
    throw_error<DataError>(
        "{}: {} dimensions in Fortran order, expected at most 2 (numpy.ascontiguousarray turns them)", file,
        shape.size());
  array.rows = shape[0];
  array.extents.assign(shape.begin() + 1, shape.end());
  read_content(stream, "NumPy", array);
  return array;
}

}  // namespace tacit::inline v1
