// Parallel loops cover their range once, cut it by shape alone, and so give the same bits on any number of
// threads.
#include "autograd/machine/parallel.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "autograd/machine/error.h"
#include "autograd/machine/memory.h"
#include "tests/autograd/same_bits.h"
#include "tests/autograd/support.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::tests;

namespace {

std::set<std::pair<Index, Index>> blocks(Index count, Index grain) {
  std::mutex mutex;
  std::set<std::pair<Index, Index>> result;
  parallel_for(count, grain, [&](Index begin, Index end) {
    const std::lock_guard lock(mutex);
    result.emplace(begin, end);
  });
  return result;
}

}  // namespace

TEST_CASE("a parallel loop visits every index once") {
  for (const int count : {1, 3, 8}) {
    const Threads limit(count);
    for (const Index size : {0, 1, 2, 7, 8, 9, 63, 64, 65, 1001})
      for (const Index grain : {1, 8, 64, 5000}) {
        std::vector<std::atomic<int>> visits(to_size(size));
        parallel_for(size, grain, [&](Index begin, Index end) {
          for (Index i = begin; i < end; ++i) ++visits[to_size(i)];
        });
        CHECK(std::all_of(visits.begin(), visits.end(), [](const auto& n) { return n == 1; }));
      }
  }
}

TEST_CASE("the cut depends on the range and the grain, not on the number of threads") {
  for (const Index grain : {0, 1, 16, 100}) {
    const Threads one(1);
    const auto expected = blocks(333, grain);
    CHECK(expected.size() == to_size(grain == 0 ? 333 : (333 + grain - 1) / grain));
    for (const int count : {2, 3, 8}) {
      const Threads limit(count);
      CHECK(blocks(333, grain) == expected);
    }
  }
}

TEST_CASE("workers that run at the same time have different numbers") {
  const Threads limit(8);
  std::atomic<bool> collision = false, outside = false;
  std::vector<std::atomic<int>> busy(8);
  parallel_for(400, 1, [&](Index, Index, int worker) {
    if (worker < 0 || worker >= 8) {
      outside = true;
      return;
    }
    if (++busy[to_size(worker)] != 1) collision = true;
    std::this_thread::yield();
    --busy[to_size(worker)];
  });
  CHECK_FALSE(collision);
  CHECK_FALSE(outside);
}

TEST_CASE("a loop throws what its first failing block threw, on any number of threads") {
  for (const int count : {1, 4}) {
    const Threads limit(count);
    std::atomic<int> visits = 0;
    const auto fail_in_two_blocks = [&] {
      parallel_for(40, 2, [&](Index begin, Index) {
        ++visits;
        if (begin == 6 || begin == 10) fail("block at {}", begin);
      });
      return 0;
    };
    CHECK(MESSAGE_OF(fail_in_two_blocks()) == "block at 6");
    CHECK(visits >= 4);  // all blocks before it have run
    CHECK(blocks(40, 2).size() == 20);
  }
}

TEST_CASE("memory that runs out in a loop, or in a loop within a loop, can be caught outside") {
  const Threads limit(4);
  const std::size_t before = memory_statistics().in_use;
  const auto run = [](Index inner_blocks) {
    parallel_for(8, 1, [&](Index, Index) {
      const Buffer some = allocate(1000);
      parallel_for(inner_blocks, 1, [](Index, Index) { allocate(std::size_t{1} << 60); });
    });
  };
  for (const Index inner_blocks : {1, 3}) CHECK_THROWS_AS(run(inner_blocks), OutOfMemory);
  CHECK(memory_statistics().in_use == before);
}

TEST_CASE("threads of the program's own may use tensors of their own") {
  const auto work = [](std::uint64_t seed) {
    const std::vector<Tensor> in = leaves({normal({60, 30}, seed), normal({20, 30}, seed + 1)});
    return gradients(tanh(linear(in[0], in[1], {})), in);
  };
  std::vector<std::vector<Tensor>> expected, got(4);
  for (std::uint64_t i = 0; i < 4; ++i) expected.push_back(work(i));
  std::vector<std::thread> workers;
  for (std::uint64_t i = 0; i < 4; ++i)
    workers.emplace_back([&, i] {
      for (int repetition = 0; repetition < 20; ++repetition) got[i] = work(i);
    });
  for (std::thread& worker : workers) worker.join();
  for (std::size_t i = 0; i < 4; ++i) CHECK(same_bits(got[i], expected[i]));
}

