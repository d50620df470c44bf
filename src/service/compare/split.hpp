#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tacit/data.hpp"
#include "tacit/meter.hpp"

namespace tacit::inline v1::service {

// Rows to fit, and rows to measure on.
struct Split {
  std::vector<std::size_t> train, test;
};

// A random split; users stay together. DataError where one part would be empty.
Split draw_split(const Dataset& data, double held_out, BitSource& bits);

// The rows with their classes, names and users (numbered anew).
Dataset part_of(const Dataset& data, std::span<const std::size_t> rows);

// The accuracy, or root of the mean squared error, on test rows of the constant that is best on the train
// rows.
double metric_of_constant(const Dataset& data, const Split& split);

}  // namespace tacit::inline v1::service
