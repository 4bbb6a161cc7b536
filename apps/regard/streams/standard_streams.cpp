#include "apps/regard/streams/standard_streams.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <unistd.h>
#include <utility>

#include "apps/translation/files/files.h"
#include "autograd/error.h"

namespace regard::program {

void prepare_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    const int flags = ::fcntl(descriptor, F_GETFL);
    // The first file that the program opens would get the number of a closed descriptor, and messages would
    // go into that file. With this mode, reads or writes fail as on a closed descriptor.
    if (flags < 0) ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    // The C library drops text that a slow reader of a non-blocking descriptor does not take at once.
    else if ((flags & O_NONBLOCK) != 0)
      ::fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK);
  }
}

void flush_output() {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  fail("cannot write to standard output: {}", errno == 0 ? "it was cut short" : std::strerror(errno));
}

/// The program would read its own output. With more lines than it reads at a time, it would never end.
LineReader::LineReader() {
  if (translation::same_file("/dev/stdin", "/dev/stdout") && std::filesystem::is_regular_file("/dev/stdin"))
    fail("standard input and standard output are the same file; write the output into another file");
}

std::vector<std::string> LineReader::read(std::size_t most) {
  std::vector<std::string> lines;
  const auto would_wait = [] {
    pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    return ::poll(&input, 1, 0) == 0;
  };
  for (std::size_t searched = begin_; lines.size() < most;) {
    const std::size_t end = buffer_.find('\n', searched);
    if (end != std::string::npos) {
      lines.push_back(buffer_.substr(begin_, end - begin_));
      searched = begin_ = end + 1;
    } else if (ended_) {
      if (begin_ < buffer_.size()) lines.push_back(buffer_.substr(std::exchange(begin_, buffer_.size())));
      break;
    } else if (!lines.empty() && would_wait()) {
      break;
    } else {
      buffer_.erase(0, std::exchange(begin_, 0));
      searched = buffer_.size();
      read_more();
    }
  }
  return lines;
}

void LineReader::read_more() {
  constexpr std::size_t block = 1 << 16;
  const std::size_t end = buffer_.size();
  buffer_.resize(end + block);
  const ssize_t size = ::read(STDIN_FILENO, buffer_.data() + end, block);
  if (size < 0) fail("cannot read standard input: {}", std::strerror(errno));
  ended_ = size == 0;
  buffer_.resize(end + to_size(size));
}

}  // namespace regard::program
