// The contents of a profile: which spans, how they nest, and how much work they count.
#include "autograd/profile.h"

#include <cstring>
#include <thread>

#include "autograd/autograd.h"
#include "tests/autograd/support.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::tests;

namespace {

using Event = Profile::Event;

/// All events of one name and kind.
std::vector<Event> find(const Profile& profile, const char* name, Span::Kind kind) {
  std::vector<Event> found;
  for (const Event& event : profile.events())
    if (std::strcmp(event.name, name) == 0 && event.kind == kind) found.push_back(event);
  return found;
}

Event only(const Profile& profile, const char* name, Span::Kind kind) {
  const std::vector<Event> found = find(profile, name, kind);
  REQUIRE(found.size() == 1);
  return found.front();
}

/// Forward and backward of a function of these leaves.
template <class Function>
void differentiate(const Function& function, const std::vector<Tensor>& inputs) {
  const Tensor y = function(inputs);
  backward(y, {.cotangent = normal(y.shape(), 9)});
}

}  // namespace

TEST_CASE("a linear layer computes 2 m n k forward and twice that backward") {
  constexpr Index rows = 5, in = 7, out = 3;
  std::vector<Tensor> inputs = leaves({normal({rows, in}, 1), normal({out, in}, 2), normal({out}, 3)});
  const auto function = [](const std::vector<Tensor>& x) { return linear(x[0], x[1], x[2]); };
  Profile profile;
  differentiate(function, inputs);
  profile.stop();
  const Event forward = only(profile, "linear", Span::Kind::forward);
  const Event backward = only(profile, "linear", Span::Kind::backward);
  CHECK(forward.flops == 2 * 5 * 7 * 3);
  CHECK(backward.flops == 4 * 5 * 7 * 3);
  const double x = 5 * 7, weight = 3 * 7, bias = 3, y = 5 * 3;
  CHECK(forward.bytes == sizeof(Real) * (x + weight + bias + y));
  CHECK(backward.bytes == sizeof(Real) * (y + 2 * (x + weight + bias)));
}

TEST_CASE("a gradient that is not needed costs nothing") {
  const Tensor x = normal({5, 7}, 1), weight = leaves({normal({3, 7}, 2)}).front();
  Profile profile;
  differentiate([&](const std::vector<Tensor>& w) { return linear(x, w[0], {}); }, {weight});
  profile.stop();
  CHECK(only(profile, "linear", Span::Kind::backward).flops == 2 * 5 * 7 * 3);
}

TEST_CASE("linear with ReLU, matmul and linear cross-entropy count their products") {
  Profile profile;
  differentiate([](const std::vector<Tensor>& x) { return linear_relu(x[0], x[1], x[2], {}); },
                leaves({normal({5, 7}, 1), normal({3, 7}, 2), normal({3}, 3)}));
  differentiate([](const std::vector<Tensor>& x) { return matmul(x[0], x[1]); },
                leaves({normal({4, 5, 7}, 1), normal({4, 7, 3}, 2)}));
  const std::vector<std::int32_t> targets{0, 5, 2, 1, 4};
  differentiate([&](const std::vector<Tensor>& x) { return linear_cross_entropy(x[0], x[1], targets, {}); },
                leaves({normal({5, 7}, 1), normal({6, 7}, 2)}));
  profile.stop();
  CHECK(only(profile, "linear_relu", Span::Kind::forward).flops == 2 * 5 * 7 * 3);
  CHECK(only(profile, "linear_relu", Span::Kind::backward).flops == 4 * 5 * 7 * 3);
  CHECK(only(profile, "matmul", Span::Kind::forward).flops == 4 * 2 * 5 * 7 * 3);
  CHECK(only(profile, "matmul", Span::Kind::backward).flops == 4 * 4 * 5 * 7 * 3);
  // The logits and both gradients in the forward; the backward only scales.
  CHECK(only(profile, "linear_cross_entropy", Span::Kind::forward).flops == 3 * 2 * 5 * 7 * 6);
  CHECK(only(profile, "linear_cross_entropy", Span::Kind::backward).flops == 0);
}

TEST_CASE("attention counts the pairs that its blocks multiply") {
  // Sentences of 3 and of 70 tokens: 64 queries at a time, so the second has blocks of 64 and 6.
  const std::vector<Index> lengths{3, 70};
  const auto profiled = [&](bool causal, Index heads) {
    Profile profile;
    differentiate(
        [&](const std::vector<Tensor>& x) {
          return attention(x[0], x[1], x[2], self_segments(lengths), {.heads = heads, .causal = causal});
        },
        leaves({normal({73, 8}, 1), normal({73, 8}, 2), normal({73, 8}, 3)}));
    profile.stop();
    return std::pair(only(profile, "attention", Span::Kind::forward),
                     only(profile, "attention", Span::Kind::backward));
  };
  const auto [forward, backward] = profiled(false, 2);
  // Forward Q K^T and P V; backward Q K^T again, dO V^T, dV, dQ and dK.
  const double all_pairs = 3 * 3 + 70 * 70;
  CHECK(forward.flops == 2 * 2 * all_pairs * 8);
  CHECK(backward.flops == 5 * 2 * all_pairs * 8);
  CHECK(forward.bytes == sizeof(Real) * 4 * 73 * 8);
  CHECK(backward.bytes == sizeof(Real) * 7 * 73 * 8);

  // The last query of the block of 64 sees 64 keys, and the last query of the block of 6 sees all 70.
  const auto [causal_forward, causal_backward] = profiled(true, 2);
  const double causal_pairs = 3 * 3 + 64 * 64 + 6 * 70;
  CHECK(causal_forward.flops == 2 * 2 * causal_pairs * 8);
  CHECK(causal_backward.flops == 5 * 2 * causal_pairs * 8);
  CHECK(causal_forward.flops < forward.flops);

  // Heads divide the width; the products are smaller and more.
  CHECK(profiled(true, 4).first.flops == causal_forward.flops);
}

