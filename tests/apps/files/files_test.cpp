// Directories, and the lines of text files, compressed with gzip or not.
#include "apps/translation/files/files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "apps/translation/files/new_directory.h"
#include "tests/apps/support.h"
#include "tests/catch.h"
#include "tests/gzip.h"

using namespace regard::translation;
using regard::tests::gzip;
using regard::tests::TemporaryDirectory;
using namespace regard::tests;
using regard::translation::NewDirectory;

TEST_CASE("directories are made with their parent directories", "[files]") {
  const TemporaryDirectory directory;
  make_directories(directory / "a/b/c");
  make_directories(directory / "a/b/c");
  CHECK(std::filesystem::is_directory(directory / "a/b/c"));
  const std::string file = directory.file("file", "x");
  CHECK_ERROR(make_directories(file + "/below"), file + "/below: Not a directory");
}

TEST_CASE("lines lose byte-order mark, CR and LF", "[files]") {
  const TemporaryDirectory directory;
  const auto lines_of = [&](std::string_view text) { return read_lines(directory.file("text", text)); };
  using Lines = std::vector<std::string>;
  CHECK(lines_of("") == Lines{});
  CHECK(lines_of("a") == Lines{"a"});
  CHECK(lines_of("a\n") == Lines{"a"});
  CHECK(lines_of("a\nb") == Lines{"a", "b"});
  CHECK(lines_of("\n\na\n\n") == Lines{"", "", "a", ""});
  CHECK(lines_of("a\r\nb\r\r\n\r\n") == Lines{"a", "b", ""});
  CHECK(lines_of("\xEF\xBB\xBF"
                 "a\r\n\xEF\xBB\xBF"
                 "b") == Lines{"a",
                               "\xEF\xBB\xBF"
                               "b"});
}

TEST_CASE("a line that is not UTF-8 is refused with file, line and byte", "[files]") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("text",
                                          "good\n\xC3\xA4h\nba\xE4"
                                          "d\n");
  CHECK_ERROR(read_lines(path), path + ", line 3: not UTF-8 (byte 3 of the line)");
  CHECK(clean_line("\xEF\xBB\xBF"
                   "a\r",
                   "input", 1) == "a");
  CHECK_ERROR(clean_line("\xFF\xFE", "input", 7), "input, line 7");
}

TEST_CASE("the regular files of a directory are listed by name", "[files]") {
  const TemporaryDirectory directory;
  directory.file("one", "");
  directory.file("two", "");
  std::filesystem::create_directory(directory / "folder");
  std::filesystem::create_symlink(directory / "one", directory / "link");
  std::vector<std::string> names = files_in(directory / "");
  std::ranges::sort(names);
  CHECK(names == std::vector<std::string>{"link", "one", "two"});
  CHECK(files_in(directory / "missing").empty());
  CHECK(files_in(directory / "one").empty());
}

namespace {

/// The output of `gzip -n9` for "a b\n", seven times.
const std::string packed(
    "\x1F\x8B\x08\0\0\0\0\0\x02\x03\x4B\x54\x48\xE2\x4A\xC4\x81\x01\x2E\x2A\x83\x23\x1C\0\0\0", 26);
const std::string unpacked = "a b\na b\na b\na b\na b\na b\na b\n";

/// The lines of a file with these bytes.
std::vector<std::string> lines(const std::string& bytes) {
  const TemporaryDirectory directory;
  return read_lines(directory.file("x.gz", bytes));
}

}  // namespace

TEST_CASE("a gzip file is decompressed, another is not changed", "[files]") {
  REQUIRE(packed.size() == 26);
  CHECK(lines(packed) == lines(unpacked));
  CHECK(lines(unpacked) == std::vector<std::string>(7, "a b"));
  CHECK(lines("\x1F") == std::vector<std::string>{"\x1F"});
  CHECK(lines(gzip("")).empty());
  // Blocks and texts of many sizes, around the sizes of the buffers.
  for (const std::size_t size : {1u, 65'534u, 65'535u, 65'536u, 65'537u, 131'072u, 300'000u}) {
    std::string text;
    for (std::size_t i = 0; i < size; ++i) text += static_cast<char>('a' + i * i % 23);
    CHECK((lines(gzip(text)) == std::vector<std::string>{text}));
  }
  // Several gzip files one after another are one, and zeros may follow.
  CHECK(lines(packed + gzip("c\n") + packed) == lines(unpacked + "c\n" + unpacked));
  CHECK(lines(packed + std::string(600, '\0')) == lines(unpacked));
}

TEST_CASE("gzip data that are damaged or cut off are refused", "[files]") {
  for (const std::string& whole : {packed, gzip("one\ntwo\n"), packed + packed})
    for (std::size_t size = 2; size < whole.size(); ++size) {
      if (size == packed.size()) continue;  // the first of two files is whole
      CAPTURE(size);
      CHECK_ERROR(lines(whole.substr(0, size)), "x.gz: the gzip data end too early");
    }
  // Every bit of the data and of the checksum. The header holds a time and a system, which may be any.
  for (std::size_t byte = 10; byte < packed.size(); ++byte)
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = packed;
      damaged[byte] = static_cast<char>(damaged[byte] ^ (1 << bit));
      CAPTURE(byte, bit);
      CHECK_ERROR(lines(damaged), "x.gz: the gzip data ");
    }
  CHECK_ERROR(lines(packed + "garbage"), "x.gz: the gzip data are damaged (incorrect header");
}

TEST_CASE("lines of a gzip file have the numbers of the text", "[files]") {
  const TemporaryDirectory directory;
  CHECK(read_lines(directory.file("any name", gzip("\xEF\xBB\xBFone\r\n\ntwo"))) ==
        std::vector<std::string>{"one", "", "two"});
  const std::string path = directory.file("bad", gzip("a\nb\n\xE4\n"));
  CHECK_ERROR(read_lines(path), path + ", line 3: not UTF-8");
}

TEST_CASE("a new directory appears whole or not at all", "[files]") {
  const TemporaryDirectory directory;
  {
    NewDirectory unfinished(directory / "a/new/one/");
    std::ofstream(unfinished.temporary() + "/file") << "text";
  }
  CHECK(std::filesystem::is_empty(directory / "a/new"));
  for (const std::string name : {"a/new/one", "empty"}) {
    if (name == "empty") std::filesystem::create_directory(directory / name);
    NewDirectory finished(directory / name);
    std::ofstream(finished.temporary() + "/file") << "text";
    CHECK(!std::filesystem::exists(directory / name + "/file"));
    finished.finish();
    CHECK(content(directory / name + "/file") == "text");
    CHECK_ERROR(NewDirectory(directory / name), "exists already and is not empty");
  }
  CHECK_ERROR(NewDirectory(directory.file("file", "x")), "cannot make the directory");
  CHECK(directory.entries() == 3);
}
