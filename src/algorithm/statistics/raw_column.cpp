#include "algorithm/statistics/raw_column.hpp"

#include <algorithm>
#include <array>
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
constexpr double hardly_ever = 1e-4, seldom = 0.03, now_and_then = 0.1, sometimes = 0.3;
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
  double expected = 0;  // about how many must have a number or a date; 0 where the number of units is private
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

double size_of(const GridCell& cell) { return std::max(std::fabs(cell.low), std::fabs(cell.high)); }

// Of the cells that are powers of 4, those of both signs that hold about the same sizes; smallest first.
std::vector<Pair> pairs_in(const std::vector<GridCell>& cells) {
  std::vector<Pair> pairs;
  for (std::size_t k = cells.size(); k-- > 0;) {
    if (!(cells[k].high < 0 && cells[k].low < cells[k].high)) continue;
    const double middle = std::sqrt(cells[k].low * cells[k].high);
    const auto same = std::ranges::find_if(
        cells, [&](const GridCell& cell) { return cell.low <= middle && middle < cell.high; });
    if (same != cells.end())
      pairs.push_back({.first = k, .last = static_cast<std::size_t>(same - cells.begin())});
  }
  return pairs;
}

// One of the three families of cells that have an order, and what was counted there.
struct Look {
  const std::vector<GridCell>& cells;
  std::vector<Pair> pairs;
  double beside;  // what a cell is wider than from its low end to its high one
  std::vector<double> counts;
};

// The cells of a family but those that are so small, beside the largest of a range, that nothing is missed
// without them: between the ends of a range about 0 there are many, each with noise [utility only].
std::vector<std::size_t> cells_beside(const Look& look, const Support& range) {
  constexpr double hardly_from_0 = 0x1p-10;
  const double largest = std::max(size_of(look.cells[range.first]), size_of(look.cells[range.last]));
  std::vector<std::size_t> kept;
  for (std::size_t k = 0; k < look.cells.size(); ++k) {
    const GridCell& cell = look.cells[k];
    if (k == range.first || k == range.last || (cell.low <= 0 && cell.high >= 0) ||
        size_of(cell) > hardly_from_0 * largest)
      kept.push_back(k);
  }
  return kept;
}

