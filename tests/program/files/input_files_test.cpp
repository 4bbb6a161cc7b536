// Sentences in several files, and in files that are compressed with gzip.
#include "tests/catch.h"
#include "tests/gzip.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;

namespace {

/// Writes the first 30 lines and the other lines of a text into two files, and returns the list of both.
std::string in_two_files(const TemporaryDirectory& directory, const std::string& text,
                         const std::string& name) {
  std::size_t cut = 0;
  for (int line = 0; line < 30; ++line) cut = text.find('\n', cut) + 1;
  return fmt::format("[\"{}\", \"{}\"]", directory.file(name + "1.gz", text.substr(0, cut)),
                     directory.file(name + "2", gzip(text.substr(cut))));  // the names decide nothing
}

}  // namespace

TEST_CASE("a corpus in several files, compressed or not, trains the same model", "[program]") {
  const TemporaryDirectory directory;
  const std::string model = directory / "model";
  const auto train = [&](const std::string& steps, const std::string& source, const std::string& target) {
    return run(
        train_command(model, {"training.steps=" + steps, "data.source=" + source, "data.target=" + target,
                              "data.validation_source=" + source, "data.validation_target=" + target}));
  };
  const std::string& source = small_corpus().source;
  const std::string& target = small_corpus().target;
  REQUIRE(train("3", source, target).code == 0);
  const std::string weights = content(model + "/weights.safetensors");
  const std::string sources = in_two_files(directory, content(source), "s"),
                    targets = in_two_files(directory, content(target), "t");
  // The training goes on with the same text in other files, and another one ends with the same weights.
  const Outcome resumed = train("4", sources, targets);
  CHECK(resumed.code == 0);
  CHECK_THAT(resumed.out, ContainsSubstring("Resuming at step 3 "));
  std::filesystem::remove_all(model);
  CHECK(train("3", sources, targets).code == 0);
  CHECK(content(model + "/weights.safetensors") == weights);

  std::filesystem::remove_all(model);
  CHECK_REFUSED(train("3", sources, target),
                "data.source has 2 files, but data.target has 1; give one target");
  CHECK_FALSE(std::filesystem::exists(model));
}

TEST_CASE("evaluate reads compressed files, and refuses damaged ones", "[program]") {
  const TemporaryDirectory directory;
  const std::string source = directory.file("source", gzip(content(small_corpus().source)));
  const std::string target = directory.file("target", gzip(content(small_corpus().target)));
  const auto evaluate = [](const std::string& one, const std::string& other) {
    return run({"evaluate", small_model(), "--source", one, "--reference", other, "--baseline", other,
                "--bootstrap-samples", "10"});
  };
  const Outcome evaluated = evaluate(source, target);
  CHECK(evaluated.code == 0);
  CHECK(evaluated.out == evaluate(small_corpus().source, small_corpus().target).out);
  const std::string cut = directory.file("cut", content(source).substr(0, 900));
  CHECK_REFUSED(evaluate(cut, target),
                cut + ": the gzip data end too early; copy or compress the file again");
}

TEST_CASE("regard vocabulary takes several files after one --input, compressed or not", "[program]") {
  const TemporaryDirectory directory;
  const std::string packed = directory.file("packed", gzip(content(numbers().target)));
  const Outcome learnt = run({"vocabulary", "--input", numbers().source, packed, "--size", "100", "--output",
                              directory / "x.model"});
  CHECK(learnt.code == 0);
  CHECK(content(directory / "x.model") == content(subwords()));
  // The help promises several values only where they are taken.
  CHECK_THAT(run({"vocabulary", "--help"}).out, ContainsSubstring("--input TEXT ..."));
  CHECK_THAT(run({"train", "--help"}).out,
             ContainsSubstring("--set KEY=VALUE ") && !ContainsSubstring("--set KEY=VALUE ..."));
}
