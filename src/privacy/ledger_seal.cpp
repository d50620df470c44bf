#include "ledger_seal.hpp"

#include <openssl/evp.h>
#include <openssl/rand.h>

#include <array>
#include <span>

#include "ledger_parts.hpp"
#include "tacit/core/error.hpp"
#include "tacit/privacy/lock.hpp"

namespace tacit::inline v1 {

namespace {

std::string hex(std::span<const unsigned char> bytes) {
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

// Every field carries its length, so that no two ledgers have the same bytes.
class Bytes {
 public:
  Bytes& operator<<(std::string_view text) {
    bytes_ += fmt::format("{}:{},", text.size(), text);
    return *this;
  }
  Bytes& operator<<(const Guarantee& guarantee) {
    *this << notion(guarantee);
    for (const Part& part : parts_of(guarantee))
      *this << part.name << fmt::format("{:a}", part.order) << fmt::format("{:a}", part.value);
    return *this << "";
  }
  const std::string& all() const { return bytes_; }

 private:
  std::string bytes_;
};

}  // namespace

std::string seal(const Ledger& ledger) {
  Bytes bytes;
  bytes << ledger.terms.accountant << name(ledger.terms.unit) << name(ledger.terms.neighbours)
        << ledger.created;
  for (const LedgerBudget& budget : ledger.budgets) {
    bytes << "budget" << budget.name << budget.limit;
    if (budget.stated) bytes << "stated" << Guarantee(*budget.stated);
    for (const LedgerCharge& charge : budget.charges) {
      bytes << "charge" << charge.release << charge.time << charge.method << charge.asked << charge.amount;
      if (charge.ticket)
        bytes << "ticket" << charge.ticket->token << charge.ticket->key << charge.ticket->file;
    }
  }
  return fingerprint(bytes.all());
}

std::string fingerprint(std::string_view text) {
  std::array<unsigned char, 32> digest{};
  unsigned length = 0;
  if (EVP_Digest(text.data(), text.size(), digest.data(), &length, EVP_sha256(), nullptr) != 1 ||
      length != digest.size())
    throw_error<Error>("SHA-256 is not available");
  return hex(digest);
}

std::string random_hex(std::size_t count) {
  std::vector<unsigned char> bytes(count);
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1)
    throw_error<Error>("the random number generator failed");
  return hex(bytes);
}

}  // namespace tacit::inline v1
