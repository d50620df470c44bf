#pragma once

#include <cstddef>
#include <vector>

#include "tacit/core.hpp"
#include "tacit/meter.hpp"

namespace tacit::inline v1::audit {

// Bits that can be played again: what the source gave is kept, and comes once more after rewind(). Whoever
// asks for more than was kept gets new bits, kept likewise. Bits that are known to someone protect nothing,
// so it calls itself seeded.
class TACIT_API RecordedBits final : public BitSource {
 public:
  explicit RecordedBits(BitSource& source) : source_(&source) {}  // which must outlive it

  void rewind() { position_ = 0; }
  void fill(std::span<std::uint64_t> words) override;
  bool seeded() const override { return true; }
  std::string_view name() const override { return "recorded bits"; }

 private:
  BitSource* source_;
  std::vector<std::uint64_t> kept_;
  std::size_t position_ = 0;
};

}  // namespace tacit::inline v1::audit
