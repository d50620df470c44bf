#include "algorithm/statistics/raw_column.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include "algorithm/statistics/cell_grid.hpp"
#include "algorithm/statistics/laws.hpp"
#include "algorithm/statistics/range_cells.hpp"
#include "algorithm/statistics/support.hpp"
#include "data/siphash.hpp"
#include "data/text.hpp"

namespace tacit::inline v1::statistics {

namespace {

// Shares of a column's questions, and how often noise alone may look like records, over a column [utility
// only]: of the first question, where a mistake may widen a range by powers of 4, and of the second, where it
// cannot leave what the first one found.
constexpr double share_of_kinds = 1, share_of_different = 0.2, share_of_cells = 1;
constexpr double hardly_ever = 1e-4, seldom = 0.03, sometimes = 0.3;
// Of the units that a range is for, those that should show in it: with fewer it is widened [utility only].
constexpr double nearly_all = 0.95, clearly_fewer = 0.9;

std::size_t size_of(const RawColumn* column) { return column ? column->kinds.size() : 0; }

// Asks how many units are in each class.
template <class ClassOf>
Answer ask_classes(const RawColumn* column, const RawUnits& units, std::size_t classes, double share,
                   const Terms& terms, Answers& answers, ClassOf class_of) {
  std::vector<double> which(size_of(column));
  for (std::size_t i = 0; i < which.size(); ++i)
    which[i] = static_cast<double>(class_of(column->kinds[i], column->values[i]));
  return ask_counts(
      {which, units.weights}, [](double c) { return static_cast<std::size_t>(c); }, classes, share, terms,
      answers);
}

// Σ over values of the largest weight that a record with that value has: the number of different values,
// where each record is a unit. A unit that comes adds at most the sum of its weights, 1, and one that goes
// takes no more; so one that is replaced moves it by 1 at most, too.
double different(const RawColumn& column, std::span<const std::int64_t> weights) {
  struct Cell {
    CellKind kind;
    double value;
    std::int64_t weight;
  };
  std::vector<Cell> cells;
  for (std::size_t i = 0; i < column.kinds.size(); ++i)
    if (column.kinds[i] != CellKind::empty) cells.push_back({column.kinds[i], column.values[i], weights[i]});
  const auto key = [](const Cell& c) { return std::tuple(c.kind, c.value, c.weight); };
  std::ranges::sort(cells, {}, key);
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < cells.size(); ++k)
    if (k + 1 == cells.size() || cells[k].kind != cells[k + 1].kind || cells[k].value != cells[k + 1].value)
      sum += cells[k].weight;
  return static_cast<double>(sum) * weight_grid;
}

Answer ask_different(const RawColumn* column, const RawUnits& units, double share, const Terms& terms,
                     Answers& answers) {
  const VectorQuestion question{.l1 = 1,
                                .l2 = 1,
                                .reason = "a unit has values of its own, which weigh 1 together at most",
                                .range = terms.most(),
                                .dimension = 1,
                                .whole = terms.unit == Unit::item,
                                .share = share};
  return answers.vector(question, [&] { return Vector::Constant(1, different(*column, units.weights)); });
}

// Which text each unit counts for: the one that most of its records have, the first of equals.
std::vector<std::size_t> text_of_units(const RawColumn& column, const RawUnits& units) {
  std::vector<bool> told(column.texts.size());
  std::transform(column.texts.begin(), column.texts.end(), told.begin(), may_be_told);
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> records;  // by unit and text
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < column.kinds.size(); ++i) {
    const auto text = static_cast<std::size_t>(column.values[i]);
    if (column.kinds[i] != CellKind::text || !told[text]) continue;
    if (units.users.empty())
      result.push_back(text);
    else
      ++records[{units.users[i], text}];
  }
  const auto better = [&](auto a, auto b) {
    return a->second != b->second ? a->second > b->second
                                  : column.texts[a->first.second] < column.texts[b->first.second];
  };
  for (auto at = records.begin(); at != records.end();) {
    auto best = at;
    const std::size_t unit = at->first.first;
    for (; at != records.end() && at->first.first == unit; ++at)
      if (better(at, best)) best = at;
    result.push_back(best->first.second);
  }
  return result;
}

noise::TextCounts count_texts(const RawColumn& column, const RawUnits& units) {
  std::map<std::string, double> counts;
  for (const std::size_t text : text_of_units(column, units)) ++counts[column.texts[text]];
  return {counts.begin(), counts.end()};
}

noise::TextCounts ask_texts(const RawColumn* column, const RawUnits& units, const RawAsking& asking,
                            const Terms& terms, Answers& answers) {
  const TextsQuestion question{
      .l2 = terms.neighbours == Neighbours::replace_one ? sqrt_up(2) : 1.0,
      .reason = terms.unit == Unit::item ? "a record has one text" : "a user counts for one text",
      .range = terms.most(),
      .share = asking.share * share_of_cells,
      .failure = asking.failure};
  return answers.texts(question, [&] { return count_texts(*column, units); });
}

