#pragma once

#include <cstdint>
#include <string>

#include "tacit/core/api.hpp"

namespace tacit::inline v1 {

// Hears of work whose extent follows from public values alone: what is planned where it is long, then how
// much of it is done. Work that takes as long as the data needs is never told (docs/side_channels.md).
class TACIT_API WorkListener {
 public:
  virtual ~WorkListener() = default;
  virtual void foretold(const std::string& what) = 0;  // one line
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
TACIT_API void foretell(const std::string& what);
TACIT_API void tell_progress(std::uint64_t done, std::uint64_t planned);

}  // namespace tacit::inline v1
