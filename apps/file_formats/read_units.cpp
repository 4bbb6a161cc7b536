#include <algorithm>
#include <cctype>
#include <filesystem>

#include "apps/file_formats/unit.h"
#include "apps/translation/files/utf8.h"
#include "autograd/machine/error.h"
#include "autograd/machine/files.h"

namespace regard::files {

std::string read_text_file(const std::string& path) {
  std::string bytes = read_file(path);
  if (bytes.starts_with("\x1F\x8B")) fail("{}: it is compressed; unpack it first (gunzip)", path);
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF"))
    fail("{}, line 1: its encoding is UTF-16; convert it to UTF-8 first", path);
  const auto wrong = translation::find_invalid_utf8(bytes);
  const std::size_t at = std::min(wrong.value_or(bytes.size()), bytes.find('\0'));
  if (at < bytes.size())
    fail("{}, line {}: a byte there is no text in UTF-8; convert the file first (iconv, or msgconv for PO)",
         path, std::count(bytes.begin(), bytes.begin() + to_index(at), '\n') + 1);
  return bytes;
}

void check_encoding(const std::string& name, Index line, std::string encoding) {
  std::ranges::transform(encoding, encoding.begin(), [](unsigned char c) { return std::toupper(c); });
  if (encoding.ends_with("ASCII"))
    fail("{}, line {}: its encoding is {}, which has no place for most translations; write UTF-8 there", name,
         line, encoding);
  if (encoding != "UTF-8" && encoding != "UTF8")
    fail("{}, line {}: its encoding is {}; convert it to UTF-8 first (iconv, or msgconv for PO)", name, line,
         encoding);
}

std::vector<Unit> read_units(const std::string& path, const std::string& bytes, const Languages& languages) {
  const std::string extension = std::filesystem::path(path).extension();
  if (extension == ".po" || extension == ".pot") return units_of_po(path, bytes);
  if (extension == ".xlf" || extension == ".xliff") return units_of_xliff(path, bytes);
  if (extension == ".tmx") return units_of_tmx(path, bytes, languages);
  if (extension == ".html" || extension == ".htm") return units_of_html(path, bytes);
  if (extension == ".txt") return units_of_text(bytes);
  fail("{}: the end of its name does not say what it is; .po, .pot, .xlf, .xliff, .tmx, .html, .htm, .txt do",
       path);
}

}  // namespace regard::files
