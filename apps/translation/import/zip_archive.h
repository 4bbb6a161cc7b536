#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace regard::translation {

/// A zip archive of which members are read. Nothing is unpacked to the disk, so the names of members are no
/// paths. Members must be stored without compression, as PyTorch and NumPy write them: a member is then never
/// larger than the file.
class ZipArchive {
 public:
  /// Throws Error that names the file if it is no zip archive, or is truncated or damaged.
  explicit ZipArchive(const std::string& path);
  ~ZipArchive();
  ZipArchive(const ZipArchive&) = delete;
  ZipArchive& operator=(const ZipArchive&) = delete;

  /// The members and their sizes in bytes. A name that occurs twice is an error.
  const std::map<std::string, std::uint64_t>& members() const { return sizes_; }

  /// Begins to read a member. The function that is returned reads the next bytes: as many as it is told. With
  /// the last byte it checks the checksum of the member. Throws Error that names file and member.
  std::function<std::string(std::uint64_t)> open(const std::string& member) const;

 private:
  struct Handle;
  std::string path_;
  std::unique_ptr<Handle> handle_;
  std::map<std::string, std::uint64_t> sizes_;
};

}  // namespace regard::translation
