#include "apps/translation/corpus/batching.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "apps/random.h"
#include "autograd/machine/error.h"
#include "tests/apps/support.h"
#include "tests/catch.h"

using namespace regard::translation;
using regard::Index;
using regard::to_index;
using regard::tests::TemporaryDirectory;
using regard::transformer::Batch;

namespace {

std::vector<PairLength> random_lengths(std::size_t pairs, std::uint64_t seed) {
  regard::SplitMix64 random(seed);
  std::vector<PairLength> lengths;
  for (std::size_t i = 0; i < pairs; ++i) {
    const auto source = to_index(1 + random.below(40));
    lengths.push_back({source, std::max<Index>(1, source + to_index(random.below(9)) - 4)});
  }
  return lengths;
}

/// Source and target tokens of a batch, with </s>.
std::array<Index, 2> tokens(const std::vector<std::size_t>& batch, const std::vector<PairLength>& lengths) {
  std::array<Index, 2> sum{};
  for (const std::size_t pair : batch) {
    sum[0] += lengths[pair].source + 1;
    sum[1] += lengths[pair].target + 1;
  }
  return sum;
}

std::vector<std::size_t> all_pairs(const BatchPlan& plan) {
  std::vector<std::size_t> pairs;
  for (const auto& batch : plan) pairs.insert(pairs.end(), batch.begin(), batch.end());
  return pairs;
}

/// The difference between the longest and the shortest target of a batch, on average over the batches.
double mean_spread(const BatchPlan& plan, const std::vector<PairLength>& lengths) {
  double sum = 0;
  for (const auto& batch : plan) {
    const auto shorter = [&](std::size_t a, std::size_t b) { return lengths[a].target < lengths[b].target; };
    const auto [shortest, longest] = std::minmax_element(batch.begin(), batch.end(), shorter);
    sum += static_cast<double>(lengths[*longest].target - lengths[*shortest].target);
  }
  return sum / static_cast<double>(plan.size());
}

/// A corpus that has lines 0, 2 and 3 of a text of five lines.
ParallelCorpus small_corpus() {
  ParallelCorpus corpus;
  corpus.source = {{10, 11}, {12}, {13, 14, 15}};
  corpus.target = {{20}, {21, 22}, {23}};
  corpus.lines = {0, 2, 3};
  corpus.lines_read = 5;
  corpus.dropped = {.empty = 1, .too_long = 1};
  return corpus;
}

}  // namespace

TEST_CASE("the generator is SplitMix64", "[batching]") {
  regard::SplitMix64 random(1234567);  // the published test vector for this seed
  for (const std::uint64_t expected : {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                       4593380528125082431u, 16408922859458223821u})
    CHECK(random.next() == expected);
}

TEST_CASE("bounded random numbers are unbiased", "[batching]") {
  // The remainder of a 64-bit number by 3 * 2^62 is below 2^62 half of the time instead of a third.
  regard::SplitMix64 random(1);
  const std::uint64_t quarter = std::uint64_t{1} << 62;
  int low = 0, naive = 0;
  for (int i = 0; i < 30000; ++i) low += random.below(3 * quarter) < quarter;
  for (int i = 0; i < 30000; ++i) naive += random.next() % (3 * quarter) < quarter;
  CHECK(std::abs(low - 10000) < 500);  // six standard deviations
  CHECK(std::abs(naive - 15000) < 500);
  for (int i = 0; i < 100; ++i) CHECK(random.below(1) == 0);
}

