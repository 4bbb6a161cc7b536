#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

struct zip;  // libzip's

namespace regard::exchange {

/// Returns the next bytes of something: as many as it is told.
using NextBytes = std::function<std::string(std::uint64_t)>;

/// A zip archive of which members are read. Nothing is unpacked to the disk, so the names of members are no
/// paths. Members must be stored without compression, as PyTorch and NumPy write them: a member is then never
/// larger than the file.
class ZipArchive {
 public:
  /// Throws Error that names the file if it is no zip archive, or is truncated or damaged.
  explicit ZipArchive(const std::string& path);

  /// The members and their sizes in bytes. A name that occurs twice is an error.
  const std::map<std::string, std::uint64_t>& members() const { return sizes_; }

  /// Begins to read a member. With the last byte, its checksum is checked. Throws Error that names file and
  /// member.
  NextBytes open(const std::string& member) const;
  /// Reads a whole member. Throws Error also if it has more than `most` bytes.
  std::string read(const std::string& member, std::uint64_t most) const;

 private:
  std::string path_;
  std::shared_ptr<zip> archive_;
  std::map<std::string, std::uint64_t> sizes_;
};

/// Writes a zip archive of these members, which are not compressed. The same members give the same bytes.
/// Throws Error that names the file if it cannot be written.
void write_zip(const std::string& path, const std::map<std::string, std::string>& members);

}  // namespace regard::exchange
