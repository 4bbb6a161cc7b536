// Sentences in several files, and in files that are compressed with gzip. An option that writes a file
// replaces neither a file that the command reads nor a file of a model. Outputs that go where standard output
// goes hold nothing else.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/catch.h"
#include "tests/gzip.h"
#include "tests/program/support/small_model.h"
#include "tests/program/support/weights.h"

using namespace regard::tests;

TEST_CASE("standard input may be compressed with gzip", "[program]") {
  const std::string text = "one two\nthree\n", packed = gzip(text);
  const Outcome plain = run({"translate", small_model()}, {.input = text});
  CHECK(lines(plain.out).size() == 2);
  CHECK(run({"translate", small_model()}, {.input = packed}).out == plain.out);
  // A pipe may give the first byte alone.
  const TemporaryDirectory directory;
  const std::string slowly = "{ head -c 1 \"$0\"; sleep 0.2; tail -c +2 \"$0\"; } | \"$@\"";
  CHECK(
      run({"translate", small_model()}, {.launcher = {"sh", "-c", slowly, directory.file("packed", packed)}})
          .out == plain.out);
  CHECK(run({"translate", small_model()}, {.launcher = {"sh", "-c", slowly, directory.file("byte", "\x1F")}})
            .code == run({"translate", small_model()}, {.input = "\x1F"}).code);
  CHECK_REFUSED(run({"translate", small_model()}, {.input = packed.substr(0, packed.size() - 5)}),
                "standard input: the gzip data end too early");
  // Files too, and a side of a corpus may have several.
  const std::string target = directory.file("target", gzip(content(small_corpus().target)));
  Words evaluate = evaluate_command(small_model(), {"--beam", "1"});
  const std::string expected = run(evaluate).out;
  evaluate[5] = target;
  CHECK(run(evaluate).out == expected);
  CHECK_REFUSED(
      run(train_command(directory / "model", {"data.source=[\"" + target + "\", \"" + target + "\"]"})),
      "data.source has 2 files, but data.target has 1; give one target");
}

namespace {

/// All commands that write a file; its path is the next word.
std::vector<Words> commands() {
  const std::string &model = small_model(), &source = small_corpus().source;
  return those_built({evaluate_command(model, {"--beam", "1", "--output"}),
                      {"average", model + "/weights.safetensors", "--output"},
                      {"vocabulary", "--input", source, "--size", "30", "--output"},
                      {"plot", model, "--output"},
                      {"bench", "translate", model, "--source", source, "--runs", "1", "--output"},
                      {"translate", model, "--attention-json"},
                      {"explore", model, "--output"},
                      {"corpus", small_corpus().tsv, "--drop", "empty", "--output"},
                      evaluate_command(model, {"--beam", "1", "--scores-json"})});
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
    CHECK_CONTAINS(content(file), messages);
    directory.file("file", "one two\n");
    // A file whose name leads to standard output is the same file.
    run(joined(command, {"/dev/stdout"}), {.output_path = file, .append = true});
    CHECK(content(file) == "one two\n");
  }
}

namespace {

/// Returns the output of a command that writes it into a plain file.
std::string written(Words command) {
  const TemporaryDirectory directory;
  command.insert(command.end(), {"--output", directory / "plain"});
  const Outcome outcome = run(command);
  if (outcome.code != 0) throw std::runtime_error(outcome.err);
  CHECK_FALSE(outcome.out.empty());  // its messages
  return content(directory / "plain");
}

}  // namespace

TEST_CASE("an output into the pipe of standard output is alone there", "[program]") {
  const std::string& model = small_model();
  const std::vector<Words> commands = those_built(
      {evaluate_command(model, {"--beam", "1"}),
       {"average", model + "/weights.safetensors"},
       {"vocabulary", "--input", small_corpus().source, "--size", "30"},
       {"bench", "translate", model, "--source", small_corpus().source, "--beam", "1", "--runs", "1"},
       {"corpus", small_corpus().tsv, "--drop", "empty"}});
  for (Words command : commands) {
    CAPTURE(command);
    const std::string expected = written(command);
    REQUIRE_FALSE(expected.empty());
    command.insert(command.end(), {"--output", "/dev/stdout"});
    const Outcome outcome = run(command);
    CHECK(outcome.code == 0);
    CHECK(outcome.out == expected);
    CHECK_FALSE(outcome.err.empty());
  }
}

