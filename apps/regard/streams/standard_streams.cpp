#include "apps/regard/streams/standard_streams.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <initializer_list>
#include <iostream>
#include <poll.h>
#include <unistd.h>

#if defined(__GLIBC__) && defined(__GLIBCXX__)
#include <ext/stdio_sync_filebuf.h>
#define REGARD_STREAMS_CAN_WAIT 1
#endif

namespace regard::program {

namespace {

#ifdef REGARD_STREAMS_CAN_WAIT

/// Writes all bytes, and waits whenever the descriptor takes none. Returns the number of bytes written; less
/// than `size` is an error.
template <int descriptor>
ssize_t write_all(void*, const char* bytes, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t written = ::write(descriptor, bytes + done, size - done);
    if (written >= 0) {
      done += static_cast<std::size_t>(written);
    } else if (errno == EAGAIN) {
      pollfd output{.fd = descriptor, .events = POLLOUT, .revents = 0};
      static_cast<void>(::poll(&output, 1, -1));
    } else if (errno != EINTR) {
      break;
    }
  }
  return static_cast<ssize_t>(done);
}

/// Replaces a C stream by one that waits, if its descriptor is non-blocking.
template <int descriptor>
void wait_for_reader(std::FILE*& stream) {
  const int flags = ::fcntl(descriptor, F_GETFL);
  if (flags < 0 || (flags & O_NONBLOCK) == 0) return;
  std::FILE* const waiting = ::fopencookie(
      nullptr, "w", {.read = nullptr, .write = write_all<descriptor>, .seek = nullptr, .close = nullptr});
  if (waiting == nullptr) return;
  std::setvbuf(waiting, nullptr, _IOLBF, BUFSIZ);
  stream = waiting;
}

#endif

}  // namespace

void occupy_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(descriptor, F_GETFD) < 0)
      ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);  // gets the lowest free number
}

void wait_for_slow_readers() {
#ifdef REGARD_STREAMS_CAN_WAIT
  wait_for_reader<STDERR_FILENO>(stderr);
  std::FILE* const before = stdout;
  wait_for_reader<STDOUT_FILENO>(stdout);
  // std::cout writes to the C stream that was there before main. Its new buffer lives as long as std::cout.
  if (stdout != before) std::cout.rdbuf(new __gnu_cxx::stdio_sync_filebuf<char>(stdout));
#endif
}

}  // namespace regard::program
