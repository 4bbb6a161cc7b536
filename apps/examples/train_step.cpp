// The smallest program that trains: a Transformer, one sentence pair, one step.
#include <iostream>

#include "transformer/transformer.h"

using namespace regard;

int main() {
  transformer::Config config = transformer::preset("toy");
  config.source_vocabulary = config.target_vocabulary = 12;
  Random random(1);
  transformer::EncoderDecoder model = make_transformer(config, random);
  nn::Adam adam(model.parameters());

  transformer::Batch batch;                             // words are numbers; 1 is <s>, 2 is </s>
  batch.source.append(std::vector{4, 5, 6, 2});         // x1 x2 x3 </s>
  batch.target_input.append(std::vector{1, 8, 7, 10});  // <s> y1 y2 y3
  batch.target_output = {8, 7, 10, 2};                  // y1 y2 y3 </s>

  const Tensor loss = model.loss(batch);
  loss.backward();
  adam.step({.learning_rate = 0.001});
  std::cout << "loss " << loss.item() << ", after one step " << model.loss(batch).item() << "\n";
}
