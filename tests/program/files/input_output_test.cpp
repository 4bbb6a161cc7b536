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

TEST_CASE("regard vocabulary takes several files after one --input, compressed or not", "[program]") {
  const TemporaryDirectory directory;
  const std::string packed = directory.file("packed", gzip(content(numbers().target)));
  const Outcome learnt = run({"vocabulary", "--input", numbers().source, packed, "--size", "100", "--output",
                              directory / "x.model"});
  CHECK(learnt.code == 0);
  CHECK(content(directory / "x.model") == content(subwords()));
  // The help promises several values only where they are taken.
  CHECK_CONTAINS(run({"vocabulary", "--help"}).out, "--input TEXT ...");
  CHECK_THAT(run({"train", "--help"}).out,
             ContainsSubstring("--set KEY=VALUE ") && !ContainsSubstring("--set KEY=VALUE ..."));
}

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
          {"explore", model, "--output"},
          evaluate_command(model, {"--beam", "1", "--scores-json"})};
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
  const std::vector<Words> commands{
      evaluate_command(model, {"--beam", "1"}),
      {"average", model + "/weights.safetensors"},
      {"vocabulary", "--input", small_corpus().source, "--size", "30"},
      {"bench", "translate", model, "--source", small_corpus().source, "--beam", "1", "--runs", "1"}};
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
  CHECK_REFUSED(run({"profile", "translate", small_model(), "--beam", "1"}, both), same);
  const std::string subwords = directory / "subwords.model";
  REQUIRE(run({"vocabulary", "--input", small_corpus().source, "--size", "30", "--output", subwords}).code ==
          0);
  CHECK_REFUSED(run({"vocabulary", "--model", subwords, "--encode"}, both), same);
  const std::string source = directory.file("source", "one\n"), target = directory.file("target", "eins\n");
  for (const std::string& input : {source, target})
    CHECK_REFUSED(run({"score", small_model(), "--source", source, "--target", target},
                      {.output_path = input, .append = true}),
                  "standard output goes to " + input + ", which is an input");
  CHECK(content(file) == text);
  CHECK(content(source) == "one\n");
  CHECK(content(target) == "eins\n");
}

TEST_CASE("Ctrl-C while average writes leaves no temporary file", "[program]") {
  const TemporaryDirectory directory;
  Weights large(small_model() + "/weights.safetensors");
  constexpr std::size_t floats = 10'000'000;
  large.numbers.assign(floats * sizeof(float), '\0');
  large.header = fmt::format(R"({{"w":{{"dtype":"F32","shape":[{}],"data_offsets":[0,{}]}}}})", floats,
                             floats * sizeof(float));
  large.write(directory / "large");
  std::filesystem::create_directory(directory / "out");
  for (const int signal : {SIGINT, SIGTERM}) {
    Running average({"average", directory / "large", "--output", directory / "out/mean"});
    wait_until(average, [&] { return in_the_middle_of_a_save(directory / "out"); });
    average.send(signal);
    const Outcome outcome = average.wait();
    CHECK(outcome.code == 128 + signal);
    CHECK_CONTAINS(outcome.err, "stopping as soon as all is written");
    CHECK(std::filesystem::file_size(directory / "out/mean") > floats * sizeof(float));
    CHECK(directory.entries() == 2);
    CHECK_FALSE(in_the_middle_of_a_save(directory / "out"));
  }
}
