#pragma once

#include <string>

namespace regard::translation {

/// A lock on a directory. While it exists, no other process can lock the same directory. When the process
/// ends in any way, the system releases the lock. The lock belongs to the directory, not to its path: if the
/// directory is moved, the lock moves with it.
class DirectoryLock {
 public:
  /// Throws Error if another process holds the lock. On file systems without locks, it warns on standard
  /// error.
  explicit DirectoryLock(const std::string& path);
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;
  ~DirectoryLock();

  /// True if the path still leads to this directory. It does not if the directory was moved, removed or
  /// replaced.
  bool in_place() const;

 private:
  std::string path_;
  int directory_;
};

}  // namespace regard::translation
