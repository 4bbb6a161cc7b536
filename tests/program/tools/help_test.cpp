// Help, version, and the errors for a mistyped command line.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>

#include "tests/catch.h"
#include "tests/program/support/run.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;

namespace {

Words words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

/// The examples of a help text, a line that ends in \ joined with the next.
Words examples(const std::string& help) {
  Words result;
  bool continued = false;
  for (std::string line : lines(help)) {
    if (!continued && !line.starts_with("  regard ")) continue;
    const bool goes_on = line.ends_with('\\');
    if (goes_on) line.pop_back();
    if (continued)
      result.back() += line;
    else
      result.push_back(line);
    continued = goes_on;
  }
  return result;
}

/// All commands that the help lists, and their subcommands as "bench train".
Words all_commands(const std::string& parent = "") {
  Words result;
  const std::string help = run(joined(words(parent), {"--help"})).out;
  const std::size_t begin = help.find("Subcommands:\n");
  if (begin == std::string::npos) return result;
  for (const std::string& line : lines(help.substr(begin + std::string("Subcommands:\n").size()))) {
    if (!line.starts_with("  ")) break;
    if (line[2] == ' ') continue;  // a description goes on
    const std::string name = words(line).front();
    result.push_back(parent + (parent.empty() ? "" : " ") + name);
    result = joined(result, all_commands(result.back()));
  }
  return result;
}

}  // namespace

TEST_CASE("the help of every command has a correct example", "[program]") {
  for (const std::string& command : all_commands()) {
    CAPTURE(command);
    Words arguments = words(command);
    arguments.push_back("--help");
    const Outcome outcome = run_well(arguments);
    CHECK_CONTAINS(outcome.out, "Usage: regard " + command);
    std::size_t of_this_command = 0;
    for (const std::string& example : examples(outcome.out)) {
      if (!example.starts_with("  regard " + command)) continue;
      ++of_this_command;
      // `bench` and `profile` without a subcommand list no options: each subcommand has its own.
      for (const std::string& word : words(example))
        if (word.starts_with("--") && command != "bench" && command != "profile")
          CHECK_CONTAINS(outcome.out, "\n  " + word);
    }
    CHECK(of_this_command > 0);
  }
}

TEST_CASE("help without a command lists the commands", "[program]") {
  const Words found = all_commands();
  for (const std::string command : {"train", "translate", "evaluate", "toy"})
    CHECK(std::ranges::count(found, command) == 1);
  const Outcome outcome = run_well({"--help"});
  CHECK_CONTAINS(outcome.out, "\n  --version");
  CHECK_CONTAINS(outcome.out, "regard COMMAND --help");
}

TEST_CASE("the version comes with library, core, instructions, precisions, threads and speed", "[program]") {
  const Outcome outcome = run_well({"--version"});
  Words found = lines(outcome.out);
  std::erase_if(found, [](const std::string& line) { return line.starts_with("MPI "); });  // of a room
  REQUIRE(found.size() == 9);
  CHECK_THAT(found[0], Matches("regard [0-9]+\\.[0-9]+\\.[0-9]+(-[0-9a-f]+(-dirty)?)?"));
  CHECK_THAT(found[1], Matches("OpenBLAS     OpenBLAS [0-9.]+.*"));
  CHECK_THAT(found[2], Matches("core         \\w+.*"));
  CHECK_THAT(found[3], Matches("instructions (baseline|avx2|avx512)"));
  CHECK_THAT(found[4], Matches("bfloat16     (no: .*|oneDNN [0-9.]+, AVX512-BF16)"));
  CHECK_THAT(found[5], Matches("int8         (no: .*|oneDNN [0-9.]+, .*VNNI.*)"));
  CHECK_THAT(outcome.out, !ContainsSubstring("is not installed"));  // what regard was built with is found
  CHECK_THAT(found[6], Matches("threads      [1-9][0-9]*"));
  CHECK_THAT(found[7], Matches("speed        [1-9][0-9]* GFLOP/s .*1024 x 1024 x 1024.*"));
  CHECK_THAT(found[8], Matches("README       speeds: column (AVX2|AVX-512.*|none: .*)"));
  if (found[3] != "instructions baseline")
    CHECK_CONTAINS(run_well({"--version"}, {.launcher = {"env", "REGARD_SIMD=avx2"}}).out, "column AVX2\n");
}

TEST_CASE("a wrong command line is refused with the mistake and the place of the help", "[program]") {
  CHECK_REFUSED(run({}), "a subcommand is required; see regard --help");
  CHECK_REFUSED(run({"tranlate"}),
                "there is no command tranlate; give one of train, translate, evaluate, toy");
  CHECK_REFUSED(run({"train", "--stepz", "3"}), "--stepz");
  CHECK_REFUSED(run({"train", "--stepz", "3"}), "see regard train --help");
  CHECK_REFUSED(run({"translate"}), "MODEL_DIR is required; see regard translate --help");
  for (const std::string number : {"many", "2.5", "010", "0x10", "+2", "-0", " 2"})
    CHECK_REFUSED(run({"translate", "m", "--n-best", number}),
                  "--n-best: " + number + " is not a whole number; write one in decimal digits");
  CHECK_REFUSED(run({"translate", "m", "--n-best", "9223372036854775808"}),
                "--n-best: 9223372036854775808 is too large");
  CHECK_REFUSED(run({"train"}), "give a configuration file; regard train --print-config prints one");
  CHECK_REFUSED(run({"train", "c.json"}), "give the directory for the model: --out MODEL_DIR");
}

