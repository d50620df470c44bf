#pragma once

#include <atomic>

#include "tacit/core/api.hpp"

namespace tacit::inline v1 {

// Lets someone stop what this thread computes, and the threads that it starts with parallel_parts: while the
// scope lives, setting the flag makes the next part of the work throw Interrupted. What was charged stays
// charged, and nothing is released.
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

}  // namespace tacit::inline v1
