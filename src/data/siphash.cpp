#include "data/siphash.hpp"

#include <bit>
#include <cstddef>

namespace tacit::inline v1 {
namespace {

// Notation [Aumasson–Bernstein 2012, section 2]: v0 … v3 is the state, m a word of the message.
struct SipState {
  std::uint64_t v0, v1, v2, v3;

  void round() {
    v0 += v1, v2 += v3;
    v1 = std::rotl(v1, 13), v3 = std::rotl(v3, 16);
    v1 ^= v0, v3 ^= v2;
    v0 = std::rotl(v0, 32);
    v2 += v1, v0 += v3;
    v1 = std::rotl(v1, 17), v3 = std::rotl(v3, 21);
    v1 ^= v2, v3 ^= v0;
    v2 = std::rotl(v2, 32);
  }
  void compress(std::uint64_t m) {
    v3 ^= m;
    round(), round();
    v0 ^= m;
  }
};

// Up to 8 bytes as a little-endian number.
std::uint64_t word(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t k = bytes.size(); k-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[k]);
  return value;
}

}  // namespace

std::uint64_t siphash_2_4(const HashKey& key, std::string_view text) {
  SipState s{key[0] ^ 0x736f6d6570736575u, key[1] ^ 0x646f72616e646f6du, key[0] ^ 0x6c7967656e657261u,
             key[1] ^ 0x7465646279746573u};
  const auto length = static_cast<std::uint64_t>(text.size());
  for (; text.size() >= 8; text.remove_prefix(8)) s.compress(word(text.substr(0, 8)));
  s.compress(length << 56 | word(text));
  s.v2 ^= 0xff;
  for (int k = 0; k < 4; ++k) s.round();
  return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}

}  // namespace tacit::inline v1
