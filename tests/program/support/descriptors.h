#pragma once

// File descriptors, pipes and terminals, closed when their owner ends.

#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <utility>

namespace regard::tests {

/// Owns a file descriptor.
class File {
 public:
  explicit File(int number = -1) : number_(number) {}
  File(File&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~File() { close(); }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }
  int number() const { return number_; }

 private:
  int number_;
};

inline File opened(const std::string& path, int how) {
  const int number = ::open(path.c_str(), how | O_CLOEXEC | O_NOCTTY);
  if (number < 0) throw std::runtime_error("cannot open " + path);
  return File(number);
}

/// The side of a new terminal on which the person sits, or an empty File if this system can make none.
inline File new_terminal() {
  File person(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  const bool made = ::grantpt(person.number()) == 0 && ::unlockpt(person.number()) == 0 &&
                    ::access(::ptsname(person.number()), R_OK | W_OK) == 0;
  return made ? std::move(person) : File();
}

struct Pipe {
  File reader, writer;
};

inline Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe could be made");
  return {File(ends[0]), File(ends[1])};
}

/// The pipe takes one page, and then refuses more until it is read.
inline void make_small_and_non_blocking(const Pipe& pipe) {
#ifdef __linux__
  ::fcntl(pipe.writer.number(), F_SETPIPE_SZ, 4096);
#endif
  ::fcntl(pipe.writer.number(), F_SETFL, O_NONBLOCK);
}

}  // namespace regard::tests
