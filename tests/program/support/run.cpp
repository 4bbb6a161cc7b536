#include "tests/program/support/run.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <poll.h>
#include <sstream>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <thread>
#include <unistd.h>

#include "autograd/machine/error.h"
#include "tests/program/support/descriptors.h"

namespace regard::tests {

namespace {

void limit(int resource, rlim_t most) {
  if (most == RLIM_INFINITY) return;
  const rlimit limits = {.rlim_cur = most, .rlim_max = most};
  ::setrlimit(static_cast<__rlimit_resource>(resource), &limits);
}

/// Starts the program with these as its standard input, output and error.
pid_t start(const Words& arguments, const std::array<int, 3>& standard, const Circumstances& circumstances) {
  std::vector<char*> words;
  for (const std::string& word : circumstances.launcher) words.push_back(const_cast<char*>(word.c_str()));
  for (const std::string& word : circumstances.program) words.push_back(const_cast<char*>(word.c_str()));
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("cannot start a program");
  if (child > 0) return child;
#ifdef __linux__
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // the program ends if the tests are stopped
#endif
  ::setsid();  // and a terminal becomes its controlling terminal
  if (::isatty(standard[0]) != 0) static_cast<void>(::open(::ttyname(standard[0]), O_RDWR | O_CLOEXEC));
  for (int i = 0; i < 3; ++i) {
    ::dup2(standard[to_size(i)], i);
    if (circumstances.closed) ::close(i);
  }
  limit(RLIMIT_FSIZE, circumstances.file_size);
  limit(RLIMIT_AS, circumstances.addresses);
  ::execvp(words[0], words.data());
  ::_exit(127);
}

/// Reads all files until the end of each.
void read_all(const std::vector<std::pair<const File*, std::string*>>& files) {
  std::vector<pollfd> open;
  for (const auto& [file, text] : files) open.push_back({file->number(), POLLIN, 0});
  for (auto left = std::ranges::count_if(open, [](const pollfd& file) { return file.fd >= 0; }); left > 0;) {
    if (::poll(open.data(), open.size(), -1) < 0 && errno != EINTR) break;
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (open[i].fd < 0 || open[i].revents == 0) continue;
      std::array<char, 4096> block;
      const ssize_t size = ::read(open[i].fd, block.data(), block.size());
      if (size > 0) {
        files[i].second->append(block.data(), to_size(size));
      } else {  // a terminal ends with an error
        open[i].fd = -1;
        --left;
      }
    }
  }
}

/// Reads a terminal until a condition is true or the terminal is closed.
void read_until(const File& terminal, std::string& text, const std::function<bool()>& condition) {
  while (!condition()) {
    pollfd readable{terminal.number(), POLLIN, 0};
    if (::poll(&readable, 1, 1) <= 0) continue;
    std::array<char, 4096> block;
    const ssize_t size = ::read(terminal.number(), block.data(), block.size());
    if (size <= 0) return;
    text.append(block.data(), to_size(size));
  }
}

int code_of(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return code_of(status);
}

}  // namespace

Outcome run(const Words& arguments, const Circumstances& circumstances) {
  const TemporaryDirectory directory;
  const std::string input = circumstances.input_path.empty() ? directory.file("input", circumstances.input)
                                                             : circumstances.input_path;
  File in = opened(input, O_RDONLY);
  Pipe out = make_pipe(), err = make_pipe();
  if (circumstances.slowly_read) {
    make_small_and_non_blocking(out);
    make_small_and_non_blocking(err);
  }
  if (circumstances.output_unread) out.reader.close();
  if (circumstances.errors_unread) err.reader.close();
  const int how = circumstances.append ? O_WRONLY | O_APPEND : O_WRONLY;
  if (!circumstances.output_path.empty()) out.writer = opened(circumstances.output_path, how);
  if (!circumstances.error_path.empty()) err.writer = opened(circumstances.error_path, how);
  const pid_t child =
      start(arguments, {in.number(), out.writer.number(), err.writer.number()}, circumstances);
  out.writer.close();
  err.writer.close();
  Outcome outcome{0, {}, {}};
  if (circumstances.slowly_read) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  read_all({{&out.reader, &outcome.out}, {&err.reader, &outcome.err}});
  outcome.code = wait_for(child);
  return outcome;
}

bool has_terminals() {
  const bool found = new_terminal().number() >= 0;
  if (!found) WARN("skipped: no terminal can be made; mount /dev/pts");
  return found;
}

Outcome run_in_terminal(const Words& arguments, const Terminal& terminal) {
  File person = new_terminal();
  File device = opened(::ptsname(person.number()), O_RDWR);
  termios modes{};
  ::tcgetattr(device.number(), &modes);
  modes.c_lflag &= ~static_cast<tcflag_t>(ECHO);   // typed text is not repeated on the terminal
  modes.c_oflag &= ~static_cast<tcflag_t>(OPOST);  // line ends are not changed
  ::tcsetattr(device.number(), TCSANOW, &modes);
  const winsize size{.ws_row = 25, .ws_col = terminal.columns, .ws_xpixel = 0, .ws_ypixel = 0};
  ::ioctl(device.number(), TIOCSWINSZ, &size);
  const std::string& typed = terminal.typed;
  if (::write(person.number(), typed.data(), typed.size()) != static_cast<ssize_t>(typed.size()))
    throw std::runtime_error("the terminal takes no more");
  File redirected;
  if (!terminal.output_path.empty()) redirected = opened(terminal.output_path, O_WRONLY);
  const int out = terminal.output_path.empty() ? device.number() : redirected.number();
  const pid_t child = start(arguments, {device.number(), out, device.number()}, Circumstances{});
  device.close();
  Outcome outcome{0, {}, {}};
  if (terminal.closed_when) {
    read_until(person, outcome.out, terminal.closed_when);
    person.close();
  } else {
    read_all({{&person, &outcome.out}});
  }
  outcome.code = wait_for(child);
  return outcome;
}