// What the first answer says.
struct Kinds {
  RawFindings found;
  double present = 0, ordered = 0;  // units with a cell; in the range that was found
};

struct Family {
  double weight = 0;  // of the cells between which something is
  double low = 0, high = 0, mean = 0;
};

std::vector<double> counts_of(const std::vector<GridCell>& cells, const Answer& answer) {
  std::vector<double> counts;
  for (const GridCell& cell : cells) counts.push_back(answer.value[static_cast<Eigen::Index>(cell.which)]);
  return counts;
}

// Where something is, widened towards `mass`.
std::optional<Family> family_of(const std::vector<GridCell>& cells, const Answer& answer, double mass) {
  const std::vector<double> counts = counts_of(cells, answer);
  auto found = support(counts, answer.step, seldom);
  if (!found) return std::nullopt;
  found = widened(counts, *found, answer.step, mass,
                  [&](const Support& range) { return cells[range.last].high - cells[range.first].low; });
  Family family{
      .weight = sum_of(counts, *found), .low = cells[found->first].low, .high = cells[found->last].high};
  double weight = 0;
  for (std::size_t k = found->first; k <= found->last; ++k) {
    const double count = std::max(counts[k], 0.0);
    family.mean += count * (cells[k].low / 2 + cells[k].high / 2);
    weight += count;
  }
  family.mean /= weight;
  return family;
}

// So skewed that even steps would press nearly all records against the lower end, as in drafts.
bool skewed(const Family& family) {
  constexpr double often = 20, smallest = 20;
  const double range = family.high - family.low;
  return family.low >= 0 && range > smallest && range > often * (family.mean - family.low);
}

Family joined(const std::optional<Family>& a, const std::optional<Family>& b) {
  if (!a || !b) return a ? *a : *b;
  const double weight = a->weight + b->weight;
  return {weight, std::min(a->low, b->low), std::max(a->high, b->high),
          (a->weight * a->mean + b->weight * b->mean) / weight};
}

// Where something is in the three families of cells that have an order; each widened until `mass` units are
// in all of them together.
struct Families {
  std::optional<Family> wholes, others, dates;
};
Families families_of(const Answer& answer, double mass) {
  const CellGrid& grid = cell_grid();
  Families all{family_of(grid.wholes, answer, 0), family_of(grid.numbers, answer, 0),
               family_of(grid.dates, answer, 0)};
  const auto weight = [](const std::optional<Family>& family) { return family ? family->weight : 0.0; };
  const double there = weight(all.wholes) + weight(all.others) + weight(all.dates);
  const auto widen = [&](std::optional<Family>& family, const std::vector<GridCell>& cells) {
    if (!family || 2 * family->weight < there) return;  // the one that most units are in
    family = family_of(cells, answer, family->weight + mass - there);
  };
  widen(all.wholes, grid.wholes);
  widen(all.others, grid.numbers);
  widen(all.dates, grid.dates);
  return all;
}

Kinds kinds_of(const Answer& answer, const Terms& terms) {
  const CellGrid& grid = cell_grid();
  const double level = noise_level(answer.step, 3, seldom);
  const auto count = [&](std::size_t which) {
    const double value = answer.value[static_cast<Eigen::Index>(which)];
    return value > level ? value : 0.0;
  };
  const double comma = count(grid.comma), text = count(grid.text);
  // Where the number of units is public, so is about how many the families have together.
  const double ordered = terms.units ? terms.most() - comma - text - count(grid.empty) : 0;
  const auto [wholes, others, dates] = families_of(answer, nearly_all * ordered);
  const double whole = wholes ? wholes->weight : 0, number = whole + (others ? others->weight : 0),
               date = dates ? dates->weight : 0;
  Kinds kinds;
  RawFindings& found = kinds.found;
  found.gaps = count(grid.empty) > 0;
  kinds.present = number + date + comma + text;
  constexpr double few = 0.1;  // commas among numbers: the others have no fraction
  const double most = std::max({number + comma, date, text});
  constexpr double hardly = 0.02;  // of the empty cells: what noise may show in a column that is blank
  if (!(most > hardly * count(grid.empty))) {
    found.kind = found.gaps ? ColumnKind::blank : ColumnKind::unknown;
  } else if (most == text) {
    found.kind = ColumnKind::text;
  } else if (most == date) {
    found.kind = ColumnKind::date;
    found.low = dates->low;
    found.high = dates->high;
    kinds.ordered = date;
  } else if (comma > few * most) {
    // Where no number shows, a count that noise now and then reaches is no reason to speak of commas.
    const bool noise_may_be = number == 0 && !(comma > noise_level(answer.step, 3, hardly_ever));
    found.kind = noise_may_be ? ColumnKind::unknown : ColumnKind::comma;
  } else {
    const Family all = joined(wholes, others);
    found.kind = ColumnKind::number;
    found.whole = !others;
    found.low = all.low;
    found.high = all.high;
    found.log1p = skewed(all);
    kinds.ordered = number;
  }
  return kinds;
}

