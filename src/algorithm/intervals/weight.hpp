#pragma once

namespace tacit::inline v1::intervals {

// Of the second sum beside the first: widths follow from the square of one and the inverse of the other, so
// that the first deserves the smaller noise [heuristic: utility only].
inline constexpr double variation_weight = 0.5;

}  // namespace tacit::inline v1::intervals