TEST_CASE("the same bits on any number of threads: elements, rows and products") {
  const DropoutMask some{.probability = Real(0.3), .key = 11};
  check_bits("add", {{500, 200}, {500, 200}}, [](Inputs x) { return x[0] + x[1]; });
  check_bits("multiply", {{500, 200}, {200}}, [](Inputs x) { return x[0] * x[1]; });
  check_bits("exp", {{500, 200}}, [](Inputs x) { return exp(x[0]); });
  check_bits("softmax", {{500, 201}}, [](Inputs x) { return softmax(x[0]); });
  check_bits("log_softmax", {{500, 201}}, [](Inputs x) { return log_softmax(x[0]); });
  check_bits("layer_norm", {{500, 201}, {201}, {201}}, [](Inputs x) { return layer_norm(x[0], x[1], x[2]); });
  check_bits("residual_layer_norm", {{500, 201}, {500, 201}, {201}, {201}},
             [=](Inputs x) { return residual_layer_norm(x[0], x[1], some, x[2], x[3]); });
  check_bits("dropout", {{500, 201}}, [=](Inputs x) { return dropout(x[0], some); });
  check_bits("residual_dropout", {{500, 201}, {500, 201}},
             [=](Inputs x) { return residual_dropout(x[0], x[1], some); });
  check_bits("linear", {{901, 60}, {70, 60}, {70}}, [](Inputs x) { return linear(x[0], x[1], x[2]); });
  check_bits("linear, few rows", {{7, 120}, {1301, 120}}, [](Inputs x) { return linear(x[0], x[1], {}); });
  check_bits("linear_relu", {{301, 60}, {130, 60}, {130}},
             [=](Inputs x) { return linear_relu(x[0], x[1], x[2], some); });
  check_bits("linear_silu", {{301, 60}, {130, 60}, {130}},
             [=](Inputs x) { return linear_silu(x[0], x[1], x[2], some); });
  check_bits("matmul", {{200, 90}, {90, 301}}, [](Inputs x) { return matmul(x[0], x[1]); });
  check_bits("matmul, batches", {{3, 120, 100}, {3, 100, 90}}, [](Inputs x) { return matmul(x[0], x[1]); });
}

TEST_CASE("the same bits on any number of threads: attention, embedding and losses") {
  const DropoutMask some{.probability = Real(0.3), .key = 11};
  const Segments sentences = self_segments({3, 70, 1, 20, 9, 40, 5, 12});  // 160 tokens, 32 tasks
  for (const bool causal : {false, true})
    check_bits("attention", {{160, 96}}, [&](Inputs x) {
      return attention({x[0], 0, 32}, {x[0], 32, 32}, {x[0], 64, 32}, sentences, {4, causal, some});
    });
  check_bits("attention, one tensor", {{160, 32}}, [&](Inputs x) {
    return attention(x[0], x[0], x[0], sentences, {4, true, {}});
  });
  const Segments long_sentences = self_segments({200, 300});  // each head of them is a task of its own
  const std::array<std::array<Index, 3>, 3> firsts{{{0, 32, 32}, {64, 64, 0}, {32, 32, 32}}};
  for (const auto& first : firsts)
    check_bits("attention, columns that are the same", {{500, 96}}, [&](Inputs x) {
      return attention({x[0], first[0], 32}, {x[0], first[1], 32}, {x[0], first[2], 32}, long_sentences,
                       {4, true, {}});
    });
  check_bits("attention, queries of one sentence are keys of another", {{500, 32}}, [&](Inputs x) {
    return attention(x[0], x[0], x[0], {{0, 200, 100, 300}, {200, 500, 300, 500}}, {4, false, {}});
  });
  const auto ids = random_ids(700, 50, 1);
  check_bits("embedding", {{50, 301}}, [&](Inputs x) { return embedding(x[0], ids, 2); });
  check_bits("gather", {{50, 301}}, [&](Inputs x) { return gather(x[0], 0, ids); });
  check_bits("cross_entropy", {{700, 50}}, [&](Inputs x) { return cross_entropy(x[0], ids); });
  check_bits("linear_cross_entropy", {{700, 70}, {50, 70}},
             [&](Inputs x) { return linear_cross_entropy(x[0], x[1], ids, {.label_smoothing = Real(0.1)}); });
}

TEST_CASE("the same bits on any number of threads: scores") {
  std::vector<Index> lengths;
  for (Index i = 0; i < 120; ++i) lengths.push_back(1 + i * 7 % 11);
  const std::vector<Index> at = offsets(lengths);
  const KeyRanges ranges = all_keys(self_segments(lengths));
  check_bits("dot_scores", {{at.back(), 64}, {at.back(), 64}},
             [&](Inputs x) { return dot_scores(x[0], x[1], ranges); });
  check_bits("weighted_sum", {{ranges.pairs()}, {at.back(), 64}}, [&](Inputs x) {
    return weighted_sum(normalise(x[0], ranges, Normaliser::softmax), x[1], ranges);
  });
}
