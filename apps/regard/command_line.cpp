// The only file that includes CLI11.
#include "apps/regard/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fmt/ranges.h>
#include <iostream>
#include <optional>
#include <type_traits>

#include "apps/regard/version.h"
#include "apps/translation/settings/doors.h"
#include "apps/translation/settings/settings_description.h"
#include "autograd/machine/error.h"
#include "autograd/machine/real.h"

namespace regard::program {

namespace {

/// Without this check, CLI11 reads 010 as 8 and 0x10 as 16, a number that is too large as the largest one,
/// and -1 as the largest one where only unsigned numbers are possible.
template <class Number>
std::string check_whole_number(const std::string& text) {
  if (std::is_unsigned_v<Number> && text.starts_with('-')) return text + " is negative";
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec == std::errc::result_out_of_range) return text + " is too large";
  if (read.ec == std::errc() && read.ptr == end && text == fmt::to_string(number)) return "";
  return text + " is not a whole number; write one in decimal digits, without zeros before it";
}

/// CLI11 also reads "nan", "inf", hexadecimal numbers, and 1e999 as infinity.
std::string check_real_number(const std::string& text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec == std::errc::result_out_of_range) return text + " is too large or too near to 0";
  if (read.ec == std::errc() && read.ptr == end && std::isfinite(number)) return "";
  return text + " is not a number; write one such as 0.5 or 1e-3";
}

/// CLI11 takes many words for yes and no, and numbers.
std::string check_flag(const std::string& text) {
  return text == "true" || text == "false" ? ""
                                           : text + " is not true or false; give the option alone, or =false";
}

/// The type of a number that may be missing.
template <class T>
struct Present {
  using Type = T;
};
template <class T>
struct Present<std::optional<T>> {
  using Type = T;
};

std::string not_built(const char* kind, const std::string& name) {
  return fmt::format("the {} {} was not built; configure with -DREGARD_GUESTS=all and build again", kind,
                     name);
}

/// Throws Error. Its one sentence says what is wrong with the command line.
[[noreturn]] void fail_to_parse(const CLI::App& app, const CLI::ParseError& error,
                                const CommandList& commands) {
  const CLI::App* command = &app;
  std::string line = app.get_name();
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    line += " " + command->get_name();
  }
  const auto subcommands = command->get_subcommands([](const CLI::App*) { return true; });
  std::string reason = error.what();
  std::vector<std::string> names;
  for (const CLI::App* each : subcommands) names.push_back(each->get_name());
  const std::string wrong = names.empty() || command->remaining().empty() ? "" : command->remaining().front();
  if (command == &app && commands.not_built.contains(wrong))
    reason = not_built("command", wrong);
  else if (!wrong.empty())
    reason = fmt::format("there is no command {}; give one of {}", wrong, fmt::join(names, ", "));
  else if (reason.size() > 1 && (reason[1] == ' ' || std::islower(static_cast<unsigned char>(reason[1]))))
    reason[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(reason[0])));
  const auto has = [&](const std::string& option) { return command->get_option_no_throw(option) != nullptr; };
  for (const std::string& argument : command->remaining())
    if (argument.starts_with("--")) {  // its value may have caused an error about another option
      const std::string option = argument.substr(0, argument.find('='));
      reason = commands.not_built.contains(command->get_name() + " " + option)
                   ? not_built("option", option)
                   : "the following argument was not expected: " + argument +
                         translation::about_option(option.substr(2), has) + translation::about_not_built();
      break;
    }
  fail("{}; see {} --help", reason, line);
}

/// Such a value usually comes from a script's variable that was never set, and no option has a use for it.
std::string check_not_empty(const std::string& text) {
  return text.empty() ? "the value is empty; give one, or leave the option out" : "";
}

std::string given_value(const CLI::Option& option) {
  if (option.count() == 0) return "not given";
  if (option.get_items_expected_max() == 0) return "given";  // a flag
  return fmt::format("{}", fmt::join(option.results(), " "));
}

}  // namespace

Command Command::add(const std::string& name, const std::string& description) const {
  app_->require_subcommand(1);
  return {*app_->add_subcommand(name, description), *chosen_, *own_model_};
}

Command Command::only_with(const std::string& name) const {
  Command result = *this;
  result.needed_ = name;
  return result;
}

