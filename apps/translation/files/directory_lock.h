#pragma once

#include <string>

namespace regard::translation {

/// A lock on a directory. While it exists, no other process can lock the same directory. When the process
/// ends in any way, the system releases the lock.
class DirectoryLock {
 public:
  /// Throws Error if another process holds the lock. On file systems without locks, it warns on standard
  /// error.
  explicit DirectoryLock(const std::string& path);
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;
  ~DirectoryLock();

 private:
  int directory_;
};

}  // namespace regard::translation
