#include "tacit/mechanisms.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>

#include "core/openssl.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::noise {

namespace {

void kernel_random(std::span<unsigned char> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = getrandom(bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw_error<Error>("the kernel gave no random bytes: {}", std::strerror(errno));
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

// A word that the kernel sets to zero in a forked child; where the kernel cannot do that, the process id
// tells the child.
class ForkMark {
 public:
  ForkMark() {
    void* page = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) throw_error<Error>("no memory for the random bit source");
    wiped_ = madvise(page, size, MADV_WIPEONFORK) == 0;
    mark_ = static_cast<volatile std::uint64_t*>(page);
  }
  ForkMark(const ForkMark&) = delete;
  ForkMark& operator=(const ForkMark&) = delete;
  ~ForkMark() { munmap(const_cast<std::uint64_t*>(mark_), size); }

  bool is_set() const { return *mark_ == 1 && (wiped_ || pid_ == getpid()); }
  void set() {
    *mark_ = 1;
    pid_ = getpid();
  }

 private:
  static constexpr std::size_t size = 4096;
  volatile std::uint64_t* mark_ = nullptr;
  bool wiped_ = false;
  pid_t pid_ = 0;
};

class SystemBits final : public BitSource {
 public:
  ~SystemBits() override { OPENSSL_cleanse(buffer_.data(), sizeof buffer_); }

  void fill(std::span<std::uint64_t> words) override {
    if (!mark_.is_set()) rekey();
    if (words.size() >= buffer_.size()) return generate(words);
    if (words.size() > left_) {
      generate(buffer_);
      left_ = buffer_.size();
    }
    const auto source = buffer_.end() - static_cast<std::ptrdiff_t>(left_);
    std::copy_n(source, words.size(), words.begin());
    OPENSSL_cleanse(&*source, words.size_bytes());
    left_ -= words.size();
  }
  bool seeded() const override { return false; }
  std::string_view name() const override { return "AES-256-CTR keyed by the kernel (OpenSSL, getrandom)"; }

 private:
  void rekey() {
    std::array<unsigned char, 32 + 16> seed;  // key, first counter
    kernel_random(seed);
    const int ok =
        EVP_EncryptInit_ex(context_.get(), EVP_aes_256_ctr(), nullptr, seed.data(), seed.data() + 32);
    OPENSSL_cleanse(seed.data(), seed.size());
    if (ok != 1) throw_error<Error>("OpenSSL cannot start AES-256-CTR");
    OPENSSL_cleanse(buffer_.data(), sizeof buffer_);
    left_ = 0;
    mark_.set();
  }

  // The key stream: zeros, encrypted in place.
  void generate(std::span<std::uint64_t> words) {
    constexpr std::size_t most = std::numeric_limits<int>::max() / sizeof(std::uint64_t);
    for (; !words.empty(); words = words.subspan(std::min(most, words.size()))) {
      const auto part = words.first(std::min(most, words.size()));
      std::ranges::fill(part, 0);
      auto* bytes = reinterpret_cast<unsigned char*>(part.data());
      const int size = static_cast<int>(part.size_bytes());
      int written = 0;
      if (EVP_EncryptUpdate(context_.get(), bytes, &written, bytes, size) != 1 || written != size)
        throw_error<Error>("OpenSSL failed to make random bits");
    }
  }

  Cipher context_ = new_cipher();
  ForkMark mark_;
  std::array<std::uint64_t, 64> buffer_{};  // for small requests; words are wiped as they are handed out
  std::size_t left_ = 0;
};

}  // namespace

std::unique_ptr<BitSource> system_bits() { return std::make_unique<SystemBits>(); }

}  // namespace tacit::inline v1::noise
