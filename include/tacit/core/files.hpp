#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "tacit/core/api.hpp"

namespace tacit::inline v1 {

// Puts `content` at `path` in one step: a new file beside it is written, flushed to the disk and renamed, so
// that a reader sees the old content or the new, never a part. A failure throws WriteError with path and
// reason, leaves what was at `path` as it was, and leaves no other file behind. A link is followed; a device
// or pipe is written directly.
TACIT_API void write_file_atomically(const std::filesystem::path& path, std::string_view content);

// The whole content of a file. NotFoundError when it does not exist or cannot be opened; DataError when it is
// a directory or cannot be read to its end.
TACIT_API std::string read_file(const std::filesystem::path& path);

}  // namespace tacit::inline v1
