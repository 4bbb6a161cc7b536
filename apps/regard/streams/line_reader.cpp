#include "apps/regard/streams/line_reader.h"

#include <cerrno>
#include <cstring>
#include <new>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "autograd/error.h"

namespace regard::program {

/// The program would read its own output. With more lines than it reads at a time, it would never end.
LineReader::LineReader(int file) : file_(file) {
  struct stat input {};
  struct stat output {};
  if (::fstat(file, &input) == 0 && ::fstat(STDOUT_FILENO, &output) == 0 && S_ISREG(input.st_mode) &&
      input.st_dev == output.st_dev && input.st_ino == output.st_ino)
    fail("standard input and standard output are the same file; write the output into another file");
}

std::vector<std::string> LineReader::read(std::size_t most) {
  std::vector<std::string> lines;
  while (lines.size() < most) {
    std::string line;
    if (take_line(line))
      lines.push_back(std::move(line));
    else if (ended_ || (!lines.empty() && would_wait()))
      break;
    else
      read_more();
  }
  return lines;
}

bool LineReader::take_line(std::string& line) {
  const std::size_t end = buffer_.find('\n', searched_);
  const bool last = end == std::string::npos && ended_ && begin_ < buffer_.size();
  searched_ = end == std::string::npos ? buffer_.size() : end + 1;
  if (end == std::string::npos && !last) return false;
  line = buffer_.substr(begin_, last ? std::string::npos : end - begin_);
  begin_ = searched_;
  return true;
}

bool LineReader::would_wait() const {
  pollfd input{.fd = file_, .events = POLLIN, .revents = 0};
  return ::poll(&input, 1, 0) == 0;
}

void LineReader::read_more() {
  constexpr std::size_t block = 1 << 16;
  buffer_.erase(0, std::exchange(begin_, 0));
  searched_ = buffer_.size();
  try {
    buffer_.resize(searched_ + block);
  } catch (const std::bad_alloc&) {
    throw OutOfMemory(
        fmt::format("cannot read standard input: out of memory after {} MB without a line end; is it a text?",
                    searched_ >> 20));
  }
  ssize_t size = ::read(file_, buffer_.data() + searched_, block);
  while (size < 0 && (errno == EINTR || errno == EAGAIN)) {
    pollfd input{
        .fd = file_, .events = POLLIN, .revents = 0};  // the caller of the program made it non-blocking
    static_cast<void>(::poll(&input, 1, -1));
    size = ::read(file_, buffer_.data() + searched_, block);
  }
  if (size < 0) fail("cannot read standard input: {}", std::strerror(errno));
  if (size == 0) ended_ = true;
  buffer_.resize(searched_ + to_size(size));
}

}  // namespace regard::program
