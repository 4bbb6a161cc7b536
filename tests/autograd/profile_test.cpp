// The contents of a profile: which spans, how they nest, and which products they count.
#include "autograd/machine/profile.h"

#include <cstring>
#include <functional>
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

TEST_CASE("each operation counts its products, forward and backward") {
  using Function = std::function<Tensor(const std::vector<Tensor>&)>;
  const std::vector<std::int32_t> targets{0, 5, 2, 1, 4};
  const Tensor x = normal({5, 7}, 1), weight = normal({3, 7}, 2), bias = normal({3}, 3);
  struct Row {
    const char* name;
    std::vector<Tensor> inputs;
    Function function;
    Index forward, backward;
  };
  const std::vector<Row> rows{
      {"linear", {x, weight, bias}, [](const auto& in) { return linear(in[0], in[1], in[2]); }, 210, 420},
      {"linear", {weight}, [&](const auto& in) { return linear(x, in[0], {}); }, 210, 210},  // x needs none
      {"linear",
       {bias},
       [&](const auto& in) { return linear(x, weight, in[0]); },
       210,
       0},  // nor does weight
      {"linear_relu",
       {x, weight, bias},
       [](const auto& in) { return linear_relu(in[0], in[1], in[2], {}); },
       210,
       420},
      {"matmul",
       {normal({4, 5, 7}, 1), normal({4, 7, 3}, 2)},
       [](const auto& in) { return matmul(in[0], in[1]); },
       840,
       1680},
      // The logits and both gradients in the forward; the backward only scales.
      {"linear_cross_entropy",
       {x, normal({6, 7}, 2)},
       [&](const auto& in) { return linear_cross_entropy(in[0], in[1], targets, {}); },
       3 * 420,
       0}};
  for (const Row& row : rows) {
    Profile profile;
    differentiate(row.function, leaves(row.inputs));
    profile.stop();
    INFO(row.name);
    CHECK(only(profile, row.name, Span::Kind::forward).flops == row.forward);  // 2 m n k each
    CHECK(only(profile, row.name, Span::Kind::backward).flops == row.backward);
  }
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
