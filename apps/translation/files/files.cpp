#include "apps/translation/files/files.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "apps/translation/files/gzip.h"
#include "apps/translation/text/utf8.h"
#include "autograd/error.h"

namespace regard::translation {

namespace {
/// The reason why the system has just refused something.
std::string reason() { return std::generic_category().message(errno); }
}  // namespace

std::string clean_line(std::string_view line, const std::string& name, Index number) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (number == 1 && line.starts_with(byte_order_mark)) line.remove_prefix(byte_order_mark.size());
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (const auto position = find_invalid_utf8(line))
    fail("{}, line {}: not UTF-8 (byte {} of the line); convert the file, for example with iconv", name,
         number, *position + 1);
  return std::string(line);
}

std::vector<std::string> read_lines(const std::string& path) {
  const std::string text = decompressed(read_file(path), path);
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    lines.push_back(clean_line(line, path, to_index(lines.size()) + 1));
    begin = end + 1;
  }
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

void check_output(const char* option, const std::string& path, std::span<const std::string> inputs) {
  if (path.empty()) return;
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    fail("{} {}: this is a directory; give a file", option, path);
  const std::filesystem::path parent = std::filesystem::absolute(path).parent_path();
  if (!std::filesystem::is_directory(parent, ignored))
    fail("{} {}: the directory of this file does not exist", option, path);
  const bool device =
      std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored);
  const bool stream = device || nn::standard_stream(path) >= 0;
  if (stream && ::access(path.c_str(), W_OK) != 0) fail("{} {}: no permission to write there", option, path);
  if (const std::error_code error = stream ? std::error_code() : try_to_write(parent))
    fail("{} {}: no permission to write there ({})", option, path, error.message());
  for (const std::string& input : inputs)
    if (!device && same_file(path, input))
      fail("{} {}: this file is an input and would be replaced; give another", option, path);
}

void check_standard_output(std::span<const std::string> inputs) {
  std::error_code ignored;
  for (const std::string& input : inputs)
    if (std::filesystem::is_regular_file(input, ignored) && nn::standard_stream(input) == STDOUT_FILENO)
      fail("standard output goes to {}, which is an input; write the output into another file", input);
}

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

void make_directory(const nn::Place& place) {
  constexpr mode_t mode = 0777;  // without the bits of umask
  if (::mkdirat(place.directory, place.name.c_str(), mode) != 0 && errno != EEXIST)
    fail("cannot make the directory {}: {}", place.path, reason());
}

std::vector<std::string> files_in(const nn::Place& directory) {
  const int descriptor =
      ::openat(directory.directory, directory.name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const entries = descriptor < 0 ? nullptr : ::fdopendir(descriptor);
  if (entries == nullptr) {
    if (errno == ENOENT || errno == ENOTDIR) return {};
    fail("cannot read the directory {}: {}", directory.path, reason());
  }
  std::vector<std::string> names;
  for (errno = 0; const dirent* const entry = ::readdir(entries);) {
    struct stat status {};
    if (::fstatat(descriptor, entry->d_name, &status, 0) == 0 && S_ISREG(status.st_mode))
      names.emplace_back(entry->d_name);
    errno = 0;
  }
  const std::string fault = errno == 0 ? "" : reason();
  ::closedir(entries);
  if (!fault.empty()) fail("cannot read the directory {}: {}", directory.path, fault);
  return names;
}

bool path_exists(const std::string& path) {
  std::error_code error;
  const bool found = std::filesystem::exists(path, error);
  if (error) fail("cannot look at {}: {}", path, error.message());
  return found;
}

void check_readable(const std::string& path) {
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) fail("cannot read {}: {}", path, reason());
  std::fclose(file);
}

Index file_size(const nn::Place& place) {
  struct stat status {};
  return ::fstatat(place.directory, place.name.c_str(), &status, 0) == 0 ? to_index(status.st_size) : 0;
}

void sync_file(const nn::Place& place) {
  const int file = ::openat(place.directory, place.name.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  const bool done = ::fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS;
  const std::string fault = done ? "" : reason();
  ::close(file);
  if (!done) fail("cannot write {}: {}", place.path, fault);
}

void remove_file(const nn::Place& place) {
  if (::unlinkat(place.directory, place.name.c_str(), 0) != 0 && errno != ENOENT)
    fail("cannot remove {}: {}", place.path, reason());
}

}  // namespace regard::translation
