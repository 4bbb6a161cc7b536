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

  transformer::Batch batch;  // a sentence and its translation; words are numbers from 4 on
  batch.append(std::vector{4, 5, 6}, std::vector{8, 7, 10});

  const Tensor loss = model.loss(batch);
  loss.backward();
  adam.step({.learning_rate = 0.001});
  std::cout << "loss " << loss.item() << ", after one step " << model.loss(batch).item() << "\n";
}
