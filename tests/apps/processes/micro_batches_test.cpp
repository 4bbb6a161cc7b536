// How micro-batches are divided among processes, and the order in which their values are added.
#include <numeric>

#include "apps/translation/processes/gradient_sum.h"
#include "apps/translation/training/epoch.h"
#include "autograd/machine/random.h"
#include "tests/apps/processes/threads_as_processes.h"
#include "tests/catch.h"

using namespace regard::translation;
using regard::Index;
using regard::Random;
using regard::Real;
using regard::Tensor;
using regard::to_index;
using regard::to_size;
using regard::tests::run_processes;

namespace {

/// The definition of the tree, level by level.
template <class Value>
Value sum_by_levels(std::vector<Value> values) {
  for (std::size_t width = 1; width < values.size(); width *= 2)
    for (std::size_t i = 0; i + width < values.size(); i += 2 * width)
      values[i] = values[i] + values[i + width];
  return values.front();
}

/// Random numbers of very different sizes, whose sum depends on the order.
std::vector<Real> numbers(Index count, std::uint64_t seed) {
  Random random(seed);
  const Tensor normal = Tensor::normal({count}, 0, 1, random),
               scale = Tensor::uniform({count}, -6, 6, random);
  std::vector<Real> result;
  for (Index i = 0; i < count; ++i) result.push_back(normal.data()[i] * std::pow(Real{10}, scale.data()[i]));
  return result;
}

using Sums = std::pair<std::vector<Real>, double>;

/// Sums one gradient and one loss (a third of its first number) per micro-batch on this number of processes.
/// Returns the results of each process.
std::vector<Sums> sums(const std::vector<std::vector<Real>>& gradients, Index processes_count) {
  std::vector<Sums> results(to_size(processes_count));
  const auto errors = run_processes(processes_count, [&](Processes& processes) {
    const Tensor memory = Tensor::zeros({to_index(gradients.front().size())});
    const double loss = sum_gradients(memory, to_index(gradients.size()), processes, [&](Index micro_batch) {
      const std::vector<Real>& gradient = gradients[to_size(micro_batch)];
      for (std::size_t i = 0; i < gradient.size(); ++i)
        memory.data()[i] += gradient[i];  // as backward() does: it adds
      return static_cast<double>(gradient.front()) / 3;
    });
    results[to_size(processes.rank())] = {{memory.values().begin(), memory.values().end()}, loss};
  });
  for (const std::string& error : errors) CHECK(error.empty());
  return results;
}

}  // namespace

TEST_CASE("every micro-batch belongs to one process, and each process has some", "[processes]") {
  for (Index micro_batches = 1; micro_batches <= 20; ++micro_batches)
    for (Index processes = 1; processes <= micro_batches; ++processes) {
      Index next = 0;
      for (Index rank = 0; rank < processes; ++rank) {
        const MicroBatchRange own = share_of(rank, processes, micro_batches);
        CHECK(own.first == next);
        CHECK(own.end > own.first);
        CHECK(own.end - own.first <= (micro_batches + processes - 1) / processes);
        next = own.end;
      }
      CHECK(next == micro_batches);
    }
}

TEST_CASE("a process adds its micro-batches as far as the tree allows", "[processes]") {
  const auto nodes = [](Index first, Index end, Index micro_batches) {
    std::vector<std::pair<Index, Index>> result;
    for (const MicroBatchRange& range : nodes_of({first, end}, micro_batches))
      result.emplace_back(range.first, range.end);
    return result;
  };
  using Pairs = std::vector<std::pair<Index, Index>>;
  CHECK(nodes(0, 8, 8) == Pairs{{0, 8}});
  CHECK(nodes(4, 8, 8) == Pairs{{4, 8}});
  CHECK(nodes(2, 5, 8) == Pairs{{2, 4}, {4, 5}});
  CHECK(nodes(1, 7, 8) == Pairs{{1, 2}, {2, 4}, {4, 6}, {6, 7}});
  CHECK(nodes(3, 7, 7) == Pairs{{3, 4}, {4, 7}});  // 6 has no sibling, so it joins 4-5
  CHECK(nodes(0, 5, 5) == Pairs{{0, 5}});
}

TEST_CASE("the sum of gradients has the same bits on any number of processes", "[processes]") {
  bool order_of_losses_matters = false;
  for (const Index micro_batches : {1, 2, 3, 5, 8, 13})
    for (const Index size : {1, 17, 1000}) {
      CAPTURE(micro_batches, size);
      std::vector<std::vector<Real>> gradients;
      for (Index micro_batch = 0; micro_batch < micro_batches; ++micro_batch)
        gradients.push_back(numbers(size, static_cast<std::uint64_t>(10 + micro_batch)));
      std::vector<Real> expected, in_order;
      for (Index i = 0; i < size; ++i) {
        std::vector<Real> of_number;
        for (const auto& gradient : gradients) of_number.push_back(gradient[to_size(i)]);
        expected.push_back(sum_by_levels(of_number));
        in_order.push_back(std::accumulate(of_number.begin(), of_number.end(), Real{0}));
      }
      std::vector<double> losses;
      for (const auto& gradient : gradients) losses.push_back(static_cast<double>(gradient.front()) / 3);
      if (micro_batches > 3 && size == 1000) CHECK(in_order != expected);
      order_of_losses_matters |= sum_by_levels(losses) != std::accumulate(losses.begin(), losses.end(), 0.0);
      for (const Index processes : {1, 2, 3, 4, 5, 8, 13})
        if (processes <= micro_batches)
          for (const Sums& sum : sums(gradients, processes))
            CHECK(sum == Sums{expected, sum_by_levels(losses)});
    }
  CHECK(order_of_losses_matters);
}

TEST_CASE("a batch is cut into consecutive pieces of about equal lengths", "[processes]") {
  CHECK(cut_into_pieces({5, 5, 5, 5}, 1) == std::vector<std::size_t>{0, 4});
  CHECK(cut_into_pieces({5, 5, 5, 5}, 2) == std::vector<std::size_t>{0, 2, 4});
  CHECK(cut_into_pieces({9, 1, 1, 1}, 2) == std::vector<std::size_t>{0, 1, 4});
  CHECK(cut_into_pieces({}, 3) == std::vector<std::size_t>{0, 0, 0, 0});
  Random random(5);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<Index> lengths;
    for (std::uint64_t i = random.below(30); i > 0; --i) lengths.push_back(2 + to_index(random.below(40)));
    const Index micro_batches = 1 + to_index(random.below(12));
    const std::vector<std::size_t> begins = cut_into_pieces(lengths, micro_batches);
    REQUIRE(begins.size() == to_size(micro_batches) + 1);
    CHECK(begins.front() == 0);
    CHECK(begins.back() == lengths.size());
    CHECK(std::is_sorted(begins.begin(), begins.end()));
    const double whole = static_cast<double>(std::accumulate(lengths.begin(), lengths.end(), Index{0}));
    for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
      const auto at = [&](std::size_t k) { return lengths.begin() + to_index(begins[k]); };
      const double piece = static_cast<double>(std::accumulate(at(i), at(i + 1), Index{0}));
      CHECK(std::abs(piece - whole / static_cast<double>(micro_batches)) <=
            42);  // at most half a length at each end
    }
  }
}
