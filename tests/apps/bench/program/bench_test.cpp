#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;

namespace {

Outcome bench(const Words& options) {
  return run(joined({"bench", "train", "--source", small_corpus().source, "--target", small_corpus().target},
                    options));
}

}  // namespace

TEST_CASE("a benchmark prints all its figures", "[program]") {
  const TemporaryDirectory directory;
  const std::string batches = directory.file("batches.jsonl", "[0, 20, 83]\n[4]\n");
  const Outcome outcome = bench({"--batches", batches, "--steps", "2", "--warmup-steps", "2", "--threads",
                                 "1", "--dropout", "0.1", "--no-final-norm"});
  CHECK(outcome.code == 0);
  CHECK(outcome.err.empty());
  const Words found = lines(outcome.out);
  REQUIRE(found.size() == 8);
  CHECK_THAT(found[0],
             Matches("model        tiny, [0-9]+ parameters, vocabulary 12, dropout 0.1, final norm off"));
  CHECK_THAT(found[1], Matches("machine      1 thread, (baseline|avx2|avx512), OpenBLAS core .+"));
  // 2 + 4 + 4 and 3 tokens per side, with </s>
  CHECK_THAT(found[2], Matches("steps        2 after 2 of warm-up, 13 tokens each .*, last loss [0-9.]+"));
  const std::string rates = " +[0-9]+ tokens/s +[0-9.]+ ms per step +[0-9.]+ GFLOP/s";
  CHECK_THAT(found[3], Matches("training" + rates));
  CHECK_THAT(found[4], Matches("floor" + rates + " +\\(the products alone\\)"));
  CHECK_THAT(found[5], Matches("share        [0-9.]+ % of the floor"));
  CHECK_THAT(found[6], Matches("batching     [0-9.]+ ms per step, [0-9.]+ % of a step"));
  CHECK_THAT(found[7], Matches("peak memory  [0-9.]+ GB, of which tensors [0-9.]+ GB"));
}

TEST_CASE("a benchmark trains every model, with any settings", "[program]") {
  const auto described = [](const Words& options) {
    const Outcome outcome = bench(joined({"--steps", "1", "--warmup-steps", "0", "--threads", "1"}, options));
    CHECK(outcome.code == 0);
    CHECK(outcome.err.empty());
    REQUIRE(lines(outcome.out).size() == 8);
    CHECK_THAT(lines(outcome.out)[5], Matches("share        [0-9.]+ % of the floor"));
    return lines(outcome.out)[0];
  };
  const std::string small = "model.d_model=8", clipped = "training.gradient_clip_norm=1";
  for (const std::string preset : {"cho2014", "sutskever2014"})
    CHECK_THAT(
        described({"--preset", preset, "--set", small}),
        Matches("model        " + preset + ", [0-9]+ parameters, vocabulary 12, dropout 0.3; " + small));
  // A GRU in each direction: 3 x 4 x (8 + 4 + 2). Its first state: 8 x (4 + 1). Score: 8 x (8 + 8 + 1).
  // Decoder: 3 x 8 x (16 + 8 + 2). Output: 8 x (24 + 1). Embeddings: 12 x 8.
  CHECK(described({"--preset", "bahdanau2015", "--set", small, "--set", clipped}) ==
        "model        bahdanau2015, 1432 parameters, vocabulary 12, dropout 0.3; " + small + ", " + clipped);
  // An LSTM, 4 x 8 x (8 + 8 + 2), and one for the decoder with input feeding, 4 x 8 x (16 + 8 + 2). Score: 8
  // x
  // 8. Output: 8 x (16 + 1). Embeddings: 12 x 8.
  CHECK_THAT(described({"--preset", "luong2015", "--set", small}),
             Matches("model        luong2015, 1704 parameters, vocabulary 12, dropout 0.3; " + small));
  CHECK_THAT(described({"--preset", "bahdanau2015", "--set", "model.encoder=transformer", "--set", small}),
             Matches("model        bahdanau2015, .*, final norm on; model.encoder=transformer, " + small));
}

