#include "tacit/data.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "data/bytes.hpp"
#include "data/database_url.hpp"
#include "data/readers.hpp"
#include "data/tables.hpp"
#include "data/text.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {
namespace {

void validate(const ReadOptions& options, Format format) {
  if (options.path.empty()) throw_error<UsageError>("no file is given");
  if (options.part.of == 0 || options.part.number >= options.part.of)
    throw_error<UsageError>("part {} of {}, expected a number below", options.part.number, options.part.of);
  if (options.part.of > 1 && format != Format::csv && format != Format::encoded)
    throw_error<UsageError>("only CSV files and encoded ones are cut into parts; give a file for each part");
  if (options.chunk_bytes == 0) throw_error<UsageError>("chunk_bytes is 0, expected more");
  if (options.classes.size() == 1) throw_error<UsageError>("only one class is given, expected at least two");
  if (options.schema) tacit::validate(*options.schema);
  if (format != Format::idx && !(options.labels_path.empty() && options.users_path.empty()))
    throw_error<UsageError>("a file of labels or users goes with IDX and NumPy files only");
  if (format != Format::idx && options.image_features != ImageFeatures::none)
    throw_error<UsageError>("wavelet features are made of IDX and NumPy images only");
  if (!is_table(format) && !options.query.empty())
    throw_error<UsageError>("a query goes with a SQLite file or a URL postgresql://…");
  if (!is_table(format) && options.schema && !options.schema->columns.empty())
    throw_error<UsageError>(
        "a schema with columns goes with tables, such as CSV; for other formats it may describe the target");
  if (!is_table(format) && options.schema && !options.schema->user.empty())
    throw_error<UsageError>("the schema names a user column, which only a table has");
  const std::array inputs{&options.path, &options.labels_path, &options.users_path};
  if (std::ranges::count_if(inputs, [](const auto* path) { return *path == "-"; }) > 1)
    throw_error<UsageError>("standard input can be one file only: the data, the labels or the users");
  if (format == Format::libsvm && !(options.target.empty() && options.user.empty()))
    throw_error<UsageError>(
        "a LIBSVM file has its label first and no other columns: give no target or user column");
}

ReadResult read_table(const ReadOptions& options) {
  const OpenTable table = open_table(options);
  return read_csv(table.source, table.options);
}

}  // namespace

char decimal_mark(const ReadOptions& options) {
  if (options.decimal && *options.decimal != '.' && *options.decimal != ',')
    throw_error<UsageError>("decimal is {}, expected . or ,", shown({&*options.decimal, 1}));
  if (format_of(options) != Format::csv) return '.';
  const std::optional<char> described = options.schema ? options.schema->decimal : std::nullopt;
  if (described && options.decimal && *described != *options.decimal)
    throw_error<UsageError>(
        "the decimal mark is given as {}, but the schema says {}: leave it out, or convert the file, or "
        "state "
        "the other mark in the schema",
        shown({&*options.decimal, 1}), shown({&*described, 1}));
  return options.decimal.value_or(described.value_or('.'));
}

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
  if (path == "-") return Format::csv;
  if (is_database_url(path)) return Format::postgresql;
  std::filesystem::path name = path.filename();
  const std::string extension = unpacked_extension(name), whole = name.string();
  const auto is_one_of = [&](std::initializer_list<std::string_view> list) {
    return std::ranges::find(list, extension) != list.end();
  };
  if (is_one_of({".csv", ".tsv", ".txt", ".data", ".dat"})) return Format::csv;
  if (is_one_of({".db", ".sqlite", ".sqlite3"})) return Format::sqlite;
  if (extension == ".parquet") return Format::parquet;
  if (extension == ".tacit") return Format::encoded;
  if (is_one_of({".libsvm", ".svm", ".t"})) return Format::libsvm;
  const auto idx = whole.rfind("idx");
  if (extension == ".idx" || extension == ".npy" ||
      (idx != whole.npos && idx + 3 < whole.size() && whole[idx + 3] >= '1' && whole[idx + 3] <= '9'))
    return Format::idx;
  if (std::error_code ignored; std::filesystem::is_directory(path, ignored))
    throw_error<DataError>("{}: is a directory, expected a file", path.string());
  if (std::error_code ignored; !std::filesystem::exists(path, ignored))
    throw_error<NotFoundError>("{}: no such file", path.string());
  throw_error<UsageError>(
      "{}: the file name does not say the format; state it: csv, libsvm, idx, npy, sqlite, parquet or tacit",
      path.string());
}

Format format_of(const ReadOptions& options) {
  if (options.format != Format::by_name) return options.format;
  if (options.query.empty() || is_database_url(options.path)) return format_by_name(options.path);
  return unpacked_extension(options.path) == ".parquet" ? Format::parquet : Format::sqlite;
}

bool is_table(Format format) { return format != Format::libsvm && format != Format::idx; }

std::string source_name(const std::filesystem::path& path) {
  if (path == "-") return "standard input";
  return is_database_url(path) ? shown_url(path.string()) : path.string();
}

Format parse_format(std::string_view text) {
  if (text == "auto") return Format::by_name;
  if (text == "csv") return Format::csv;
  if (text == "libsvm") return Format::libsvm;
  if (text == "idx" || text == "npy") return Format::idx;  // told apart by their first bytes
  if (text == "sqlite") return Format::sqlite;
  if (text == "postgresql") return Format::postgresql;
  if (text == "parquet") return Format::parquet;
  if (text == "tacit") return Format::encoded;
  throw_error<UsageError>(
      "format is {}, expected auto, csv, libsvm, idx, npy, sqlite, postgresql, parquet or tacit",
      shown(text));
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
  const Format format = format_of(options);
  validate(options, format);
  ReadResult result = format == Format::encoded  ? read_encoded(options)
                      : is_table(format)         ? read_table(options)
                      : format == Format::libsvm ? read_libsvm(ByteSource(options.path), options)
                                                 : read_idx(ByteSource(options.path), options);
  const auto& schema = format == Format::encoded ? result.schema : options.schema;
  result.drafted_schema = schema && schema->drafted_from_data;
  return result;
}

}  // namespace tacit::inline v1
