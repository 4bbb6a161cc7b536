#include "apps/translation/files/files.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <limits>
#include <memory>
#include <new>
#include <system_error>
#include <unistd.h>
#include <zlib.h>

#include "apps/translation/files/utf8.h"
#include "autograd/machine/error.h"
#include "autograd/machine/parallel.h"

namespace regard::translation {

namespace {
/// The reason why the system has just refused something.
std::string reason() { return std::generic_category().message(errno); }

/// The line without the byte-order mark of the first line and the CRs before its LF.
std::string_view bare_line(std::string_view line, Index number) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (number == 1 && line.starts_with(byte_order_mark)) line.remove_prefix(byte_order_mark.size());
  while (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

void check_line(std::string_view line, const std::string& name, Index number) {
  if (const auto position = find_invalid_utf8(line))
    fail("{}, line {}: not UTF-8 (byte {} of the line); convert the file, for example with iconv", name,
         number, *position + 1);
}
}  // namespace

std::string clean_line(std::string_view line, const std::string& name, Index number) {
  line = bare_line(line, number);
  check_line(line, name, number);
  return std::string(line);
}

// The first two bytes decide: no UTF-8 text begins with those of gzip. (zlib's gzread would be shorter, but
// it ignores whatever follows a complete gzip file, such as the lines of a text.)
std::string decompressed(std::string bytes, const std::string& path) {
  if (!bytes.starts_with("\x1F\x8B")) return bytes;
  z_stream stream{};
  constexpr int largest_window = 15, only_gzip = 16;
  if (inflateInit2(&stream, largest_window + only_gzip) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> owner(&stream, ::inflateEnd);
  constexpr uInt block = 1 << 16;
  std::string text;
  for (std::size_t position = 0;;) {
    const auto given =
        static_cast<uInt>(std::min<std::size_t>(bytes.size() - position, std::numeric_limits<uInt>::max()));
    text.resize(text.size() + block);
    stream.next_in = reinterpret_cast<Bytef*>(bytes.data() + position);
    stream.avail_in = given;
    stream.next_out = reinterpret_cast<Bytef*>(text.data() + text.size() - block);
    stream.avail_out = block;
    const int result = ::inflate(&stream, Z_NO_FLUSH);
    position += given - stream.avail_in;
    text.resize(text.size() - stream.avail_out);
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    if (result == Z_STREAM_END) {
      // Several gzip files, one after another, are one gzip file. Zeros may fill its last block on a tape.
      if (bytes.find_first_not_of('\0', position) == std::string::npos) return text;
      inflateReset(&stream);
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      fail("{}: the gzip data are damaged ({}); copy or compress the file again", path,
           stream.msg == nullptr ? "unknown format" : stream.msg);
    } else if (position == bytes.size() && stream.avail_out > 0) {
      fail("{}: the gzip data end too early; copy or compress the file again", path);
    }
  }
}

std::vector<std::string> read_raw_lines(const std::string& path) {
  const std::string text = decompressed(read_file(path), path);
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    lines.emplace_back(bare_line(line, to_index(lines.size()) + 1));
    begin = end + 1;
  }
  return lines;
}

std::vector<std::string> read_lines(const std::string& path) {
  std::vector<std::string> lines = read_raw_lines(path);
  constexpr Index block = 4096;
  parallel_for(to_index(lines.size()), block, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) check_line(lines[to_size(i)], path, i + 1);
  });
  return lines;
}

namespace {

/// Makes a temporary directory in `directory`, and `inside` it, and removes both. Returns the error if there
/// is one. Only a try shows whether something can be written: the system tells root that it may write
/// anywhere, even into /proc.
std::error_code try_to_write(const std::filesystem::path& directory,
                             const std::filesystem::path& inside = {}) {
  std::string trial = (directory / ".regard-XXXXXX").string();
  if (::mkdtemp(trial.data()) == nullptr) return {errno, std::generic_category()};
  std::error_code error, ignored;
  std::filesystem::create_directories(trial / inside, error);
  std::filesystem::remove_all(trial, ignored);
  return error;
}

}  // namespace

bool same_file(const std::string& one, const std::string& other) {
  std::error_code ignored;
  return std::filesystem::equivalent(one, other, ignored);
}

void check_directory(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_symlink(path, ignored) && !std::filesystem::exists(path, ignored))
    fail("cannot make the directory {}: it is a link to a path that does not exist", path);
  const std::filesystem::path whole = std::filesystem::absolute(path);
  std::filesystem::path existing = whole;
  while (!std::filesystem::exists(existing, ignored) && existing.has_relative_path())
    existing = existing.parent_path();
  if (!std::filesystem::is_directory(existing, ignored))
    fail("cannot make the directory {}: {}", path, std::generic_category().message(ENOTDIR));
  if (const std::error_code error = try_to_write(existing))
    fail("cannot write into the directory {}: {}", existing.string(), error.message());
  if (const std::error_code error = try_to_write(existing, whole.lexically_relative(existing)))
    fail("cannot make the directory {}: {}", path, error.message());
}

void make_directories(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) fail("cannot make the directory {}: {}", path, error.message());
}

void make_directory(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directory(path, error);
  if (error) fail("cannot make the directory {}: {}", path, error.message());
}

std::vector<std::string> files_in(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code error, ignored;
  std::filesystem::directory_iterator entry(directory, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error))
    if (entry->is_regular_file(ignored)) names.push_back(entry->path().filename().string());
  if (error && error != std::errc::no_such_file_or_directory && error != std::errc::not_a_directory)
    fail("cannot read the directory {}: {}", directory, error.message());
  return names;
}

bool path_exists(const std::string& path) {
  std::error_code error;
  const bool found = std::filesystem::exists(path, error);
  if (error) fail("cannot look at {}: {}", path, error.message());
  return found;
}

Index file_size(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  return error ? 0 : to_index(size);
}

void sync_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  const bool done = ::fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS;
  const std::string fault = done ? "" : reason();
  ::close(file);
  if (!done) fail("cannot write {}: {}", path, fault);
}

void remove_file(const std::string& path) {
  std::error_code error;
  std::filesystem::remove(path, error);
  if (error) fail("cannot remove {}: {}", path, error.message());
}

}  // namespace regard::translation
