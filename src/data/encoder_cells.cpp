#include <cmath>

#include "data/encoder_parts.hpp"
#include "data/hats.hpp"
#include "data/read_cell.hpp"
#include "data/siphash.hpp"

// What single cells become.

namespace tacit::inline v1 {
namespace {

void store(const BlockPlace& place, std::size_t entry, std::size_t feature, double value, EncodedRow row) {
  row.columns[place.slot + entry] = static_cast<std::uint32_t>(place.first + feature);
  row.values[place.slot + entry] = value;
}

}  // namespace

bool NumberBlock::hats() const { return curves() > 1; }

std::size_t NumberBlock::curves() const {
  if (const auto* count = std::get_if<std::size_t>(&column.knots)) return *count;
  const auto* list = std::get_if<std::vector<double>>(&column.knots);
  return list == nullptr ? 1 : list->size();
}

// u is in [0, 1]; u − ½ is in [−½, ½], as rounding is monotone. Hats are >= 0 and sum to 1 exactly.
double NumberBlock::bound() const {
  return std::holds_alternative<std::size_t>(column.knots) && !hats() ? 0.5 : 1;
}

void NumberBlock::put(double value, EncodedRow row) const {
  if (hats()) {
    const auto* list = std::get_if<std::vector<double>>(&column.knots);
    const HatPosition at = list ? hat_position(column, *list, value) : hat_position(column, curves(), value);
    store(place, 0, at.left, 1 - at.share, row);
    store(place, 1, at.left + 1, at.share, row);
    return;
  }
  const double u = encode_number(column, value);
  store(place, 0, 0, bound() == 1 ? u : u - 0.5, row);
  if (column.missing_indicator) store(place, 1, 1, 0, row);
}

void NumberBlock::put_missing(EncodedRow row) const {
  store(place, 0, 0, 0, row);
  store(place, 1, place.size - 1, bound(), row);
}

// All in multiples of 2^-26, of which a record has at most 2^26, also when pairs have rounded `other`.
double shared_by_categories(const CategoricalColumn& column) {
  constexpr std::size_t few = 3;  // such a block is stored whole [heuristic: utility and memory only]
  if (!column.other || column.categories.size() > few) return 0;
  const double left = 0x1p26 - std::ceil(*column.other * 0x1p26);
  return std::floor(left / static_cast<double>(column.categories.size())) * 0x1p-26;
}

void OneHotBlock::put(std::size_t which, EncodedRow row) const {
  const double entry = which == other ? other_entry : 1;
  if (place.entries == 1) return store(place, 0, which, entry, row);
  for (std::size_t k = 0; k < place.size; ++k)
    store(place, k, k, k == which ? entry : which == other && k < which ? shared : 0, row);
}

std::size_t HashedCell::bucket_of(std::string_view text) const {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::size_t>(Wide{siphash_2_4(column.key, text)} * column.buckets >> 64);
}

void DateCell::put(const IsoDate& date, EncodedRow row) const {
  number.put(date.seconds, row);
  if (month) month->put(static_cast<std::size_t>(date.month) - 1, row);
  if (weekday) weekday->put(static_cast<std::size_t>(date.weekday) - 1, row);
  if (hour) hour->put(static_cast<std::size_t>(date.hour), row);
}

void DateCell::put_missing(EncodedRow row) const {
  number.put_missing(row);
  for (const auto* part : {&month, &weekday, &hour})
    if (*part) (*part)->put((*part)->place.size - 1, row);
}

namespace {

// Makes features of what a cell says.
struct FeatureSink {
  EncodedRow row;

  void number(const NumberBlock& block, double value) const { block.put(value, row); }
  void no_number(const NumberBlock& block) const { block.put_missing(row); }
  void choice(const OneHotBlock& block, std::size_t which) const { block.put(which, row); }
  void date(const DateCell& cell, const IsoDate& date) const { cell.put(date, row); }
  void no_date(const DateCell& cell) const { cell.put_missing(row); }
};

}  // namespace

bool Encoder::takes_numbers(std::size_t column) const {
  return std::holds_alternative<NumberBlock>(parts_->cells[column]);
}

bool Encoder::unreadable_is_missing() const { return parts_->unreadable_missing; }

Fault Encoder::encode(std::size_t column, std::string_view text, EncodedRow row) const {
  return read_cell(*parts_, column, text, FeatureSink{row});
}

Fault Encoder::encode(std::size_t column, double value, EncodedRow row) const {
  return read_cell(*parts_, column, value, FeatureSink{row});
}

void Encoder::encode_pairs(EncodedRow row) const {
  // Factors are rounded to multiples of 2^-26, so that every product has at most 52 bits and is exact. Ties
  // go to even, which keeps a sum of 1: f and 1 − f are rounded to g and 1 − g.
  const auto coarse = [](double value) { return std::nearbyint(value * 0x1p26) * 0x1p-26; };
  for (const PairBlock& pair : parts_->pairs) {
    std::size_t entry = 0;
    for (std::size_t k = 0; k < pair.first.entries; ++k)
      for (std::size_t l = 0; l < pair.second.entries; ++l) {
        const std::size_t a = pair.first.slot + k, b = pair.second.slot + l;
        const std::size_t feature =
            (row.columns[a] - pair.first.first) * pair.second.size + (row.columns[b] - pair.second.first);
        store(pair.place, entry++, feature, coarse(row.values[a]) * coarse(row.values[b]), row);
      }
  }
}

}  // namespace tacit::inline v1
