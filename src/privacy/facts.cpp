#include "tacit/meter.hpp"

#include <algorithm>

#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {
template <class T>
const T& get(const FactValue* value, std::string_view key, std::string_view expected) {
  if (value == nullptr) throw_error<VerificationError>("the certificate lacks \"{}\"", key);
  if (const T* held = std::get_if<T>(value)) return *held;
  throw_error<VerificationError>("\"{}\" in the certificate is not {}", key, expected);
}
}  // namespace

const FactValue* Facts::find(std::string_view key) const {
  const auto it = std::ranges::find(entries_, key, &std::pair<std::string, FactValue>::first);
  return it == entries_.end() ? nullptr : &it->second;
}

void Facts::set(std::string_view key, FactValue value) {
  const auto it = std::ranges::find(entries_, key, &std::pair<std::string, FactValue>::first);
  if (it != entries_.end())
    it->second = std::move(value);
  else
    entries_.emplace_back(key, std::move(value));
}

bool Facts::has(std::string_view key) const { return find(key) != nullptr; }
bool Facts::boolean(std::string_view key) const { return get<bool>(find(key), key, "true or false"); }
std::int64_t Facts::integer(std::string_view key) const {
  return get<std::int64_t>(find(key), key, "a whole number");
}
double Facts::number(std::string_view key) const {
  const FactValue* value = find(key);
  if (value != nullptr)
    if (const auto* whole = std::get_if<std::int64_t>(value)) return static_cast<double>(*whole);
  return get<double>(value, key, "a number");
}
const std::string& Facts::text(std::string_view key) const {
  return get<std::string>(find(key), key, "a text");
}

}  // namespace tacit::inline v1
