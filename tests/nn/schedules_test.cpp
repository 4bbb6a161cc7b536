// The learning rate at steps where it can be computed by hand.
#include "nn/optimisers.h"
#include "tests/catch.h"

using namespace regard;
using nn::learning_rate;
using nn::Schedule;

TEST_CASE("noam: 1/sqrt(d_model) min(1/sqrt(step), step / warmup^1.5)") {
  // factor / sqrt(d_model) = 1, warmup^1.5 = 1000.
  const nn::ScheduleSettings settings{
      .schedule = Schedule::noam, .learning_rate = 2, .warmup_steps = 100, .d_model = 4};
  CHECK(learning_rate(settings, 1) == Approx(0.001).epsilon(1e-12));
  CHECK(learning_rate(settings, 50) == Approx(0.05).epsilon(1e-12));
  CHECK(learning_rate(settings, 100) == Approx(0.1).epsilon(1e-12));
  CHECK(learning_rate(settings, 101) < 0.1);
  CHECK(learning_rate(settings, 400) == Approx(0.05).epsilon(1e-12));
}

TEST_CASE("noam is the default, with the constants of the paper") {
  // 512^-0.5 = 0.04419417382, 4000^-1.5 = 3.952847075e-6, 4000^-0.5 = 0.01581138830.
  CHECK(learning_rate({}, 1) == Approx(1.746928107e-7).epsilon(1e-9));
  CHECK(learning_rate({}, 4000) == Approx(6.987712429e-4).epsilon(1e-9));
  CHECK(learning_rate({}, 16000) == Approx(3.493856214e-4).epsilon(1e-9));
}

TEST_CASE("inverse square root: up to the peak, then down as 1/sqrt(step)") {
  const nn::ScheduleSettings settings{
      .schedule = Schedule::inverse_sqrt, .learning_rate = 0.01, .warmup_steps = 100, .d_model = 7};
  CHECK(learning_rate(settings, 1) == Approx(0.0001).epsilon(1e-12));
  CHECK(learning_rate(settings, 50) == Approx(0.005).epsilon(1e-12));
  CHECK(learning_rate(settings, 100) == Approx(0.01).epsilon(1e-12));
  CHECK(learning_rate(settings, 400) == Approx(0.005).epsilon(1e-12));
  CHECK(learning_rate(settings, 10000) == Approx(0.001).epsilon(1e-12));
}

TEST_CASE("cosine: up to the peak, then half a cosine down to the last step") {
  const nn::ScheduleSettings settings{.schedule = Schedule::cosine,
                                      .learning_rate = 0.01,
                                      .warmup_steps = 100,
                                      .d_model = 7,
                                      .steps = 500,
                                      .minimum = 0.002};
  CHECK(learning_rate(settings, 1) == Approx(0.0001).epsilon(1e-12));
  CHECK(learning_rate(settings, 100) == Approx(0.01).epsilon(1e-12));
  // cos(pi / 4) = 0.7071067811865476 after a quarter of the way, 0 after half of it.
  CHECK(learning_rate(settings, 200) == Approx(0.002 + 0.004 * 1.7071067811865476).epsilon(1e-12));
  CHECK(learning_rate(settings, 300) == Approx(0.006).epsilon(1e-12));
  CHECK(learning_rate(settings, 500) == Approx(0.002).epsilon(1e-12));
  CHECK(learning_rate(settings, 600) == Approx(0.002).epsilon(1e-12));  // and stays there
}

TEST_CASE("settings that make no schedule are refused") {
  CHECK_THAT(MESSAGE_OF(learning_rate({.schedule = Schedule::inverse_sqrt, .warmup_steps = 0}, 1)),
             ContainsSubstring("inverse_sqrt with warmup_steps 0") && ContainsSubstring("at least 1"));
  CHECK_THAT(MESSAGE_OF(learning_rate({.schedule = Schedule::cosine, .warmup_steps = 100}, 1)),
             ContainsSubstring("cosine with warmup_steps 100 and steps 0") &&
                 ContainsSubstring("more steps than warm-up"));
  CHECK_ERROR(learning_rate({.schedule = Schedule::cosine, .warmup_steps = 100, .steps = 100}, 1),
              "cosine with warmup_steps 100 and steps 100");
  CHECK(learning_rate({.schedule = Schedule::cosine, .warmup_steps = 0, .steps = 1}, 1) ==
        Approx(0).margin(1e-15));
}

TEST_CASE("constant: the same at every step") {
  const nn::ScheduleSettings settings{
      .schedule = Schedule::constant, .learning_rate = 0.003, .warmup_steps = 100, .d_model = 7};
  for (const Index step : {1, 100, 100000}) CHECK(learning_rate(settings, step) == 0.003);
}
