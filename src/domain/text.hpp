#pragma once

#include <string>
#include <string_view>

#include "tacit/domain.hpp"

namespace tacit::inline v1 {

// A domain as one line of text:
//   ball:R   ball:R@c1,c2,…   box:lo,hi   box:lo1,hi1;lo2,hi2;…
//   polytope:a11,…,a1d,b1;a21,…   {x : A x ≤ b}, a row after the other
//   ellipsoid:c1,…,cd;p11,…,p1d;…   the center, then the rows of P
// A radius alone is around 0, one pair of bounds is for every coordinate. UsageError, in one line, for what
// is no such text or does not fit the dimension.
TACIT_API Domain parse_domain(std::string_view text, Eigen::Index dimension);
// The same without a dimension: whether it is such a text at all.
TACIT_API void check_domain(std::string_view text);
// Whether it is a domain in every dimension, as `ball:1` is; else it names coordinates.
TACIT_API bool fits_every_dimension(std::string_view text);
// Shortest numbers that read back the same. UsageError for the whole space.
TACIT_API std::string domain_text(const Domain& domain);

}  // namespace tacit::inline v1
