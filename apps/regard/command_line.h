#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "apps/translation/model/make_model.h"
#include "apps/translation/processes/processes.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace regard::program {

class Launcher;

// A thin layer over the library CLI11. The header of CLI11 takes many seconds to compile, so only
// command_line.cpp includes it.

/// What an option demands. It names other options of the same command, which must have been added before.
struct OptionRules {
  bool required = false;
  bool show_default = false;  ///< the help text shows the value that the variable holds now
  bool several = false;       ///< for a vector: the option takes all values up to the next option
  bool commas = false;        ///< for a vector: commas separate values
  bool alone = false;         ///< excludes all options that were added before
  bool alternative = false;   ///< excludes the others with this rule
  bool reads_input = false;   ///< gives the input a form of its own; excludes the others with this rule
  std::vector<std::string> excludes = {};
  std::string value_name = {};       ///< the word for the value in the help text
  std::optional<double> least = {};  ///< of a number
};
inline const OptionRules required{.required = true}, show_default{.show_default = true};

/// The program or one of its subcommands.
class Command {
 public:
  /// Does the work of a command and returns the exit code.
  using Action = std::function<int()>;

  /// Parsing the command line stores the action of the given subcommand in `chosen`.
  Command(CLI::App& app, Action& chosen, const translation::MakeModel& own_model)
      : app_(&app), chosen_(&chosen), own_model_(&own_model) {}

  /// Makes the models of the program's own (program.h); empty: there are none.
  const translation::MakeModel& own_model() const { return *own_model_; }

  /// Adds a subcommand. A command with subcommands requires one of them.
  Command add(const std::string& name, const std::string& description) const;

  /// Adds an option, or a positional argument if the name has no dashes. Parsing writes to `value`, so
  /// `value` must live until then. A vector takes one value each time its option is given; a positional
  /// vector takes all values. An unsigned number refuses negative values. A bool is an option without a
  /// value, which sets it to true; --name=false sets it to false. command_line.cpp lists the types that T can
  /// be.
  template <class T>
  void option(const std::string& name, T& value, const std::string& description,
              const OptionRules& rules = {}) const;
  /// Adds an option without a value. It sets `value` to false.
  void off_flag(const std::string& name, bool& value, const std::string& description) const;

  /// Returns the same command, but every option added to the result needs the option `name`.
  Command only_with(const std::string& name) const;

  /// Returns the same command, but --help shows every option added to the result below this title.
  Command group(const std::string& title) const;

  /// Returns "command" with the name of this command, and each option with its value as the command line
  /// gives it, except for some options.
  std::vector<translation::Fact> given(const std::vector<std::string>& except = {}) const;

  /// Sets the text below the options in --help.
  void footer(const std::string& text) const;

  /// Sets the action. It owns the variables of the options and runs after the whole command line was read.
  void action(Action action) const;

  /// Makes settings, for the options to write to, and sets the action: to run with them.
  template <class Settings>
  Settings& runs(int (*run)(const Settings& settings)) const {
    const auto settings = std::make_shared<Settings>();
    action([settings, run] { return run(*settings); });
    return *settings;
  }

 private:
  void apply(CLI::Option* option, const OptionRules& rules) const;

  CLI::App* app_;
  Action* chosen_;
  const translation::MakeModel* own_model_;
  std::string needed_;  ///< every option added needs this one; empty: none
  std::string group_;   ///< the title above every option added; empty: the usual one
  // The options that exclude each other.
  using Options = std::vector<CLI::Option*>;
  std::shared_ptr<Options> alternatives_ = std::make_shared<Options>();
  std::shared_ptr<Options> reading_input_ = std::make_shared<Options>();
};

/// Adds one subcommand. Each command is a file NAME_command.cpp of a room, or one of apps/regard/commands,
/// that defines add_NAME: its settings, its options and its action.
using AddCommand = void (*)(const Command& program);

struct CommandList {
  std::vector<AddCommand> built;  ///< in the order of --help
  /// What belongs to rooms that this program does not have: names of commands, and options as in
  /// "translate --sample".
  std::set<std::string> not_built;
};
/// The commands of the program (commands/CMakeLists.txt).
CommandList all_commands();

/// Reads the command line, runs its subcommand and returns the exit code. Throws Error.
int run_command_line(int argc, const char* const* argv, const CommandList& commands, const Launcher& launcher,
                     const translation::MakeModel& own_model);

}  // namespace regard::program
