// Parameters side by side in one buffer: handles stay valid, and no number of threads changes a bit. And
// gradients that come in parts: micro-batches of one step, and the uses of a tied weight.
#include <algorithm>
#include <memory>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "autograd/machine/error.h"
#include "autograd/ops.h"
#include "nn/layers.h"
#include "nn/module.h"
#include "nn/optimisers.h"
#include "tests/catch.h"
#include "tests/nn/support.h"

using namespace regard;
using namespace regard::tests;

TEST_CASE("flat parameters keep their values, and handles made before follow") {
  Random random(1);
  nn::FeedForward layer(5, 7, 0, random);
  randomise(layer, 2);
  const std::vector<Tensor> before = snapshot(layer), handles = tensors(layer);
  const Tensor x = normal({3, 5}, 3), y = layer(x).detach().clone();

  const nn::FlatParameters flat(layer.parameters());
  CHECK(same_bits(snapshot(layer), before));
  CHECK(same_bits(layer(x), y));
  for (std::size_t i = 0; i < handles.size(); ++i) {
    CHECK(handles[i].is(tensors(layer)[i]));
    CHECK(handles[i].shape() == before[i].shape());
    CHECK(handles[i].data() >= flat.values().data());
    CHECK(handles[i].data() + handles[i].size() <= flat.values().data() + flat.size());
    CHECK(reinterpret_cast<std::uintptr_t>(handles[i].data()) % 64 == 0);
    CHECK(numbers(handles[i].grad()) == Numbers(to_size(handles[i].size()), 0.0));
  }
  std::ranges::fill(flat.values().values(), Real{0.5});
  for (const Tensor& handle : handles) CHECK(std::ranges::count(handle.values(), Real{0.5}) == handle.size());
}

TEST_CASE("gradients go to the flat buffer and add up until they are zeroed") {
  const Tensor a = nn::parameter(normal({3}, 1)), b = nn::parameter(normal({2, 2}, 2));
  sum(a * Real(5)).backward();  // what was there before is forgotten
  const nn::FlatParameters flat({{"a", a}, {"b", b}});
  CHECK(flat.gradient_norm() == 0);
  sum(a * Real(2)).backward();
  sum(a).backward();
  sum(b * Real(4)).backward();
  CHECK(numbers(a.grad()) == Numbers{3, 3, 3});
  CHECK(numbers(b.grad()) == Numbers{4, 4, 4, 4});
  CHECK(a.grad().data() == flat.gradients().data());
  CHECK(flat.gradient_norm() == Approx(std::sqrt(3 * 9 + 4 * 16)).epsilon(1e-15));

  b.zero_grad();
  CHECK(numbers(b.grad()) == Numbers{0, 0, 0, 0});
  CHECK(numbers(a.grad()) == Numbers{3, 3, 3});
  sum(b).backward();
  CHECK(numbers(b.grad()) == Numbers{1, 1, 1, 1});
  CHECK(flat.gradient_norm() == Approx(std::sqrt(3 * 9 + 4)).epsilon(1e-15));
}

namespace {

constexpr Index many = 100'003;  // several blocks of every loop

struct Run {
  Tensor values;
  std::vector<double> norms;
};

/// Three steps on many parameters.
Run run(bool adam, int thread_count) {
  const Threads guard(thread_count);
  const Tensor x = nn::parameter(normal({many}, 1));
  const std::vector<nn::NamedParameter> list{{"x", x}};
  const std::unique_ptr<nn::Optimiser> optimiser =
      adam ? std::unique_ptr<nn::Optimiser>(new nn::Adam(list)) : std::make_unique<nn::Sgd>(list, 0.9);
  Run result;
  for (std::uint64_t step = 0; step < 3; ++step) {
    sum(x * normal({many}, 2 + step)).backward();
    result.norms.push_back(optimiser->step({.learning_rate = 0.1, .clip_norm = 200}));
  }
  result.values = x.clone();
  return result;
}

}  // namespace

TEST_CASE("an update gives the same bits on any number of threads") {
  for (const bool adam : {false, true}) {
    const Run reference = run(adam, 1);
    CHECK(reference.norms[0] == Approx(std::sqrt(many)).epsilon(0.02));  // so it was clipped
    for (const int count : {2, 3, 8}) {
      const Run other = run(adam, count);
      CHECK(same_bits(other.values, reference.values));
      CHECK(other.norms == reference.norms);
    }
  }
}

#if defined(__x86_64__)
namespace {

/// One step of Adam with a gradient g whose square is a subnormal number, and with epsilon = g. Exactly, the
/// step is g / (g + g) of the learning rate; with the second moment taken for 0 it is g / (0 + g).
double move_by_subnormal_moment() {
  const double tiny = 0x1p-520;
  const Tensor x = nn::parameter(Tensor::zeros({1}));
  nn::Adam adam({{"x", x}}, {.epsilon = tiny});
  sum(x * tiny).backward();
  adam.step({.learning_rate = 1});
  return -x.item();
}

/// The processor's mode of floating-point arithmetic, without the flags that it raises itself.
unsigned mode() { return _mm_getcsr() & ~0x3fU; }

}  // namespace

