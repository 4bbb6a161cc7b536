// Tasks that are computed at the same time.
#include <atomic>
#include <chrono>
#include <thread>

#include "apps/translation/processes/sharing.h"
#include "apps/translation/translator/in_batches.h"
#include "autograd/machine/profile.h"
#include "nn/attention_module.h"
#include "tests/apps/training/small_training.h"
#include "tests/catch.h"
#include "tests/tensors.h"

using namespace regard::translation;
using namespace regard::tests;

TEST_CASE("enough tasks are computed at the same time, each on one thread", "[tasks]") {
  const auto squares = [](std::size_t tasks) {
    std::vector<std::string> expected;
    for (std::size_t i = 0; i < tasks; ++i) expected.push_back(std::to_string(i * i));
    return expected;
  };
  const Threads two(2);
  // The first two tasks wait until both have begun.
  std::atomic<int> begun = 0;
  std::atomic<bool> met = true;
  const auto meet = [&](std::size_t task) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    for (++begun; begun < 2 && met; std::this_thread::yield())
      if (std::chrono::steady_clock::now() > deadline) met = false;
    return std::to_string(task * task);
  };
  // What workers inherit, such as the heads that are off here, is there on both threads.
  const int three = 3;
  const regard::OnThreadAndWorkers<int> scope(&three);
  const auto meet_inherited = [&](std::size_t task) {
    return regard::OnThreadAndWorkers<int>::innermost() == &three ? meet(task) : "something else";
  };
  CHECK(compute_all(9, meet_inherited) == squares(9));
  CHECK(met);

  const auto here = std::this_thread::get_id();
  bool elsewhere = false;
  const auto look = [&](std::size_t task) {
    elsewhere = elsewhere || std::this_thread::get_id() != here;
    return std::to_string(task * task);
  };
  CHECK(compute_all(3, look) == squares(3));  // too few
  {
    const regard::Profile profile;
    CHECK(compute_all(9, look) == squares(9));
  }
  // What workers do not inherit keeps the tasks here.
  const regard::nn::AttentionRecord record;
  CHECK(compute_all(9, look) == squares(9));
  CHECK_FALSE(elsewhere);
}

TEST_CASE("of several tasks that fail, the first one is reported when all have ended", "[tasks]") {
  for (const int count : {1, 2}) {
    const Threads threads(count);
    std::atomic<int> computed = 0;
    const auto fail_twice = [&](std::size_t task) {
      ++computed;
      if (task == 2 || task == 6) regard::fail("task {}", task);
      return std::string();
    };
    CHECK_THROWS_WITH(compute_all(8, fail_twice), "task 2");
    CHECK(computed == 8);
  }
}

TEST_CASE("a search has the same results on any number of threads", "[tasks]") {
  const SmallTraining training;
  const ParallelCorpus corpus = numbered_corpus(300, 40, SmallTraining::words, 4);
  auto model = training.model();
  const auto search = [&](int count) {
    const Threads threads(count);
    std::vector<std::pair<std::vector<std::int32_t>, double>> found;
    for (const auto& best : search_all(model, corpus.source, {.beam = 2}, 300))
      found.emplace_back(best.front().tokens, best.front().log_probability);
    return found;
  };
  const auto expected = search(1);
  for (const int count : {2, 3, 5}) CHECK(search(count) == expected);
}
