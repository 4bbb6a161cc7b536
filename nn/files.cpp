#include "nn/files.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
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
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) fail("cannot read {}: {}", path, reason(errno));
  std::string text;
  std::array<char, 1 << 16> block;
  while (const std::size_t size = std::fread(block.data(), 1, block.size(), file))
    text.append(block.data(), size);
  const int error = std::ferror(file) != 0 ? errno : 0;
  std::fclose(file);
  if (error != 0) fail("cannot read {}: {}", path, reason(error));
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
