#pragma once

#include <span>
#include <vector>

#include "algorithm/statistics/raw_column.hpp"
#include "algorithm/statistics/support.hpp"

namespace tacit::inline v1::statistics {

// The range that a first look found, in cells that are counted in a second one: each whole number where these
// are few, else 64 even ones, on the scale of log1p where the first look says so.
class RangeCells {
 public:
  explicit RangeCells(const RawFindings& found);

  std::size_t size() const { return edges_.size() - 1; }
  // Values beyond are in the cells at the ends; in none, size(), where each cell is one number.
  std::size_t of(double value) const;

  // Takes the range to where the counts show something, and one cell further on each side where cells are no
  // single numbers: fewer records than noise hides may be there. Ends are rounded outward, to two digits
  // beyond the first of the width.
  void narrow(std::span<const double> counts, const Support& where, const Step& step,
              RawFindings& found) const;

 private:
  std::vector<double> edges_;
  bool single_ = false;  // whole numbers, one a cell
};

}  // namespace tacit::inline v1::statistics
