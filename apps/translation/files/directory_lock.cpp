#include "apps/translation/files/directory_lock.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "apps/translation/files/warning.h"
#include "autograd/machine/error.h"

namespace regard::translation {

DirectoryLock::DirectoryLock(const std::string& path)
    : path_(path), directory_(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (directory_ < 0) fail("cannot open {}: {}", path, std::generic_category().message(errno));
  if (::flock(directory_, LOCK_EX | LOCK_NB) == 0) return;
  if (errno == EWOULDBLOCK) {
    ::close(directory_);
    fail("another process is training in {}; wait until it ends, or give another directory", path);
  }
  warn("{} cannot be locked ({}); do not train in it twice at the same time", path,
       std::generic_category().message(errno));
}

DirectoryLock::~DirectoryLock() { ::close(directory_); }

bool DirectoryLock::in_place() const {
  struct stat held {};
  struct stat found {};
  return ::fstat(directory_, &held) == 0 && ::stat(path_.c_str(), &found) == 0 &&
         held.st_dev == found.st_dev && held.st_ino == found.st_ino;
}

}  // namespace regard::translation
