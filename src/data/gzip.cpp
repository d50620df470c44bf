#include "data/gzip.hpp"

#include <zlib.h>

#include <algorithm>
#include <new>
#include <vector>

#include "tacit/core.hpp"

namespace tacit::inline v1 {
namespace {

class GzipStream final : public ByteStream {
 public:
  GzipStream(std::unique_ptr<ByteStream> packed, std::string name)
      : packed_(std::move(packed)), name_(std::move(name)), input_(std::size_t{1} << 16) {
    constexpr int gzip_only = 16;  // zlib: added to the window bits, expect a gzip header
    if (inflateInit2(&zlib_, MAX_WBITS + gzip_only) != Z_OK) throw std::bad_alloc();
  }
  ~GzipStream() override { inflateEnd(&zlib_); }

  std::size_t read(char* to, std::size_t size) override {
    std::size_t done = 0;
    while (done < size && (in_member_ || next_member())) done += inflate_some(to + done, size - done);
    return done;
  }

 private:
  bool refill() {
    if (zlib_.avail_in > 0) return true;
    const std::size_t count = packed_->read(input_.data(), input_.size());
    zlib_.next_in = reinterpret_cast<Bytef*>(input_.data());
    zlib_.avail_in = static_cast<uInt>(count);
    return count > 0;
  }

  // Zero bytes may pad a file after its last member (tape blocks); anything else there is damage.
  bool next_member() {
    while (refill() && *zlib_.next_in == 0) ++zlib_.next_in, --zlib_.avail_in;
    if (zlib_.avail_in == 0) return false;
    if (*zlib_.next_in != 0x1f)
      throw_error<DataError>("{}: bytes that are not gzip follow the gzip data", name_);
    inflateReset(&zlib_);
    return in_member_ = true;
  }

  std::size_t inflate_some(char* to, std::size_t size) {
    if (!refill()) throw_error<DataError>("{}: the gzip data ends early, is the file truncated?", name_);
    const auto room = static_cast<uInt>(std::min<std::size_t>(size, 1u << 30));
    zlib_.next_out = reinterpret_cast<Bytef*>(to);
    zlib_.avail_out = room;
    const int status = inflate(&zlib_, Z_NO_FLUSH);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status == Z_STREAM_END) {
      in_member_ = false;
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      throw_error<DataError>("{}: the gzip data is damaged: {}", name_,
                             zlib_.msg ? zlib_.msg : "unknown cause");
    }
    return room - zlib_.avail_out;
  }

  std::unique_ptr<ByteStream> packed_;
  std::string name_;
  std::vector<char> input_;
  z_stream zlib_{};
  bool in_member_ = true;
};

}  // namespace

std::unique_ptr<ByteStream> gunzip(std::unique_ptr<ByteStream> packed, std::string name) {
  return std::make_unique<GzipStream>(std::move(packed), std::move(name));
}

}  // namespace tacit::inline v1
