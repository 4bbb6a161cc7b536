#include "tests/catch.h"
#include "tests/program/small_model.h"

using namespace regard::tests;
using Catch::Matchers::Matches;

namespace {

Outcome bench(std::vector<std::string> options) {
  const std::vector<std::string> corpus = {
      "bench", "train", "--source", small_corpus().source, "--target", small_corpus().target};
  options.insert(options.begin(), corpus.begin(), corpus.end());
  return run(options);
}

}  // namespace

TEST_CASE("a benchmark prints all its figures", "[program]") {
  const TemporaryDirectory directory;
  const std::string batches = directory.file("batches.jsonl", "[0, 20, 83]\n[4]\n");
  const Outcome outcome = bench({"--batches", batches, "--steps", "2", "--warmup-steps", "2", "--threads",
                                 "1", "--dropout", "0.1", "--no-final-norm"});
  CHECK(outcome.code == 0);
  CHECK(outcome.err.empty());
  const std::vector<std::string> found = lines(outcome.out);
  REQUIRE(found.size() == 7);
  CHECK_THAT(found[0],
             Matches("model        tiny, [0-9]+ parameters, vocabulary 12, dropout 0.1, final norm off"));
  CHECK_THAT(found[1], Matches("machine      1 threads, (baseline|avx2|avx512), OpenBLAS core .+"));
  // 2 + 4 + 4 and 3 tokens a side with </s>
  CHECK_THAT(found[2], Matches("steps        2 after 2 of warm-up, 13 tokens each .*, last loss [0-9.]+"));
  const std::string rates = " +[0-9]+ tokens/s +[0-9.]+ ms a step +[0-9.]+ GFLOP/s";
  CHECK_THAT(found[3], Matches("training" + rates));
  CHECK_THAT(found[4], Matches("floor" + rates + " +\\(the products alone\\)"));
  CHECK_THAT(found[5], Matches("share        [0-9.]+ % of the floor"));
  CHECK_THAT(found[6], Matches("peak memory  [0-9.]+ GB, of which tensors [0-9.]+ GB"));
}

TEST_CASE("a benchmark that cannot be run is refused", "[program]") {
  const TemporaryDirectory directory;
  CHECK_REFUSED(bench({"--preset", "huge"}), "there is no preset huge; give base, tiny or toy");
  CHECK_REFUSED(bench({"--steps", "0"}), "--steps 0: give a number of at least 1");
  CHECK_REFUSED(bench({"--warmup-steps", "-1"}), "--warmup-steps -1");
  CHECK_REFUSED(bench({"--batch-tokens", "0"}), "a batch of 0 tokens is not possible");
  CHECK_REFUSED(bench({"--dropout", "1"}), "dropout.embedding is 1");
  CHECK_REFUSED(bench({"--threads", "0"}), "0 threads: give a number from 1 to 1024");
  const std::string batches = directory.file("batches.jsonl", "[83]\n[4, 84]\n");
  CHECK_REFUSED(bench({"--batches", batches}),
                batches + ", line 2: there is no line 84 in the corpus, whose 84 lines are 0 to 83");
  CHECK_REFUSED(bench({"--batches", directory / "missing"}), directory / "missing: No such file");
}
