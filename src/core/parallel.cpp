#include "core/parallel.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "tacit/core.hpp"

namespace tacit::inline v1 {

unsigned default_threads() { return std::max(1u, std::thread::hardware_concurrency()); }

void parallel_parts(std::size_t count, unsigned threads,
                    const std::function<void(std::size_t, std::size_t, unsigned)>& body) {
  throw_if_stopped();
  if (threads == 0) threads = default_threads();
  threads = static_cast<unsigned>(std::min<std::size_t>(threads, std::max<std::size_t>(count, 1)));
  if (threads == 1) return body(0, count, 0);

  std::exception_ptr first_failure;
  std::mutex failure_mutex;
  const auto run = [&, stop = stop_flag()](unsigned worker) {
    const StopScope scope(stop);
    try {
      body(count * worker / threads, count * (worker + 1) / threads, worker);
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      if (!first_failure) first_failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> workers;
    for (unsigned worker = 1; worker < threads; ++worker) workers.emplace_back(run, worker);
    run(0);
  }
  if (first_failure) std::rethrow_exception(first_failure);
}

}  // namespace tacit::inline v1
