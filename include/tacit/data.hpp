#pragma once

// Layer: data.
//
// Records: in memory, from files, and what is public about their columns.
//
//     tacit::ReadOptions how{.path = "people.csv"};
//     how.schema = tacit::parse_schema(text, "people.schema.json");
//     tacit::ReadResult read = tacit::read_dataset(how);

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tacit/core.hpp"

namespace tacit::inline v1 {

// Row-major: value of row i, column j at values[i * columns + j].
struct DenseRows {
  std::size_t rows = 0, columns = 0;
  std::vector<double> values = {};
};

// The same in memory of someone else's, which stays as it is for as long as `owner` is held.
struct DenseView {
  std::size_t rows = 0, columns = 0;
  const double* values = nullptr;
  std::shared_ptr<const void> owner = {};
};

// Compressed sparse rows: row i holds entries [start[i], start[i+1]) with strictly ascending column numbers.
struct SparseRows {
  std::size_t rows = 0, columns = 0;
  std::vector<std::uint64_t> start{0};
  std::vector<std::uint32_t> column = {};
  std::vector<double> value = {};
};

// One row: `size` values, and their column numbers unless the row is dense (columns == nullptr).
struct RowView {
  const double* values = nullptr;
  const std::uint32_t* columns = nullptr;
  std::size_t size = 0;
};

// Room for a row that is made when it is asked for. Each thread has its own.
struct RowRoom {
  std::vector<double> values = {};
  std::vector<std::uint32_t> columns = {};
};

// Rows that do not lie in memory: each is made from a file whenever a pass comes to it.
class TACIT_API RowMaker {
 public:
  RowMaker() = default;
  RowMaker(const RowMaker&) = delete;
  RowMaker& operator=(const RowMaker&) = delete;
  virtual ~RowMaker() = default;

  virtual std::size_t rows() const = 0;
  virtual std::size_t columns() const = 0;
  virtual bool sparse() const = 0;  // whether rows come with column numbers
  // Row i, the same whenever it is asked for. Finite values, column numbers ascending and below columns().
  virtual RowView make(std::size_t i, RowRoom& room) const = 0;
};

// The feature matrix, dense or sparse. Every value is finite: DataError for others, and for sizes that do not
// fit each other. What is moved from has no rows and no columns.
class TACIT_API Features {
 public:
  Features() = default;
  Features(const Features&) = default;
  Features(Features&& other) noexcept;
  Features& operator=(const Features&) = default;
  Features& operator=(Features&& other) noexcept;
  ~Features() = default;
  explicit Features(DenseRows dense);
  explicit Features(DenseView dense);
  explicit Features(SparseRows sparse);
  explicit Features(std::shared_ptr<const RowMaker> maker);

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  bool sparse() const;
  bool in_memory() const { return !std::holds_alternative<std::shared_ptr<const RowMaker>>(data_); }
  // UsageError where they are stored another way; a view is not DenseRows.
  const DenseRows& dense_rows() const;
  const SparseRows& sparse_rows() const;

  // Row i < rows(), which is not checked. The view holds until the room is used again.
  RowView row(std::size_t i, RowRoom& room) const;
  // Of rows in memory only; the view holds as long as they do. UsageError for others.
  RowView row(std::size_t i) const;

 private:
  std::size_t rows_ = 0, columns_ = 0;
  std::variant<DenseRows, DenseView, SparseRows, std::shared_ptr<const RowMaker>> data_;
};

// What a label means.
enum class TargetKind {
  none,     // no labels
  classes,  // labels are class numbers 0 … K−1; `classes` has their public names
  numeric,  // labels are numbers
};

class Shards;  // who holds which records, where they are in several parts (docs/clusters.md)

// Records, as the methods see them: features after the public transforms, labels, and the person each record
// belongs to. Immutable by convention once made.
struct Dataset {
  Features features = {};
  TargetKind target_kind = TargetKind::none;
  std::vector<double> labels = {};        // one per row unless target_kind is none
  std::vector<std::string> classes = {};  // names of the classes, in label order
  // Empty, or the user number of each row: below user_count. Where there are users, a fit protects them.
  std::vector<std::uint32_t> users = {};
  std::size_t user_count = 0;  // distinct users; 0 without a user column
  // Empty, or what each row's loss is multiplied with: a part of the public bound on weights, in [0, 1]
  // (docs/weights.md). `service::fit` takes weights as they are and makes these parts of them.
  std::vector<double> weights = {};
  std::vector<std::string> names = {};  // feature names; empty when the file has none
  // Set where the records are elsewhere: `features` then has their number and no rows, and there are no
  // labels, users or weights here.
  std::shared_ptr<Shards> shards = {};

