// A training with scheduled sampling: the share in each step, and the promises of every training.
#include "autograd/machine/parallel.h"
#include "tests/apps/training/varied_trainings.h"
#include "tests/catch.h"

using namespace regard::translation;
using namespace regard::tests;
using regard::Index;

namespace {

std::vector<double> losses(const SmallTraining& training) {
  std::vector<double> result;
  for (const StepReport& step : Trained(training).steps) result.push_back(step.window.loss);
  return result;
}

std::string weights_after(const SmallTraining& training) {
  return content(Trained(training).directory.weights());
}

}  // namespace

TEST_CASE("scheduled sampling changes a training from its first step, and rises to its share", "[recipe]") {
  const std::vector<double> off = losses(sampled_training(0)), on = losses(sampled_training(0.9)),
                            rising = losses(sampled_training(0.9, 1'000'000'000)),
                            fast = losses(sampled_training(0.9, 2));
  REQUIRE(off.size() > 8);
  CHECK(on.front() != off.front());
  // So small a share replaces nothing, and the first pass leaves no trace.
  CHECK(rising == off);
  // The share of step 1 is 0.45. From step 2 on it is 0.9, and the weights have gone another way.
  CHECK(fast.front() != off.front());
  CHECK(fast.front() != on.front());
  CHECK(losses(sampled_training(0.45)).front() == fast.front());
}

TEST_CASE("with scheduled sampling, a training is resumed to the same bits", "[resume]") {
  const SmallTraining training = sampled_training(0.5, 8);
  const TemporaryDirectory temporary;
  const ModelDirectory undisturbed(temporary / "undisturbed");
  train(training, undisturbed);
  for (const Index stop : {1, 5, 12}) {
    const ModelDirectory directory(temporary / std::to_string(stop));
    train(training, directory, stop);
    CHECK(train(training, directory) == stop);
    CHECK(results(directory) == results(undisturbed));
  }
}

TEST_CASE("with scheduled sampling, a training has the same bits on any number of threads", "[recipe]") {
  const int before = regard::threads();
  regard::set_threads(1);
  const std::string one = weights_after(sampled_training(0.5, 4));
  regard::set_threads(3);
  CHECK(weights_after(sampled_training(0.5, 4)) == one);
  regard::set_threads(before);
  CHECK(weights_after(sampled_training(0)) != one);
}
