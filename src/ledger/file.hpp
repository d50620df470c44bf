#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

// The ledger's one file, locked. Everything that a ledger knows is inside it and the lock is on it, not on
// its name: through a hard link, a symbolic link or a second mount (a container's volume) it is the same
// ledger.

namespace tacit::inline v1 {

class LedgerFile {
 public:
  enum class Use { read, write };

  // Opens a file that exists and waits for its turn: any number of readers, or one writer. Throws
  // NotFoundError, DataError (no regular file) or WriteError (not writable, held by another process).
  LedgerFile(const std::filesystem::path& path, Use use);
  LedgerFile(const LedgerFile&) = delete;
  LedgerFile& operator=(const LedgerFile&) = delete;
  ~LedgerFile();

  void unlock();  // what was committed stays readable without

  std::uint64_t size() const;
  std::string read(std::uint64_t at, std::uint64_t count) const;  // shorter at the end of the file
  // Each throws WriteError.
  void write(std::uint64_t at, std::string_view bytes) const;
  void truncate(std::uint64_t size) const;
  void flush() const;  // returns when what was written is on the disk

  const std::string& path() const { return path_; }

 private:
  [[noreturn]] void cannot_write(int error) const;
  void open(Use use);
  void lock(Use use) const;
  bool is_at_its_path() const;

  std::string path_;
  int descriptor_ = -1;
};

}  // namespace tacit::inline v1