  std::size_t size() const { return features.rows(); }
};

// Features that stand side by side and whose absolute values sum to at most `bound` in every row that an
// encoder makes: the hats of a number, the categories of a column, one number alone.
struct FeatureBlock {
  std::size_t size = 1;  // k ≥ 1
  double bound = 1;      // ρ, 2^−100 … 2^100
  bool full = false;  // what a row has in it sums to ρ, exactly: hats, one of several, the constant feature
  bool operator==(const FeatureBlock&) const = default;
};

// The shape of an encoded row: blocks that follow one another and together are all features, the intercept's
// constant feature a block of its own, the last. It is public, and makes a norm: the gauge
//   ‖v‖_K = max over blocks j of ‖v_j‖₁/ρ_j,   of K = {v : ‖v_j‖₁ ≤ ρ_j for all j},
// for vectors with a number for each feature. With r numbers for each, one an output, |v_l| is the ℓ2 norm of
// the r numbers of feature l [docs/shaped_noise.md].
class TACIT_API FeatureBlocks {
 public:
  FeatureBlocks() = default;  // none: nothing is known of the rows
  // Throws UsageError, naming the block, unless sizes and bounds are within their ranges.
  explicit FeatureBlocks(std::vector<FeatureBlock> blocks);
  // The blocks of an encoder's features and, unless it is 0, the intercept's, which is full where another is:
  // what a Problem states.
  static FeatureBlocks with_intercept(std::vector<FeatureBlock> encoded, double intercept);

  bool empty() const { return blocks_.empty(); }
  const std::vector<FeatureBlock>& list() const { return blocks_; }
  std::size_t features() const { return features_; }  // the sum of the sizes
  double largest_bound() const { return largest_bound_; }

  // √Σρ², rounded up: ‖v‖₂ ≤ l2_bound()·‖v‖_K.
  double l2_bound() const { return l2_bound_; }

  // With two full blocks or more the rows lie in a plane, L = {v : Σv_j/ρ_j is the same for all full blocks
  // j}, of this dimension; without, in all of ℝᵖ [docs/shaped_noise.md, "The plane that gradients live in"].
  bool in_plane() const { return full_ > 1; }
  std::size_t plane_dimension() const { return features_ - (in_plane() ? full_ - 1 : 0); }
  // Whether each full block of the row sums to its bound, with no rounding: then it lies in L. The constant
  // feature is `intercept`, unless it is 0.
  bool holds(const RowView& row, double intercept) const;
  // The same sizes and bounds, none of them full.
  FeatureBlocks without_plane() const;

  // ‖v‖_K, rounded up: of a row, with the constant feature unless `intercept` is 0; of parameters, output by
  // output. Both must have a number for each feature.
  double gauge(const RowView& row, double intercept) const;
  double gauge(std::span<const double> parameters, std::size_t outputs) const;

  // E‖b‖₂² for b with density ∝ exp(−‖b‖_K) and `outputs` numbers a feature: how large shaped noise is. With
  // one output in the plane, where there is one; about, then.
  double mean_square(std::size_t outputs) const;

  // "2*9=1,16:1,1=1": two full blocks of size 9 and bound 1, one of size 16 that is not full, and so on;
  // bounds come back to the last bit. Throws UsageError, quoting the text, unless it is one.
  std::string text() const;
  static FeatureBlocks parse(std::string_view text);

  bool operator==(const FeatureBlocks&) const = default;

