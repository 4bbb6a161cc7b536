#include "apps/exchange/zip_archive.h"

#include <zip.h>

#include "apps/translation/files/utf8.h"
#include "autograd/machine/error.h"
#include "nn/stored_numbers.h"

namespace regard::exchange {

using translation::printable;

ZipArchive::ZipArchive(const std::string& path) : path_(path) {
  const nn::PartlyReadFile readable(path);  // throws if it is not
  int error = 0;
  zip_t* const archive = zip_open(path.c_str(), ZIP_RDONLY, &error);
  if (archive == nullptr) fail("{} cannot be read as a zip archive; it may be truncated or damaged", path);
  archive_.reset(archive, zip_discard);
  constexpr zip_int64_t most_members = 100'000;
  const zip_int64_t count = zip_get_num_entries(archive, 0);
  if (count > most_members) fail("{}: {} members are too many for a file of weights", path, count);
  for (zip_int64_t i = 0; i < count; ++i) {
    zip_stat_t about;
    zip_stat_init(&about);
    constexpr zip_uint64_t needed = ZIP_STAT_NAME | ZIP_STAT_SIZE;
    if (zip_stat_index(archive, static_cast<zip_uint64_t>(i), ZIP_FL_ENC_RAW, &about) != 0 ||
        (about.valid & needed) != needed)
      fail("{}: member {} is damaged", path, i);
    if (!sizes_.emplace(about.name, about.size).second)
      fail("{}: the member {} occurs twice", path, printable(about.name));
  }
}

std::string ZipArchive::read(const std::string& member, std::uint64_t most) const {
  const std::uint64_t size = sizes_.at(member);
  if (size > most) fail("{}: the member {} has {} bytes, which is too much", path_, printable(member), size);
  return open(member)(size);
}

NextBytes ZipArchive::open(const std::string& member) const {
  zip_stat_t about;
  zip_stat_init(&about);
  if (zip_stat(archive_.get(), member.c_str(), ZIP_FL_ENC_RAW, &about) != 0)
    fail("{}: the member {} is missing", path_, printable(member));
  if ((about.valid & ZIP_STAT_COMP_METHOD) == 0 || about.comp_method != ZIP_CM_STORE)
    fail("{}: the member {} is compressed; save the weights as PyTorch and NumPy do without compression",
         path_, printable(member));
  const std::shared_ptr<zip_file_t> file(zip_fopen_index(archive_.get(), about.index, 0),
                                         [](zip_file_t* opened) {
                                           if (opened != nullptr) zip_fclose(opened);
                                         });
  const std::string name = path_ + ": the member " + printable(member);
  if (file == nullptr) fail("{} cannot be read: {}", name, zip_strerror(archive_.get()));
  return [file, name, left = about.size](std::uint64_t bytes) mutable {
    if (bytes > left) fail("{} is shorter than its contents need", name);
    std::string result(bytes, '\0');
    if (zip_fread(file.get(), result.data(), bytes) != static_cast<zip_int64_t>(bytes))
      fail("{} is truncated or damaged", name);
    left -= bytes;
    char beyond = 0;  // the library compares the checksum when it comes to the end
    if (left == 0 && zip_fread(file.get(), &beyond, 1) != 0) fail("{} does not fit its checksum", name);
    return result;
  };
}

void write_zip(const std::string& path, const std::map<std::string, std::string>& members) {
  int error = 0;
  std::unique_ptr<zip_t, decltype(&zip_discard)> archive(
      zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &error), &zip_discard);
  const auto failed = [&](bool wrong) {
    if (wrong)
      fail("cannot write {}{}", path, archive ? fmt::format(": {}", zip_strerror(archive.get())) : "");
  };
  failed(archive == nullptr);
  for (const auto& [name, bytes] : members) {
    zip_source_t* const source = zip_source_buffer(archive.get(), bytes.data(), bytes.size(), 0);
    failed(source == nullptr);
    const zip_int64_t added = zip_file_add(archive.get(), name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (added < 0) zip_source_free(source);
    failed(added < 0);
    const auto index = static_cast<zip_uint64_t>(added);
    constexpr zip_uint16_t midnight = 0, first_of_1980 = 1 << 5 | 1;
    failed(zip_set_file_compression(archive.get(), index, ZIP_CM_STORE, 0) != 0 ||
           zip_file_set_dostime(archive.get(), index, midnight, first_of_1980, 0) != 0);
  }
  failed(zip_close(archive.get()) != 0);
  static_cast<void>(archive.release());  // it is closed
}

}  // namespace regard::exchange