TEST_CASE("queries that see nothing cost nothing") {
  const Tensor x = normal({4, 8}, 1);
  Profile profile;
  attention(x, x, x, {{0, 2, 0, 0}, {2, 4, 0, 3}}, {.heads = 2});
  profile.stop();
  CHECK(only(profile, "attention", Span::Kind::forward).flops == 2 * 2 * (2 * 3) * 8);
}

TEST_CASE("a matrix that comes in twice is read once, and a view moves nothing") {
  const Tensor x = normal({4, 24}, 1);
  Profile profile;
  const Tensor y = attention(ColumnSlice(x, 0, 8), ColumnSlice(x, 8, 8), ColumnSlice(x, 16, 8),
                             self_segments({4}), {.heads = 2});
  reshape(x, {96});
  slice(x, 0, 1, 3);
  multiply(x, x);
  profile.stop();
  CHECK(only(profile, "attention", Span::Kind::forward).bytes == sizeof(Real) * 4 * (24 + 8));
  CHECK(only(profile, "reshape", Span::Kind::forward).bytes == 0);
  CHECK(only(profile, "slice", Span::Kind::forward).bytes == 0);
  CHECK(only(profile, "multiply", Span::Kind::forward).bytes == sizeof(Real) * 2 * 4 * 24);
}

TEST_CASE("an embedding reads the rows that occur, not the vocabulary") {
  const std::vector<std::int32_t> ids{3, 1, 3};
  Profile profile;
  embedding(normal({1000, 8}, 1), ids, 1);
  profile.stop();
  CHECK(only(profile, "embedding", Span::Kind::forward).bytes == sizeof(Real) * 2 * 3 * 8);
}

TEST_CASE("spans nest, and their own times add up to the outermost") {
  Profile profile;
  {
    const Span step("step", Span::Kind::region);
    differentiate([](const std::vector<Tensor>& x) { return softmax(linear(x[0], x[1], {})); },
                  leaves({normal({50, 70}, 1), normal({30, 70}, 2)}));
  }
  profile.stop();
  const std::vector<Event>& events = profile.events();
  // step > linear, softmax, backward() > softmax, linear
  REQUIRE(events.size() == 6);
  CHECK(std::string(events[0].name) == "step");
  CHECK(std::string(events[3].name) == "backward()");
  Index own = 0;
  for (const Event& event : events) {
    CHECK(event.self >= 0);
    CHECK(event.self <= event.end - event.begin);
    CHECK(event.begin >= events[0].begin);
    CHECK(event.end <= events[0].end);
    own += event.self;
  }
  CHECK(own == events[0].end - events[0].begin);
  CHECK(events[0].end <= profile.duration());
  CHECK(events[2].end <= events[3].begin);
  for (std::size_t inner : {4, 5}) {
    CHECK(events[inner].kind == Span::Kind::backward);
    CHECK(events[inner].begin >= events[3].begin);
    CHECK(events[inner].end <= events[3].end);
  }
  CHECK(events[3].self == (events[3].end - events[3].begin) - (events[4].end - events[4].begin) -
                              (events[5].end - events[5].begin));
}

TEST_CASE("counts go to the innermost span") {
  Profile profile;
  {
    const Span outer("outer", Span::Kind::other);
    count_flops(1);
    {
      const Span inner("inner", Span::Kind::other);
      count_flops(10);
      count_bytes(20);
    }
    count_flops(2);
  }
  count_flops(100);  // no span is open
  profile.stop();
  CHECK(only(profile, "outer", Span::Kind::other).flops == 3);
  CHECK(only(profile, "outer", Span::Kind::other).bytes == 0);
  CHECK(only(profile, "inner", Span::Kind::other).flops == 10);
  CHECK(only(profile, "inner", Span::Kind::other).bytes == 20);
}

TEST_CASE("a profile collects while it exists, on its thread, and no longer") {
  const Tensor x = normal({2, 2}, 1);
  CHECK_FALSE(profiling());
  softmax(x);
  count_flops(1);
  Profile first;
  CHECK(profiling());
  std::thread([&] { softmax(x); }).join();
  CHECK(first.events().empty());
  softmax(x);
  first.stop();
  CHECK_FALSE(profiling());
  log_softmax(x);
  CHECK(first.events().size() == 1);

  Profile second;
  CHECK(second.events().empty());
  {
    Profile within;  // takes over, and gives back
    softmax(x);
    CHECK(within.events().size() == 1);
  }
  log_softmax(x);
  second.stop();
  REQUIRE(second.events().size() == 1);
  CHECK(std::string(second.events().front().name) == "log_softmax");
  CHECK(first.events().size() == 1);
}

TEST_CASE("a span that an error ends is closed") {
  Profile profile;
  CHECK_THROWS_AS(softmax(Tensor::scalar(1)), Error);
  softmax(normal({2, 2}, 1));
  profile.stop();
  REQUIRE(profile.events().size() == 2);
  CHECK(profile.events()[0].end <= profile.events()[1].begin);
}

TEST_CASE("a profile that stops within a span ends it") {
  Profile profile;
  const Span span("open", Span::Kind::other);
  profile.stop();
  REQUIRE(profile.events().size() == 1);
  CHECK(profile.events()[0].self == profile.events()[0].end - profile.events()[0].begin);
  CHECK(profile.events()[0].end <= profile.duration());
}
