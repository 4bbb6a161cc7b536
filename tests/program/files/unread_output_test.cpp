// Nobody reads standard output or standard error any more, as in `regard … | head -1`. A command whose work
// is files completes it; a command whose result is its output stops, without an error.
#include <algorithm>
#include <csignal>

#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;

namespace {

constexpr int broken_pipe = 128 + SIGPIPE;

/// The number of bytes in a file (a page of explore has random numbers), or the names of all files below a
/// directory.
std::string written(const std::string& path) {
  if (!std::filesystem::is_directory(path)) return fmt::format("{} bytes", content(path).size());
  std::string names;
  for (const auto& [name, bytes] : files_below(path)) names += name + "\n";
  return names;
}

/// The commands whose work is a file or a directory; its path is the next word.
std::vector<Words> commands_that_write() {
  const std::string& model = small_model();
  const Words few{"--train", "30", "--validation", "2", "--test", "2", "--out"};
  return those_built({train_command(model, {"training.steps=30"}),
                      with_settings({"train", numbers().config}, {"training.steps=3"}),  // learns subwords
                      {"convert", model, "--out"},
                      {"export", model, "--format", "pytorch", "--out"},
                      {"import", REGARD_FIXTURES "/marian/tied", "--out"},
                      {"average", model + "/weights.safetensors", "--output"},
                      learn_command("FILE"),
                      {"plot", model, "--output"},
                      joined({"toy", "copy"}, few),
                      joined({"toy", "scenes"}, few),
                      {"experiment", "D1", "--quick", "--out"},
                      {"explore", model, "--output"}});
}

/// The command with this path, which follows the last --out or --output.
Words with_path(Words command, const std::string& path) {
  const auto option = std::find_if(command.rbegin(), command.rend(), [](const std::string& word) {
    return word == "--out" || word == "--output";
  });
  if (option == command.rend())
    command.insert(command.end(), {"--out", path});
  else if (option == command.rbegin())
    command.push_back(path);
  else
    *(option - 1) = path;
  return command;
}

}  // namespace

TEST_CASE("a command whose work is files completes it if nobody reads its messages", "[program]") {
  for (const Words& command : commands_that_write()) {
    CAPTURE(command);
    const TemporaryDirectory directory;
    run_well(with_path(command, directory / "expected.svg"));
    const Outcome outcome = run(with_path(command, directory / "got.svg"), {.output_unread = true});
    CHECK(outcome.code == 0);
    CHECK(outcome.err == "");
    REQUIRE(std::filesystem::exists(directory / "got.svg"));
    CHECK(written(directory / "got.svg") == written(directory / "expected.svg"));
    CHECK(directory.entries() == 2);
  }
}

TEST_CASE("a command whose result is its output stops quietly if nobody reads it", "[program]") {
  const std::string& model = small_model();
  std::string input;
  for (int i = 0; i < 2'000; ++i) input += "one two\n";  // more than are read at a time
  std::vector<Words> commands = those_built({
      {"train", "--help"},
      {"train", "--print-config"},
      {"experiment", "--list"},
      {"translate", model, "--beam", "1"},
      {"translate", model, "--beam", "1", "--document"},
      score_command(model),
      evaluate_command(model, {"--beam", "1"}),
      {"inspect", model},
      {"vocabulary", "--model", subwords()},
      {"vocabulary", "--model", subwords(), "--encode"},
      {"bench", "translate", model, "--source", small_corpus().source, "--beam", "1", "--runs", "1"},
      {"profile", "translate", model, "--beam", "1"},
      {"gradcheck"}
#ifdef REGARD_HAS_SERVER
      ,
      {"explore", model, "--port", "0"}  // nobody can have its link
#endif
  });
  commands.insert(commands.end(), {{"--help"}, {"--version"}});
  for (const Words& command : commands) {
#ifndef REGARD_HAS_ICU
    if (command.back() == "--document") continue;
#endif
    CAPTURE(command);
    const Outcome outcome = run(command, {.input = input, .output_unread = true});
    CHECK(outcome.code == broken_pipe);
    CHECK(outcome.err == "");
  }
}

TEST_CASE("evaluate writes its files even if nobody reads the scores", "[program]") {
  const TemporaryDirectory directory;
  const auto evaluate = [&](const std::string& name, const Circumstances& circumstances) {
    return run(evaluate_command(small_model(), {"--beam", "1", "--output", directory / name, "--scores-json",
                                                directory / name + ".json"}),
               circumstances);
  };
  CHECK(evaluate("expected", {}).code == 0);
  CHECK(evaluate("got", {.output_unread = true}).code == broken_pipe);
  CHECK(content(directory / "got") == content(directory / "expected"));
  CHECK(content(directory / "got.json") == content(directory / "expected.json"));
}

TEST_CASE("warnings that nobody reads stop no command", "[program]") {
  const TemporaryDirectory directory;
  const std::string source = directory.file("source", "one X two\nthree\n");
  const std::string target = directory.file("target", "eins zwei\nY\n");
  for (const Words& command : those_built({{"translate", small_model()},
                                           {"score", small_model(), "--source", source, "--target", target},
                                           {"vocabulary", "--model", subwords(), "--encode"}})) {
    CAPTURE(command);
    const Outcome expected = run(command, {.input = "one Ω two\nthree\n"});
    CHECK(expected.code == 0);
    CHECK(expected.err != "");
    const Outcome outcome = run(command, {.input = "one Ω two\nthree\n", .errors_unread = true});
    CHECK(outcome.code == 0);
    CHECK(outcome.out == expected.out);
  }
  CHECK(run({"translate", directory / "none"}, {.errors_unread = true}).code == 1);
}