void Command::apply(CLI::Option* option, const OptionRules& rules) const {
  option->required(rules.required);
  if (rules.show_default) option->capture_default_str();
  if (rules.several) option->allow_extra_args()->expected(1, CLI::detail::expected_max_vector_size);
  if (rules.commas) option->delimiter(',');
  if (!needed_.empty()) option->needs(needed_);
  for (const std::string& other : rules.excludes) option->excludes(other);
  if (rules.alone)
    for (CLI::Option* const other : app_->get_options())
      if (other != option && other != app_->get_help_ptr()) option->excludes(other);
  for (const auto& [applies, others] :
       {std::pair(rules.alternative, alternatives_), {rules.reads_input, reading_input_}}) {
    if (!applies) continue;
    for (CLI::Option* const other : *others) option->excludes(other);
    others->push_back(option);
  }
  if (!rules.value_name.empty()) option->type_name(rules.value_name);
  if (!group_.empty()) option->group(group_);
}

Command Command::group(const std::string& title) const {
  Command result = *this;
  result.group_ = title;
  return result;
}

template <class T>
void Command::option(const std::string& name, T& value, const std::string& description,
                     const OptionRules& rules) const {
  if constexpr (std::is_same_v<T, bool>) {
    apply(app_->add_flag(name, value, description)->check(CLI::Validator(check_flag, "")), rules);
  } else if constexpr (std::is_same_v<T, std::optional<bool>>) {
    const auto set = [&value](std::int64_t times) { value = times > 0; };
    apply(app_->add_flag_function(name, set, description)->check(CLI::Validator(check_flag, "")), rules);
  } else {
    CLI::Option* const option = app_->add_option(name, value, description);
    if constexpr (std::is_same_v<T, std::vector<std::string>>)
      if (!option->get_positional()) option->allow_extra_args(false)->expected(1)->take_all();
    option->check(CLI::Validator(check_not_empty, ""));
    using Value = typename Present<T>::Type;
    if constexpr (std::is_floating_point_v<Value>) option->check(CLI::Validator(check_real_number, ""));
    if constexpr (std::is_integral_v<Value>) option->check(CLI::Validator(check_whole_number<Value>, ""));
    if (rules.least)
      option->check(CLI::Validator(
          [least = *rules.least](const std::string& text) {
            return std::strtod(text.c_str(), nullptr) < least
                       ? fmt::format("{} is too small; give at least {:g}", text, least)
                       : "";
          },
          ""));
    apply(option, rules);
  }
}
using Text = const std::string&;
template void Command::option(Text, bool&, Text, const OptionRules&) const;
template void Command::option(Text, std::optional<bool>&, Text, const OptionRules&) const;
template void Command::option(Text, std::string&, Text, const OptionRules&) const;
template void Command::option(Text, std::vector<std::string>&, Text, const OptionRules&) const;
template void Command::option(Text, Index&, Text, const OptionRules&) const;
template void Command::option(Text, int&, Text, const OptionRules&) const;
template void Command::option(Text, double&, Text, const OptionRules&) const;
template void Command::option(Text, std::uint64_t&, Text, const OptionRules&) const;
template void Command::option(Text, std::optional<int>&, Text, const OptionRules&) const;
template void Command::option(Text, std::optional<Index>&, Text, const OptionRules&) const;
template void Command::option(Text, std::optional<std::uint16_t>&, Text, const OptionRules&) const;
template void Command::option(Text, std::optional<std::size_t>&, Text, const OptionRules&) const;

void Command::off_flag(const std::string& name, bool& value, const std::string& description) const {
  const auto off = [&value] { value = false; };
  apply(app_->add_flag_callback(name, off, description)->check(CLI::Validator(check_flag, "")), {});
}

std::vector<translation::Fact> Command::given(const std::vector<std::string>& except) const {
  std::vector<translation::Fact> result{{"command", app_->get_name()}};
  for (const CLI::Option* option : app_->get_options())
    if (std::ranges::count(except, option->get_name()) == 0)
      result.push_back({option->get_name(), given_value(*option)});
  return result;
}

void Command::footer(const std::string& text) const { app_->footer(text); }

void Command::action(Action action) const {
  app_->callback([&chosen = *chosen_, action = std::move(action)] { chosen = action; });
}

int run_command_line(int argc, const char* const* argv, const CommandList& commands, const Launcher& launcher,
                     const translation::MakeModel& own_model) {
  CLI::App app("regard: the Transformer, from the autograd up", program_invocation_short_name);
  app.footer("regard COMMAND --help explains each command, with examples.");
  Command::Action chosen;
  for (const auto add : commands.built) add(Command(app, chosen, own_model));
  app.add_flag_callback(
      "--version",
      [&launcher] {
        std::cout << version(launcher);
        throw CLI::Success();
      },
      "Version, instruction set, OpenBLAS kernels, threads and their speed");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) fail_to_parse(app, error, commands);
    return app.exit(error);  // --help or --version
  }
  return chosen();
}

}  // namespace regard::program
