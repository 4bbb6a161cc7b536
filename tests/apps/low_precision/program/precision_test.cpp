// The program in 8 and 16 bits: converting, translating, training. bfloat16 is emulated, so that every
// processor runs these tests; autograd/low_precision/float/bfloat16_test.cpp and int8_test.cpp have the
// products.
#include <csignal>
#include <filesystem>

#include "tests/catch.h"
#include "tests/program/support/small_model.h"
#include "tests/program/support/weights.h"

using namespace regard::tests;

namespace {

const Circumstances emulated{.launcher = {"env", "REGARD_BFLOAT16=emulate"}};

/// Warns if there are no products in 8 bits here.
bool has_int8() {
  static const std::string text = run({"--version"}).out;
  const std::string beginning = "int8         no: ";
  const auto reason = text.find(beginning);
  if (reason != std::string::npos) WARN("skipped: " << text.substr(reason, text.find('\n', reason) - reason));
  return reason == std::string::npos;
}

/// The small model, converted once.
const std::string& converted() {
  static const TemporaryDirectory directory;
  static const std::string model = [] {
    const std::string out = directory / "small";
    const Outcome outcome = run({"convert", small_model(), "--precision", "int8", "--out", out});
    if (outcome.code != 0) throw std::runtime_error(outcome.err);
    return out;
  }();
  return model;
}

/// The weights of a training of a few steps.
std::string trained_weights(const Words& settings, const Circumstances& circumstances = emulated) {
  const TemporaryDirectory directory;
  const Words few{"training.steps=6", "training.warmup_steps=6", "model.dropout=0.2"};
  const Outcome outcome = run(train_command(directory / "model", joined(few, settings)), circumstances);
  if (outcome.code != 0 || !outcome.err.empty()) return outcome.err;
  return Weights(directory / "model/weights.safetensors").numbers;
}

}  // namespace

TEST_CASE("int8: a converted model is small and translates as well", "[program]") {
  if (!has_int8()) return;
  const auto bytes = [](const std::string& model) {
    return std::filesystem::file_size(model + "/weights.safetensors");
  };
  CHECK(bytes(converted()) < bytes(small_model()) / 2);  // a quarter where biases and norms are a small part
  CHECK_CONTAINS(Weights(converted() + "/weights.safetensors").header,
                 R"("encoder.layers.0.linear1.weight":{"dtype":"I8")");
  const Circumstances source{.input_path = small_corpus().source};
  const Outcome translated = run_well({"translate", converted()}, source);
  CHECK(translated.out == content(small_corpus().target));
  CHECK(run_well({"translate", small_model(), "--precision", "int8", "--scores"}, source).out ==
        run_well({"translate", converted(), "--scores"}, source).out);
  CHECK(run_well({"translate", converted(), "--scores"}, source).out !=
        run_well({"translate", small_model(), "--scores"}, source).out);
  CHECK(run_well(joined(score_command(small_model()), {"--precision", "int8"})).out ==
        run_well(score_command(converted())).out);
  const Outcome evaluated = run_well(evaluate_command(converted()));
  CHECK(has_line(evaluated, "BLEU"));
  CHECK_CONTAINS(evaluated.out, "100.00");
  CHECK_CONTAINS(run_well({"inspect", converted()}).out, "int8");
  CHECK(run_well({"bench", "translate", converted(), "--source", small_corpus().source}).code == 0);
}

