#include "data/encoded/format.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "data/encoded/cells.hpp"
#include "data/schema_node.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

static_assert(std::endian::native == std::endian::little, "the file is mapped as it is");

std::string_view block_bytes(const std::byte* file, const EncodedHeader& header, std::size_t block) {
  const std::uint64_t begin = block * header.block_rows,
                      end = std::min<std::uint64_t>(begin + header.block_rows, header.rows);
  return {reinterpret_cast<const char*>(file) + header.first_row + begin * header.row_bytes,
          (end - begin) * header.row_bytes};
}

Sha256 whole_digest(const std::byte* file, EncodedHeader header) {
  header.digest = {};
  const auto text = [file](std::uint64_t at, std::uint64_t size) {
    return std::string_view(reinterpret_cast<const char*>(file) + at, size);
  };
  std::string all(reinterpret_cast<const char*>(&header), sizeof header);
  all += text(sizeof header, header.first_row - sizeof header);
  all += text(header.digests(), header.blocks() * sizeof(Sha256));
  return sha256_of(all);
}

namespace {

EncodedHeader checked_header(const Mapping& map, const std::string& name) {
  EncodedHeader header;
  if (map.size() >= sizeof header) std::memcpy(&header, map.bytes(), sizeof header);
  if (map.size() < sizeof header || header.magic != EncodedHeader::expected_magic)
    throw_error<DataError>("{}: is not a file of encoded cells (`tacit encode` makes one)", name);
  if (header.version != EncodedHeader::expected_version &&
      header.version != EncodedHeader::version_with_origin)
    throw_error<DataError>("{}: is of version {}, expected {} or {}; encode the table again", name,
                           header.version, EncodedHeader::expected_version,
                           EncodedHeader::version_with_origin);
  // Each below 2^40, so that no product or sum below wraps around.
  constexpr std::uint64_t most = std::uint64_t{1} << 40, most_row = std::uint64_t{1} << 20;
  const bool sane = header.block_rows == EncodedHeader::usual_block_rows && header.rows > 0 &&
                    header.rows < most && header.users <= header.rows && header.row_bytes > 0 &&
                    header.row_bytes <= most_row && header.first_row < most &&
                    sizeof header + header.schema_bytes <= header.first_row;
  if (!sane)
    throw_error<DataError>("{}: is damaged: its header makes no sense; encode the table again", name);
  if (header.file_bytes() != map.size())
    throw_error<DataError>("{}: is damaged: it has {} bytes, expected {}; encode the table again", name,
                           map.size(), header.file_bytes());
  if (whole_digest(map.bytes(), header) != header.digest)
    throw_error<DataError>(
        "{}: is damaged: the digest of its header and schema does not hold; encode the table again", name);
  return header;
}

struct OriginText {
  std::string schema;
  EncodedOrigin origin;
};

// All of it or nothing: what is not understood cannot be stated.
OriginText parse_origin(std::string_view text, const std::string& name) {
  OriginText found;
  try {
    const SchemaJson json = SchemaJson::parse(text);
    if (json.size() != 3) throw_error<DataError>("it has {} entries, expected 3", json.size());
    json.at("schema").get_to(found.schema);
    json.at("by_query").get_to(found.origin.by_query);
    json.at("schema_file").get_to(found.origin.schema_file);
  } catch (const std::exception&) {
    throw_error<DataError>(
        "{}: is damaged: what it says of its schema makes no sense; encode the table again", name);
  }
  return found;
}

}  // namespace

std::string text_with_origin(const std::string& schema, const EncodedOrigin& origin) {
  return SchemaJson{{"schema", schema}, {"by_query", origin.by_query}, {"schema_file", origin.schema_file}}
      .dump();
}

EncodedFileView::EncodedFileView(const std::filesystem::path& path)
    : name_(path.string()), map_(path), header_(checked_header(map_, name_)) {
  const std::string_view text(reinterpret_cast<const char*>(map_.bytes()) + sizeof header_,
                              header_.schema_bytes);
  if (header_.version == EncodedHeader::version_with_origin) {
    OriginText found = parse_origin(text, name_);
    schema_ = parse_schema(found.schema, name_);
    origin_ = std::move(found.origin);
  } else {
    schema_ = parse_schema(text, name_);
  }
  if (RowLayout(schema_, Encoder(schema_)).bytes() != header_.row_bytes)
    throw_error<DataError>("{}: is damaged: its rows are not those of its schema; encode the table again",
                           name_);
}

void EncodedFileView::check_block(std::size_t block, ReadAhead& ahead) const {
  ahead.pass(map_, place(block * header_.block_rows));
  const auto expected = load<Sha256>(map_.bytes() + header_.digests() + block * sizeof(Sha256));
  if (sha256_of(block_bytes(map_.bytes(), header_, block)) != expected)
    throw_error<DataError>(
        "{}: is damaged: the digest of records {} to {} does not hold; encode the table again", name_,
        block * header_.block_rows + 1,
        std::min<std::uint64_t>((block + 1) * header_.block_rows, header_.rows));
}

Schema schema_of_encoded(const std::filesystem::path& path) { return EncodedFileView(path).schema(); }

EncodedOrigin origin_of_encoded(const std::filesystem::path& path) { return EncodedFileView(path).origin(); }

}  // namespace tacit::inline v1
