#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tacit/core/api.hpp"

namespace tacit::inline v1 {

using FactValue = std::variant<bool, std::int64_t, double, std::string>;

// Named public values, in the order they were set: a method's options, and what it assumes public. They go
// into the certificate, and `verify` rebuilds the method's plan from them.
class TACIT_API Facts {
 public:
  void set(std::string_view key, FactValue value);
  bool has(std::string_view key) const;
  // Throw VerificationError, naming the key, when it is missing or of another kind. An integer reads as a
  // double; an infinite double is stored as text by the JSON format and reads back as infinite.
  bool boolean(std::string_view key) const;
  std::int64_t integer(std::string_view key) const;
  double number(std::string_view key) const;
  const std::string& text(std::string_view key) const;

  const std::vector<std::pair<std::string, FactValue>>& entries() const { return entries_; }

 private:
  const FactValue* find(std::string_view key) const;
  std::vector<std::pair<std::string, FactValue>> entries_;
};

}  // namespace tacit::inline v1
