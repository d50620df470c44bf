#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/core/api.hpp"
#include "tacit/data/blocks.hpp"
#include "tacit/data/dataset.hpp"
#include "tacit/data/knots.hpp"
#include "tacit/data/schema.hpp"

namespace tacit::inline v1 {

enum class Format {
  by_name,  // .csv .tsv .txt .data .dat; .libsvm .svm .t; .idx, or idx1 … idx9 in the name; each also with
            // .gz
  csv,
  libsvm,
  idx,
};

// How labels are to be understood where the schema does not say.
enum class TargetWish {
  as_found,  // classes when the first record's target is text, else numbers
  classes,
  numeric,
  none,  // labels are not read; a target column is left out of the features all the same
};

// What becomes of images.
enum class ImageFeatures {
  none,      // their pixels, in [0, 1]
  wavelets,  // a scattering transform of length 1 (scattering.hpp)
};

struct ReadOptions {
  std::filesystem::path path;
  Format format = Format::by_name;

  // CSV
  // Unset: with a schema both follow from its names and the header (docs/schema.md), never from records;
  // without one they are guessed from the first records, and the result says so.
  std::optional<bool> header;
  std::optional<char> separator;  // , ; | : or tab; ' ' for runs of blanks
  std::size_t skip_lines = 0;     // lines at the top that are not part of the table

  // LIBSVM: the number of features; 0: the largest index in the file, which is then read off the data.
  std::size_t columns = 0;

  // IDX: the files beside the images. A two-dimensional one needs `target` or `user` as the number of its
  // column.
  std::filesystem::path labels_path, users_path;
  ImageFeatures image_features = ImageFeatures::none;

  std::optional<Schema> schema;
  // Knots that the schema leaves open. Without `records`, the rule counts those of the file where their
  // number is public.
  EncoderRule encoder = EncoderRule::linear_v1;
  KnotFacts knot_facts{};
  bool count_is_public = true;
  std::string
      target;  // a column's name, or its number from 0, or from -1 for the last; empty: the schema's or none
  std::string user;  // the same for the column that says whose record it is
  TargetWish wish = TargetWish::as_found;
  std::vector<std::string>
      classes;  // the class names in label order, when public without a schema (a model has them)
  bool target_optional = false;  // the file may lack the target and user columns, as it does for prediction

  unsigned threads = 0;                            // 0: one per core
  std::size_t chunk_bytes = std::size_t{1} << 20;  // parsed at a time by one thread; > 0
};

struct ReadResult {
  Dataset data;
  bool has_target = false;
  bool drafted_schema = false;  // the schema says that it was drafted from data
  std::vector<std::string>
      read_off_data;             // what should be public but was taken from the data: "classes", "columns"
  std::optional<Schema> schema;  // as the records were encoded, with knots; a model keeps it
  std::vector<FeatureBlock> blocks;      // public shape of every row, intercept left out; empty: unknown
  std::optional<double> row_norm_bound;  // public bound on every row's 2-norm, from the schema or the format
};

// Reads a dataset. Bad content throws DataError with one line, "file:line:cell: what is wrong, what was
// expected"; a missing file NotFoundError; options that contradict each other or the schema UsageError.
TACIT_API ReadResult read_dataset(const ReadOptions& options);

// The format that a file's name stands for. UsageError when the name does not say.
TACIT_API Format format_by_name(const std::filesystem::path& path);

// "csv", "libsvm", "idx", "auto". UsageError otherwise.
TACIT_API Format parse_format(std::string_view text);

// "none", "wavelets". UsageError otherwise.
TACIT_API ImageFeatures parse_image_features(std::string_view text);
TACIT_API std::string_view name(ImageFeatures features);

}  // namespace tacit::inline v1