 private:
  std::vector<FeatureBlock> blocks_;
  std::size_t features_ = 0, full_ = 0;
  double largest_bound_ = 0, l2_bound_ = 0;
};

// What is publicly known of a table before anyone looks at it: the columns, their bounds and categories.
// Every record is turned into features by its own cells and the schema alone, so that one record's features
// never depend on another record.

// Where a number's curve may bend. `knots` in the JSON.
struct AutoKnots {  // as `with_knots` says; where no rule was asked, the number on [0, 1]
  bool operator==(const AutoKnots&) const = default;
};
using Knots = std::variant<AutoKnots,
                           std::size_t,  // 1: a straight line, centered; K >= 2: K hats, even over the range
                           std::vector<double>>;  // a hat for each, in the column's units, ascending

// Clamped to [min, max] and mapped onto [0, 1]: u = (x - min) / (max - min), or with log1p
// log(1 + x - min) / log(1 + max - min). What becomes of u is said by the knots.
struct NumericColumn {
  double min = 0;  // < max
  double max = 1;
  bool log1p = false;
  std::optional<double> missing{};  // taken for an empty cell; in [min, max]
  Knots knots{};
  bool integer = false;            // only whole numbers occur; min and max are whole
  bool missing_indicator = false;  // an empty cell has a feature of its own instead
};

// One feature per category, which is 1 or 0, and one called `other` for every other value. Where that is less
// than 1, up to three categories share the rest [docs/features.md].
struct CategoricalColumn {
  std::vector<std::string> categories{};  // at least one, distinct, none of them empty or "other"
  std::optional<std::string> missing{};   // taken for an empty cell: a category, or "other"
  bool missing_indicator = false;         // an empty cell has a feature of its own instead
  std::optional<double> other{};          // what that feature is, 2^-20 to 1; unset: as the rule says, or 1
};

using HashKey = std::array<std::uint64_t, 2>;  // the two little-endian words of a SipHash key

// Text with too many values to list: the bucket floor(SipHash-2-4(key, text) * buckets / 2^64) is 1.
struct HashedColumn {
  std::size_t buckets = 2;  // 2 to 2^20
  HashKey key{};
  std::optional<std::string> missing{};  // taken for an empty cell
  bool missing_indicator = false;
};

// ISO 8601 dates and times, as seconds since 1970-01-01T00:00Z; on request also one feature for each month,
// weekday or hour, exactly one of which is 1.
struct DateColumn {
  NumericColumn number = {};  // in seconds; no log1p, not integer
  bool month = false, weekday = false, hour = false;
};

struct IgnoredColumn {};

struct SchemaColumn {
  std::string name = {};  // as in the header, or "0", "1", … in a file without one
  std::variant<NumericColumn, CategoricalColumn, IgnoredColumn, HashedColumn, DateColumn> kind = {};
};

// What is to be predicted. With classes, a label is the number of its class; without, it is a number, clamped
// to the bounds that are given.
struct SchemaTarget {
  std::string column = {};             // empty only for files whose labels have no name (LIBSVM, IDX)
  std::vector<std::string> classes{};  // none, or at least 2
  std::optional<double> min{}, max{};  // only without classes
  bool log1p = false;                  // the model is for log(1 + y - min); needs min
};

struct Schema {
  std::vector<SchemaColumn> columns = {};
  std::vector<std::array<std::string, 2>> pairs{};  // products of two columns, or parts ("when.hour")
  std::optional<SchemaTarget> target = {};
  std::string user = {};       // the column that says whose record it is; empty: none
  bool ignore_others = false;  // columns of the file that the schema does not name are dropped, not refused
  bool drafted_from_data =
      false;  // bounds and categories were read off the data and are not public knowledge
  // Read from a file with a certificate: what finding it cost is for FitOptions::schema_release to state.
  bool found_privately = false;
  bool unreadable_missing = false;  // a cell that is no number, or no date, is taken for an empty one
  std::optional<char> decimal{};    // . or , before the fraction of a number that is text; unset: not stated
};

// Throws DataError with the place in the schema when it contradicts itself. `source` begins the message.
TACIT_API void validate(const Schema& schema, std::string_view source = "schema");

// What becomes a block of features, in their order: the columns, and the parts of dates ("when.month").
TACIT_API std::vector<std::string> block_names(const Schema& schema);

// A schema from its JSON text; `source` begins every message. DataError names the place inside the JSON.
TACIT_API Schema parse_schema(std::string_view text, std::string_view source);
TACIT_API Schema read_schema(const std::filesystem::path& path);

// The same schema as JSON text, one line per column; equal schemas give equal bytes.
TACIT_API std::string schema_to_json(const Schema& schema);

// Public facts of every dataset that is read with the schema (encoder.hpp). Features come in the schema's
// order, whatever the order of the file's columns.
TACIT_API std::size_t encoded_columns(const Schema& schema);
TACIT_API std::vector<std::string> feature_names(const Schema& schema);  // "age", "job=Sales", "job=other"

// A bound on the 2-norm of every encoded row. UsageError for a schema that describes no feature: it bounds
// nothing.
TACIT_API double row_norm_bound(const Schema& schema);

// u of one numeric cell: in [0, 1] for every value but NaN.
TACIT_API double encode_number(const NumericColumn& column, double value);

// What becomes of numbers whose knots the schema leaves to the tool.
enum class EncoderRule {
  linear_v1,  // u in [0, 1]: what models of format 1 see
  linear,     // u − ½
  hats,       // the usual number of hats, whatever the size of the data
  automatic,  // as many hats as the data can bear
};

// "linear-v1", "linear", "hats", "auto". UsageError otherwise.
TACIT_API EncoderRule parse_encoder_rule(std::string_view text);
TACIT_API std::string_view name(EncoderRule rule);

// What the rule may look at: public values alone.
struct KnotFacts {
  std::optional<std::size_t> records = {};  // absent where their number is not public
  std::optional<double> epsilon = {};       // of a pure or approximate guarantee, or mu; absent: no privacy
};

// Hats for a number: fewer, and in the end a straight line (1), where n·ε/d is small; d columns.
TACIT_API std::size_t automatic_knots(const KnotFacts& facts, std::size_t columns);

// The schema with knots for every number and date, and what `other` is in every column of categories, as the
// rule has them; what the schema states stands. Whole numbers with no more values than knots get a hat for
// each, or a line if they are two. With linear_v1, the schema as it is.
TACIT_API Schema with_knots(Schema schema, EncoderRule rule, const KnotFacts& facts);

enum class Format {
  by_name,  // .csv .tsv .txt .data .dat; .libsvm .svm .t; .idx, or idx1 … idx9 in the name; each also with
            // .gz. .db .sqlite .sqlite3; postgresql://…; .parquet; .tacit. Standard input is CSV.
  csv,
  libsvm,
  idx,
  sqlite,
  postgresql,
  parquet,
  encoded,  // what encode_file made
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

// A stretch of a file's records: the `number`-th of `of` parts of about the same size, from 0.
struct RecordPart {
  std::size_t number = 0, of = 1;
};

struct ReadOptions {
  std::filesystem::path path = {};  // or "-" for standard input, or a URL postgresql://…
  Format format = Format::by_name;

