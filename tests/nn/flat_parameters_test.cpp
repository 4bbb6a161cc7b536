// Parameters side by side in one buffer: handles stay valid, and no number of threads changes a bit.
#include <algorithm>
#include <memory>

#include "nn/layers.h"
#include "nn/module.h"
#include "nn/optimisers.h"
#include "tests/catch.h"
#include "tests/nn/support.h"
#if defined(__x86_64__)
#include <xmmintrin.h>

#include "autograd/error.h"
#endif

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
