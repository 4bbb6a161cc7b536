// What a program adds to a training in a few lines: an optimiser of its own, and a limit in minutes.
#include <chrono>
#include <cmath>
#include <memory>

#include "nn/safetensors.h"
#include "tests/apps/training/small_training.h"
#include "tests/catch.h"

using namespace regard::translation;
using namespace regard::tests;
using regard::Index;
using regard::Real;

namespace {

/// Each parameter moves by the learning rate against the sign of its gradient (Bernstein et al. 2018).
class SignDescent : public regard::nn::Optimiser {
 public:
  using Optimiser::Optimiser;
  std::vector<regard::nn::NamedParameter> state() const override { return {}; }

 private:
  void update(double learning_rate, double) override {
    Real *const values = parameters_.values().data(), *const gradients = parameters_.gradients().data();
    for (Index i = 0; i < parameters_.size(); ++i) {
      if (gradients[i] != 0) values[i] -= std::copysign(static_cast<Real>(learning_rate), gradients[i]);
      gradients[i] = 0;
    }
  }
};

}  // namespace

TEST_CASE("an optimiser of one's own and a limit in minutes fit into a training", "[training]") {
  using Clock = std::chrono::steady_clock;
  SmallTraining small;
  small.settings.training.epochs = 4;
  TrainingOptions options = small.options();
  options.make_optimiser = [](const auto& parameters) { return std::make_unique<SignDescent>(parameters); };
  const TemporaryDirectory temporary;
  const auto train_for = [&](std::chrono::minutes limit, Recording& recording) {
    Training training = prepare_training(small.settings, temporary / "model", options);
    return run_training(training, recording, [end = Clock::now() + limit] { return Clock::now() >= end; });
  };
  Recording stopped, rest;
  CHECK_FALSE(train_for(std::chrono::minutes(0), stopped));
  REQUIRE(stopped.steps.size() == 1);
  auto initial = small.model();
  const auto state = regard::nn::load_safetensors(temporary / "model/state/1.safetensors");
  for (const auto& [name, tensor] : initial.parameters()) {
    const auto now = state.at("model." + name).values();
    for (std::size_t i = 0; i < now.size(); ++i) {
      const double moved = std::abs(static_cast<double>(now[i] - tensor.values()[i]));
      CHECK((moved == 0 || moved == Approx(small.settings.training.rate()).epsilon(1e-4)));
    }
  }
  CHECK(train_for(std::chrono::hours(24), rest));
  CHECK(rest.steps.front().step == 2);
  CHECK(rest.validations.back().validation.evaluation.loss <
        rest.validations.front().validation.evaluation.loss);
}
