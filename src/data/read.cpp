#include "tacit/data.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "data/bytes.hpp"
#include "data/readers.hpp"
#include "data/text.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {
namespace {

void validate(const ReadOptions& options, Format format) {
  if (options.path.empty()) throw_error<UsageError>("no file is given");
  if (options.chunk_bytes == 0) throw_error<UsageError>("chunk_bytes is 0, expected more");
  if (options.classes.size() == 1) throw_error<UsageError>("only one class is given, expected at least two");
  if (options.schema) tacit::validate(*options.schema);
  if (format != Format::idx && !(options.labels_path.empty() && options.users_path.empty()))
    throw_error<UsageError>("a file of labels or users goes with IDX images only");
  if (format != Format::idx && options.image_features != ImageFeatures::none)
    throw_error<UsageError>("wavelet features are made of IDX images only");
  if (format != Format::csv && options.schema && !options.schema->columns.empty())
    throw_error<UsageError>(
        "a schema with columns goes with CSV only; for other formats it may describe the target");
  if (format != Format::csv && options.schema && !options.schema->user.empty())
    throw_error<UsageError>("the schema names a user column, which only a CSV file has");
  if (format == Format::libsvm && !(options.target.empty() && options.user.empty()))
    throw_error<UsageError>(
        "a LIBSVM file has its label first and no other columns: give no target or user column");
}

}  // namespace

std::string unpacked_extension(const std::filesystem::path& path) {
  const auto lower_extension = [](const std::filesystem::path& p) {
    std::string extension = p.extension().string();
    std::ranges::transform(extension, extension.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return extension;
  };
  const std::string extension = lower_extension(path);
  return extension == ".gz" ? lower_extension(path.stem()) : extension;
}

Format format_by_name(const std::filesystem::path& path) {
  std::filesystem::path name = path.filename();
  const std::string extension = unpacked_extension(name), whole = name.string();
  const auto is_one_of = [&](std::initializer_list<std::string_view> list) {
    return std::ranges::find(list, extension) != list.end();
  };
  if (is_one_of({".csv", ".tsv", ".txt", ".data", ".dat"})) return Format::csv;
  if (is_one_of({".libsvm", ".svm", ".t"})) return Format::libsvm;
  const auto idx = whole.rfind("idx");
  if (extension == ".idx" ||
      (idx != whole.npos && idx + 3 < whole.size() && whole[idx + 3] >= '1' && whole[idx + 3] <= '9'))
    return Format::idx;
  if (std::error_code ignored; std::filesystem::is_directory(path, ignored))
    throw_error<DataError>("{}: is a directory, expected a file", path.string());
  throw_error<UsageError>("{}: the format cannot be told from the name; state it: csv, libsvm or idx",
                          path.string());
}

Format parse_format(std::string_view text) {
  if (text == "auto") return Format::by_name;
  if (text == "csv") return Format::csv;
  if (text == "libsvm") return Format::libsvm;
  if (text == "idx") return Format::idx;
  throw_error<UsageError>("format is {}, expected auto, csv, libsvm or idx", shown(text));
}

ImageFeatures parse_image_features(std::string_view text) {
  if (text == "none") return ImageFeatures::none;
  if (text == "wavelets") return ImageFeatures::wavelets;
  throw_error<UsageError>("features is {}, expected none or wavelets", shown(text));
}

std::string_view name(ImageFeatures features) {
  return features == ImageFeatures::wavelets ? "wavelets" : "none";
}

ReadResult read_dataset(const ReadOptions& options) {
  if (options.path.empty()) throw_error<UsageError>("no file is given");
  const ByteSource source(options.path);
  const Format format = options.format == Format::by_name ? format_by_name(options.path) : options.format;
  validate(options, format);
  ReadResult result = format == Format::csv      ? read_csv(source, options)
                      : format == Format::libsvm ? read_libsvm(source, options)
                                                 : read_idx(source, options);
  result.drafted_schema = options.schema && options.schema->drafted_from_data;
  return result;
}

}  // namespace tacit::inline v1
