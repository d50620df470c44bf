#pragma once

#include <vector>

#include "tacit/core.hpp"
#include "tacit/data.hpp"
#include "tacit/meter.hpp"
#include "tacit/problem.hpp"

namespace tacit::inline v1::heavy_tails {

// Units in which typical features and labels are about 1. Feature j is divided by 2^exponents[j], which is
// exact, so that parameters go back and forth without rounding; labels become (y − offset)/scale.
struct Units {
  std::vector<int> exponents;  // one for each column
  double label_offset = 0, label_scale = 1;

  void record(Facts& facts) const;
  static Units from(const Facts& facts);
};

// The row in these units; its values are kept in `values`. Nothing leaves ±2^300: a record must not make an
// infinity, and rows beyond 2^250 contribute nothing anyway.
RowView scaled_row(const RowView& row, const Units& units, std::vector<double>& values);
double scaled_label(double y, const Units& units);
Dataset scaled(const Dataset& data, const Units& units);

// Parameters for the features as they were: w_j/2^exponents[j]. The intercept stays.
Vector unscaled(const Vector& parameters, const Units& units, const Shape& shape);

// The value in column j.
double entry(const RowView& row, std::size_t j);

}  // namespace tacit::inline v1::heavy_tails