  // SQLite and PostgreSQL: a select whose rows are the records. A file of no known name is then SQLite's.
  std::string query{};

  // CSV
  std::optional<char> decimal = {};  // . or , before the fraction of a number; unset: the schema's, or .
  // Unset: with a schema both follow from its names and the header (docs/schema.md), never from records;
  // without one they are guessed from the first records, and the result says so.
  std::optional<bool> header = {};
  std::optional<char> separator = {};  // , ; | : or tab; ' ' for runs of blanks
  std::size_t skip_lines = 0;          // lines at the top that are not part of the table

  // LIBSVM: the number of features; 0: the largest index in the file, which is then read off the data.
  std::size_t columns = 0;

  // IDX: the files beside the images. A two-dimensional one needs `target` or `user` as the number of its
  // column.
  std::filesystem::path labels_path = {}, users_path = {};
  ImageFeatures image_features = ImageFeatures::none;

  std::optional<Schema> schema = {};
  // Knots that the schema leaves open. Without `records`, the rule counts those of the file where their
  // number is public.
  EncoderRule encoder = EncoderRule::linear_v1;
  KnotFacts knot_facts{};
  bool count_is_public = true;
  std::string target =
      {};  // a column's name, or its number from 0, or from -1 for the last; empty: the schema's or none
  std::string user = {};  // the same for the column that says whose record it is
  // Of a table without a schema, the columns to take, by name and in this order, if the header has them all.
  // Empty: all.
  std::vector<std::string> features = {};
  TargetWish wish = TargetWish::as_found;
  std::vector<std::string> classes =
      {};             // the class names in label order, when public without a schema (a model has them)
  RecordPart part{};  // CSV files and encoded ones
  bool may_be_empty = false;  // a CSV file beside others, which have the records: it may have a header alone
  bool keep_user_names = false;  // in the result; of text, whatever the format
  bool target_optional = false;  // the file may lack the target and user columns, as it does for prediction

