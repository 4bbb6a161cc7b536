// Outputs that go where standard output goes hold nothing else, and nothing of an earlier content is lost.
#include <csignal>
#include <fstream>

#include "tests/catch.h"
#include "tests/program/support/small_model.h"
#include "tests/program/support/weights.h"

using namespace regard::tests;

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
    CHECK_THAT(outcome.err, ContainsSubstring("stopping as soon as the file is written"));
    CHECK(std::filesystem::file_size(directory / "out/mean") > floats * sizeof(float));
    CHECK(directory.entries() == 2);
    CHECK_FALSE(in_the_middle_of_a_save(directory / "out"));
  }
}