TEST_CASE("a plan is the same on every machine", "[batching]") {
  // Expected values: from the same algorithm in Python, where integers never overflow.
  const std::vector<PairLength> lengths = {{5, 4},  {2, 2}, {7, 9}, {1, 1}, {3, 3},
                                           {30, 2}, {4, 6}, {2, 2}, {6, 5}, {2, 3}};
  CHECK(plan_epoch(lengths, 12, 7, 3) == BatchPlan{{9, 4}, {0}, {8}, {2}, {3, 7, 1}, {6}, {5}});

  // Many pairs of equal lengths, which keep their random order.
  std::vector<PairLength> alike;
  for (Index i = 0; i < 40; ++i) alike.push_back({1 + i % 3, 1 + i % 2});
  CHECK(plan_epoch(alike, 30, 9007199254740991, 1000) ==
        BatchPlan{{18, 0, 30, 12, 24, 6, 36, 10, 16, 22, 28, 4},
                  {29, 17, 5},
                  {8, 33, 3, 15, 39, 27, 21, 9, 31, 37},
                  {34, 38, 32, 14, 20, 2, 26},
                  {13, 19, 25, 7, 1, 23, 11, 35}});
}

TEST_CASE("an epoch contains every pair once, and no batch exceeds the limit", "[batching]") {
  const std::vector<PairLength> lengths = random_lengths(2000, 11);
  for (const Index budget : {1, 30, 200, 4096, 1'000'000}) {
    const BatchPlan plan = plan_epoch(lengths, budget, 1, 1);
    std::vector<std::size_t> pairs = all_pairs(plan);
    std::sort(pairs.begin(), pairs.end());
    REQUIRE(pairs.size() == lengths.size());
    std::size_t misplaced = 0, over = 0, empty = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) misplaced += pairs[i] != i;
    for (const auto& batch : plan) {
      const auto [source, target] = tokens(batch, lengths);
      empty += batch.empty();
      over += batch.size() > 1 && (source > budget || target > budget);
    }
    CHECK(misplaced == 0);
    CHECK(over == 0);
    CHECK(empty == 0);
  }
}

TEST_CASE("the limit of a batch counts </s> and applies to the longer side", "[batching]") {
  const std::vector<PairLength> wide = {
      {4, 1}, {4, 1}, {4, 1}, {4, 1}};  // 5 source tokens per pair, with </s>
  const std::vector<PairLength> tall = {{1, 4}, {1, 4}, {1, 4}, {1, 4}};
  for (const auto& lengths : {wide, tall}) {
    CHECK(plan_epoch(lengths, 20, 1, 1).size() == 1);
    CHECK(plan_epoch(lengths, 19, 1, 1).size() == 2);
    CHECK(plan_epoch(lengths, 10, 1, 1).size() == 2);
    CHECK(plan_epoch(lengths, 9, 1, 1).size() == 4);
  }
}

TEST_CASE("a pair longer than the limit is a batch alone", "[batching]") {
  std::vector<PairLength> lengths = random_lengths(100, 13);
  lengths[40] = {500, 3};
  lengths[70] = {3, 500};
  const BatchPlan plan = plan_epoch(lengths, 100, 1, 1);
  for (const std::size_t large : {40u, 70u})
    CHECK(std::count(plan.begin(), plan.end(), std::vector<std::size_t>{large}) == 1);
}

TEST_CASE("bucketed batches hold similar lengths in random order", "[batching]") {
  const std::vector<PairLength> lengths = random_lengths(2000, 14);
  const BatchPlan bucketed = plan_epoch(lengths, 400, 1, 1);
  CHECK(mean_spread(bucketed, lengths) < 2);
  const auto by_length = [&](const auto& a, const auto& b) {
    return lengths[a.front()].target < lengths[b.front()].target;
  };
  CHECK_FALSE(std::is_sorted(bucketed.begin(), bucketed.end(), by_length));
}

TEST_CASE("the order depends only on seed and epoch", "[batching]") {
  const std::vector<PairLength> lengths = random_lengths(300, 15);
  const BatchPlan plan = plan_epoch(lengths, 200, 1, 1);
  CHECK(plan_epoch(lengths, 200, 1, 1) == plan);
  CHECK(plan_epoch(lengths, 200, 1, 2) != plan);
  CHECK(plan_epoch(lengths, 200, 2, 1) != plan);
  CHECK(plan_epoch(lengths, 200, 2, 1) != plan_epoch(lengths, 200, 1, 2));
}

