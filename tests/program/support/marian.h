#pragma once

// Models of Marian that `regard import` reads.

#include <filesystem>
#include <stdexcept>
#include <string>

#include "tests/catch.h"
#include "tests/program/support/run.h"

namespace regard::tests {

inline std::string marian_fixture(const std::string& name) { return REGARD_FIXTURES "/marian/" + name; }

/// The fixture "tied", imported once.
inline const std::string& imported_model() {
  static const TemporaryDirectory directory;
  static const std::string path = [] {
    const Outcome outcome = run({"import", marian_fixture("tied"), "--out", directory / "model"});
    if (outcome.code != 0) throw std::runtime_error(outcome.err);
    return directory / "model";
  }();
  return path;
}

/// A copy of a fixture in which a test changes files, and what the program says of it.
class DamagedCopy {
 public:
  explicit DamagedCopy(const std::string& name) {
    std::filesystem::copy(marian_fixture(name), path(), std::filesystem::copy_options::recursive);
  }

  std::string path() const { return directory_ / "copy"; }
  std::string operator/(const std::string& file) const { return path() + "/" + file; }
  void write(const std::string& file, const std::string& text) const {
    directory_.file("copy/" + file, text);
  }
  void replace(const std::string& file, const std::string& from, const std::string& to) const {
    std::string text = content(*this / file);
    text.replace(text.find(from), from.size(), to);
    write(file, text);
  }
  /// Checks that the import is refused with this part of a message, and that nothing is written.
  void refused(const std::string& part) const {
    const std::size_t entries = directory_.entries();
    CHECK_REFUSED(run({"import", path(), "--out", directory_ / "model"}), part);
    CHECK(directory_.entries() == entries);
  }

 private:
  TemporaryDirectory directory_;
};

}  // namespace regard::tests
