#pragma once

#include <memory>
#include <string>

#include "data/bytes.hpp"

namespace tacit::inline v1 {

// Unpacks gzip data as it is read, one or more members after each other. DataError, beginning with `name`,
// when the data is damaged or ends early.
std::unique_ptr<ByteStream> gunzip(std::unique_ptr<ByteStream> packed, std::string name);

}  // namespace tacit::inline v1