TEST_CASE("subnormal moments count as 0") { CHECK(move_by_subnormal_moment() == Approx(1).epsilon(1e-12)); }

TEST_CASE("an update restores every thread's mode of arithmetic") {
  const Threads guard(4);
  const auto modes = [] {  // of all threads: each takes blocks until there are none
    std::vector<unsigned> seen(64);
    parallel_for(64, 1, [&](Index begin, Index) {
      volatile double work = 1;
      for (int i = 0; i < 20'000; ++i) work = work * 1.0000001;
      seen[to_size(begin)] = mode();
    });
    return seen;
  };
  const std::vector<unsigned> before = modes();
  run(true, 4);
  run(false, 4);
  CHECK(modes() == before);
  volatile double least_normal = std::numeric_limits<double>::min();
  CHECK(least_normal / 2 > 0);

  // A caller who wants subnormal numbers flushed keeps that, too.
  constexpr unsigned flush_to_zero = 0x8000, denormals_are_zero = 0x0040;
  const unsigned ours = _mm_getcsr();
  for (const unsigned setting : {flush_to_zero, denormals_are_zero, flush_to_zero | denormals_are_zero}) {
    _mm_setcsr(ours | setting);
    const unsigned wanted = mode();
    run(true, 1);
    run(false, 1);
    const unsigned found = mode();
    _mm_setcsr(ours);
    CHECK(found == wanted);
  }
}
#endif

namespace {

/// A classifier of rows, with an embedding that may be its output matrix as well.
struct Classifier : nn::Module {
  explicit Classifier(bool tied) : random(1), embedding(9, 4, random), inner(4, 6, 0, random) {
    output = tied ? embedding.weight : nn::parameter(embedding.weight.clone());
    randomise(inner, 2);
  }
  Tensor loss(std::span<const std::int32_t> ids, std::span<const std::int32_t> targets, Index divide_by = 0) {
    return linear_cross_entropy(inner(embedding(ids)), output, targets,
                                {.label_smoothing = Real(0.1), .divide_by = divide_by});
  }
  void visit(nn::Visitor& visitor) override {
    visitor("embedding", embedding);
    visitor("inner", inner);
    visitor("output", output);
  }
  Random random;
  nn::Embedding embedding;
  nn::FeedForward inner;
  Tensor output;
};

using Ids = std::vector<std::int32_t>;
const Ids ids{3, 8, 1, 1, 0, 5, 3, 7, 2, 2, 6}, targets{1, 4, 4, 8, 0, 2, 7, 3, 3, 5, 6};

/// Leaves the gradients of the batch in the model, the batch coming in parts of these sizes.
void backward_in_parts(Classifier& model, const std::vector<std::size_t>& sizes, Index divide_by) {
  std::size_t first = 0;
  for (const std::size_t size : sizes) {
    model.loss(std::span(ids).subspan(first, size), std::span(targets).subspan(first, size), divide_by)
        .backward();
    first += size;
  }
  REQUIRE(first == ids.size());
}

std::vector<Tensor> gradients_in_parts(const std::vector<std::size_t>& sizes, Index divide_by) {
  Classifier model(true);
  const nn::FlatParameters flat(model.parameters());
  backward_in_parts(model, sizes, divide_by);
  std::vector<Tensor> result;
  for (const Tensor& tensor : tensors(model)) result.push_back(tensor.grad().clone());
  return result;
}

double largest_error(const std::vector<Tensor>& got, const std::vector<Tensor>& expected) {
  double largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) largest = std::max(largest, error(got[i], expected[i]));
  return largest;
}

}  // namespace

TEST_CASE("micro-batches divided by the whole step's targets give the gradient of one large batch") {
  const std::vector<Tensor> whole = gradients_in_parts({11}, 0);
  CHECK(largest_error(gradients_in_parts({5, 6}, 11), whole) < 1e-13);
  CHECK(largest_error(gradients_in_parts({1, 7, 3}, 11), whole) < 1e-13);
  CHECK(largest_error(gradients_in_parts({1, 7, 3}, 0), whole) > 0.1);  // each divided by its own
}

TEST_CASE("a tied weight's gradient is the sum of its uses") {
  Classifier tied(true), untied(false);
  CHECK(tied.parameters().size() + 1 == untied.parameters().size());
  const Tensor loss = tied.loss(ids, targets), same_loss = untied.loss(ids, targets);
  CHECK(loss.item() == same_loss.item());
  loss.backward();
  same_loss.backward();
  const Tensor as_input = untied.embedding.weight.grad(), as_output = untied.output.grad();
  CHECK(error(tied.embedding.weight.grad(), as_input + as_output) < 1e-14);
  CHECK(error(tied.embedding.weight.grad(), as_input) > 0.1);
  CHECK(error(tied.embedding.weight.grad(), as_output) > 0.1);
}