TEST_CASE("a benchmark that cannot be run is refused", "[program]") {
  const TemporaryDirectory directory;
  CHECK_REFUSED(bench({"--set", "training.steps=3"}),
                "--set training.steps=3: a benchmark does not use this setting; give settings of the model");
  CHECK_REFUSED(bench({"--preset", "cho2014", "--no-final-norm"}),
                "--no-final-norm: cho2014 has no Transformer layers, so it has no LayerNorm to leave out");
  CHECK_REFUSED(bench({"--preset", "cho2014", "--set", "model.attention.input_feeding=true"}),
                "input feeding passes on what attention found");
  CHECK_REFUSED(bench({"--steps", "0"}), "--steps 0: give a number of at least 1");
  CHECK_REFUSED(bench({"--warmup-steps", "-1"}), "--warmup-steps -1");
  CHECK_REFUSED(bench({"--warmup-steps", "9223372036854775807"}),
                "--warmup-steps 9223372036854775807: give at most 1000000000 each");
  CHECK_REFUSED(bench({"--batch-tokens", "0"}), "--batch-tokens: 0 is too small; give at least 1");
  const std::string batches = directory.file("batches.jsonl", "[83]\n[4, 84]\n");
  CHECK_REFUSED(bench({"--batches", batches}),
                batches + ", line 2: there is no line 84 in the corpus; its 84 lines are 0 to 83");
  CHECK_REFUSED(bench({"--batches", directory / "missing"}), directory / "missing: No such file");
}

TEST_CASE("the benchmark of translation gives the same translations as the program", "[program]") {
  const TemporaryDirectory directory;
  const auto bench = [](const Words& options) {
    const Words command = {"bench", "translate", small_model(), "--source", small_corpus().source};
    return run(joined(joined(command, {"--threads", "1"}), options));
  };
  // A batch has few sentences, and they come back in order: word for word, as the small model has learnt.
  const std::string output = directory / "translations";
  const Outcome outcome = bench({"--beam", "3", "--batch-tokens", "7", "--runs", "2", "--output", output});
  CHECK(outcome.code == 0);
  CHECK(outcome.err.empty());
  CHECK(difference(content(output), content(small_corpus().target)).empty());
  const Words found = lines(outcome.out);
  REQUIRE(found.size() == 4);
  CHECK_THAT(found[0], Matches("model        [0-9]+ parameters, beam 3"));
  CHECK_THAT(found[1], Matches("machine      1 thread, (baseline|avx2|avx512), OpenBLAS core .+"));
  // 4 sentences of one word, 16 of two, 64 of three
  CHECK(found[2] == "sentences    84, 228 tokens, translations 228 tokens");
  CHECK_THAT(found[3], Matches("translating  +[0-9.]+ sentences/s +[0-9]+ tokens/s of translation"));

  for (const std::string& read : {small_corpus().source, small_model() + "/weights.safetensors"})
    CHECK_REFUSED(bench({"--output", read}),
                  "--output " + read + ": this file is an input and would be replaced");
  const Outcome single = bench({"--beam", "1", "--one-at-a-time", "--runs", "1"});
  CHECK(single.code == 0);
  REQUIRE(lines(single.out).size() == 4);
  CHECK_THAT(lines(single.out)[3], Matches("latency      [0-9.]+ ms per sentence, the median"));

  CHECK_REFUSED(bench({"--runs", "0"}), "--runs 0: give a number of at least 1");
  CHECK_REFUSED(bench({"--batch-tokens", "0"}), "--batch-tokens: 0 is too small; give at least 1");
  CHECK_REFUSED(bench({"--beam", "0"}), "--beam 0: decoding.beam must be a whole number");
}

TEST_CASE("a wrong command line of bench is refused", "[program]") {
  CHECK_REFUSED(run({"bench", "inference"}), "there is no command inference; give one of train");
  CHECK_REFUSED(run({"bench", "inference"}), "see regard bench --help");
  CHECK_REFUSED(run({"bench", "train", "--source", "x"}),
                "--source and --target are required: tiny reads sentences");
}
