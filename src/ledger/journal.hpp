#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "ledger/chain.hpp"
#include "ledger/commit.hpp"
#include "ledger/file.hpp"
#include "ledger/state.hpp"

// A ledger of format 2: entries that are only ever appended, in one file (docs/ledger.md has its layout and
// why it holds what it promises).

namespace tacit::inline v1 {

class Journal {
 public:
  // Opens and locks. A writer keeps the lock for its life; what a reader sees no longer changes.
  Journal(const std::filesystem::path& path, LedgerFile::Use use);

  // What the entries come to, read from the last summary on.
  const LedgerState& state();
  // Every entry, every link checked.
  Ledger read_all();
  // Calls `see` with every entry.
  void for_each(const std::function<void(const Json&)>& see);

  // On the disk when it returns. When it throws, nothing was appended; only if the disk fails in the last
  // instant the entries may stay.
  void append(const Json& entry) { append_all({&entry, 1}); }
  void append_all(std::span<const Json> entries);

  const std::string& path() const { return file_.path(); }

 private:
  [[noreturn]] void damaged(const char* why) const;
  void find_commit();
  void find_later_entries();
  void replay(ChainReader& chain, const std::function<void(const Json&)>& see) const;
  void clean_up();
  void write_commit();

  LedgerFile file_;
  Commit commit_;               // what is committed, with entries that a crash kept from being so
  std::size_t place_ = 0;       // the page, of the two, that the last commit is in
  bool other_page_ok_ = false;  // whether the other page holds the commit before
  bool clean_ = false;          // whether the pages and the end of the file say the same
  std::optional<Replay> replay_;
  std::size_t since_summary_ = 0;  // entries
};

// Makes the first entries of a ledger at `begin` in an open file: the entries first, then the commits, so
// that it is a ledger from one write on. `check` is called in between.
void write_first_entries(const LedgerFile& file, std::uint64_t begin, std::span<const Json> entries,
                         const std::function<void(const Commit&)>& check = {});

}  // namespace tacit::inline v1
