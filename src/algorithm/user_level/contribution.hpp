#pragma once

// How much of a user is used, and what is public of a fit whose unit is the user [docs/user_level.md].

#include <cstdint>
#include <string_view>
#include <vector>

#include "data/users.hpp"
#include "solver/user_gradients.hpp"
#include "tacit/core.hpp"
#include "tacit/meter.hpp"
#include "tacit/method.hpp"
#include "tacit/problem.hpp"

namespace tacit::inline v1 {
TACIT_API std::string_view name(Weighting weighting);
}

namespace tacit::inline v1::user_level {

// The usual cap on the records of one user [heuristic: utility only].
inline constexpr std::int64_t usual_cap = 100;

// At most `cap` records of each user, chosen by a secret word of each user's own. A word is drawn for each of
// the `users` that are public too, there or not: what is drawn later does not move with one of them.
TACIT_API UserRecords bounded_records(const Dataset& data, std::size_t users, std::int64_t cap,
                                      BitSource& bits);

// How many records there are is private, since one user may hold any number of them. What is public is how
// many users there are, and the cap; the shape counts users·cap records.
TACIT_API Shape public_shape(const Problem& problem, std::size_t users, std::int64_t cap);
// The shape, the users and the cap, for the certificate.
TACIT_API Facts public_facts(const Shape& shape, std::size_t users, std::int64_t cap);

// The line of every method's table for that cap.
template <class O>
Field<O> cap_field(std::int64_t O::*member) {
  return field(member, "records-per-user", between(1, 1e6),
               "at most so many records of one user are used, chosen at random");
}

// A clip norm that is chosen privately is for records: users have a number or `auto`.
template <class O>
Fields<O> without_private_min(Fields<O> fields) {
  for (Field<O>& line : fields.lines)
    if (line.spec.name == "clip-norm") {
      std::erase(line.spec.words, "private-min");
      line.spec.range = "> 0 or auto";
    }
  return fields;
}

}  // namespace tacit::inline v1::user_level