// What is between the cells of `where`, widened towards `mass`.
Family family_of(const Look& look, const Support& where, const Step& step, double mass) {
  const std::vector<std::size_t> kept = cells_beside(look, where);
  std::vector<double> counts;
  for (const std::size_t k : kept) counts.push_back(look.counts[k]);
  const auto at = [&](std::size_t cell) {
    return static_cast<std::size_t>(std::ranges::find(kept, cell) - kept.begin());
  };
  const auto cell = [&](std::size_t k) -> const GridCell& { return look.cells[kept[k]]; };
  const Support found = widened(
      counts, {at(where.first), at(where.last)}, step, mass,
      [&](const Support& range) { return cell(range.last).high - cell(range.first).low + look.beside; });
  Family family{.weight = sum_of(counts, found), .low = cell(found.first).low, .high = cell(found.last).high};
  double weight = 0;
  for (std::size_t k = found.first; k <= found.last; ++k) {
    const double count = std::max(counts[k], 0.0);
    family.mean += count * (cell(k).low / 2 + cell(k).high / 2);
    weight += count;
  }
  if (weight > 0) family.mean /= weight;
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

// Where something is in the three families of cells that have an order: among neighbours; where none of them
// shows, in pairs of both signs; and where neither does, but units must be somewhere as there is
// `nothing_else`, where most shows. Where numbers show on one side of 0, the cells of the same sizes on the
// other one are asked first.
Support with_mirror(const Look& look, Support where, const Step& step) {
  constexpr double rarely = 0.01;  // [utility only]
  Support all = where;
  std::size_t cells = 0;
  double sum = 0;
  for (const auto& [negative, positive] : look.pairs) {
    const bool left = negative >= where.first && negative <= where.last,
               right = positive >= where.first && positive <= where.last;
    if (left == right) continue;
    const std::size_t other = left ? positive : negative;
    sum += look.counts[other];
    all = {std::min(all.first, other), std::max(all.last, other)};
    ++cells;
  }
  const Coefficients ones[] = {{1, cells}};
  return cells > 0 && sum > reach_of_sum(step, ones, rarely) ? all : where;
}

// Where one number shows by itself, as 0 does in many columns, and clearly not all `mass` units have it, the
// others are where most shows: nothing is near a number, by powers of 4.
Support with_the_rest(const Look& look, const Support& one, const Step& step, double mass) {
  const GridCell& cell = look.cells[one.first];
  const bool number = cell.low == cell.high || (cell.low < 0 && cell.high > 0);
  constexpr double clearly = 3;  // deviations [utility only]
  if (one.first != one.last || !number) return one;
  if (!(mass - look.counts[one.first] > clearly * deviation(step))) return one;
  std::vector<double> rest = look.counts;
  rest[one.first] = 0;
  const auto guess = best_guess(rest, look.pairs, step, sometimes);
  if (!guess) return one;
  return {std::min(one.first, guess->where.first), std::max(one.last, guess->where.last)};
}

using Supports = std::array<std::optional<Support>, 3>;

bool any(const Supports& found) {
  return std::ranges::any_of(found, [](const auto& where) { return where.has_value(); });
}

Supports supports_of(const std::array<Look, 3>& looks, const Step& step, double mass, bool nothing_else) {
  Supports found;
  for (std::size_t k = 0; k < looks.size(); ++k) found[k] = support(looks[k].counts, step, seldom / 2);
  for (std::size_t k = 0; k < looks.size(); ++k)
    if (found[k]) found[k] = with_mirror(looks[k], with_the_rest(looks[k], *found[k], step, mass), step);
  if (any(found)) return found;
  for (std::size_t k = 0; k < looks.size(); ++k)
    found[k] = support_of_pairs(looks[k].counts, looks[k].pairs, step, seldom / 2);
  if (any(found) || !nothing_else) return found;
  double most = 0;
  for (std::size_t k = 0; k < looks.size(); ++k) {
    const auto guess =
        best_guess(looks[k].counts, looks[k].pairs, step, sometimes / static_cast<double>(looks.size()));
    if (!guess || guess->shows <= most) continue;
    most = guess->shows;
    found = {};
    found[k] = guess->where;
  }
  return found;
}

// The families, each widened until `mass` units are in all of them together.
struct Families {
  std::optional<Family> wholes, others, dates;
};
Families families_of(const Answer& answer, double mass, bool nothing_else) {
  const CellGrid& grid = cell_grid();
  static const std::vector<Pair> of_wholes = pairs_in(grid.wholes), of_numbers = pairs_in(grid.numbers);
  const std::array<Look, 3> looks = {Look{grid.wholes, of_wholes, 1, counts_of(grid.wholes, answer)},
                                     Look{grid.numbers, of_numbers, 0, counts_of(grid.numbers, answer)},
                                     Look{grid.dates, {}, 0, counts_of(grid.dates, answer)}};
  const Supports found = supports_of(looks, answer.step, mass, nothing_else);
  std::array<std::optional<Family>, 3> families;
  double there = 0;
  for (std::size_t k = 0; k < looks.size(); ++k) {
    if (!found[k]) continue;
    families[k] = family_of(looks[k], *found[k], answer.step, 0);
    there += families[k]->weight;
  }
  for (std::size_t k = 0; k < looks.size(); ++k) {
    const auto& family = families[k];
    if (!family || 2 * family->weight < there) continue;  // the one that most units are in
    families[k] = family_of(looks[k], *found[k], answer.step, family->weight + mass - there);
  }
  return {families[0], families[1], families[2]};
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
  // Texts and commas are in one cell, which would show.
  const auto [wholes, others, dates] =
      families_of(answer, nearly_all * ordered, terms.units && ordered > clearly_fewer * terms.most());
  const double whole = wholes ? wholes->weight : 0, number = whole + (others ? others->weight : 0),
               date = dates ? dates->weight : 0;
  Kinds kinds;
  kinds.expected = ordered;
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

// A target has two values at least: the number beside the one that shows with the larger count.
Support with_neighbour(std::span<const double> counts, const Support& one) {
  if (one.first == 0) return {0, 1};
  if (one.last + 1 == counts.size() || counts[one.first - 1] > counts[one.last + 1])
    return {one.first - 1, one.last};
  return {one.first, one.last + 1};
}

// Numbers beside the ones that the first question found, where these hold nearly all units that there are:
// only what is clearly no noise.
Support without_doubtful(std::span<const double> counts, Support where, const Support& first,
                         const Step& step, const Terms& terms) {
  if (!terms.units || sum_of(counts, first) < nearly_all * terms.most()) return where;
  const double clearly = noise_level(step, counts.size(), hardly_ever);
  while (where.first < first.first && !(counts[where.first] > clearly)) ++where.first;
  while (where.last > first.last && !(counts[where.last] > clearly)) --where.last;
  return where.first <= where.last ? where : first;
}

// The second question about numbers or dates: where in what the first one found. A part that holds clearly
// fewer than the `there` units of the first answer is a sliver: what the first one found is kept. `beside` of
// the cells at each end are beyond that.
void narrow(const RawColumn* column, const RawUnits& units, double share, double there, std::size_t beside,
            const Terms& terms, Answers& answers, RawFindings& found) {
  const bool dates = found.kind == ColumnKind::date;
  const RangeCells cells(found);
  const Answer answer =
      ask_classes(column, units, cells.size() + 1, share, terms, answers, [&](CellKind kind, double value) {
        const bool number = kind == CellKind::whole || kind == CellKind::number;
        const bool asked = dates ? kind == CellKind::date : number;
        return asked ? cells.of(value) : cells.size();
      });
  if (found.hidden) return;
  const std::span<const double> counts(answer.value.data(), cells.size());
  const Support first{beside, counts.size() - 1 - beside};
  auto where = support(counts, answer.step, beside > 0 ? now_and_then : sometimes);
  found.unshown = !where;
  if (where) {
    where = widened(counts, *where, answer.step, nearly_all * there,
                    [](const Support& range) { return static_cast<double>(range.last - range.first + 1); });
    found.coarse = sum_of(counts, *where) < clearly_fewer * there;
    if (found.coarse) where = Support{std::min(where->first, first.first), std::max(where->last, first.last)};
  } else if (beside > 0) {
    where = first;
  }
  if (beside > 0) where = without_doubtful(counts, *where, first, answer.step, terms);
  if (beside > 0 && where->first == where->last) where = with_neighbour(counts, *where);
  if (where) cells.narrow(counts, *where, answer.step, found);
  if (beside > 0 && found.high - found.low == 1) found.values = {found.low, found.high};
  double of_values = 0;
  for (const double value : found.values) of_values += counts[cells.of(value)];
  const double all = terms.units ? terms.most() : answer.value.sum();
  if (!(all > 0)) return;
  found.covered = of_values / all;
  found.covered_noise = deviation(answer.step) * std::sqrt(static_cast<double>(found.values.size())) / all;
}

// Labels are numbers: 1.0, as data frames write it, is 1.
CellKind kind_of_label(CellKind kind, double value) {
  const bool whole = kind == CellKind::number && value == std::floor(value) && std::fabs(value) < 0x1p53;
  return whole ? CellKind::whole : kind;
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
                  [&](CellKind kind, double value) {
                    return grid.class_of(asking.target ? kind_of_label(kind, value) : kind, value);
                  });
  Kinds kinds = kinds_of(kinds_answer, terms);
  RawFindings& found = kinds.found;
  if (asking.number && found.kind != ColumnKind::number) take_unit_range(found);
  std::size_t beside = 0;  // of a target's few whole numbers: the next ones are looked at again
  constexpr double few_numbers = 32;
  if (asking.target && found.kind == ColumnKind::number && found.whole &&
      found.high - found.low < few_numbers) {
    beside = 1;
    --found.low;
    ++found.high;
    kinds.ordered = std::max(kinds.ordered, kinds.expected);
  }
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
    narrow(column, units, share, kinds.ordered, beside, terms, answers, found);
  return found;
}

}  // namespace tacit::inline v1::statistics
