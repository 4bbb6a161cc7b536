#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace regard::program {

// A thin layer over the library CLI11. The header of CLI11 takes many seconds to compile, so only
// command_line.cpp includes it.

/// An option of a command. It names other options of the same command, which must have been added before.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  const Option& required() const;
  /// The help text shows the value that the variable holds now.
  const Option& show_default() const;
  const Option& needs(const std::string& other) const;
  const Option& excludes(const std::string& other) const;
  /// `Number` is Index or double.
  template <class Number>
  const Option& range(Number least, Number most) const;
  /// For a vector: the option takes all values up to the next option.
  const Option& several() const;
  /// The word for the value in the help text.
  const Option& value_name(const std::string& name) const;

 private:
  CLI::Option* option_;
};

/// The program or one of its subcommands.
class Command {
 public:
  /// Does the work of a command and returns the exit code.
  using Action = std::function<int()>;

  /// Parsing the command line stores the action of the given subcommand in `chosen`.
  Command(CLI::App& app, Action& chosen) : app_(&app), chosen_(&chosen) {}

  /// Adds a subcommand. A command with subcommands requires one of them.
  Command add(const std::string& name, const std::string& description) const;

  /// Adds an option, or a positional argument if the name has no dashes. Parsing writes to `value`, so
  /// `value` must live until then. A vector takes one value each time its option is given; a positional
  /// vector takes all values. An unsigned number refuses negative values. command_line.cpp lists the types
  /// that T can be.
  template <class T>
  Option option(const std::string& name, T& value, const std::string& description) const;
  /// Adds an option without a value. It sets `value` to true.
  Option flag(const std::string& name, bool& value, const std::string& description) const;
  /// Adds an option without a value. It sets `value` to false.
  Option off_flag(const std::string& name, bool& value, const std::string& description) const;

  /// Returns the same command, but every option added to the result needs the option `name`.
  Command only_with(const std::string& name) const;

  /// Returns "command" with the name of this command, and each option with its value as the command line
  /// gives it, except for some options.
  std::vector<std::pair<std::string, std::string>> given(const std::vector<std::string>& except = {}) const;

  /// Sets the text below the options in --help.
  void footer(const std::string& text) const;

  /// Sets the action. It owns the variables of the options and runs after the whole command line was read.
  void action(Action action) const;

 private:
  Option added(CLI::Option* option) const;

  CLI::App* app_;
  Action* chosen_;
  std::string needed_;  ///< every option added needs this one; empty: none
};

/// Reads the command line, runs its subcommand and returns the exit code. Throws Error.
int run_command_line(int argc, const char* const* argv);

}  // namespace regard::program