// Where noise hides which numbers there are: a range that does no harm.
void take_unit_range(RawFindings& found) {
  found = {
      .kind = ColumnKind::number, .gaps = found.gaps, .unique = false, .hidden = true, .low = 0, .high = 1};
}

// The second question about numbers or dates: where in what the first one found. A part that holds clearly
// fewer than the `there` units of the first answer is a sliver: what the first one found is kept.
void narrow(const RawColumn* column, const RawUnits& units, double share, double there, const Terms& terms,
            Answers& answers, RawFindings& found) {
  const bool dates = found.kind == ColumnKind::date;
  const RangeCells cells(found);
  const Answer answer =
      ask_classes(column, units, cells.size() + 1, share, terms, answers, [&](CellKind kind, double value) {
        const bool number = kind == CellKind::whole || kind == CellKind::number;
        const bool asked = dates ? kind == CellKind::date : number;
        return asked ? cells.of(value) : cells.size();
      });
  const std::span<const double> counts(answer.value.data(), cells.size());
  if (auto where = support(counts, answer.step, sometimes)) {
    where = widened(counts, *where, answer.step, nearly_all * there,
                    [](const Support& range) { return static_cast<double>(range.last - range.first + 1); });
    found.coarse = sum_of(counts, *where) < clearly_fewer * there;
    if (found.coarse) where = Support{0, counts.size() - 1};
    cells.narrow(counts, *where, answer.step, found);
  } else {
    found.unshown = true;
  }
  double of_values = 0;
  for (const double value : found.values) of_values += counts[cells.of(value)];
  const double all = terms.units ? terms.most() : answer.value.sum();
  if (all > 0) found.covered = of_values / all;
}

// The second question about text, without a delta: how many of some buckets are not empty.
std::size_t ask_buckets(const RawColumn* column, const RawUnits& units, double share, const Terms& terms,
                        Answers& answers) {
  const auto bucket = [&](CellKind kind, double value) {
    if (kind != CellKind::text) return text_buckets;
    const std::string& text = column->texts[static_cast<std::size_t>(value)];
    return static_cast<std::size_t>(siphash_2_4(HashKey{}, text) % text_buckets);
  };
  const Answer answer = ask_classes(column, units, text_buckets + 1, share, terms, answers, bucket);
  const double level = noise_level(answer.step, text_buckets, seldom);
  return static_cast<std::size_t>(std::count_if(answer.value.begin(), answer.value.begin() + text_buckets,
                                                [&](double count) { return count > level; }));
}

}  // namespace

bool may_be_told(std::string_view text) {
  constexpr std::size_t longest = 200;  // a name, not a comment [utility only]
  return !text.empty() && text.size() <= longest && text != "other" && text != "indicator" &&
         valid_utf8(text);
}

RawFindings ask_raw_column(const RawColumn* column, const RawUnits& units, const RawAsking& asking,
                           const Terms& terms, Answers& answers) {
  const CellGrid& grid = cell_grid();
  const Answer kinds_answer =
      ask_classes(column, units, grid.classes, asking.share * share_of_kinds, terms, answers,
                  [&](CellKind kind, double value) { return grid.class_of(kind, value); });
  Kinds kinds = kinds_of(kinds_answer, terms);
  RawFindings& found = kinds.found;
  if (asking.number && found.kind != ColumnKind::number) take_unit_range(found);
  constexpr double mostly = 0.5;
  const Answer counted = ask_different(column, units, asking.share * share_of_different, terms, answers);
  const double values = counted.value[0];
  // Noise alone says so of one column in 20 000: a warning that is often false is not read.
  if (found.kind == ColumnKind::text && values - reach(counted.step, hardly_ever) > text_buckets)
    found.crowded = values;
  found.unique = values > mostly * kinds.present && kinds.present > 0;
  found.many = found.kind == ColumnKind::number && found.whole && kinds.present > 0 &&
               values - reach(counted.step, hardly_ever) > mostly * kinds.present;
  const double share = asking.share * share_of_cells;
  if (found.kind == ColumnKind::text && asking.failure > 0)
    found.texts = ask_texts(column, units, asking, terms, answers);
  else if (found.kind == ColumnKind::text)
    found.occupied = ask_buckets(column, units, share, terms, answers);
  else  // asked in any case, so that what it costs tells nothing
    narrow(column, units, share, kinds.ordered, terms, answers, found);
  return found;
}

}  // namespace tacit::inline v1::statistics
