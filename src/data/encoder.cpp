#include "data/encoder.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>

#include "data/encoder_parts.hpp"
#include "data/hats.hpp"
#include "data/text.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {
namespace {

// Lays the blocks of a schema side by side.
class Layout {
 public:
  explicit Layout(Encoder::Parts& parts) : parts_(&parts) {}

  void add(const SchemaColumn& column) {
    column_ = column.name;
    parts_->cells.push_back(std::visit([&](const auto& kind) { return plan(kind); }, column.kind));
  }

  void add_pair(const std::array<std::string, 2>& names) {
    const Known &a = known_.at(names[0]), &b = known_.at(names[1]);
    std::vector<std::string> products;
    check_size(static_cast<double>(a.place.size) * static_cast<double>(b.place.size));
    products.reserve(a.place.size * b.place.size);
    for (std::size_t k = 0; k < a.place.size; ++k)
      for (std::size_t l = 0; l < b.place.size; ++l)
        products.push_back(parts_->names[a.place.first + k] + "*" + parts_->names[b.place.first + l]);
    // |xy| summed over all pairs of features is the product of the two sums.
    const BlockPlace place =
        add_block(fmt::format("{}*{}", names[0], names[1]), std::move(products),
                  a.place.entries * b.place.entries, {.bound = a.bound * b.bound, .full = a.full && b.full});
    parts_->pairs.push_back({a.place, b.place, place});
  }

 private:
  // What a row has in a block sums to at most `bound`; where it is full, to the bound, exactly.
  struct Sums {
    double bound = 1;
    bool full = false;
  };
  struct Known {
    BlockPlace place;
    double bound = 1;
    bool full = false;
  };

  void check_size(double more) const {
    if (static_cast<double>(parts_->features) + more > std::numeric_limits<std::uint32_t>::max())
      throw_error<DataError>("the schema makes 2^32 features or more");
  }

  BlockPlace add_block(const std::string& block, std::vector<std::string> features, std::size_t entries,
                       const Sums& sums) {
    check_size(static_cast<double>(features.size()));
    const BlockPlace place{parts_->features, features.size(), parts_->entries, entries};
    parts_->features += place.size;
    parts_->entries += entries;
    parts_->blocks.push_back({.size = place.size, .bound = sums.bound, .full = sums.full});
    for (std::string& feature : features) parts_->names.push_back(std::move(feature));
    known_.emplace(block, Known{place, sums.bound, sums.full});
    return place;
  }

  CellPlan plan(const IgnoredColumn& column) { return column; }

  CellPlan plan(const NumericColumn& column) { return number(column, false); }

  NumberBlock number(const NumericColumn& column, bool date) {
    NumberBlock block{.column = column, .place = {}};
    const std::size_t curves = block.curves();
    std::vector<std::string> names;
    const auto* list = std::get_if<std::vector<double>>(&column.knots);
    for (std::size_t k = 0; block.hats() && k < curves; ++k) {
      const double knot = list ? (*list)[k] : even_knot(column, curves, k);
      names.push_back(fmt::format("{}@{}", column_, date ? date_text(knot) : fmt::format("{}", knot)));
    }
    if (!block.hats()) names.push_back(column_);
    if (column.missing_indicator) names.push_back(column_ + "=missing");
    const std::size_t entries = names.size() > 1 ? 2 : 1;
    block.place =
        add_block(column_, std::move(names), entries, {.bound = block.bound(), .full = block.hats()});
    return block;
  }

  // `other`: what the entry of a value that is not listed is, and what each listed one has beside it.
  OneHotBlock one_hot(const std::string& block, const std::vector<std::string>& values, bool indicator,
                      double other = 1, double shared = 0) {
    std::vector<std::string> names;
    for (const std::string& value : values) names.push_back(fmt::format("{}={}", block, value));
    if (indicator) names.push_back(block + "=missing");
    const std::size_t entries = shared > 0 ? names.size() : 1;
    // Shares are multiples of 2^-26, at most three, so that what they leave of 1 is exact.
    const bool full = 1 - static_cast<double>(values.size() - 1) * shared == other || other == 1;
    return {add_block(block, std::move(names), entries, {.bound = 1, .full = full})};
  }

