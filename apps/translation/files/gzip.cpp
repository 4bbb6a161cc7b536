#include "apps/translation/files/gzip.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <new>
#include <zlib.h>

#include "autograd/error.h"

namespace regard::translation {

namespace {

/// The state of zlib's decompression.
class Inflater {
 public:
  Inflater() {
    constexpr int largest_window = 15, only_gzip = 16;
    if (inflateInit2(&stream, largest_window + only_gzip) != Z_OK) throw std::bad_alloc();
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream); }

  z_stream stream{};
};

}  // namespace

std::string decompressed(std::string bytes, const std::string& name) {
  if (!bytes.starts_with("\x1F\x8B")) return bytes;
  Inflater inflater;
  z_stream& stream = inflater.stream;
  std::string text;
  std::array<char, 1 << 16> block;
  for (std::size_t position = 0;;) {
    const auto given =
        static_cast<uInt>(std::min<std::size_t>(bytes.size() - position, std::numeric_limits<uInt>::max()));
    stream.next_in = reinterpret_cast<Bytef*>(bytes.data() + position);
    stream.avail_in = given;
    stream.next_out = reinterpret_cast<Bytef*>(block.data());
    stream.avail_out = block.size();
    const int result = ::inflate(&stream, Z_NO_FLUSH);
    position += given - stream.avail_in;
    text.append(block.data(), block.size() - stream.avail_out);
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    if (result == Z_STREAM_END) {
      // Several gzip files, one after another, are one gzip file. Zeros may fill its last block on a tape.
      if (bytes.find_first_not_of('\0', position) == std::string::npos) return text;
      inflateReset(&stream);
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      fail("{}: the gzip data are damaged ({}); copy or compress the file again", name,
           stream.msg == nullptr ? "unknown format" : stream.msg);
    } else if (position == bytes.size() && stream.avail_out > 0) {
      fail("{}: the gzip data end too early; copy or compress the file again", name);
    }
  }
}

}  // namespace regard::translation
