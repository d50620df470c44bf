#include "algorithm/user_level/contribution.hpp"

#include <algorithm>

#include "algorithm/heavy_tails/options.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {
std::string_view name(Weighting weighting) { return weighting == Weighting::user ? "user" : "record"; }
}  // namespace tacit::inline v1

namespace tacit::inline v1::user_level {

UserRecords bounded_records(const Dataset& data, std::size_t users, std::int64_t cap, BitSource& bits) {
  const UserRecords all = records_of_users(data);
  std::vector<std::uint64_t> words(std::max(users, all.users()));
  bits.fill(words);
  return at_most(all, static_cast<std::size_t>(cap), words);
}

Shape public_shape(const Problem& problem, std::size_t users, std::int64_t cap) {
  Shape shape = shape_of(problem);
  shape.records = users * static_cast<std::size_t>(cap);
  return shape;
}

Facts public_facts(const Shape& shape, std::size_t users, std::int64_t cap) {
  Facts facts = shape_facts(shape);
  facts.set("users", static_cast<std::int64_t>(users));
  facts.set("records_source", std::string("users times the cap; the real number is private"));
  facts.set("records_per_user", cap);
  return facts;
}

}  // namespace tacit::inline v1::user_level
