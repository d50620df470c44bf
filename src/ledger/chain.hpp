#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ledger/entry_json.hpp"
#include "ledger/file.hpp"

// Entries are lines: JSON, a space, and the SHA-256 of the hash of the line before together with the JSON.

namespace tacit::inline v1 {

extern const std::string no_hash;  // before the first line

// The entry's line; `head` becomes its hash.
std::string chain_line(const Json& entry, std::string& head);

// Reads the lines of [from, to) as long as each follows the one before.
class ChainReader {
 public:
  ChainReader(const LedgerFile& file, std::uint64_t from, std::uint64_t to, std::string head);

  // The JSON of the next whole line whose hash is right. Nothing at the end or at a line that is not so;
  // at() == to tells which.
  std::optional<std::string> next();

  std::uint64_t at() const { return at_; }           // where the next line begins
  const std::string& head() const { return head_; }  // the hash of the line before

 private:
  bool load_more();

  const LedgerFile* file_;
  std::uint64_t at_, loaded_, to_;
  std::string head_, buffer_;  // the bytes of [at_, loaded_) are buffer_ from used_ on
  std::size_t used_ = 0;
};

}  // namespace tacit::inline v1
