// `regard export`. What is in the files: tests/apps/exchange.
#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;

TEST_CASE("export writes a directory for another program", "[program]") {
  const TemporaryDirectory directory;
  const auto names = [&](const std::string& out, const Words& options) {
    const Outcome outcome = run(joined({"export", small_model(), "--out", directory / out}, options));
    CHECK(outcome.code == 0);
    CHECK((outcome.err.find("CTranslate2 has no settings of the search; give those of `decoding`") !=
           std::string::npos) == (options[1] == "ctranslate2"));
    CHECK(has_line(outcome, small_model() + " in the format " + options[1] + ", written to "));
    std::string result;
    for (const auto& [name, bytes] : files_below(directory / out)) result += name + " ";
    return result;
  };
  const std::string ctranslate2 = names("float32", {"--format", "ctranslate2"});
  CHECK_CONTAINS(ctranslate2, "config.json");
  CHECK_CONTAINS(ctranslate2, "model.bin");
  CHECK_CONTAINS(ctranslate2, "vocabulary.json");
  CHECK(names("int8/new", {"--format", "ctranslate2", "--precision", "int8"}) != "");
  CHECK(files_below(directory / "int8/new").size() == files_below(directory / "float32").size());
  CHECK(std::filesystem::file_size(directory / "int8/new/model.bin") <
        std::filesystem::file_size(directory / "float32/model.bin"));
  CHECK_CONTAINS(names("pytorch", {"--format", "pytorch"}), "model.safetensors");
}

TEST_CASE("a trained model goes out to Hugging Face, with a word about language tags, and comes back",
          "[program][import]") {
  const TemporaryDirectory directory;
  std::string tagged;
  for (const std::string& line : lines(content(small_corpus().source))) tagged += ">>de<< " + line + "\n";
  const std::string model = directory / "model", exported = directory / "exported";
  REQUIRE(run(train_command(
                  model, {"data.source=" + directory.file("source", tagged), "data.tokeniser=sentencepiece",
                          "data.subwords.size=50", "model.norm=post", "model.final_norm=false",
                          "model.positions.layout=halves", "training.epochs=2",
                          "decoding.length_penalty=power", "decoding.max_length_ratio=0",
                          "decoding.max_length_constant=0", "decoding.max_length=20"}))
              .code == 0);
  const Outcome outcome = run({"export", model, "--format", "huggingface", "--out", exported});
  CHECK(outcome.code == 0);
  CHECK_CONTAINS(outcome.err,
                 "warning: a sentence that begins with a language tag, such as >>fr<<, has other");
  run_well({"import", exported, "--out", directory / "again"});
  const auto translated = [&](const std::string& of) {
    return run({"translate", of, "--beam", "1"}, {.input = "one three\ntwo\n"}).out;
  };
  CHECK_FALSE(translated(model).empty());
  CHECK(translated(directory / "again") == translated(model));
}

TEST_CASE("export refuses wrong options and models, and writes nothing", "[program]") {
  const TemporaryDirectory directory;
  const auto refused = [&](const Words& options, const std::string& message) {
    CHECK_REFUSED(run(joined({"export", small_model()}, options)), message);
    CHECK(directory.entries() == 0);
  };
  const std::string out = directory / "out";
  refused({"--format", "onnx", "--out", out},
          "--format onnx: give ctranslate2, huggingface, marian or pytorch");
  refused({"--format", "pytorch", "--out", out, "--precision", "int8"},
          "--precision int8 needs --format ctranslate2");
  refused({"--format", "ctranslate2", "--out", out, "--precision", "int4"},
          "--precision int4: give float32 or int8");
  refused({"--out", out}, "--format is required");
  refused({"--format", "pytorch", "--out", out, "--weights", directory / "none"}, "cannot read");
  refused({"--format", "pytorch", "--out", small_model()}, "exists already and is not empty");
  CHECK_REFUSED(run({"export", directory / "none", "--format", "pytorch", "--out", out}),
                "there is no model directory");
  CHECK_REFUSED(
      run({"export", small_model(), "--format", "ctranslate2", "--out", out}, {.file_size = 10'000}),
      "cannot write");
  CHECK(directory.entries() == 0);
}

TEST_CASE("export refuses a recurrent model", "[program]") {
  const TemporaryDirectory directory;
  REQUIRE(
      run(train_command(directory / "model", recurrent_preset("bahdanau2015", {"training.steps=1"}))).code ==
      0);
  for (const std::string format : {"ctranslate2", "pytorch"})
    CHECK_REFUSED(
        run({"export", directory / "model", "--format", format, "--out", directory / "out"}),
        "cannot express this model: model.decoder is \"recurrent\", and it knows only \"transformer\"");
  CHECK(directory.entries() == 1);
}
