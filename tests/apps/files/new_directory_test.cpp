#include "apps/translation/files/new_directory.h"

#include <fstream>

#include "tests/apps/support.h"

using namespace regard::tests;
using regard::translation::NewDirectory;

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
