// An optimiser that a program adds to a training in a few lines (apps/examples/lion.h).
#include <cmath>
#include <memory>

#include "apps/examples/lion.h"
#include "tests/apps/training/small_training.h"
#include "tests/catch.h"

using namespace regard::translation;
using namespace regard::tests;
using regard::Real;
using regard::Tensor;

namespace {

/// Lion without a state: what a resumed training does not get back.
class Forgetful : public Lion {
 public:
  using Lion::Lion;
  std::vector<regard::nn::NamedParameter> state() const override { return {}; }
};

/// Trains a small model with this optimiser until a step or (-1) until the end, from where the directory is.
template <class Own>
regard::Index train_with(const ModelDirectory& directory, regard::Index until = -1) {
  SmallTraining small;
  small.settings.training.learning_rate = 0.003;
  small.settings.training.epochs = 4;
  TrainingOptions options = small.options();
  options.make_optimiser = [](const auto& parameters) { return std::make_unique<Own>(parameters); };
  Training training = prepare_training(small.settings, directory.path(), options);
  const regard::Index begin = training.progress.step;
  run_until(training, until);
  return begin;
}

}  // namespace

TEST_CASE("Lion: three steps by hand", "[training]") {
  // Gradients 2, -1, -1, at first without momentum. beta1 m + (1 - beta1) g, and m after it:
  //   0.2                      0.02
  //   0.018 - 0.1 < 0          0.0198 - 0.01 = 0.0098
  //   0.00882 - 0.1 < 0
  const Tensor x = regard::nn::parameter(Tensor::from({1}, {Real{5}}));
  Lion lion({{"x", x}});
  for (const auto& [gradient, value] : {std::pair{2., 4.9}, {-1., 5.}, {-1., 5.1}}) {
    sum(x * static_cast<Real>(gradient)).backward();
    lion.step({.learning_rate = 0.1});
    CHECK(static_cast<double>(x.item()) == Approx(value).epsilon(1e-6));
  }
  CHECK(static_cast<double>(lion.state().front().tensor.values()[0]) ==
        Approx(0.0098 * 0.99 - 0.01).epsilon(1e-5));
}

TEST_CASE("a training with an optimiser of one's own learns, and is resumed to the same bits", "[training]") {
  const TemporaryDirectory temporary;
  const ModelDirectory undisturbed(temporary / "undisturbed");
  train_with<Lion>(undisturbed);
  const auto files = results(undisturbed);
  for (const regard::Index stop : {1, 9, 20}) {
    const ModelDirectory directory(temporary / std::to_string(stop));
    train_with<Lion>(directory, stop);
    CHECK(train_with<Lion>(directory) == stop);
    CHECK(results(directory) == files);
  }
  // The control: without its momentum it goes another way.
  const ModelDirectory forgetful(temporary / "forgetful");
  train_with<Forgetful>(forgetful, 9);
  train_with<Forgetful>(forgetful);
  CHECK(results(forgetful).at("weights.safetensors") != files.at("weights.safetensors"));
  // regard's own optimiser has another state.
  SmallTraining small;
  small.settings.training.learning_rate = 0.003;
  small.settings.training.epochs = 4;
  CHECK_ERROR(start(small, undisturbed), "optimiser.exp_avg");
}
