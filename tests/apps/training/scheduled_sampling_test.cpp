// A training with scheduled sampling: the share in each step, and the promises of every training.
#include "autograd/machine/parallel.h"
#include "tests/apps/processes/threads_as_processes.h"
#include "tests/apps/training/small_training.h"
#include "tests/catch.h"

using namespace regard::translation;
using namespace regard::tests;
using regard::Index;

namespace {

SmallTraining sampled_training(double share, Index steps = 0) {
  SmallTraining training = eventful_training();
  training.settings.training.epochs = 2;
  training.settings.training.log_every = 1;
  training.settings.training.scheduled_sampling = share;
  training.settings.training.scheduled_sampling_steps = steps;
  return training;
}

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

TEST_CASE("with scheduled sampling, a training has the same bits on any number of processes", "[processes]") {
  SmallTraining training = sampled_training(0.5, 4);
  training.settings.training.shards = 3;
  const TemporaryDirectory temporary;
  std::vector<std::string> weights;
  for (const Index count : {1, 2, 3}) {
    const ModelDirectory directory(temporary / std::to_string(count));
    const auto errors = run_processes(count, [&](Processes& processes) {
      TrainingOptions options = training.options();
      options.processes = &processes;
      Training run = prepare_training(training.settings, directory.path(), options);
      run_until(run);
    });
    for (const std::string& error : errors) CHECK(error.empty());
    weights.push_back(content(directory.weights()));
  }
  CHECK(weights[1] == weights[0]);
  CHECK(weights[2] == weights[0]);
}
