#pragma once

#include <fmt/core.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "tacit/core/api.hpp"

namespace tacit::inline v1 {

// Every failure of the library is one of these. The message is one line that names what was wrong, where, and
// what was expected; the library never prints and never aborts.
class TACIT_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// An option or argument outside its range, or options that contradict each other.
class TACIT_API UsageError : public Error {
 public:
  using Error::Error;
};

// The content of a file or dataset is not what it must be.
class TACIT_API DataError : public Error {
 public:
  using Error::Error;
};

// A file that must be read does not exist or cannot be opened.
class TACIT_API NotFoundError : public Error {
 public:
  using Error::Error;
};

// An output cannot be created or written in full. Nothing that existed before was damaged.
class TACIT_API WriteError : public Error {
 public:
  using Error::Error;
};

// A charge does not fit the budget or the ledger's limit. Nothing was released.
class TACIT_API BudgetError : public Error {
 public:
  using Error::Error;
};

// The method cannot run at this size or with these public values; the message has the numbers.
class TACIT_API InfeasibleError : public Error {
 public:
  using Error::Error;
};

// The caller asked to stop. What can be continued was saved.
class TACIT_API Interrupted : public Error {
 public:
  using Error::Error;
};

// A certificate or signature does not hold.
class TACIT_API VerificationError : public Error {
 public:
  using Error::Error;
};

// throw_error<UsageError>("epsilon is {}, expected > 0", epsilon)
template <class E, class... Args>
[[noreturn]] void throw_error(fmt::format_string<Args...> format, Args&&... args) {
  throw E(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace tacit::inline v1