TEST_CASE("two outputs that lead to one file are refused before anything is written", "[program]") {
  namespace fs = std::filesystem;
  const TemporaryDirectory directory;
  const std::string a = directory / "a", in_folder = directory / "folder/a";
  fs::create_directory(directory / "folder");
  fs::create_directory_symlink(directory / "folder", directory / "linked");
  fs::create_symlink(a, directory / "link");  // a is not there yet
  fs::create_symlink("/dev/stdout", directory / "stream");
  directory.file("old", "x");
  fs::create_hard_link(directory / "old", directory / "hard");
  const auto before = directory.entries();
  const std::vector<std::pair<std::string, std::string>> same{{a, a},
                                                              {a, directory / "./a"},
                                                              {a, directory / "folder/../a"},
                                                              {a, fs::relative(a).string()},
                                                              {a, directory / "link"},
                                                              {directory / "link", a},
                                                              {in_folder, directory / "linked/a"},
                                                              {directory / "old", directory / "hard"},
                                                              {"/dev/stdout", "/dev/stdout"},
                                                              {"/dev/stdout", directory / "stream"}};
  const Words corpus{"corpus", small_corpus().source, small_corpus().target, "--drop", "empty", "--output"};
  for (const auto& [one, other] : same) {
    CAPTURE(one, other);
    const std::string message = "this is the file of --output " + one + ", too, so one text would replace";
    if (has_command("corpus"))
      CHECK_REFUSED(run(joined(corpus, {one, other})), "--output " + other + ": " + message);
    CHECK_REFUSED(run(evaluate_command(small_model(), {"--output", one, "--scores-json", other})),
                  "--scores-json " + other + ": " + message);
    CHECK(directory.entries() == before);
    CHECK_FALSE(std::filesystem::exists(in_folder));
  }
  CHECK(content(directory / "hard") == "x");
  if (!has_command("corpus")) return;
  // The controls: one name in two directories, two names in one, and what no text is lost in.
  for (const std::string& other : {in_folder, directory / "A", std::string("/dev/null")}) {
    CAPTURE(other);
    const Outcome outcome = run_well(joined(corpus, {a, other}));
    CHECK(content(a) == content(small_corpus().source));
    if (other != "/dev/null") CHECK(content(other) == content(small_corpus().target));
  }
  const Outcome nowhere = run_well(joined(corpus, {"/dev/null", "/dev/null"}));
}

TEST_CASE("the files of attention are no other output of the command", "[program]") {
  const TemporaryDirectory directory;
  CHECK_REFUSED(run({"translate", small_model(), "--attention-json", "/dev/stdout"}, {.input = "one\n"}),
                "--attention-json /dev/stdout: the translations go there; give another file");
  std::filesystem::create_directory(directory / "images");
  for (const std::string& json : {directory / "images/1.svg", directory / "./images/x"})
    CHECK_REFUSED(run({"translate", small_model(), "--attention-json", json, "--attention-images",
                       directory / "images"},
                      {.input = "one\n"}),
                  "--attention-json " + json + ": --attention-images writes this directory");
  CHECK(run_well({"translate", small_model(), "--attention-json", directory / "1.svg", "--attention-images",
                  directory / "images"},
                 {.input = "one\n"})
            .out == "eins\n");
  CHECK(content(directory / "images/1.svg").starts_with("<svg"));
  CHECK(content(directory / "1.svg").starts_with("{"));
}

TEST_CASE("a toy whose files are one file is refused", "[program]") {
  const TemporaryDirectory directory;
  const std::string source = directory.file("train.source", "x\n");
  std::filesystem::create_symlink(source, directory / "train.target");
  CHECK_REFUSED(run({"toy", "copy", "--out", directory / "", "--overwrite"}),
                "are one file, so one text would replace the other; give two files");
  CHECK(content(source) == "x\n");
  CHECK(directory.entries() == 2);
}

TEST_CASE("the file that is read cannot be the file that standard output goes to", "[program]") {
  const TemporaryDirectory directory;
  std::string text;
  for (int i = 0; i < 1500; ++i) text += "one two\n";
  const std::string file = directory.file("file", text);
  // The limit ends a program that reads its own output.
  const Circumstances both{.input_path = file, .output_path = file, .append = true, .file_size = 100'000};
  const std::string same =
      "standard input and standard output are the same file; write the output into another";
  CHECK_REFUSED(run({"translate", small_model(), "--beam", "1"}, both), same);
  for (const Words& command : those_built({{"profile", "translate", small_model(), "--beam", "1"},
                                           {"vocabulary", "--model", subwords(), "--encode"}}))
    CHECK_REFUSED(run(command, both), same);
  const std::string source = directory.file("source", "one\n"), target = directory.file("target", "eins\n");
  for (const std::string& input : {source, target})
    CHECK_REFUSED(run({"evaluate", small_model(), "--source", source, "--reference", target},
                      {.output_path = input, .append = true}),
                  "standard output goes to " + input + ", which is an input");
  CHECK(content(file) == text);
  CHECK(content(source) == "one\n");
  CHECK(content(target) == "eins\n");
}
