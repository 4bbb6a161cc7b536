// Which memory a graph holds, when it gives it back, and that a second step takes nothing from the system.
#include "autograd/machine/memory.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "autograd/graph.h"
#include "autograd/machine/error.h"
#include "tests/autograd/case_tables.h"
#include "tests/autograd/support.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::tests;

namespace {

std::size_t in_use() { return memory_statistics().in_use; }
constexpr std::size_t number = sizeof(Real);

/// A small network; its gradients go to `parameters`.
Tensor network(const Tensor& x, const std::vector<Tensor>& parameters) {
  const DropoutMask some{.probability = Real(0.2), .key = 3};
  const Tensor qkv = linear(x, parameters[0], {});
  const Tensor context =
      attention({qkv, 0, 8}, {qkv, 8, 8}, {qkv, 16, 8}, self_segments({20, 30}), {2, true, some});
  const Tensor hidden = residual_layer_norm(x, context, some, parameters[1], parameters[2]);
  return linear_cross_entropy(tanh(hidden), parameters[3], random_ids(50, 11, 4));
}

std::vector<Tensor> network_parameters() {
  return leaves({normal({24, 8}, 1), positive({8}, 2), normal({8}, 3), normal({11, 8}, 4)});
}

}  // namespace

TEST_CASE("buffers are aligned, apart, and counted") {
  const MemoryStatistics before = memory_statistics();
  std::vector<Buffer> buffers;
  for (const std::size_t bytes : {1, 63, 64, 65, 1000, 100'000}) {
    buffers.push_back(allocate(bytes));
    CHECK(reinterpret_cast<std::uintptr_t>(buffers.back().get()) % 64 == 0);
    std::memset(buffers.back().get(), static_cast<int>(buffers.size()), bytes);
  }
  CHECK(in_use() - before.in_use == 64 + 64 + 64 + 128 + 1024 + 100'032);
  CHECK(memory_statistics().peak_in_use >= in_use());
  CHECK(memory_statistics().reserved >= in_use());
  for (std::size_t i = 0; i < buffers.size(); ++i)
    CHECK(*static_cast<unsigned char*>(buffers[i].get()) == i + 1);
  buffers.clear();
  CHECK(in_use() == before.in_use);
}

TEST_CASE("freed neighbours become one block again") {
  // Chunks from the system hold at least four pieces. Freed in an order that joins to both sides.
  const std::size_t piece = std::size_t{8} << 20;
  std::vector<Buffer> pieces;
  for (int i = 0; i < 16; ++i) pieces.push_back(allocate(piece));
  const std::size_t requests = memory_statistics().system_requests;
  for (const int i : {0, 2, 4, 6, 8, 10, 12, 14, 15, 13, 11, 9, 7, 5, 3, 1}) pieces[to_size(i)].reset();
  const Buffer large = allocate(3 * piece);
  CHECK(memory_statistics().system_requests == requests);
}

TEST_CASE("memory that the system does not have is refused with a sentence") {
  const std::size_t before = in_use();
  const std::string message = MESSAGE_OF(allocate(std::size_t{1} << 60));
  CHECK_THAT(message, ContainsSubstring("out of memory") && ContainsSubstring("MB"));
  CHECK(in_use() == before);
  CHECK(Tensor::full({1000}, 2).at({999}) == 2);  // and work goes on
}

TEST_CASE("activations are released on the way back") {
  const Index size = 100'000;
  const Tensor x = normal({size}, 1).set_requires_grad();
  const std::size_t before = in_use();
  Tensor y = x;
  for (int i = 0; i < 10; ++i) y = tanh(y);
  const Tensor total = sum(y);
  y = {};
  const std::size_t with_graph = in_use();
  CHECK(with_graph - before >= 10 * size * number);
  // When the oldest node runs, the values that the younger nodes kept have been freed.
  std::size_t at_the_end = 0;
  Node* oldest = total.node().get();
  while (oldest->inputs.front()->backward) oldest = oldest->inputs.front().get();
  oldest->backward = [&at_the_end, original = oldest->backward](BackwardContext& context) {
    original(context);
    at_the_end = in_use();
  };
  backward(total);
  CHECK(at_the_end - before <= 4 * size * number);  // its own value and gradient, and x's gradient
  CHECK(in_use() - before <= size * number + 64);   // x's gradient, and the total
}

TEST_CASE("a retained graph keeps its activations, but no inner gradients") {
  const Index size = 100'000;
  const Tensor x = normal({size}, 1).set_requires_grad();
  const Tensor total = sum(tanh(tanh(x)));
  const std::size_t with_graph = in_use();
  backward(total, {.retain_graph = true});
  CHECK(in_use() - with_graph == size * number);  // x's gradient
}

TEST_CASE("a graph dropped without backward returns all it held: no cycles") {
  const std::vector<Tensor> parameters = network_parameters();
  const Tensor x = normal({50, 8}, 6).set_requires_grad();
  const std::size_t before = in_use();
  {
    const Tensor loss = network(x, parameters);
    CHECK(in_use() > before);
  }
  CHECK(in_use() == before);
  {
    const Tensor loss = network(x, parameters);
    backward(loss, {.retain_graph = true});
  }
  std::size_t gradients = 0;
  for (const Tensor& p : {x, parameters[0], parameters[1], parameters[2], parameters[3]})
    gradients += (to_size(p.size()) * number + 63) / 64 * 64;
  CHECK(in_use() - before == gradients);
}

TEST_CASE("every operation's graph returns all it held") {
  for (const gradcheck_table::GradientCase& c : all_cases()) {
    INFO(c.name);
    const std::vector<Tensor> inputs = leaves(c.inputs);
    const std::size_t before = in_use();
    CHECK(c.function(inputs).requires_grad());
    CHECK(in_use() == before);
  }
}

TEST_CASE("under NoGrad only results stay") {
  const std::vector<Tensor> parameters = network_parameters();
  const Tensor x = normal({50, 8}, 6);
  const std::size_t before = in_use();
  const NoGrad no_grad;
  const Tensor loss = network(x, parameters);
  CHECK(in_use() - before == 64);
}

TEST_CASE("a second identical step asks the system for nothing and gives the same bits") {
  const std::vector<Tensor> parameters = network_parameters();
  const Tensor x = normal({50, 8}, 6);
  const auto step = [&] {
    const Tensor loss = network(x, parameters);
    std::vector<Tensor> result{loss.clone()};
    for (const Tensor& gradient : gradients(loss, parameters)) result.push_back(gradient);
    return result;
  };
  const std::vector<Tensor> first = step();
  for (int i = 0; i < 3; ++i) {
    const MemoryStatistics before = memory_statistics();
    CHECK(same_bits(step(), first));
    CHECK(memory_statistics().system_requests == before.system_requests);
    CHECK(memory_statistics().reserved == before.reserved);
    CHECK(in_use() == before.in_use);
  }
  poison_free_memory();
  CHECK(same_bits(step(), first));
}

TEST_CASE("new memory holds what its last user left, so the tests with poisoned memory test something") {
  poison_free_memory();
  std::vector<Tensor> held;
  bool all_nan = true;
  for (const Index size : {1, 8, 8, 40, 100, 1000, 8, 300, 2000}) {
    held.push_back(Tensor::empty({size}));
    for (const Real value : held.back().values()) all_nan = all_nan && std::isnan(value);
  }
  CHECK(all_nan);
}

TEST_CASE("attention never holds a matrix of all pairs") {
  constexpr Index n = 6144;
  const std::size_t all_pairs = n * n * number, peak_before = memory_statistics().peak_in_use;
  const Tensor qkv = leaves({normal({n, 24}, 1)}).front();
  const Tensor y = attention({qkv, 0, 8}, {qkv, 8, 8}, {qkv, 16, 8}, self_segments({n}), {.heads = 1});
  backward(y, {.cotangent = normal({n, 8}, 2)});
  // The largest number of bytes since the process began: other tests may have had more.
  CHECK(memory_statistics().peak_in_use < std::max(peak_before + 1, all_pairs));
}
