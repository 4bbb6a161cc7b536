#include "apps/experiments/measures/maps.h"

#include <cmath>

#include "autograd/graph.h"
#include "autograd/machine/random.h"
#include "autograd/ops.h"
#include "tests/apps/support.h"

using namespace regard;
using namespace regard::experiments;

namespace {

/// The maps of one attention of width 4 with two heads, and a parameter that is none.
struct Maps {
  Random random{1};
  Tensor weight = Tensor::normal({12, 4}, 0, 1, random), bias = Tensor::normal({12}, 0, 1, random),
         other = Tensor::normal({4, 4}, 0, 1, random);
  std::vector<nn::NamedParameter> parameters;
  std::unique_ptr<nn::Optimiser> optimiser;

  explicit Maps(const std::string& maps) {
    for (const auto& [name, tensor] :
         {std::pair("self_attn.in_proj_weight", weight), std::pair("self_attn.in_proj_bias", bias),
          std::pair("linear1.weight", other)}) {
      Tensor(tensor).set_requires_grad();
      parameters.push_back({name, tensor});
    }
    translation::Settings settings;
    settings.model.config.d_model = 4;
    settings.model.config.heads = 2;
    optimiser = optimiser_for(maps, settings)(parameters);
  }
  void step() {
    (sum(weight * weight) + sum(bias * bias) + sum(other * other)).backward();
    optimiser->step({.learning_rate = 0.1});
  }
};

}  // namespace

TEST_CASE("a training can keep W_K and W_V at the identity", "[experiments]") {
  const Maps before("small queries");
  Maps maps("identity");
  for (int steps = 0; steps < 3; ++steps, maps.step()) {
    CAPTURE(steps);
    for (Index row = 4; row < 12; ++row) {
      CHECK(maps.bias.at({row}) == 0);
      for (Index column = 0; column < 4; ++column)
        CHECK(maps.weight.at({row, column}) == (row % 4 == column ? 1 : 0));
    }
    // W_Q and other parameters learn.
    CHECK((maps.other.at({0, 0}) == before.other.at({0, 0})) == (steps == 0));
    CHECK((maps.bias.at({0}) == before.bias.at({0})) == (steps == 0));
  }
}

TEST_CASE("maps that a training does not change are no parameters of it", "[experiments]") {
  const Maps maps("identity");
  CHECK(fixed_parameters("identity", maps.parameters) == 2 * (16 + 4));
  CHECK(fixed_parameters("small queries", maps.parameters) == 0);
}

TEST_CASE("a training can begin with queries that are smaller by the root of d_k", "[experiments]") {
  Maps maps("small queries"), same("identity");
  for (Index column = 0; column < 4; ++column)
    CHECK(maps.weight.at({3, column}) == Approx(same.weight.at({3, column}) / std::sqrt(2.0)));
  CHECK(maps.weight.at({4, 0}) != same.weight.at({4, 0}));
  const Real before = maps.weight.at({4, 1});
  maps.step();
  CHECK(maps.weight.at({4, 1}) != before);  // W_K learns
  CHECK_FALSE(optimiser_for("", {}));
}
