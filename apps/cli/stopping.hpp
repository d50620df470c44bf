#pragma once

namespace tacit::cli {

// From now on SIGINT and SIGTERM do not end the process; they are remembered. A second one ends it as usual.
void stop_on_signals();

// Whether one came.
bool stop_requested();

}  // namespace tacit::cli