Running::Running(const Words& arguments, const Words& launcher) {
  const File in = opened("/dev/null", O_RDONLY);
  const File out = opened(directory_.file("out", ""), O_WRONLY);
  const File err = opened(directory_.file("err", ""), O_WRONLY);
  process_ = start(arguments, {in.number(), out.number(), err.number()}, {.launcher = launcher});
}

Running::~Running() {
  if (ended()) return;
  send(SIGKILL);
  wait_for(process_);
}

void Running::send(int signal) const { ::kill(process_, signal); }

bool Running::ended() {
  int status = 0;
  if (!code_ && ::waitpid(process_, &status, WNOHANG) == process_) code_ = code_of(status);
  return code_.has_value();
}

Outcome Running::wait() {
  if (!ended()) code_ = wait_for(process_);
  return {*code_, content(directory_ / "out"), content(directory_ / "err")};
}

void wait_until(Running& running, const std::function<bool()>& condition) {
  while (!running.ended() && !condition()) std::this_thread::sleep_for(std::chrono::microseconds(50));
}

Outcome run_in_turns(const Words& arguments, const Words& said) {
  Pipe in = make_pipe(), out = make_pipe(), err = make_pipe();
  const pid_t child = start(arguments, {in.reader.number(), out.writer.number(), err.writer.number()}, {});
  in.reader.close();
  out.writer.close();
  err.writer.close();
  Outcome outcome{0, {}, {}};
  constexpr int a_minute = 60'000;  // milliseconds
  for (std::size_t turn = 0; turn < said.size(); ++turn) {
    if (::write(in.writer.number(), said[turn].data(), said[turn].size()) !=
        static_cast<ssize_t>(said[turn].size()))
      break;
    while (to_size(std::ranges::count(outcome.out, '\n')) <= turn) {
      pollfd answer{out.reader.number(), POLLIN, 0};
      std::array<char, 4096> block;
      const ssize_t size =
          ::poll(&answer, 1, a_minute) > 0 ? ::read(out.reader.number(), block.data(), block.size()) : 0;
      if (size <= 0) break;
      outcome.out.append(block.data(), to_size(size));
    }
    if (to_size(std::ranges::count(outcome.out, '\n')) <= turn) break;
  }
  in.writer.close();
  read_all({{&out.reader, &outcome.out}, {&err.reader, &outcome.err}});
  outcome.code = wait_for(child);
  return outcome;
}

std::string refusal(const Outcome& outcome) {
  constexpr std::string_view beginning = "regard: ";
  const bool one_line = !outcome.err.empty() && outcome.err.find('\n') == outcome.err.size() - 1;
  if (outcome.code != 1 || !one_line || !outcome.err.starts_with(beginning))
    return fmt::format("(not refused properly: exit code {}, standard error \"{}\")", outcome.code,
                       outcome.err);
  return outcome.err.substr(beginning.size(), outcome.err.size() - beginning.size() - 1);
}

bool has_command(const std::string& name) {
  static const std::string help = run({"--help"}).out;
  return help.find("\n  " + name + " ") != std::string::npos;
}

bool has_option(const std::string& command, const std::string& option) {
  static std::map<std::string, std::string> helps;
  std::string& help = helps[command];
  if (help.empty()) help = run({command, "--help"}).out;
  return help.find("\n  " + option + " ") != std::string::npos;
}

bool has_kind(const std::string& name) {
  static const std::string settings = run({"train", "--print-config"}).out;
  return settings.find('"' + name + '"') != std::string::npos;
}

std::vector<Words> those_built(std::vector<Words> command_lines) {
  std::erase_if(command_lines, [](const Words& words) {
    return !has_command(words.front()) || (words.front() == "toy" && !has_option("toy", words[1])) ||
           (words.front() == "translate" && std::ranges::any_of(words, [](const std::string& word) {
              return word.starts_with("--") && !has_option("translate", word);
            }));
  });
  return command_lines;
}

Words lines(const std::string& text) {
  Words result;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) result.push_back(line);
  return result;
}

bool has_line(const Outcome& outcome, const std::string& beginning) {
  for (const std::string& line : lines(outcome.out))
    if (line.starts_with(beginning)) return true;
  return false;
}

std::string difference(const std::string& got, const std::string& expected) {
  const Words a = lines(got), b = lines(expected);
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (a[i] != b[i]) return fmt::format("line {} is \"{}\" instead of \"{}\"", i + 1, a[i], b[i]);
  if (got == expected) return "";
  return fmt::format("{} lines instead of {}, or another end", a.size(), b.size());
}

std::map<std::string, std::string> files_below(const std::string& directory) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory))
    files[std::filesystem::relative(entry.path(), directory).string()] =
        entry.is_regular_file() ? content(entry.path().string()) : "";
  return files;
}

}  // namespace regard::tests
