#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tacit::inline v1 {

// Distinct texts, numbered from 0 in the order in which they came.
class Dictionary {
 public:
  Dictionary() = default;
  explicit Dictionary(const std::vector<std::string>& texts) {
    for (const auto& text : texts) add(text);
  }

  // The text's number; a new one when it was not there.
  std::uint32_t add(std::string_view text) {
    if (const auto known = find(text)) return *known;
    const auto number = static_cast<std::uint32_t>(texts_.size());
    texts_.emplace_back(text);
    numbers_.emplace(texts_.back(), number);
    return number;
  }

  std::optional<std::uint32_t> find(std::string_view text) const {
    const auto found = numbers_.find(text);
    if (found == numbers_.end()) return std::nullopt;
    return found->second;
  }

  const std::vector<std::string>& texts() const { return texts_; }
  std::size_t size() const { return texts_.size(); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };

  std::vector<std::string> texts_;
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> numbers_;
};

}  // namespace tacit::inline v1
