#include "audit/replay/recorded_bits.hpp"

#include <algorithm>

namespace tacit::inline v1::audit {

void RecordedBits::fill(std::span<std::uint64_t> words) {
  const std::size_t needed = position_ + words.size(), had = kept_.size();
  if (needed > had) {
    kept_.resize(needed);
    source_->fill(std::span(kept_).subspan(had));
  }
  std::ranges::copy(std::span(kept_).subspan(position_, words.size()), words.begin());
  position_ = needed;
}

}  // namespace tacit::inline v1::audit
