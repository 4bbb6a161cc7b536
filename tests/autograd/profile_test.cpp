// The contents of a profile: which spans, how they nest, and which products they count.
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
    }
    count_flops(2);
  }
  count_flops(100);  // no span is open
  profile.stop();
  CHECK(only(profile, "outer", Span::Kind::other).flops == 3);
  CHECK(only(profile, "inner", Span::Kind::other).flops == 10);
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
