// Files are written whole or not at all, and what prevents it is said.
#include "autograd/machine/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "autograd/machine/error.h"
#include "nn/safetensors.h"
#include "tests/catch.h"
#include "tests/file_size_limit.h"
#include "tests/nn/support.h"
#include "tests/temporary_directory.h"

using namespace regard;
using namespace regard::tests;

namespace {

const std::string large(std::size_t{1} << 20, 'x');

/// The name of the first temporary file for NAME in this process.
std::string temporary(const std::string& name, int count = 1) {
  return name + ".regard-tmp-" + std::to_string(::getpid()) + "-" + std::to_string(count);
}

}  // namespace

TEST_CASE("a file is written from its pieces and read back") {
  const TemporaryDirectory directory;
  const std::string path = directory / "file";
  const std::string binary("a\0\n\xff", 4);
  write_file(path, {binary, "", large, "end"});
  CHECK(read_file(path) == binary + large + "end");
  write_file(path, {"short"});  // replaces, and leaves nothing of what was longer
  CHECK(content(path) == "short");
  write_file(path, {});
  CHECK(content(path).empty());
  CHECK(directory.entries() == 1);
}

TEST_CASE("a symbolic link stays one, and its target is written") {
  const TemporaryDirectory directory;
  const std::string target = directory.file("target", "old");
  std::filesystem::create_symlink(target, directory / "link");
  write_file(directory / "link", {"new"});
  CHECK(std::filesystem::is_symlink(directory / "link"));
  CHECK(content(target) == "new");
}

TEST_CASE("reading what cannot be read") {
  const TemporaryDirectory directory;
  CHECK_ERROR(read_file(directory / "absent"), "cannot read " + (directory / "absent") + ": No such file");
  CHECK_ERROR(read_file(directory / ""), "Is a directory");
  const std::string file = directory.file("file", "text");
  CHECK_ERROR(read_file(file + "/below"), "Not a directory");
}

TEST_CASE("a path with a NUL character is refused, not cut") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("a", "text");
  CHECK_ERROR(read_file(path + '\0' + "b"),
              "cannot read the file whose name begins with " + path + ": a NUL");
}

TEST_CASE("a pipe is written directly, and stays a pipe") {
  const TemporaryDirectory directory;
  const std::string pipe = directory / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  REQUIRE(reader >= 0);
  write_file(pipe, {"through"});
  char bytes[20];
  CHECK(std::string(bytes, to_size(std::max<ssize_t>(0, ::read(reader, bytes, 20)))) == "through");
  ::close(reader);
  CHECK(std::filesystem::is_fifo(pipe));
}

TEST_CASE("writing where nothing can be written") {
  const TemporaryDirectory directory;
  const std::string file = directory.file("file", "text");
  CHECK_ERROR(write_file(file + "/below", {"x"}), "cannot write " + file + "/below: Not a directory");
  CHECK_ERROR(write_file(directory / "absent/file", {"x"}), "the directory it should go to does not exist");
  CHECK_ERROR(write_file(directory / "", {"x"}), "Is a directory");
  CHECK(content(file) == "text");
  CHECK(directory.entries() == 1);
}

TEST_CASE("weights below a regular file, or onto a full device") {
  const TemporaryDirectory directory;
  const std::string file = directory.file("file", "text");
  CHECK_ERROR(nn::save_safetensors(file + "/weights", {{"w", normal({3}, 1)}}),
              "cannot write " + file + "/weights: Not a directory");
  for (const Index size : {1, 100'000})  // in one flush at the end, or in several
    CHECK_ERROR(nn::save_safetensors("/dev/full", {{"w", normal({size}, 1)}}),
                "cannot write /dev/full: No space left on device");
  CHECK(std::filesystem::is_character_file("/dev/full"));
}

TEST_CASE("a disk that fills up leaves the old file as it was, and no other") {
  const TemporaryDirectory directory;
  const std::string path = directory / "weights";
  const Tensor old = normal({20}, 1), next = normal({5000}, 2);
  nn::save_safetensors(path, {{"w", old}});
  std::string message;
  {
    const FileSizeLimit limit(8192);
    message = MESSAGE_OF(nn::save_safetensors(path, {{"w", next}}));
  }
  CHECK_CONTAINS(message, "cannot write " + path + ": File too large");
  CHECK(same_bits(nn::load_safetensors(path).at("w"), old));
  CHECK(directory.entries() == 1);

  {
    const FileSizeLimit limit(8192);
    message = MESSAGE_OF(nn::save_safetensors(directory / "new", {{"w", next}}));
  }
  CHECK_CONTAINS(message, "File too large");
  CHECK_FALSE(std::filesystem::exists(directory / "new"));
  CHECK(directory.entries() == 1);

  nn::save_safetensors(path, {{"w", next}});  // with room again, it is replaced
  CHECK(same_bits(nn::load_safetensors(path).at("w"), next));
}

TEST_CASE("a temporary file is never written through a link, nor over a file of its name") {
  const TemporaryDirectory directory;
  const std::string path = directory / "file", victim = directory.file("victim", "mine");
  std::filesystem::create_symlink(victim, temporary(path));
  std::filesystem::create_symlink(directory / "nothing", temporary(path, 2));
  directory.file("file.regard-tmp-" + std::to_string(::getpid()) + "-3", "mine too");
  write_file(path, {"new"});
  CHECK(content(path) == "new");
  CHECK(content(victim) == "mine");
  CHECK(std::filesystem::read_symlink(temporary(path)) == victim);
  CHECK_FALSE(std::filesystem::exists(directory / "nothing"));
  CHECK(content(temporary(path, 3)) == "mine too");
  CHECK(directory.entries() == 5);
}

TEST_CASE("the name of a temporary file is unmistakable") {
  CHECK(name_of_temporary("a.json.regard-tmp-12-1") == "a.json");
  CHECK(name_of_temporary("a.regard-tmp-1-1.regard-tmp-12-34") == "a.regard-tmp-1-1");
  for (const char* name :
       {"", "a.json", "a.json.tmp12", "a.regard-tmp-", "a.regard-tmp-12", "a.regard-tmp-12-",
        "a.regard-tmp--1", "a.regard-tmp-12-1x", "a.regard-tmp-12-1.txt"})
    CHECK(name_of_temporary(name).empty());
}

TEST_CASE("of several files, none is replaced if one cannot be written") {
  const TemporaryDirectory directory;
  const std::string one = directory.file("one", "old"), other = directory.file("other", "old");
  write_files({{one, {"n", "ew"}}, {other, {large}}, {directory / "third", {}}});
  CHECK(content(one) == "new");
  CHECK(content(other) == large);
  CHECK(directory.entries() == 3);
  const FileSizeLimit limit(8192);
  CHECK_ERROR(write_files({{one, {"newer"}}, {directory / "fourth", {"x"}}, {other, {large}}}),
              "cannot write " + other + ": File too large");
  CHECK(content(one) == "new");
  CHECK(content(other) == large);
  CHECK(directory.entries() == 3);
}

TEST_CASE("a file that save_safetensors wrote is known by its beginning") {
  const TemporaryDirectory directory;
  nn::save_safetensors(directory / "weights", {{"w", normal({3}, 1)}});
  CHECK(nn::saved_by_regard(directory / "weights"));
  for (const std::string text : {"", "mine", "12345678{\"__metadata__\":{\"format\":\"pt\"}}"})
    CHECK_FALSE(nn::saved_by_regard(directory.file("other", text)));
}