TEST_CASE("int8: what a converted model cannot do, and models that cannot be converted", "[program]") {
  if (!has_int8()) return;
  const TemporaryDirectory directory;
  const std::string file = converted() + "/weights.safetensors";
  CHECK_REFUSED(run({"translate", converted(), "--precision", "float32"}),
                file + " has weights in int8, which cannot become float32 again");
  CHECK_REFUSED(run({"translate", converted(), "--precision", "int4"}),
                "--precision int4: give \"float32\", \"bfloat16\" or \"int8\"");
  CHECK_REFUSED(run({"convert", small_model(), "--out", converted()}), "exists already and is not empty");
  CHECK_REFUSED(run({"convert", converted(), "--out", directory / "again"}), "cannot become float32 again");
  CHECK_REFUSED(run({"convert", small_model(), "--precision", "bfloat16", "--out", directory / "again"}),
                "models can be written in int8");
  CHECK_REFUSED(run({"convert", directory / "nothing", "--out", directory / "again"}), "there is no model");
  CHECK_REFUSED(run({"average", file, "--output", directory / "mean"}),
                "which can translate but not learn; take the model that it was converted from");
  CHECK_REFUSED(run(train_command(directory / "again", {"training.initial_weights=" + converted()})),
                "which can translate but not learn");
  if (has_command("export"))
    CHECK_REFUSED(run({"export", converted(), "--format", "pytorch", "--out", directory / "again"}),
                  "take the model that it was converted from");
  CHECK_FALSE(std::filesystem::exists(directory / "again"));

  const std::string copy = directory / "copy";
  std::filesystem::copy(converted(), copy);
  const auto refusal_with = [&](const std::string& text, const std::string& by) {
    Weights weights(file);
    weights.replace(text, by);
    weights.write(copy + "/weights.safetensors");
    return refusal(run({"translate", copy}));
  };
  CHECK_CONTAINS(refusal_with("linear1.weight_scale\"", "linear1.weight_other\""),
                 "is I8 and needs the scales of its rows in a tensor encoder.layers.0.linear1.weight_scale");
  CHECK_CONTAINS(refusal_with("\"dtype\":\"I8\"", "\"dtype\":\"U8\""), "F32 and F64 can be read");
}

TEST_CASE("bfloat16: refused without the instructions, and emulated when the user asks for it", "[program]") {
  const std::string version = run({"--version"}).out;
  if (version.find("bfloat16     no: ") != std::string::npos) {
    CHECK_REFUSED(run({"translate", small_model(), "--precision", "bfloat16"}),
                  "bfloat16 products are not possible: ");
    const TemporaryDirectory directory;
    CHECK_REFUSED(run(train_command(directory / "model", {"training.precision=bfloat16"})),
                  "set REGARD_BFLOAT16=emulate");
    CHECK(directory.entries() == 0);
  }
  CHECK_REFUSED(run({"translate", small_model(), "--precision", "bfloat16"},
                    {.launcher = {"env", "REGARD_BFLOAT16=yes"}}),
                "REGARD_BFLOAT16=yes: give emulate, or unset the variable");
  CHECK_CONTAINS(run({"--version"}, emulated).out, "bfloat16     emulated in float32");
  Circumstances source = emulated;
  source.input_path = small_corpus().source;
  CHECK(run({"translate", small_model(), "--precision", "bfloat16"}, source).out ==
        content(small_corpus().target));
}

TEST_CASE("bfloat16: the same bits on any number of threads, other bits than float32", "[program]") {
  const std::string weights = trained_weights({"training.precision=bfloat16", "training.threads=1"});
  CHECK(weights.size() > 10'000);
  CHECK(trained_weights({"training.precision=bfloat16", "training.threads=2"}) == weights);
  CHECK(trained_weights({"training.threads=2"}) != weights);
  CHECK(trained_weights(recurrent_preset("luong2015", {"training.precision=bfloat16"})).size() > 10'000);
}

TEST_CASE("bfloat16: a training learns, is killed, and resumes to the same bits", "[program]") {
  const TemporaryDirectory directory;
  const Words settings{"training.precision=bfloat16", "checkpoints.save_every=5"};
  const auto weights = [&](const std::string& model) {
    return Weights(model + "/weights.safetensors").numbers;
  };
  const std::string whole = directory / "whole", killed = directory / "killed";
  REQUIRE(run(train_command(whole, settings), emulated).code == 0);
  Running running(train_command(killed, settings), emulated.launcher);
  wait_until(running, [&] { return newest_step(killed) >= 10; });
  running.send(SIGKILL);
  running.wait();
  CHECK_REFUSED(run(train_command(killed, {"training.precision=float32", "checkpoints.save_every=5"})),
                "training.precision");
  REQUIRE(run(train_command(killed, settings), emulated).code == 0);
  CHECK(weights(killed) == weights(whole));
  const Circumstances source{.input_path = small_corpus().source};
  CHECK(run_well({"translate", whole}, source).out == content(small_corpus().target));
}