  CellPlan plan(const CategoricalColumn& column) {
    std::vector<std::string> values = column.categories;
    values.push_back("other");
    const double shared = shared_by_categories(column);
    CategoryCell cell{
        .categories = Dictionary(column.categories),
        .block = one_hot(column_, values, column.missing_indicator, column.other.value_or(1), shared),
        .missing = std::nullopt};
    const std::size_t other = column.categories.size();
    for (std::size_t k = 0; k < other; ++k)
      if (const auto number = number_in(column.categories[k]); number && !std::isnan(*number))
        cell.numbers.emplace(*number, k);
    cell.block.other = other;
    cell.block.other_entry = column.other.value_or(1);
    cell.block.shared = shared;
    if (column.missing_indicator) cell.missing = other + 1;
    if (column.missing) {
      const auto listed = cell.categories.find(*column.missing);
      cell.missing = listed ? *listed : other;
    }
    return cell;
  }

  CellPlan plan(const HashedColumn& column) {
    std::vector<std::string> values;
    for (std::size_t k = 0; k < column.buckets; ++k) values.push_back(fmt::format("#{}", k));
    return HashedCell{column, one_hot(column_, values, column.missing_indicator)};
  }

  // The numbers from `first` to `last`.
  OneHotBlock part(std::string_view name, int first, int last, bool indicator) {
    std::vector<std::string> values;
    for (int k = first; k <= last; ++k) values.push_back(fmt::format("{}", k));
    return one_hot(fmt::format("{}.{}", column_, name), values, indicator);
  }

  CellPlan plan(const DateColumn& column) {
    const bool indicator = column.number.missing_indicator;
    DateCell cell{.number = number(column.number, true), .month = {}, .weekday = {}, .hour = {}};
    if (column.month) cell.month = part("month", 1, 12, indicator);
    if (column.weekday) cell.weekday = part("weekday", 1, 7, indicator);
    if (column.hour) cell.hour = part("hour", 0, 23, indicator);
    return cell;
  }

  Encoder::Parts* parts_;
  std::string column_;  // name of the column that is being added
  std::map<std::string, Known> known_;
};

}  // namespace

Encoder::Encoder(const Schema& schema) {
  validate(schema);
  auto parts = std::make_unique<Parts>();
  parts->unreadable_missing = schema.unreadable_missing;
  Layout layout(*parts);
  for (const SchemaColumn& column : schema.columns) layout.add(column);
  for (const auto& pair : schema.pairs) layout.add_pair(pair);
  parts_ = std::move(parts);
}

Encoder::Encoder(Encoder&&) noexcept = default;
Encoder& Encoder::operator=(Encoder&&) noexcept = default;
Encoder::~Encoder() = default;

std::size_t Encoder::features() const { return parts_->features; }
std::size_t Encoder::entries() const { return parts_->entries; }
const std::vector<FeatureBlock>& Encoder::blocks() const { return parts_->blocks; }
const std::vector<std::string>& Encoder::names() const { return parts_->names; }

double row_norm_bound(const std::vector<FeatureBlock>& blocks) {
  double squares = 0;  // bounds are 1, 1/2 or 1/4: the sum is exact
  for (const FeatureBlock& block : blocks) squares += block.bound * block.bound;
  return sqrt_up(squares);
}

std::size_t encoded_columns(const Schema& schema) { return Encoder(schema).features(); }
std::vector<std::string> feature_names(const Schema& schema) { return Encoder(schema).names(); }

double row_norm_bound(const Schema& schema) {
  const Encoder encoder(schema);
  if (encoder.features() == 0)
    throw_error<UsageError>("the schema describes no feature, so it bounds no row");
  return row_norm_bound(encoder.blocks());
}

}  // namespace tacit::inline v1
