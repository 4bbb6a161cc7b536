#include "autograd/machine/files.h"

#include <cerrno>
#include <cstdio>
#include <deque>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <new>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "autograd/machine/error.h"

namespace regard {
namespace {

constexpr std::string_view temporary_mark = ".regard-tmp-";

std::string reason(int error) { return std::generic_category().message(error); }

[[noreturn]] void fail_to_write(const std::string& path, int error) {
  if (error == ENOENT) fail("cannot write {}: the directory it should go to does not exist", path);
  fail("cannot write {}: {}", path, reason(error));
}

/// Writes, flushes and closes. Returns 0 or the first error: a full disk may show only at the flush or the
/// close.
int write_and_close(int descriptor, const std::vector<std::string_view>& pieces) {
  std::FILE* const file = ::fdopen(descriptor, "wb");
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

/// Renaming onto a symbolic link would replace the link, but the user wants to write the file it points to.
std::string follow_links(std::string path) {
  constexpr int most_links = 40;  // the limit of Linux
  std::error_code error;
  for (int links = 0; links < most_links; ++links) {
    const std::filesystem::path target = std::filesystem::read_symlink(path, error);
    if (error) break;  // not a link
    path = std::filesystem::path(path).parent_path() / target;
  }
  return path;
}

/// A file that is written under a temporary name and then renamed.
class Replacement {
 public:
  explicit Replacement(const std::string& path) : path_(path), target_(follow_links(path)) {}
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;
  ~Replacement() {
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
  }

  void write(const std::vector<std::string_view>& pieces) {
    if (const int error = write_and_close(open_temporary(), pieces)) fail_to_write(path_, error);
  }

  /// Makes the temporary file without content. Returns true if it is also found beside `other`.
  bool is_found_beside(const std::string& other) {
    ::close(open_temporary());
    std::error_code ignored;
    return std::filesystem::equivalent(temporary_, follow_links(other) + temporary_.substr(target_.size()),
                                       ignored);
  }

  void rename() {
    if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail_to_write(path_, errno);
    temporary_.clear();
    sync_directory();
  }

 private:
  /// Makes the temporary file. If there is a file or a link of its name, another name is tried, because it
  /// belongs to somebody else.
  int open_temporary() {
    constexpr int most_names = 1000;
    for (int count = 1;; ++count) {
      const std::string name = fmt::format("{}{}{}-{}", target_, temporary_mark, ::getpid(), count);
      constexpr mode_t mode = 0666;  // without the bits of umask
      const int file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
      if (file >= 0) {
        temporary_ = name;
        return file;
      }
      if (errno != EEXIST || count == most_names) fail_to_write(path_, errno);
    }
  }

  /// Writes the directory to disk, so that the new name survives a power cut.
  void sync_directory() const {
    const std::string parent = std::filesystem::path(target_).parent_path();
    const int directory = ::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) return;
    ::fsync(directory);
    ::close(directory);
  }

  std::string path_, target_, temporary_;
};

/// Writes a device or a pipe.
void write_stream(const std::string& path, const std::vector<std::string_view>& pieces) {
  std::fflush(stdout);  // text that came before stays before
  const int file = ::open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
  if (file < 0) fail_to_write(path, errno);
  if (const int error = write_and_close(file, pieces)) fail_to_write(path, error);
}

std::unique_ptr<std::FILE, int (*)(std::FILE*)> open_to_read(const std::string& path) {
  if (path.find('\0') != std::string::npos)
    fail("cannot read the file whose name begins with {}: a NUL character follows, which no path has",
         path.c_str());
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) fail("cannot read {}: {}", path, reason(errno));
  return file;
}

}  // namespace

void check_readable(const std::string& path) { open_to_read(path); }

std::string read_file(const std::string& path) {
  const auto file = open_to_read(path);
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

bool lead_to_one_file(const std::string& one, const std::string& other) {
  if (one.empty() || other.empty()) return false;
  // std::filesystem::equivalent knows no pipes.
  struct stat first {};
  struct stat second {};
  const bool exists = ::stat(one.c_str(), &first) == 0;
  if (exists && ::stat(other.c_str(), &second) == 0 && first.st_dev == second.st_dev &&
      first.st_ino == second.st_ino)
    return !S_ISCHR(first.st_mode);  // what a terminal shows is not replaced
  if (exists && !S_ISREG(first.st_mode)) return false;
  try {  // Only a try knows links, directories with two names and file systems that ignore case.
    return Replacement(one).is_found_beside(other);
  } catch (const Error&) {
    return false;  // nothing can be written there
  }
}

void write_file(const std::string& path, const std::vector<std::string_view>& pieces) {
  write_files({{path, pieces}});
}

void write_files(const std::vector<NewFile>& files) {
  for (auto file = files.begin(); file != files.end(); ++file)
    for (auto before = files.begin(); before != file; ++before)
      if (lead_to_one_file(before->path, file->path))
        fail("{} and {} are one file, so one text would replace the other; give two files", before->path,
             file->path);
  std::deque<Replacement> replacements;
  for (const auto& [path, pieces] : files) {
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored))
      write_stream(path, pieces);
    else
      replacements.emplace_back(path).write(pieces);
  }
  for (Replacement& replacement : replacements) replacement.rename();
}

std::string_view name_of_temporary(std::string_view name) {
  const std::size_t mark = name.rfind(temporary_mark);
  if (mark == std::string_view::npos) return {};
  const std::string_view numbers = name.substr(mark + temporary_mark.size());
  const std::size_t hyphen = numbers.find('-');
  const auto is_number = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  };
  if (hyphen == std::string_view::npos || !is_number(numbers.substr(0, hyphen)) ||
      !is_number(numbers.substr(hyphen + 1)))
    return {};
  return name.substr(0, mark);
}

}  // namespace regard
