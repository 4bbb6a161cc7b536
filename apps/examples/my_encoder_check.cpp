// Checks the gradients of the model of my_encoder.h. This program links the library in double precision.
#include <iostream>

#include "my_encoder.h"

using namespace regard;

int main() {
  transformer::EncoderDecoder model = make_my_model(9, 9, 6, Random(1));
  model.eval();  // without dropout
  const std::vector<std::vector<std::int32_t>> sentences{{4, 5, 6}, {7}}, translations{{6, 5}, {8, 4, 7}};
  const transformer::Batch batch = transformer::make_batch(sentences, translations);
  std::vector<Tensor> parameters;
  std::vector<std::string> names;
  for (const nn::NamedParameter& parameter : model.parameters()) {
    parameters.push_back(parameter.tensor);
    names.push_back(parameter.name);
  }
  const GradcheckResult result =
      gradcheck([&](const std::vector<Tensor>&) { return model.loss(batch); }, parameters, {.names = names});
  std::cout << result.checked << " derivatives, largest error " << result.error << "\n";
  if (!result.passed) std::cout << result.worst << "\n";
  return result.passed ? 0 : 1;
}
