// The learning rate at steps where it can be computed by hand.
#include <cmath>

#include "nn/optimisers.h"
#include "tests/catch.h"

using namespace regard;
using nn::learning_rate;
using nn::Schedule;

TEST_CASE("each schedule at steps where it can be computed by hand") {
  struct Row {
    nn::ScheduleSettings settings;
    std::vector<std::pair<Index, double>> rates;  ///< of steps
  };
  const std::vector<Row> rows{
      // 1/sqrt(d_model) min(1/sqrt(step), step / warmup^1.5), with factor / sqrt(d_model) = 1, warmup^1.5 =
      // 1000
      {{.schedule = Schedule::noam, .learning_rate = 2, .warmup_steps = 100, .d_model = 4},
       {{1, 0.001}, {50, 0.05}, {100, 0.1}, {101, 1 / std::sqrt(101)}, {400, 0.05}}},
      // Noam is the default, with the constants of the paper: 512^-0.5 = 0.04419417382, 4000^-1.5 =
      // 3.952847075e-6, 4000^-0.5 = 0.01581138830.
      {{}, {{1, 1.746928107e-7}, {4000, 6.987712429e-4}, {16000, 3.493856214e-4}}},
      // up to the peak, then down as 1/sqrt(step)
      {{.schedule = Schedule::inverse_sqrt, .learning_rate = 0.01, .warmup_steps = 100, .d_model = 7},
       {{1, 0.0001}, {50, 0.005}, {100, 0.01}, {400, 0.005}, {10000, 0.001}}},
      // up to the peak, then half a cosine down to the last step, and there it stays; cos(pi / 4) =
      // 0.70710678
      // after a quarter of the way, 0 after half of it
      {{.schedule = Schedule::cosine,
        .learning_rate = 0.01,
        .warmup_steps = 100,
        .d_model = 7,
        .steps = 500,
        .minimum = 0.002},
       {{1, 0.0001},
        {100, 0.01},
        {200, 0.002 + 0.004 * 1.7071067811865476},
        {300, 0.006},
        {500, 0.002},
        {600, 0.002}}},
      // up to the peak, then the peak times the reductions, but not below the minimum
      {{.schedule = Schedule::plateau, .learning_rate = 0.01, .warmup_steps = 100, .reduction = 0.25},
       {{1, 0.0001}, {50, 0.005}, {100, 0.0025}, {10000, 0.0025}}},
      {{.schedule = Schedule::plateau,
        .learning_rate = 0.01,
        .warmup_steps = 100,
        .reduction = 0.25,
        .minimum = 0.004},
       {{1, 0.0001}, {99, 0.0099}, {100, 0.004}, {10000, 0.004}}},
      {{.schedule = Schedule::constant, .learning_rate = 0.003, .warmup_steps = 100, .d_model = 7},
       {{1, 0.003}, {100, 0.003}, {100000, 0.003}}}};
  for (const Row& row : rows)
    for (const auto& [step, rate] : row.rates) {
      INFO("schedule " << static_cast<int>(row.settings.schedule) << ", step " << step);
      CHECK(learning_rate(row.settings, step) == Approx(rate).epsilon(1e-9));
    }
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
