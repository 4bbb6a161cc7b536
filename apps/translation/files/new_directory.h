#pragma once

#include <string>

namespace regard::translation {

/// A directory that appears whole or not at all. Its files are written into a temporary directory beside it,
/// which is removed with them unless finish() is called.
class NewDirectory {
 public:
  /// Throws Error if `path` exists and is not an empty directory, or if it cannot be made.
  static void check(const std::string& path);

  /// Throws Error as check() does.
  explicit NewDirectory(const std::string& path);
  NewDirectory(const NewDirectory&) = delete;
  NewDirectory& operator=(const NewDirectory&) = delete;
  ~NewDirectory();

  /// Where to write the files.
  const std::string& temporary() const { return temporary_; }
  /// Gives the directory its name. Throws Error if the system refuses it.
  void finish();

 private:
  std::string path_, temporary_;
};

}  // namespace regard::translation
