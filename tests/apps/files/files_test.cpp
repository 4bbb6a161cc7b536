#include "apps/translation/files/files.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/apps/support.h"
#include "tests/catch.h"

using namespace regard::translation;
using regard::tests::TemporaryDirectory;

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
  CHECK(lines_of("a\r\nb\r\r\n\r\n") == Lines{"a", "b\r", ""});
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