TEST_CASE("a plan of no pairs is empty, and a limit of 0 is refused", "[batching]") {
  CHECK(plan_epoch({}, 200, 1, 1).empty());
  CHECK_ERROR(plan_epoch({}, 0, 1, 1), "a batch of 0 tokens");
}

TEST_CASE("a batch is packed and has its special tokens", "[batching]") {
  const ParallelCorpus corpus = small_corpus();
  const std::vector<std::size_t> pairs = {2, 0};
  const Batch batch = make_batch(corpus, pairs);
  using Ids = std::vector<std::int32_t>;
  using Offsets = std::vector<Index>;
  CHECK(batch.source.ids == Ids{13, 14, 15, 2, 10, 11, 2});
  CHECK(batch.source.offsets == Offsets{0, 4, 7});
  CHECK(batch.target_input.ids == Ids{1, 23, 1, 20});
  CHECK(batch.target_input.offsets == Offsets{0, 2, 4});
  CHECK(batch.target_output == Ids{23, 2, 20, 2});
  CHECK(batch.source.sentences() == 2);
  CHECK(batch.source.tokens() == 7);

  CHECK(make_batch(corpus, {}).source.sentences() == 0);
  const std::vector<std::size_t> outside = {0, 3};
  CHECK_ERROR(make_batch(corpus, outside), "no sentence pair 3 in a corpus of 3");
}

TEST_CASE("pair_lengths gives the lengths of the sentences", "[batching]") {
  const std::vector<PairLength> lengths = pair_lengths(small_corpus());
  REQUIRE(lengths.size() == 3);
  CHECK(lengths[1].source == 1);
  CHECK(lengths[1].target == 2);
  CHECK(lengths[2].source == 3);
}

TEST_CASE("a plan is read from a file by line numbers", "[batching]") {
  const TemporaryDirectory directory;
  const ParallelCorpus corpus = small_corpus();
  const auto read = [&](const std::string& text) {
    return read_batch_plan(directory.file("b.jsonl", text), corpus);
  };
  CHECK(read("[3, 0]\n[2]\n") == BatchPlan{{2, 0}, {1}});  // lines 0, 2 and 3 are pairs 0, 1 and 2
  CHECK(read("[0,0]") == BatchPlan{{0, 0}});

  CHECK_ERROR(read_batch_plan(directory / "missing", corpus), "No such file or directory");
  CHECK_ERROR(read(""), "b.jsonl: the file is empty");
  CHECK_ERROR(read("[0]\n[2,\n"), "b.jsonl, line 2: not JSON");
  CHECK_ERROR(read("[0]\n\n[2]\n"), "b.jsonl, line 2: not JSON");
  CHECK_ERROR(read("[0]\n{\"a\": 1}\n"), "b.jsonl, line 2: expected a list of line numbers");
  CHECK_ERROR(read("[]\n"), "b.jsonl, line 1: expected a list of line numbers");
  CHECK_ERROR(read("[0, \"2\"]\n"), "b.jsonl, line 1: \"2\" is not a line number");
  CHECK_ERROR(read("[0, 1.5]\n"), "b.jsonl, line 1: 1.5 is not a line number");
  CHECK_ERROR(read("[0]\n[5]\n"),
              "b.jsonl, line 2: there is no line 5 in the corpus; its 5 lines are 0 to 4");
  CHECK_ERROR(read("[-1]\n"), "b.jsonl, line 1: there is no line -1");
  CHECK_ERROR(read("[18446744073709551615]\n"), "there is no line 18446744073709551615");
  CHECK_ERROR(read("[1]\n"), "b.jsonl, line 1: line 1 of the corpus was dropped");
  CHECK_ERROR(read("[4]\n"), "b.jsonl, line 1: line 4 of the corpus was dropped");
}
