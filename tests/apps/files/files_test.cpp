#include "apps/translation/files/files.h"

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <vector>

#include "autograd/error.h"
#include "tests/apps/files/file_size_limit.h"
#include "tests/apps/support.h"
#include "tests/catch.h"

using namespace regard::translation;
using regard::to_size;
using regard::tests::content;
using regard::tests::FileSizeLimit;
using regard::tests::TemporaryDirectory;

namespace {

/// A device that is always full; empty if none is available. With root's privileges, do not use the system's
/// device, because wrong code would replace it by a file.
std::string full_device(const TemporaryDirectory& directory) {
  if (::geteuid() != 0) return std::filesystem::is_character_file("/dev/full") ? "/dev/full" : "";
  const std::string path = directory / "full";
  if (::mknod(path.c_str(), S_IFCHR | 0600, makedev(1, 7)) != 0) return "";
  const int file = ::open(path.c_str(), O_WRONLY);
  // Some file systems do not allow devices; /tmp is often one of them.
  if (file < 0) return "";
  ::close(file);
  return path;
}

}  // namespace

TEST_CASE("read_file returns the text that write_file has written", "[files]") {
  const TemporaryDirectory directory;
  const std::string path = directory / "file";
  const std::string bytes(
      "a\0b\r\n\xFF"
      "c",
      7);
  write_file(path, bytes);
  CHECK(content(path) == bytes);
  CHECK(read_file(path) == bytes);
  write_file(path, "shorter");
  CHECK(content(path) == "shorter");
  write_file(path, "");
  CHECK(read_file(path).empty());
  const std::string large(3'000'000, 'x');
  write_file(path, large);
  CHECK(read_file(path) == large);
  CHECK(directory.entries() == 1);  // no temporary file is left
}

TEST_CASE("a path with a NUL character is refused, not cut", "[files]") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("a", "text");
  CHECK_ERROR(read_file(path + '\0' + "b"),
              "cannot read the file whose name begins with " + path + ": a NUL");
}

TEST_CASE("reading names the path and the reason", "[files]") {
  const TemporaryDirectory directory;
  const std::string file = directory.file("file", "x");
  CHECK_ERROR(read_file(directory / "missing"), directory / "missing");
  CHECK_ERROR(read_file(directory / "missing"), "No such file or directory");
  CHECK_ERROR(read_file(file + "/below"), "Not a directory");
  CHECK_ERROR(read_file(directory / ""), "Is a directory");
}

TEST_CASE("writing names the path and the reason", "[files]") {
  const TemporaryDirectory directory;
  const std::string file = directory.file("file", "x");
  CHECK_ERROR(write_file(directory / "missing/file", "y"), directory / "missing/file");
  CHECK_ERROR(write_file(directory / "missing/file", "y"), "the directory it should go to does not exist");
  CHECK_ERROR(write_file(file + "/below", "y"), file + "/below: Not a directory");
  CHECK_ERROR(write_file(directory / "", "y"), "Is a directory");
  CHECK_ERROR(make_directories(file + "/below"), file + "/below");
  CHECK_ERROR(make_directories(file + "/below"), "Not a directory");
  CHECK(content(file) == "x");
  CHECK(directory.entries() == 1);
}

TEST_CASE("a full device is noticed, and stays a device", "[files]") {
  const TemporaryDirectory directory;
  const std::string full = full_device(directory);
  if (full.empty()) {
    WARN("not tried: a device that is full cannot be made here");
    return;
  }
  CHECK_ERROR(write_file(full, "x"), "cannot write " + full + ": No space left on device");
  CHECK(std::filesystem::is_character_file(full));
}

TEST_CASE("a pipe is written directly, and stays a pipe", "[files]") {
  const TemporaryDirectory directory;
  const std::string pipe = directory / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  REQUIRE(reader >= 0);
  write_file(pipe, "through");
  char bytes[20];
  CHECK(std::string(bytes, to_size(std::max<ssize_t>(0, ::read(reader, bytes, 20)))) == "through");
  ::close(reader);
  CHECK(std::filesystem::is_fifo(pipe));
}

TEST_CASE("if a file cannot be written completely, the old file remains", "[files]") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("file", "old");
  const std::string large(100'000, 'x');
  std::string message;
  {
    const FileSizeLimit limit(50'000);
    message = MESSAGE_OF(write_file(path, large));
  }
  CHECK(message == "cannot write " + path + ": File too large");
  CHECK(content(path) == "old");
  CHECK(directory.entries() == 1);
  write_file(path, large);  // without the limit it succeeds
  CHECK(content(path) == large);
}

TEST_CASE("a symbolic link stays a link", "[files]") {
  const TemporaryDirectory directory;
  const std::string file = directory.file("file", "old"), link = directory / "link";
  std::filesystem::create_symlink(file, link);
  write_file(link, "new");
  CHECK(std::filesystem::is_symlink(link));
  CHECK(content(file) == "new");
}

TEST_CASE("directories are made with their parent directories", "[files]") {
  const TemporaryDirectory directory;
  make_directories(directory / "a/b/c");
  make_directories(directory / "a/b/c");
  CHECK(std::filesystem::is_directory(directory / "a/b/c"));
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
