#include <cmath>

#include "core/large_array.hpp"
#include "core/parallel.hpp"
#include "data/array.hpp"
#include "data/readers.hpp"
#include "data/scattering.hpp"
#include "data/target.hpp"
#include "data/text.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {
namespace {

// Which column of a label or user file to take. One-dimensional files have only one.
std::size_t chosen_column(const Array& array, const std::string& column, std::string_view role) {
  if (array.columns == 1) return 0;
  const auto number = integer_in(column);
  if (number && *number >= 0 && static_cast<std::size_t>(*number) < array.columns)
    return static_cast<std::size_t>(*number);
  throw_error<UsageError>("{}: it has {} columns; the {} column is {}, expected a number from 0 to {}",
                          array.file, array.columns, role, column.empty() ? "not given" : shown(column),
                          array.columns - 1);
}

Array read_beside(const std::filesystem::path& path, const Array& images) {
  Array array = read_array(ByteSource(path));
  if (array.rows != images.rows)
    throw_error<DataError>("{}: it has {} entries, expected {}, as {} has", array.file, array.rows,
                           images.rows, images.file);
  return array;
}

void read_labels(const Array& images, const ReadOptions& options, ReadResult& result) {
  const TargetPlan plan = plan_target(options, false);
  if (plan.kind == TargetKind::none) return;
  const Array array = read_beside(options.labels_path, images);
  const std::size_t column = chosen_column(array, options.target, "target");
  std::vector<double> labels(array.rows);
  for (std::size_t i = 0; i < array.rows; ++i) {
    const std::size_t k = i * array.columns + column;
    const double value =
        array.kind == ArrayKind::reals ? array.real(k) : static_cast<double>(array.integer(k));
    if (!std::isfinite(value))
      throw_error<DataError>("{}: entry {}: the label is {}, expected a number", array.file, i, value);
    const auto label = number_label(plan, value);
    if (!label)
      throw_error<DataError>("{}: entry {}: the label {} is not a class, expected one of {}", array.file, i,
                             value, shown_list(plan.classes.texts()));
    labels[i] = *label;
  }
  adopt_number_labels(std::move(labels), plan, array.file, result);
}

void read_users(const Array& images, const ReadOptions& options, Dataset& data) {
  const Array array = read_beside(options.users_path, images);
  if (array.kind == ArrayKind::reals)
    throw_error<DataError>("{}: floats, expected users as bytes or integers", array.file);
  const std::size_t column = chosen_column(array, options.user, "user");
  Dictionary users;
  for (std::size_t i = 0; i < array.rows; ++i) {
    const std::size_t k = i * array.columns + column;
    data.users.push_back(
        users.add(array.is_signed ? std::to_string(array.integer(k)) : std::to_string(array.bits(k))));
  }
  data.user_count = users.size();
}

DenseRows pixels(const Array& images) {
  DenseRows rows{images.rows, images.columns, large_array(images.rows * images.columns)};
  for (std::size_t k = 0; k < rows.values.size(); ++k) rows.values[k] = images.byte(k) / 255.0;
  return rows;
}

// Features that were made elsewhere, as they are. What is not finite counts as 0: a refusal would tell of a
// record.
DenseRows numbers(const Array& array) {
  DenseRows rows{array.rows, array.columns, large_array(array.rows * array.columns)};
  for (std::size_t k = 0; k < rows.values.size(); ++k) {
    const double x = array.kind == ArrayKind::reals ? array.real(k) : static_cast<double>(array.integer(k));
    rows.values[k] = std::isfinite(x) ? x : 0;
  }
  return rows;
}

DenseRows wavelets(const Array& images, unsigned threads) {
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
  const Array images = read_array(source);
  ReadResult result;
  if (!options.labels_path.empty()) read_labels(images, options, result);
  if (!options.users_path.empty()) read_users(images, options, result.data);
  if (options.image_features == ImageFeatures::wavelets) {
    if (images.kind != ArrayKind::bytes)
      throw_error<DataError>("{}: expected unsigned bytes for wavelet features", images.file);
    result.data.features = Features(wavelets(images, options.threads));
    result.row_norm_bound = 1;
    return result;
  }
  if (images.kind != ArrayKind::bytes) {  // nothing bounds them
    result.data.features = Features(numbers(images));
    return result;
  }
  result.data.features = Features(pixels(images));
  // Every feature is in [0, 1], by the format alone.
  result.row_norm_bound = sqrt_up(static_cast<double>(images.columns));
  return result;
}

}  // namespace tacit::inline v1