  unsigned threads = 0;                            // 0: one per core
  std::size_t chunk_bytes = std::size_t{1} << 20;  // parsed at a time by one thread; > 0
};

struct ReadResult {
  Dataset data = {};
  bool has_target = false;
  bool drafted_schema = false;  // the schema says that it was drafted from data
  std::vector<std::string> read_off_data =
      {};  // what should be public but was taken from the data: "classes", "columns"
  std::optional<Schema> schema = {};      // as the records were encoded, with knots; a model keeps it
  std::vector<FeatureBlock> blocks = {};  // public shape of every row, intercept left out; empty: unknown
  std::optional<double> row_norm_bound =
      {};  // public bound on every row's 2-norm, from the schema or the format
  std::vector<std::string> user_names = {};  // by number, where the options ask for them
};

// Reads a dataset. Bad content throws DataError with one line, "file:line:cell: what is wrong, what was
// expected"; a missing file NotFoundError; options that contradict each other or the schema UsageError.
TACIT_API ReadResult read_dataset(const ReadOptions& options);

// The format that a file's name stands for. UsageError when the name does not say.
TACIT_API Format format_by_name(const std::filesystem::path& path);
// The one that the options mean: as stated, or by the name and the query.
TACIT_API Format format_of(const ReadOptions& options);
// Whether it has columns with names, which a schema can describe.
TACIT_API bool is_table(Format format);

// What messages call the data at `path`: "standard input", a URL without its password, or the path itself.
TACIT_API std::string source_name(const std::filesystem::path& path);

// "csv", "libsvm", "idx", "sqlite", "postgresql", "parquet", "tacit", "auto". UsageError otherwise.
TACIT_API Format parse_format(std::string_view text);

// "none", "wavelets". UsageError otherwise.
TACIT_API ImageFeatures parse_image_features(std::string_view text);
TACIT_API std::string_view name(ImageFeatures features);

// The cells of a column in memory, one for each row of its table. A NaN and an empty text are empty cells. A
// number means the same in either: what a cell is encoded as does not depend on what else is in its column.
struct NumberCells {
  const double* first = nullptr;  // of as many as the table has rows
  std::ptrdiff_t stride = 1;      // in doubles
};
using ValueCells = std::vector<std::variant<double, std::string>>;

struct TableColumn {
  std::string name = {};
  std::variant<NumberCells, ValueCells> cells = {};
};

// The features of a table in memory, as read_dataset gives them for a CSV file with the same cells; a target
// or user column that the schema names is left out. DataError names the row and the column, or the column
// that has not `rows` cells.
TACIT_API ReadResult encode_table(std::span<const TableColumn> columns, std::size_t rows,
                                  const Schema& schema);

// A file of encoded cells (docs/data.md): a table that is mapped into memory instead of read, so that it may
// be larger than memory. It holds each record's cells as the schema reads them, its label and its user.
struct EncodedFile {
  std::size_t rows = 0, users = 0, bytes = 0;
  std::string digest = {};  // "sha256:…" of all of it
};

// Writes the table that the options name, with options.schema, which describes the target and the users too
// if there are any, to a new file at `output`: whole, or not at all. Memory does not grow with a CSV file's
// records, but with its number of users.
TACIT_API EncodedFile encode_file(const ReadOptions& options, const std::filesystem::path& output);

// The schema that the file was encoded with; no record is looked at. DataError unless it is such a file.
TACIT_API Schema schema_of_encoded(const std::filesystem::path& path);

struct DraftOptions {
  ReadOptions file = {};                   // path, header, separator, skip_lines, target, user of a CSV file
  std::size_t largest_category_set = 100;  // a text column with more distinct values is ignored; >= 1
  std::size_t most_integer_classes = 20;  // a target with at most so many distinct integers has classes; >= 2
};

// A first schema for a file, to be edited by someone who knows what is public. Bounds and categories are
// those that occur in the data, which is why it says drafted_from_data.
TACIT_API Schema draft_schema(const DraftOptions& options);

}  // namespace tacit::inline v1
