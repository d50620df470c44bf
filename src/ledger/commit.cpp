#include "ledger/commit.hpp"

#include <charconv>
#include <nlohmann/json.hpp>

#include "ledger/lock.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

std::string commit_text(const Commit& commit) {
  const nlohmann::ordered_json json{{"sequence", commit.sequence}, {"begin", commit.begin},
                                    {"end", commit.end},           {"head", commit.head},
                                    {"summary", commit.summary},   {"before", commit.before}};
  std::string text = fmt::format("{}{} {} ", ledger_magic, ledger_version, json.dump());
  text += fingerprint(text);
  text.resize(commit_size - 1, ' ');
  return text + "\n";
}

std::optional<Commit> parse_commit(std::string_view text) {
  text = text.substr(0, std::min<std::size_t>(text.size(), commit_size));
  const std::string begin = fmt::format("{}{} {{", ledger_magic, ledger_version);
  const std::size_t last = text.rfind("} ");
  if (!text.starts_with(begin) || last == text.npos || text.size() < last + 2 + hash_size)
    return std::nullopt;
  const std::string_view content = text.substr(0, last + 2);
  if (fingerprint(content) != text.substr(last + 2, hash_size)) return std::nullopt;
  try {
    const auto json = nlohmann::json::parse(content.substr(begin.size() - 1));
    return Commit{json.at("sequence"), json.at("begin"),   json.at("end"),
                  json.at("head"),     json.at("summary"), json.at("before")};
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

std::optional<std::int64_t> claimed_version(std::string_view text) {
  if (!text.starts_with(ledger_magic)) return std::nullopt;
  text.remove_prefix(ledger_magic.size());
  std::int64_t version = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), version).ec != std::errc()) return std::nullopt;
  return version;
}

}  // namespace tacit::inline v1
