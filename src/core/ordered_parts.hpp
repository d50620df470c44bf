#pragma once

#include <algorithm>
#include <cstddef>

#include "core/parallel.hpp"

namespace tacit::inline v1 {

// [0, count) in parts that depend on `count` and public sizes alone, never on the machine: what is summed
// part by part, and the parts in their order, is the same whatever the number of threads.
struct OrderedParts {
  static constexpr std::size_t most = 64;

  OrderedParts(std::size_t all, std::size_t least_in_part)
      : count(all), parts(std::clamp<std::size_t>(all / least_in_part, 1, most)) {}

  std::size_t begin(std::size_t part) const { return count * part / parts; }

  std::size_t count, parts;
};

// work(begin, end, slot) for every part, as many at a time as there are threads, each with a slot of its own
// below their number; and when these are done, join(slot) for each in the order of the parts.
template <class Work, class Join>
void in_order(const OrderedParts& parts, unsigned threads, Work&& work, Join&& join) {
  for (std::size_t done = 0; done < parts.parts; done += threads) {
    const std::size_t now = std::min<std::size_t>(threads, parts.parts - done);
    parallel_parts(now, static_cast<unsigned>(now), [&](std::size_t begin, std::size_t end, unsigned) {
      for (std::size_t slot = begin; slot < end; ++slot)
        work(parts.begin(done + slot), parts.begin(done + slot + 1), slot);
    });
    for (std::size_t slot = 0; slot < now; ++slot) join(slot);
  }
}

}  // namespace tacit::inline v1
