#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>

#include "autograd/machine/error.h"

// A fuzz target is a reader that is given any bytes. It may refuse them with an Error; anything else, another
// exception, a crash, a broken promise, is a fault. libFuzzer finds inputs (tests/fuzz.sh); replay.cpp tries
// those that were kept, and changes of them, in every run of the tests.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace regard::fuzz {

/// Runs a reader; its refusals are fine.
template <class Reader>
void allow_errors(const Reader& reader) {
  try {
    reader();
  } catch (const Error&) {
  }
}

/// What the target's author promises.
inline void require(bool promise) {
  if (!promise) std::abort();
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// A file with these bytes, in memory where there is /dev/shm; the same name in each call.
inline std::string file_with(std::string_view bytes, const char* name) {
  static const std::string directory = ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
  const std::string path = directory + "/regard-fuzz-" + std::to_string(::getpid()) + "-" + name;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

}  // namespace regard::fuzz
