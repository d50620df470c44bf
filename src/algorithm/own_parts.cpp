#include "algorithm/own_parts.hpp"

#include <bit>

#include "algorithm/partition.hpp"

namespace tacit::inline v1 {

namespace {

// The free places of every part, as a tree of sums [Fenwick 1994].
class FreePlaces {
 public:
  explicit FreePlaces(const std::vector<std::size_t>& sizes) : sums_(sizes.size() + 1) {
    for (std::size_t k = 1; k < sums_.size(); ++k) {
      sums_[k] += sizes[k - 1];
      if (const std::size_t above = k + (k & -k); above < sums_.size()) sums_[above] += sums_[k];
    }
  }

  // Takes the place of this rank among those that are free: the part that it is in.
  std::size_t take(std::size_t rank) {
    std::size_t part = 0;
    for (std::size_t step = std::bit_floor(sums_.size() - 1); step > 0; step /= 2)
      if (part + step < sums_.size() && sums_[part + step] <= rank) rank -= sums_[part += step];
    for (std::size_t k = part + 1; k < sums_.size(); k += k & -k) --sums_[k];
    return part;
  }

 private:
  std::vector<std::size_t> sums_;
};

}  // namespace

PartTerms draw_parts(std::vector<std::size_t> sizes, BitSource& bits, std::size_t places) {
  PartTerms terms{.sizes = std::move(sizes), .places = places};
  bits.fill(terms.key);
  return terms;
}

void put(MessageWriter& message, const PartTerms& terms) {
  for (const std::uint64_t word : terms.key) message.put(word);
  message.put(terms.sizes.size());
  for (const std::size_t size : terms.sizes) message.put(size);
  message.put(terms.places);
}

PartTerms get_part_terms(MessageReader& message) {
  PartTerms terms;
  for (std::uint64_t& word : terms.key) word = message.get<std::uint64_t>();
  for (auto parts = message.get<std::size_t>(); parts > 0; --parts)
    terms.sizes.push_back(message.get<std::size_t>());
  terms.places = message.get<std::size_t>();
  return terms;
}

// Each record in turn takes one of the places that are left, all equally likely.
OwnParts::OwnParts(const ShardRecords& records, const PartTerms& terms) {
  const std::size_t parts = terms.sizes.size(), own = records.problem->data->size();
  if (records.first + own > records.all)
    throw_error<Error>("a shard has {} records from number {} on, of {}", own, records.first, records.all);
  const std::size_t all = terms.places == 0 ? records.all : terms.places;
  if (all < records.all) throw_error<Error>("there are {} records, but only {} places", records.all, all);
  std::vector<std::size_t> sizes = terms.sizes;
  std::size_t left = all;
  for (const std::size_t size : sizes) {
    if (size > left) throw_error<Error>("the parts have more records than there are");
    left -= size;
  }
  sizes.push_back(left);  // in none
  FreePlaces places(sizes);
  const auto bits = noise::keyed_bits(terms.key);
  std::vector<std::uint32_t> part_of(own);
  first_.assign(parts + 1, 0);
  start_.assign(parts + 2, 0);
  for (std::size_t i = 0; i < records.first + own; ++i) {
    const std::size_t part = places.take(draw_below(all - i, *bits));
    if (i < records.first) {
      ++first_[part];
    } else {
      part_of[i - records.first] = static_cast<std::uint32_t>(part);
      ++start_[part + 1];
    }
  }
  for (std::size_t k = 1; k < start_.size(); ++k) start_[k] += start_[k - 1];
  rows_.resize(own);
  std::vector<std::size_t> next(start_.begin(), start_.end() - 1);
  for (std::size_t i = 0; i < own; ++i) rows_[next[part_of[i]]++] = static_cast<std::uint32_t>(i);
}

std::span<const std::uint32_t> OwnParts::rows(std::size_t part) const {
  return std::span(rows_).subspan(start_.at(part), start_.at(part + 1) - start_[part]);
}

}  // namespace tacit::inline v1
