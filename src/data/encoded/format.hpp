#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/sha256.hpp"
#include "data/encoded/mapping.hpp"
#include "data/encoded/origin.hpp"
#include "tacit/data.hpp"

// The file of encoded cells, all numbers little-endian:
//
//   header                   EncodedHeader
//   schema                   JSON text, then zeros up to first_row, a multiple of 4096
//                            version 1: the schema
//                            version 2: an object with the schema's text and what EncodedOrigin has, so that
//                            a reader who would lose that refuses the file
//   rows                     row_bytes each: cells.hpp
//   digests                  SHA-256 of every block of 4096 rows, which is a whole number of pages
//
// The header's digest is over the header with zeros in its place, the schema, and the digests of the blocks.

namespace tacit::inline v1 {

struct EncodedHeader {
  static constexpr std::uint64_t expected_magic = 0x6c65637469636174;  // "tacitcel"
  static constexpr std::uint32_t expected_version = 1, version_with_origin = 2, usual_block_rows = 4096;

  std::uint64_t magic = expected_magic;
  std::uint32_t version = expected_version;
  std::uint32_t block_rows = usual_block_rows;
  std::uint64_t rows = 0, users = 0, row_bytes = 0, schema_bytes = 0, first_row = 0;
  Sha256 digest{};

  std::uint64_t blocks() const { return (rows + block_rows - 1) / block_rows; }
  std::uint64_t digests() const { return first_row + rows * row_bytes; }  // where they begin
  std::uint64_t file_bytes() const { return digests() + blocks() * sizeof(Sha256); }
};
static_assert(sizeof(EncodedHeader) == 88);

// A file of encoded cells whose header, schema and length hold. Its blocks are looked at by check_block.
class EncodedFileView {
 public:
  explicit EncodedFileView(const std::filesystem::path& path);  // DataError: what is wrong with it

  const std::string& name() const { return name_; }
  const EncodedHeader& header() const { return header_; }
  const Schema& schema() const { return schema_; }
  const EncodedOrigin& origin() const { return origin_; }
  const std::byte* row(std::size_t i) const { return map_.bytes() + place(i); }
  // The same row; what a pass will look at after it is asked for.
  const std::byte* row(std::size_t i, ReadAhead& ahead) const {
    ahead.at(map_, place(i));
    return row(i);
  }

  // DataError unless the block's digest is that of its rows. Blocks come one after the other.
  void check_block(std::size_t block, ReadAhead& ahead) const;

 private:
  std::size_t place(std::size_t i) const { return header_.first_row + i * header_.row_bytes; }

  std::string name_;
  Mapping map_;
  EncodedHeader header_;
  Schema schema_;
  EncodedOrigin origin_;
};

// The text of the header's version that states both.
std::string text_with_origin(const std::string& schema, const EncodedOrigin& origin);

// Parts of a file that is mapped at `file`, whose header says where they are.
std::string_view block_bytes(const std::byte* file, const EncodedHeader& header, std::size_t block);
Sha256 whole_digest(const std::byte* file, EncodedHeader header);

}  // namespace tacit::inline v1
