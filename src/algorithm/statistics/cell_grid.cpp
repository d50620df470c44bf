#include "algorithm/statistics/cell_grid.hpp"

#include <algorithm>
#include <cmath>

#include "data/iso_date.hpp"

namespace tacit::inline v1::statistics {

namespace {

// [utility only]
constexpr int first_whole = -8, last_whole = 32, least_power = -30, most_power = 50, most_whole_power = 53;
constexpr double beyond = 0x1p60;  // stands for whatever lies beyond

class Builder {
 public:
  void add(std::vector<GridCell>& cells, double low, double high) {
    cells.push_back({low, high, grid.classes++});
  }

  CellGrid grid;
};

// Ends of cells from |x| = `from` by powers of 4, so that the last but one is 2^last.
std::vector<double> ends(double from, int last) {
  std::vector<double> result{from};
  while (result.back() < std::ldexp(1, last))
    result.push_back(std::min(4 * result.back(), std::ldexp(1, last)));
  return result;
}

void add_sided(Builder& to, std::vector<GridCell>& cells, const std::vector<double>& ends, int sign) {
  const std::size_t count = ends.size() - 1;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t at = sign > 0 ? k : count - 1 - k;
    sign > 0 ? to.add(cells, ends[at], ends[at + 1]) : to.add(cells, -ends[at + 1], -ends[at]);
  }
}

CellGrid build() {
  Builder to;
  CellGrid& grid = to.grid;
  grid.empty = grid.classes++;
  grid.text = grid.classes++;
  grid.comma = grid.classes++;
  const auto year = [](int y) { return date_in(fmt::format("{:04}-01-01", y))->seconds; };
  to.add(grid.dates, year(0), year(1900));
  for (int y = 1900; y < 2100; y += 10) to.add(grid.dates, year(y), year(y + 10));
  to.add(grid.dates, year(2100), year(9999));

  add_sided(to, grid.wholes, ends(-first_whole, most_whole_power), -1);
  for (int k = first_whole; k <= last_whole; ++k) to.add(grid.wholes, k, k);
  add_sided(to, grid.wholes, ends(last_whole + 1, most_whole_power), 1);

  std::vector<double> sizes = ends(std::ldexp(1, least_power), most_power);
  sizes.push_back(beyond);
  add_sided(to, grid.numbers, sizes, -1);
  to.add(grid.numbers, -sizes.front(), sizes.front());
  add_sided(to, grid.numbers, sizes, 1);
  return grid;
}

// The last cell that begins at or below the value, or the first one: cells have no gaps.
std::size_t in(const std::vector<GridCell>& cells, double value) {
  const auto above = std::ranges::upper_bound(cells, value, {}, &GridCell::low);
  return above == cells.begin() ? cells.front().which : std::prev(above)->which;
}

}  // namespace

std::size_t CellGrid::class_of(CellKind kind, double value) const {
  switch (kind) {
    case CellKind::empty:
      return empty;
    case CellKind::text:
      return text;
    case CellKind::comma:
      return comma;
    case CellKind::date:
      return in(dates, value);
    case CellKind::whole:
      return in(wholes, value);
    case CellKind::number:
      break;
  }
  return in(numbers, value);
}

const CellGrid& cell_grid() {
  static const CellGrid grid = build();
  return grid;
}

}  // namespace tacit::inline v1::statistics
