#pragma once

#include <functional>
#include <string_view>

namespace tacit::inline v1 {

// Work done against work planned, in [0, 1], with the name of the stage. An empty function means nobody
// looks. A plan that depends on private data must not be reported (docs/side_channels.md).
using Progress = std::function<void(std::string_view stage, double done)>;

}  // namespace tacit::inline v1
