#include "ledger/chain.hpp"

#include <algorithm>

#include "ledger/lock.hpp"

namespace tacit::inline v1 {

namespace {

constexpr std::uint64_t chunk = 1 << 18;

}  // namespace

const std::string no_hash(hash_size, '0');

std::string chain_line(const Json& entry, std::string& head) {
  std::string text = entry.dump();
  head = fingerprint(head + text);
  return text + " " + head + "\n";
}

ChainReader::ChainReader(const LedgerFile& file, std::uint64_t from, std::uint64_t to, std::string head)
    : file_(&file), at_(from), loaded_(from), to_(to), head_(std::move(head)) {}

bool ChainReader::load_more() {
  buffer_.erase(0, used_);
  used_ = 0;
  // As much again as is there: a long line is not read over and over.
  const std::uint64_t wanted = std::max<std::uint64_t>(chunk, buffer_.size());
  const std::string more = file_->read(loaded_, std::min(wanted, to_ - loaded_));
  loaded_ += more.size();
  buffer_ += more;
  return !more.empty();
}

std::optional<std::string> ChainReader::next() {
  std::size_t end = buffer_.npos;
  for (std::size_t from = used_; (end = buffer_.find('\n', from)) == buffer_.npos;) {
    const std::size_t seen = buffer_.size() - used_;
    if (!load_more()) return std::nullopt;
    from = seen;
  }
  const std::string_view line = std::string_view(buffer_).substr(used_, end - used_);
  if (line.size() <= hash_size || line[line.size() - hash_size - 1] != ' ') return std::nullopt;
  std::string text(line.substr(0, line.size() - hash_size - 1));
  const std::string_view stated = line.substr(line.size() - hash_size);
  if (stated != fingerprint(head_ + text)) return std::nullopt;
  at_ += line.size() + 1;
  used_ = end + 1;
  head_ = stated;
  return text;
}

}  // namespace tacit::inline v1
