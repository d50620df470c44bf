#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "tacit/data.hpp"

namespace tacit::inline v1 {

// Where encoded cells come from, as far as what is made of them must state it.
struct EncodedOrigin {
  bool by_query = false;      // they are the rows of a query
  std::string schema_file{};  // the text of a schema that was found privately, whole; empty: it was not
  bool operator==(const EncodedOrigin&) const = default;
};

// As encode_file(options, output); `schema_file` is kept in the file.
TACIT_API EncodedFile encode_file(const ReadOptions& options, const std::filesystem::path& output,
                                  std::string_view schema_file);

// As the file states it; no record is looked at. DataError unless it is a file of encoded cells.
TACIT_API EncodedOrigin origin_of_encoded(const std::filesystem::path& path);

}  // namespace tacit::inline v1
