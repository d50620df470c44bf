#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tacit/core.hpp"

// What travels between processes of this program: numbers as the machine has them, one after the other. Both
// ends are the same version on machines of one kind; the first message between them says so.

namespace tacit::inline v1 {

class MessageWriter {
 public:
  template <class T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) MessageWriter& put(const T& value) {
    text_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  MessageWriter& put(std::span<const double> values) {
    put(values.size());
    text_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    return *this;
  }
  MessageWriter& put(const Vector& values) {
    return put(std::span<const double>(values.data(), static_cast<std::size_t>(values.size())));
  }
  MessageWriter& put(std::string_view text) {
    put(text.size());
    text_ += text;
    return *this;
  }

  void append(const MessageWriter& more) { text_ += more.text_; }
  // What another message is made of, as it is.
  void append(std::string_view text) { text_ += text; }

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Takes out in the order in which things were put in. Error when there is less than asked for.
class MessageReader {
 public:
  explicit MessageReader(std::string_view text) : rest_(text) {}

  template <class T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) T get() {
    T value;
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }
  void get(std::vector<double>& values) {
    const auto size = get<std::size_t>();
    if (size > rest_.size() / sizeof(double)) fail();
    values.resize(size);
    const char* from = take(size * sizeof(double));
    if (size > 0) std::memcpy(values.data(), from, size * sizeof(double));
  }
  Vector vector() {
    const auto size = get<std::size_t>();
    if (size > rest_.size() / sizeof(double)) fail();
    Vector values(static_cast<Eigen::Index>(size));
    const char* from = take(size * sizeof(double));
    if (size > 0) std::memcpy(values.data(), from, size * sizeof(double));
    return values;
  }
  std::string_view text() {
    const auto size = get<std::size_t>();
    return {take(size), size};
  }

  bool done() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }

 private:
  [[noreturn]] static void fail() { throw_error<Error>("a message between processes is cut short"); }
  const char* take(std::size_t size) {
    if (size > rest_.size()) fail();
    const char* from = rest_.data();
    rest_.remove_prefix(size);
    return from;
  }

  std::string_view rest_;
};

}  // namespace tacit::inline v1
