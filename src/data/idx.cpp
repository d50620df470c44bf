#include <bit>
#include <cmath>

#include "core/large_array.hpp"
#include "core/parallel.hpp"
#include "data/readers.hpp"
#include "data/scattering.hpp"
#include "data/target.hpp"
#include "data/text.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {
namespace {

// An IDX file: two zero bytes, a type, the number of dimensions, each dimension as a big-endian 32-bit
// number, then the values, big-endian, the last dimension running fastest.
enum class IdxType : char { bytes = 0x08, integers = 0x0c, floats = 0x0d, doubles = 0x0e };

struct IdxArray {
  std::string file;
  IdxType type = IdxType::bytes;
  std::size_t rows = 0, columns = 1;
  std::vector<std::size_t> extents{};  // of one row, outermost first: of an image, height and width
  std::string content{};

  int value(std::size_t row, std::size_t column) const {
    const std::size_t k = row * columns + column;
    return type == IdxType::bytes ? byte(k) : static_cast<int>(word(k));
  }
  // Of floats and doubles. What is not finite counts as 0: a refusal would tell of a record.
  double real(std::size_t k) const {
    const double x = type == IdxType::floats
                         ? static_cast<double>(std::bit_cast<float>(word(k)))
                         : std::bit_cast<double>(std::uint64_t{word(2 * k)} << 32 | word(2 * k + 1));
    return std::isfinite(x) ? x : 0;
  }
  std::uint32_t word(std::size_t k) const {
    return static_cast<std::uint32_t>(byte(4 * k)) << 24 | static_cast<std::uint32_t>(byte(4 * k + 1)) << 16 |
           static_cast<std::uint32_t>(byte(4 * k + 2)) << 8 | static_cast<std::uint32_t>(byte(4 * k + 3));
  }
  bool reals() const { return type == IdxType::floats || type == IdxType::doubles; }
  unsigned char byte(std::size_t k) const { return static_cast<unsigned char>(content[k]); }
};

[[noreturn]] void fail_truncated(const std::string& file) {
  throw_error<DataError>("{}: the IDX file ends early, is it truncated?", file);
}

std::uint32_t read_dimension(ByteStream& stream, const std::string& file) {
  const std::string four = read_up_to(stream, 4);
  if (four.size() < 4) fail_truncated(file);
  std::uint32_t value = 0;
  for (const char c : four) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

IdxArray read_array(const ByteSource& source) {
  constexpr std::string_view zeros("\0\0", 2);
  constexpr std::string_view types("\x08\x0c\x0d\x0e");
  const std::string& file = source.name();
  const auto stream = source.open();
  const std::string magic = read_up_to(*stream, 4);
  if (magic.size() < 4 || !magic.starts_with(zeros))
    throw_error<DataError>(
        "{}: not an IDX file, expected it to begin with two zero bytes, type and dimensions", file);
  if (types.find(magic[2]) == types.npos)
    throw_error<DataError>(
        "{}: IDX type 0x{:02x}, expected 0x08 (unsigned bytes), 0x0c (32-bit integers), 0x0d (floats) or "
        "0x0e "
        "(doubles)",
        file, static_cast<unsigned char>(magic[2]));
  const int dimensions = static_cast<unsigned char>(magic[3]);
  if (dimensions < 1 || dimensions > 8)
    throw_error<DataError>("{}: {} dimensions, expected 1 to 8", file, dimensions);

  IdxArray array{.file = file, .type = static_cast<IdxType>(magic[2])};
  array.rows = read_dimension(*stream, file);
  std::size_t size = array.type == IdxType::bytes ? 1 : array.type == IdxType::doubles ? 8 : 4;
  if (__builtin_mul_overflow(size, array.rows, &size)) fail_truncated(file);
  for (int d = 1; d < dimensions; ++d) {
    const std::size_t extent = read_dimension(*stream, file);
    if (__builtin_mul_overflow(size, extent, &size)) fail_truncated(file);
    array.columns *= extent;
    array.extents.push_back(extent);
  }
  if (size == 0) throw_error<DataError>("{}: the IDX file has no values", file);
  array.content = read_up_to(*stream, size);
  if (array.content.size() < size) fail_truncated(file);
  if (!read_up_to(*stream, 1).empty())
    throw_error<DataError>("{}: the IDX file goes on after its {} x {} values", file, array.rows,
                           array.columns);
  return array;
}

// Which column of a label or user file to take. One-dimensional files have only one.
std::size_t chosen_column(const IdxArray& array, const std::string& column, std::string_view role) {
  if (array.columns == 1) return 0;
  const auto number = integer_in(column);
  if (number && *number >= 0 && static_cast<std::size_t>(*number) < array.columns)
    return static_cast<std::size_t>(*number);
  throw_error<UsageError>("{}: it has {} columns; the {} column is {}, expected a number from 0 to {}",
                          array.file, array.columns, role, column.empty() ? "not given" : shown(column),
                          array.columns - 1);
}

IdxArray read_beside(const std::filesystem::path& path, const IdxArray& images) {
  IdxArray array = read_array(ByteSource(path));
  if (array.reals()) throw_error<DataError>("{}: floats, expected bytes or 32-bit integers", array.file);
  if (array.rows != images.rows)
    throw_error<DataError>("{}: it has {} entries, expected {}, as {} has", array.file, array.rows,
                           images.rows, images.file);
  return array;
}

void read_labels(const IdxArray& images, const ReadOptions& options, ReadResult& result) {
  const TargetPlan plan = plan_target(options, false);
  if (plan.kind == TargetKind::none) return;
  const IdxArray array = read_beside(options.labels_path, images);
  const std::size_t column = chosen_column(array, options.target, "target");
  std::vector<double> labels(array.rows);
  for (std::size_t i = 0; i < array.rows; ++i) {
    const auto label = number_label(plan, array.value(i, column));
    if (!label)
      throw_error<DataError>("{}: entry {}: the label {} is not a class, expected one of {}", array.file, i,
                             array.value(i, column), shown_list(plan.classes.texts()));
    labels[i] = *label;
  }
  adopt_number_labels(std::move(labels), plan, array.file, result);
}

void read_users(const IdxArray& images, const ReadOptions& options, Dataset& data) {
  const IdxArray array = read_beside(options.users_path, images);
  const std::size_t column = chosen_column(array, options.user, "user");
  Dictionary users;
  for (std::size_t i = 0; i < array.rows; ++i)
    data.users.push_back(users.add(std::to_string(array.value(i, column))));
  data.user_count = users.size();
}

DenseRows pixels(const IdxArray& images) {
  DenseRows rows{images.rows, images.columns, large_array(images.rows * images.columns)};
  for (std::size_t k = 0; k < rows.values.size(); ++k) rows.values[k] = images.byte(k) / 255.0;
  return rows;
}

// Features that were made elsewhere, as they are.
DenseRows numbers(const IdxArray& array) {
  DenseRows rows{array.rows, array.columns, large_array(array.rows * array.columns)};
  for (std::size_t k = 0; k < rows.values.size(); ++k) rows.values[k] = array.real(k);
  return rows;
}

DenseRows wavelets(const IdxArray& images, unsigned threads) {
  if (images.extents.size() != 2)
    throw_error<UsageError>("{}: {} dimensions, expected 3 for wavelet features: images, rows, columns",
                            images.file, images.extents.size() + 1);
  const Scattering scattering(images.extents[0], images.extents[1]);
  const std::size_t features = scattering.features();
  DenseRows rows{images.rows, features, large_array(images.rows * features)};
  parallel_parts(images.rows, threads == 0 ? default_threads() : threads,
                 [&](std::size_t begin, std::size_t end, unsigned) {
                   std::vector<double> image(images.columns);
                   for (std::size_t i = begin; i < end; ++i) {
                     for (std::size_t k = 0; k < image.size(); ++k)
                       image[k] = images.byte(i * image.size() + k) / 255.0;
                     scattering.transform(image, {rows.values.data() + i * features, features});
                   }
                 });
  return rows;
}

}  // namespace

ReadResult read_idx(const ByteSource& source, const ReadOptions& options) {
  const IdxArray images = read_array(source);
  if (images.type == IdxType::integers)
    throw_error<DataError>("{}: 32-bit integers, expected unsigned bytes, floats or doubles", images.file);
  ReadResult result;
  if (!options.labels_path.empty()) read_labels(images, options, result);
  if (!options.users_path.empty()) read_users(images, options, result.data);
  if (options.image_features == ImageFeatures::wavelets) {
    if (images.reals())
      throw_error<DataError>("{}: floats, expected unsigned bytes for wavelet features", images.file);
    result.data.features = Features(wavelets(images, options.threads));
    result.row_norm_bound = 1;
    return result;
  }
  if (images.reals()) {  // nothing bounds them
    result.data.features = Features(numbers(images));
    return result;
  }
  result.data.features = Features(pixels(images));
  // Every feature is in [0, 1], by the format alone.
  result.row_norm_bound = sqrt_up(static_cast<double>(images.columns));
  return result;
}

}  // namespace tacit::inline v1
