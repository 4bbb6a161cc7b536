#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <sys/resource.h>
#include <vector>

#include "tests/apps/support.h"

namespace regard::tests {

using Words = std::vector<std::string>;

/// Both, one after the other.
inline Words joined(Words first, const Words& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

/// The result of a run of the program.
struct Outcome {
  int code;  ///< its exit code; 128 + N if signal N ended it
  std::string out, err;
};

struct Circumstances {
  std::string input = {};            ///< the text on standard input
  std::string input_path = {};       ///< a file that replaces `input`
  std::string output_path = {};      ///< a file for standard output, which is then not in Outcome::out
  std::string error_path = {};       ///< the same for standard error
  bool append = false;               ///< writes go to the end of these two, as with >> in a shell
  bool slowly_read = false;          ///< output and error are small non-blocking pipes, read after a while
  bool output_unread = false;        ///< output is a pipe that nobody reads
  bool errors_unread = false;        ///< the same for standard error
  bool closed = false;               ///< all three are closed; some programs start daemons in this way
  rlim_t file_size = RLIM_INFINITY;  ///< limit on the size of a file that it writes, in bytes
  rlim_t addresses = RLIM_INFINITY;  ///< limit on its memory, in bytes
  /// A command that starts the program: {"env", "NAME=VALUE"}. The program and its arguments follow it.
  Words launcher = {};
  Words program = {REGARD_PROGRAM};  ///< with what starts it on this machine
};

/// Runs `regard ARGUMENTS…`, or another program, like a user and waits until it ends.
Outcome run(const Words& arguments, const Circumstances& circumstances = {});

/// Runs it, and checks that it ends well and without a message.
inline Outcome run_well(const Words& arguments, const Circumstances& circumstances = {}) {
  CAPTURE(arguments);
  const Outcome outcome = run(arguments, circumstances);
  CHECK(outcome.code == 0);
  CHECK(outcome.err.empty());
  return outcome;
}

struct Terminal {
  std::string typed = {};        ///< the text that the user types
  std::string output_path = {};  ///< a file for standard output, instead of the terminal
  unsigned short columns = 80;
  std::function<bool()> closed_when = {};  ///< the terminal is closed as soon as this returns true
};

/// False, with a word in the log, if this system can make no terminal: a container may have no /dev/pts.
bool has_terminals();

/// Runs it on a terminal. Outcome::out is everything that it writes there.
Outcome run_in_terminal(const Words& arguments, const Terminal& terminal = {});

/// A run in the background, while the test does something else. Its output goes into files.
class Running {
 public:
  explicit Running(const Words& arguments, const Words& launcher = {});
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running();  ///< kills the program if it still runs

  /// Number of the process, and of its process group.
  int process() const { return process_; }
  void send(int signal) const;
  bool ended();
  /// Standard output and standard error so far.
  std::string output() const { return content(directory_ / "out"); }
  std::string errors() const { return content(directory_ / "err"); }
  /// Waits until it ends.
  Outcome wait();

 private:
  TemporaryDirectory directory_;
  int process_;
  std::optional<int> code_;
};

/// Waits until the program has ended or the condition is true.
void wait_until(Running& running, const std::function<bool()>& condition);

/// Runs it with the pieces of `said` on a pipe. It sends each piece only after it has read one more line of
/// output than before. If a line does not come within a minute, it sends no more pieces.
Outcome run_in_turns(const Words& arguments, const Words& said);

/// Returns the error message of a refused run, without "regard: ". It starts with "(not refused" if the exit
/// code is not 1 or if standard error has more than this one line.
std::string refusal(const Outcome& outcome);

Words lines(const std::string& text);

/// True if the program has this command: the room of a command can be taken away.
bool has_command(const std::string& name);
/// True if the command has this option: the room of a way to translate can be taken away.
bool has_option(const std::string& command, const std::string& option);
/// True if the settings of a model may have this value: the room of a preset or of a kind can be taken away.
bool has_kind(const std::string& name);
/// The command lines whose command the program has, and of `regard translate` and `regard toy` those whose
/// options and toys it has.
std::vector<Words> those_built(std::vector<Words> command_lines);

/// True if standard output has a line with this beginning.
bool has_line(const Outcome& outcome, const std::string& beginning);

/// Returns the first line in which two texts differ; empty if they are equal.
std::string difference(const std::string& got, const std::string& expected);

/// All files below a directory with their contents.
std::map<std::string, std::string> files_below(const std::string& directory);

/// False if the program is built with sanitizers: AddressSanitizer needs many addresses and much stack, and
/// must be started in the usual way. CMake defines the macro, because the tests themselves have no sanitizer.
#ifdef REGARD_SANITIZED_PROGRAM
inline constexpr bool can_limit_addresses = false;
#else
inline constexpr bool can_limit_addresses = true;
#endif

}  // namespace regard::tests

/// Checks that a run was refused with one message that contains a text.
#define CHECK_REFUSED(outcome, text) CHECK_THAT(regard::tests::refusal(outcome), ContainsSubstring(text))
