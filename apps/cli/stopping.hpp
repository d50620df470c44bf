#pragma once

#include <atomic>

namespace tacit::cli {

// From now on SIGINT and SIGTERM do not end the process; they are remembered. A second one ends it as usual.
void stop_on_signals();

// Whether one came.
bool stop_requested();

// The same as a flag, for StopScope.
const std::atomic<bool>* stop_request();

}  // namespace tacit::cli
