// A multilayer perceptron tells two half circles apart ("two moons").
#include <cmath>
#include <iostream>
#include <numbers>

#include "transformer/transformer.h"

using namespace regard;

struct Perceptron : nn::Module {
  explicit Perceptron(Random& random) {
    layers.emplace_back(2, 16, random);
    layers.emplace_back(16, 16, random);
    layers.emplace_back(16, 2, random);
  }
  Tensor operator()(const Tensor& points) const {
    Tensor x = tanh(layers[0](points));
    for (std::size_t i = 1; i + 1 < layers.size(); ++i) x = tanh(layers[i](x));
    return layers.back()(x);  // logits[points, 2]
  }
  void visit(nn::Visitor& visitor) override { visitor("layers", layers); }

  std::vector<nn::Linear> layers;
};

int main() {
  const Index count = 200;
  Random random(1);
  const Tensor points = Tensor::normal({count, 2}, 0, 0.1f, random);  // noise around the half circles
  std::vector<std::int32_t> moons;
  for (Index i = 0; i < count; ++i) {
    const double angle = random.uniform(0, std::numbers::pi), side = i % 2 == 0 ? 1 : -1;
    points.data()[2 * i] += static_cast<Real>(side * std::cos(angle) + (1 - side) / 2);
    points.data()[2 * i + 1] += static_cast<Real>(side * std::sin(angle) + (1 - side) / 4);
    moons.push_back(static_cast<std::int32_t>(i % 2));
  }

  Perceptron model(random);
  nn::Adam adam(model.parameters());
  for (int step = 0; step < 300; ++step) {
    cross_entropy(model(points), moons).backward();
    adam.step({.learning_rate = 0.01});
  }
  const std::vector<std::int32_t> found = argmax(model(points));
  Index right = 0;
  for (std::size_t i = 0; i < moons.size(); ++i) right += found[i] == moons[i];
  std::cout << "accuracy " << 100 * right / count << " %\n";
}
