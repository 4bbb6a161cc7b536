#pragma once

#include <string>

namespace regard::translation {

/// While one exists, no other process can have one of the same directory. The system ends it with the
/// process, however that ends.
class DirectoryLock {
 public:
  /// Throws Error if another process has it. On file systems without locks, warns on standard error.
  explicit DirectoryLock(const std::string& path);
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;
  ~DirectoryLock();

 private:
  int directory_;
};

}  // namespace regard::translation
