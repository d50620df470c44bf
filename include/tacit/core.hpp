#pragma once

// Layer: core.
//
// Errors, vectors, directed rounding, files and numbers as text, and how long jobs announce themselves and
// are stopped.
//
//     try { tacit::read_file("no.csv"); } catch (const tacit::Error& error) { std::puts(error.what()); }

#include <fmt/core.h>
#include <Eigen/Core>

#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

// Symbols are hidden unless they carry TACIT_API. The inline namespace `v1` is part of every mangled name, so
// that two incompatible versions of the library cannot be mixed without a link error.
#define TACIT_API __attribute__((visibility("default")))

namespace tacit::inline v1 {

// Every failure of the library is one of these. The message is one line that names what was wrong, where, and
// what was expected; the library never prints and never aborts. Two kinds of exceptions are not its own and
// pass through as they are: std::bad_alloc where memory runs out, and what a function of the caller's throws
// (a loss, a hook, bits of one's own).
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

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

}  // namespace tacit::inline v1

// Bounds for what IEEE double arithmetic, rounded to nearest, does to real numbers. Everything that privacy
// rests on is evaluated through these: `up` results are never below the real value, `down` never above.

namespace tacit::inline v1 {

inline constexpr double unit_roundoff = 0x1p-53;

// The neighbours of a rounded result: an operation's true value lies strictly between them. (The error of one
// rounded operation is at most half the gap to a neighbour, underflow included.)
inline double next_up(double x) { return std::nextafter(x, std::numeric_limits<double>::infinity()); }
inline double next_down(double x) { return std::nextafter(x, -std::numeric_limits<double>::infinity()); }

inline double add_up(double a, double b) { return next_up(a + b); }
inline double add_down(double a, double b) { return next_down(a + b); }
inline double sub_up(double a, double b) { return next_up(a - b); }
inline double sub_down(double a, double b) { return next_down(a - b); }
inline double mul_up(double a, double b) { return next_up(a * b); }
inline double mul_down(double a, double b) { return next_down(a * b); }
inline double div_up(double a, double b) { return next_up(a / b); }
inline double div_down(double a, double b) { return next_down(a / b); }
inline double sqrt_up(double a) { return next_up(std::sqrt(a)); }
inline double sqrt_down(double a) { return a <= 0 ? 0.0 : next_down(std::sqrt(a)); }

// glibc's exp, log, log1p, expm1 and pow are within 1 ulp in double (glibc manual, "Errors in Math
// Functions"); four steps away is a bound with room to spare.
inline double library_up(double x) { return next_up(next_up(next_up(next_up(x)))); }
inline double library_down(double x) { return next_down(next_down(next_down(next_down(x)))); }

inline double log1p_up(double x) { return library_up(std::log1p(x)); }
inline double exp_up(double x) { return library_up(std::exp(x)); }
inline double exp_down(double x) { return library_down(std::exp(x)); }

// gamma_k = k u / (1 - k u) [Higham, Accuracy and Stability, Lemma 3.1]: a product of k factors (1 + delta),
// |delta| <= u, is 1 + theta with |theta| <= gamma_k. Rounded up.
inline double gamma_bound(std::size_t k) {
  const double ku = mul_up(static_cast<double>(k), unit_roundoff);
  return div_up(ku, sub_down(1.0, ku));
}

// The depth of a sum of `count` terms added in blocks of `block` terms, the blocks added pairwise.
inline std::size_t blocked_sum_depth(std::size_t count, std::size_t block) {
  std::size_t depth = count < block ? count : block;
  for (std::size_t blocks = (count + block - 1) / block; blocks > 1; blocks = (blocks + 1) / 2) ++depth;
  return depth;
}

// Hears of work whose extent follows from public values alone: what is planned where it is long, then how
// much of it is done. Work that takes as long as the data needs is never told (docs/side_channels.md).
class TACIT_API WorkListener {
 public:
  virtual ~WorkListener() = default;
  virtual void announced(const std::string& what) = 0;  // one line
  virtual void advanced(std::uint64_t done, std::uint64_t planned) = 0;
};

// While the scope lives, what this thread computes is told to the listener; nullptr: to nobody, as around
// work whose repetitions are secret.
class TACIT_API ListenScope {
 public:
  explicit ListenScope(WorkListener* listener);
  ~ListenScope();
  ListenScope(const ListenScope&) = delete;
  ListenScope& operator=(const ListenScope&) = delete;

 private:
  WorkListener* outer_;
};

// Both do nothing where nobody listens.
TACIT_API void announce(const std::string& what);
TACIT_API void tell_progress(std::uint64_t done, std::uint64_t planned);

// Lets someone stop what this thread computes, and the threads that it starts with parallel_parts: while the
// scope lives, setting the flag makes the next part of the work throw Interrupted. Nothing is released; what
// a ledger was charged stays charged, and the message of a fit says so. A checkpoint that was saved by then
// can be continued.
class TACIT_API StopScope {
 public:
  explicit StopScope(const std::atomic<bool>* stop);
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  const std::atomic<bool>* outer_;
};

// The flag of this thread's scope; nullptr: nobody can stop it.
TACIT_API const std::atomic<bool>* stop_flag();
// Interrupted once the flag is set.
TACIT_API void throw_if_stopped();

// Puts `content` at `path` in one step: a new file beside it is written, flushed to the disk and renamed, so
// that a reader sees the old content or the new, never a part. A failure throws WriteError with path and
// reason, leaves what was at `path` as it was, and leaves no other file behind. A link is followed; a device
// or pipe is written directly.
TACIT_API void write_file_atomically(const std::filesystem::path& path, std::string_view content);

// The whole content of a file. NotFoundError when it does not exist or cannot be opened; DataError when it is
// a directory or cannot be read to its end.
TACIT_API std::string read_file(const std::filesystem::path& path);

// x to so many significant digits, 1 to 17, rounded up or down: a bound that is printed still bounds. Fewer
// or more are taken for the nearest of them.
TACIT_API std::string decimal_up(double x, int digits);
TACIT_API std::string decimal_down(double x, int digits);

// A factor above 1, rounded up; one that is hardly above 1 gets the digits that show by how much.
TACIT_API std::string factor_up(double x, int digits);

// A count as people write it: 1000, or 1e3 where that is a whole number of at most 2^53, which a double holds
// exactly. Nothing for anything else.
TACIT_API std::optional<std::int64_t> parse_whole_number(std::string_view text);

}  // namespace tacit::inline v1
