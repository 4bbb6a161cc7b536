#pragma once

#include <cstdint>
#include <string>
#include <vector>
#include <zlib.h>

namespace regard::tests {

/// A member of a zip archive, by hand.
struct ZipMember {
  std::string name;
  std::string bytes;             ///< as they stand in the archive
  std::uint16_t method = 0;      ///< 0: stored, 8: deflated
  std::uint32_t unpacked = 0;    ///< bytes after unpacking; 0: as many as `bytes`
  std::uint32_t crc_change = 0;  ///< makes the checksum wrong
};

/// The bytes of a zip archive (APPNOTE.TXT of PKWARE): each member after its header, the directory of all,
/// its end.
inline std::string zip_archive(const std::vector<ZipMember>& members) {
  const auto number = [](std::uint64_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xFF);
    return text;
  };
  std::string file, directory;
  for (const ZipMember& member : members) {
    const auto crc = crc32_z(0, reinterpret_cast<const Bytef*>(member.bytes.data()), member.bytes.size()) ^
                     member.crc_change;
    const std::uint64_t unpacked = member.unpacked != 0 ? member.unpacked : member.bytes.size();
    const std::string about = number(20, 2) + number(0, 2) + number(member.method, 2) + number(0, 4) +
                              number(crc, 4) + number(member.bytes.size(), 4) + number(unpacked, 4) +
                              number(member.name.size(), 2) + number(0, 2);
    directory += "PK\x01\x02" + number(20, 2) + about + number(0, 10) + number(file.size(), 4) + member.name;
    file += "PK\x03\x04" + about + member.name + member.bytes;
  }
  return file + directory + "PK\x05\x06" + number(0, 4) + number(members.size(), 2) +
         number(members.size(), 2) + number(directory.size(), 4) + number(file.size(), 4) + number(0, 2);
}

}  // namespace regard::tests