TEST_CASE("an unknown option is named, whatever its value is taken for", "[program]") {
  CHECK_REFUSED(run({"evaluate", "--hypothesis", "h", "--reference", "r", "--metric", "ter"}),
                "the following argument was not expected: --metric; ");
}

namespace {

enum class OptionKind { flag, whole, real, text };

/// The options of a command and their kinds, as its help shows them.
std::map<std::string, OptionKind> options_of(const Words& command) {
  std::map<std::string, OptionKind> options;
  for (const std::string& line : lines(run(joined(command, {"--help"})).out)) {
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin == std::string::npos || begin == 0 || line.compare(begin, 2, "--") != 0) continue;
    const std::size_t end = std::min(line.find_first_of(" ,[", begin), line.size());
    const std::string type =
        end + 1 < line.size() ? line.substr(end + 1, line.find(' ', end + 1) - end - 1) : "";
    const bool whole = type.starts_with("INT") || type.starts_with("UINT");
    const bool flag = type.empty() || type == "Needs:" || type == "Excludes:" || type == "REQUIRED";
    options[line.substr(begin, end - begin)] = whole                       ? OptionKind::whole
                                               : type.starts_with("FLOAT") ? OptionKind::real
                                               : flag                      ? OptionKind::flag
                                                                           : OptionKind::text;
  }
  return options;
}

/// A complete command for each command with options, and what its other options need.
std::vector<std::pair<Words, Words>> complete_commands(const std::string& out) {
  const std::string &model = small_model(), &source = small_corpus().source, &target = small_corpus().target;
  const Words sides{"--source", source, "--target", target};
  return {{{"train"}, {small_corpus().config, "--out", out}},
          {{"translate"}, {model}},
          {{"translate"}, {model, "--sample"}},
          {{"translate"}, {model, "--exact"}},
          {{"translate"}, {model, "--document"}},
          {{"translate"}, {model, "--keep-placeholders"}},
          {{"score"}, joined({model}, sides)},
          {{"evaluate"}, {model, "--source", source, "--reference", target}},
          {{"corpus"}, {source, target, "--drop", "empty", "--output", out + ".a", out + ".b"}},
          {{"inspect"}, joined({model, "--head-importance"}, sides)},
          {{"explore"}, {model, "--output", out}},
          {{"average"}, {model + "/weights.safetensors", "--output", out}},
          {{"convert"}, {model, "--out", out}},
          {{"export"}, {model, "--format", "pytorch", "--out", out}},
          {{"import"}, {model, "--out", out}},
          {{"shortlist"}, joined({model}, sides)},
          {{"vocabulary"}, {"--input", source, "--output", out}},
          {{"vocabulary"}, {"--model", subwords(), "--encode"}},
          {{"plot"}, {model, "--output", out}},
          {{"toy"}, {"sentences", "--out", out}},
          {{"experiment"}, {"A4", "--quick", "--out", out}},
          {{"bench", "train"}, joined(sides, {"--steps", "1", "--warmup-steps", "0"})},
          {{"bench", "translate"}, {model, "--source", source, "--runs", "1"}},
          {{"profile", "train"}, joined(sides, {"--steps", "1", "--warmup-steps", "0"})},
          {{"profile", "translate"}, {model}}};
}

/// The words without this option and its value.
Words without(Words words, const std::string& option) {
  const auto found = std::ranges::find(words, option);
  if (found != words.end()) words.erase(found, std::min(found + 2, words.end()));
  return words;
}

}  // namespace

TEST_CASE("an absurd value of any option is refused with the name of the option", "[program][long]") {
  const TemporaryDirectory directory;
  std::map<OptionKind, int> tried;
  for (const auto& [command, rest] : complete_commands(directory / "out")) {
    if (those_built({joined(command, rest)}).empty()) continue;
    for (const auto& [option, kind] : options_of(command)) {
      if (option == "--help") continue;
      std::vector<Words> absurd{{option, ""}};
      if (kind == OptionKind::flag)
        absurd = {{option + "=x"}, {option + "=null"}, {option + "=2"}, {option + "=yes"}};
      if (kind == OptionKind::whole || kind == OptionKind::real)
        for (const char* const number : {"nan", "inf", "-inf", "x", "1e999", "-1"})
          if (option != "--alpha" || number != std::string("-1"))  // which favours short translations
            absurd.push_back({option, number});
      if (kind == OptionKind::whole) absurd.push_back({option, "99999999999999999999"});
      for (const Words& given : absurd) {
        const Words arguments = joined(joined(command, without(rest, option)), given);
        CAPTURE(arguments);
        const std::string message = refusal(run(arguments, {.input = "one\n"}));
        CHECK_THAT(message, ContainsSubstring(option) && !ContainsSubstring("unexpected error") &&
                                !ContainsSubstring("got null") && !ContainsSubstring("(not refused"));
        ++tried[kind];
      }
    }
  }
  CHECK(tried[OptionKind::flag] > 30);
  CHECK(tried[OptionKind::whole] > 100);
  CHECK(tried[OptionKind::real] > 50);
  CHECK(tried[OptionKind::text] > 15);
  CHECK(directory.entries() == 0);
}
