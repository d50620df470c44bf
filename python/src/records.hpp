#pragma once

#include <optional>

#include "tacit/data.hpp"

namespace tacit::python {

// Features, and labels once they are set: what a reader would have made of a file.
struct Records {
  ReadResult read;
  std::optional<Schema> schema;
};

}  // namespace tacit::python
