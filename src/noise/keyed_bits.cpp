#include "noise/keyed_bits.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>

#include "core/openssl.hpp"

namespace tacit::inline v1::noise {

namespace {

class KeyedBits final : public BitSource {
 public:
  explicit KeyedBits(const BitsKey& key) : context_(new_cipher()) {
    const std::array<unsigned char, 16> first_counter{};  // a key serves one stream
    if (EVP_EncryptInit_ex(context_.get(), EVP_aes_256_ctr(), nullptr,
                           reinterpret_cast<const unsigned char*>(key.data()), first_counter.data()) != 1)
      throw_error<Error>("OpenSSL cannot start AES-256-CTR");
  }
  ~KeyedBits() override { OPENSSL_cleanse(buffer_.data(), sizeof buffer_); }

  void fill(std::span<std::uint64_t> words) override {
    for (std::uint64_t& word : words) {
      if (used_ == buffer_.size()) generate();
      word = buffer_[used_++];
    }
  }
  bool seeded() const override { return true; }
  std::string_view name() const override { return "AES-256-CTR of a key (OpenSSL)"; }

 private:
  // The key stream: zeros, encrypted in place.
  void generate() {
    std::ranges::fill(buffer_, 0);
    auto* bytes = reinterpret_cast<unsigned char*>(buffer_.data());
    constexpr int size = sizeof buffer_;
    int written = 0;
    if (EVP_EncryptUpdate(context_.get(), bytes, &written, bytes, size) != 1 || written != size)
      throw_error<Error>("OpenSSL failed to make random bits");
    used_ = 0;
  }

  Cipher context_;
  static constexpr std::size_t words_at_once = 512;
  std::array<std::uint64_t, words_at_once> buffer_{};
  std::size_t used_ = words_at_once;
};

}  // namespace

std::unique_ptr<BitSource> keyed_bits(const BitsKey& key) { return std::make_unique<KeyedBits>(key); }

}  // namespace tacit::inline v1::noise
