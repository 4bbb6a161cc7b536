// An option that writes a file replaces neither a file that the command reads nor a file of a model.
#include <algorithm>
#include <filesystem>

#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;

namespace {

/// All commands that write a file; its path is the next word.
std::vector<Words> commands() {
  const std::string &model = small_model(), &source = small_corpus().source;
  return {evaluate_command(model, {"--beam", "1", "--output"}),
          {"average", model + "/weights.safetensors", "--output"},
          {"vocabulary", "--input", source, "--size", "30", "--output"},
          {"plot", model, "--output"},
          {"bench", "translate", model, "--source", source, "--runs", "1", "--output"},
          {"translate", model, "--attention-json"},
          {"explore", model, "--output"}};
}

}  // namespace

TEST_CASE("no option that writes a file replaces a file of a model", "[program]") {
  const TemporaryDirectory directory;
  const std::string model = directory / "model";
  REQUIRE(run(eventful(model, {"training.steps=14"})).code == 0);
  const auto before = files_below(model);
  Words files;
  for (const auto& entry : before)
    if (std::filesystem::is_regular_file(model + "/" + entry.first)) files.push_back(entry.first);
  CHECK(files.size() > 9);
  const std::vector<Words> writing = commands();
  for (std::size_t i = 0; i < std::max(files.size(), writing.size()); ++i) {
    const std::string file = model + "/" + files[i % files.size()];
    const Words command = joined(writing[i % writing.size()], {file});
    CAPTURE(command);
    const Outcome outcome = run(command, {.input = "one two\n"});
    CHECK_REFUSED(outcome, *(command.end() - 2) + " " + file +
                               ": this file belongs to a trained model and would be replaced; give another");
    CHECK(outcome.out.empty());
  }
  std::filesystem::create_symlink(model + "/weights.safetensors", directory / "link");
  CHECK_REFUSED(run(joined(writing[1], {directory / "link"})), "this file belongs to a trained model");
  CHECK(files_below(model) == before);
  CHECK(run(joined(writing[1], {model + "/mean.safetensors"})).code == 0);  // a name of no file of a model
}

TEST_CASE("no option that writes a file replaces standard input, or the file of its messages", "[program]") {
  const TemporaryDirectory directory;
  const std::string file = directory.file("file", "one two\n");
  for (const Words& command : commands()) {
    CAPTURE(command);
    const std::string option = command.back() + " " + file + ": ";
    CHECK_REFUSED(run(joined(command, {file}), {.input_path = file}), option + "this file is an input");
    const std::string messages = option + "the messages of this command go to this file and would be lost";
    CHECK_REFUSED(run(joined(command, {file}), {.output_path = file}), messages);
    run(joined(command, {file}), {.error_path = file, .append = true});
    CHECK_THAT(content(file), ContainsSubstring(messages));
    directory.file("file", "one two\n");
    // A file whose name leads to standard output is the same file.
    run(joined(command, {"/dev/stdout"}), {.output_path = file, .append = true});
    CHECK(content(file) == "one two\n");
  }
}
