#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace tacit::inline v1 {

// Where random bits come from. `noise/system_bits.hpp` has the one for releases; seeded ones exist for tests
// only and mark what they touch.
class BitSource {
 public:
  virtual ~BitSource() = default;
  virtual void fill(std::span<std::uint64_t> words) = 0;
  virtual bool seeded() const = 0;
  virtual std::string_view name() const = 0;
};

}  // namespace tacit::inline v1
