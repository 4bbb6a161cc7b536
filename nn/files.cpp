#include "nn/files.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <new>
#include <system_error>
#include <unistd.h>

#include "autograd/error.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

[[noreturn]] void fail_to_write(const std::string& path, int error) {
  if (error == ENOENT) fail("cannot write {}: the directory it should go to does not exist", path);
  fail("cannot write {}: {}", path, reason(error));
}

/// Writes, flushes and closes. Returns 0 or the first error: a full disk may show only at the flush or the
/// close.
int write_checked(const std::string& path, const std::vector<std::string_view>& pieces) {
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return errno;
  int error = 0;
  const auto note = [&error](bool done) {
    if (!done && error == 0) error = errno;
  };
  for (const std::string_view piece : pieces)
    note(std::fwrite(piece.data(), 1, piece.size(), file) == piece.size());
  note(std::fflush(file) == 0);
  // Without this, a power cut may leave an empty file under the new name. Devices and pipes cannot be synced
  // and answer EINVAL.
  if (error == 0) note(::fsync(::fileno(file)) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS);
  note(std::fclose(file) == 0);
  return error;
}

/// Writes the directory to disk, so that the new name survives a power cut.
void sync_directory_of(const std::string& path) {
  const std::filesystem::path parent = std::filesystem::absolute(path).parent_path();
  const int directory = ::open(parent.c_str(), O_RDONLY | O_DIRECTORY);
  if (directory < 0) return;
  ::fsync(directory);
  ::close(directory);
}

void write_beside_and_rename(const std::string& path, const std::vector<std::string_view>& pieces) {
  const std::string temporary = fmt::format("{}{}{}", path, temporary_extension, ::getpid());
  int error = write_checked(temporary, pieces);
  if (error == 0 && std::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return sync_directory_of(path);
  std::remove(temporary.c_str());
  fail_to_write(path, error);
}

}  // namespace

std::string read_file(const std::string& path) {
  if (path.find('\0') != std::string::npos)
    fail("cannot read the file whose name begins with {}: a NUL character follows, which no path has",
         path.c_str());
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) fail("cannot read {}: {}", path, reason(errno));
  constexpr std::size_t block = 1 << 16;
  std::string text;
  std::size_t size = 0;
  try {
    do {
      text.resize(size + block);
      size += std::fread(text.data() + size, 1, block, file.get());
    } while (size == text.size());
  } catch (const std::bad_alloc&) {
    throw OutOfMemory(fmt::format("cannot read {}: out of memory after {} MB; a file must fit into memory",
                                  path, size >> 20));
  }
  if (std::ferror(file.get()) != 0) fail("cannot read {}: {}", path, reason(errno));
  text.resize(size);
  return text;
}

void write_file(const std::string& path, const std::vector<std::string_view>& pieces) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (!std::filesystem::exists(status)) return write_beside_and_rename(path, pieces);
  if (std::filesystem::is_regular_file(status)) {
    // Renaming onto a symbolic link would replace the link, but the user wants to write the file it points
    // to.
    const std::filesystem::path target = std::filesystem::canonical(path, ignored);
    return write_beside_and_rename(target.empty() ? path : target.string(), pieces);
  }
  if (const int error = write_checked(path, pieces)) fail_to_write(path, error);
}

}}}  // namespace regard::REGARD_PRECISION::nn
