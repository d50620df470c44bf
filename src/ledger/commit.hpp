#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// The first two pages of a ledger's file: each holds what was committed, and they are written in turn. A
// commit that a crash tears leaves the one before it.

namespace tacit::inline v1 {

inline constexpr std::int64_t ledger_version = 2;
inline constexpr std::uint64_t page_size = 4096;
inline constexpr std::uint64_t first_entry = 2 * page_size;  // in a file that was not another format before
inline constexpr std::uint64_t commit_size = 512;            // a sector: disks write it whole
inline constexpr std::string_view ledger_magic = "tacit-ledger ";

struct Commit {
  std::uint64_t sequence = 0;  // the higher one counts
  std::uint64_t begin = 0;     // where the entries begin in the file
  std::uint64_t end = 0;       // where those that are committed end
  std::string head;            // hash of the last one, and through it of all
  std::uint64_t summary = 0;   // where the last summary begins, or the first entry
  std::string before;          // hash of the entry before that
};

// `commit_size` bytes of text with a hash at the end.
std::string commit_text(const Commit& commit);
// The inverse; nothing when it is not one, or not as it was written.
std::optional<Commit> parse_commit(std::string_view text);

// The version that the text claims, whole or not; nothing when it is no ledger's.
std::optional<std::int64_t> claimed_version(std::string_view text);

}  // namespace tacit::inline v1
