// A training that fits the evening: a limit in minutes, weight decay, a learning rate that follows the
// validations, files of a corpus that come more or less often.
#include <algorithm>
#include <cmath>

#include "nn/safetensors.h"
#include "tests/apps/training/varied_trainings.h"
#include "tests/catch.h"

using namespace regard::translation;
using namespace regard::tests;
using regard::Index;
using regard::Real;

namespace {

/// Checks that a training which is stopped after some steps ends as one that was not.
void check_resumed(const SmallTraining& training) {
  const TemporaryDirectory temporary;
  const ModelDirectory undisturbed(temporary / "undisturbed");
  train(training, undisturbed);
  for (const Index stop : {1, 7, 12, 17}) {
    CAPTURE(stop);
    const ModelDirectory directory(temporary / std::to_string(stop));
    train(training, directory, stop);
    CHECK(train(training, directory) == stop);
    CHECK(results(directory) == results(undisturbed));
  }
}

}  // namespace

TEST_CASE("a limit in minutes ends a training, and a higher one continues it to the same bits", "[evening]") {
  SmallTraining training = eventful_training();
  const TemporaryDirectory temporary;
  const ModelDirectory undisturbed(temporary / "undisturbed"), limited(temporary / "limited");
  train(training, undisturbed);
  training.settings.training.minutes = 1e-9;
  Training run = start(training, limited);
  CHECK(run_until(run));
  CHECK(run.progress.step == 1);
  CHECK(finished(run));
  CHECK(run.progress.validated_step == 1);  // as at the end of every training
  CHECK(limited.has_weights());
  run.directory = ModelDirectory(temporary / "elsewhere");  // unlocks
  CHECK(train(training, limited) == 1);  // the time of the first run counts, so no step is left
  CHECK(limited.states.steps().front() == 1);
  training.settings.training.minutes = 1e6;
  CHECK(train(training, limited) == 1);
  CHECK(limited.states.steps() == undisturbed.states.steps());
  const auto weights = [](const ModelDirectory& directory) {
    return regard::nn::load_safetensors(directory.states.file(directory.states.steps().front()));
  };
  const auto one = weights(undisturbed), other = weights(limited);
  for (const auto& [name, tensor] : one) CHECK(std::ranges::equal(tensor.values(), other.at(name).values()));
}

TEST_CASE("weight decay shrinks matrices before the update, and nothing else", "[evening]") {
  SmallTraining training;
  training.settings.training.steps = 1;
  const auto weights = [&] {
    const Trained trained(training);
    return regard::nn::load_safetensors(trained.directory.weights());
  };
  auto initial = training.model();
  const auto plain = weights();
  training.settings.training.weight_decay = 2;
  const auto decayed = weights();
  const double lost = training.settings.training.rate() * 2;
  std::size_t vectors = 0, matrices = 0;
  for (const auto& [name, tensor] : initial.parameters()) {
    CAPTURE(name);
    const auto begun = tensor.values(), one = plain.at(name).values(), other = decayed.at(name).values();
    if (tensor.rank() == 1) {
      ++vectors;
      CHECK(std::ranges::equal(one, other));
      CHECK((name.ends_with("bias") || name.find("norm") != name.npos));
      continue;
    }
    ++matrices;
    for (std::size_t i = 0; i < begun.size(); ++i)
      CHECK(other[i] == Approx(one[i] - lost * begun[i]).margin(1e-6));
  }
  CHECK(vectors > 5);
  CHECK(matrices > 5);
}

TEST_CASE("the learning rate falls with each plateau, and stays while validations improve", "[evening]") {
  SmallTraining training = on_a_plateau();
  training.settings.validation.metric = ValidationMetric::loss;
  training.settings.validation.every_steps = 5;
  const Trained improves(training);
  CHECK(improves.steps[0].learning_rate == Approx(0.005));
  bool improved = true;
  for (const ValidationReport& report : improves.validations)
    improved = improved && (report.best || report.averaged > 0);
  REQUIRE(improved);
  CHECK(improves.steps.back().learning_rate == Approx(0.01));

  training.settings.training.learning_rate = 1e-12;  // so that no score improves
  training.settings.validation.metric = ValidationMetric::exact_match;
  const Trained stays(training);
  for (const StepReport& report : stays.steps) {
    if (report.step < 2) continue;
    const Index validations = (report.step - 1) / 5;  // the first is the best
    CHECK(report.learning_rate == Approx(1e-12 * std::pow(0.5, std::max<Index>(validations - 1, 0))));
  }
  CHECK(stays.progress.rate_reductions > 2);
}

TEST_CASE("with a plateau, a training is resumed to the same bits", "[evening]") {
  const SmallTraining training = worse_on_a_plateau();
  CHECK(Trained(training).progress.rate_reductions > 1);
  check_resumed(training);
}

TEST_CASE("with a mixture of files, a training is resumed to the same bits", "[evening]") {
  const SmallTraining training = mixed_training();
  check_resumed(training);
  SmallTraining of_files = training;
  of_files.settings.data.shares = {2};
  CHECK_ERROR(Trained(of_files), "are for files, but the data are in memory");
  SmallTraining once = training;
  once.data.mixture.clear();
  CHECK(content(Trained(once).directory.weights()) != content(Trained(training).directory.weights()));
}

TEST_CASE("an epoch with a mixture has the pairs and the tokens of its files as often as they want",
          "[evening]") {
  SmallTraining training = mixed_training();
  training.data.mixture[0].share = 2;
  training.data.mixture[1].share = 1;
  training.settings.training.accumulate = 1;
  training.settings.training.epochs = 1;
  training.settings.training.log_every = 1;
  const Trained trained(training);
  Index tokens = 0;
  for (std::size_t i = 0; i < 60; ++i)
    for (Index time = 0; time < (i < 20 ? 2 : 1); ++time)
      tokens += regard::to_index(training.data.training.source[i].size() +
                                 training.data.training.target[i].size()) +
                2;
  CHECK(trained.progress.tokens == tokens);
}
