#include "support/seeded_bits.hpp"

#include <random>

namespace tacit::testing {

namespace {

class SeededBits final : public BitSource {
 public:
  explicit SeededBits(std::uint64_t seed) : engine_(seed) {}
  void fill(std::span<std::uint64_t> words) override {
    for (auto& word : words) word = engine_();
  }
  bool seeded() const override { return true; }
  std::string_view name() const override { return "seeded test bits (mt19937_64)"; }

 private:
  std::mt19937_64 engine_;
};

}  // namespace

std::unique_ptr<BitSource> seeded_bits(std::uint64_t seed) { return std::make_unique<SeededBits>(seed); }

}  // namespace tacit::testing
