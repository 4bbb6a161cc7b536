// A character language model: it sees the last eight characters and predicts the next one (Bengio et al.
// 2003). After training it draws new text, character by character.
#include <iostream>
#include <string>

#include "transformer/transformer.h"

using namespace regard;

const std::string text =
    "the cat sat on the mat. the dog sat on the log. the cat saw the dog. the dog saw the cat. "
    "the frog sat in the fog. the cat ran to the dog. the dog ran to the frog. the frog ran to the log. ";
constexpr Index context = 8, width = 16;

struct CharacterModel : nn::Module {
  explicit CharacterModel(Random& random)
      : embedding(128, width, random), inner(context * width, 64, random), output(64, 128, random) {}
  /// ids[rows * context] -> logits[rows, 128]
  Tensor operator()(const std::vector<std::int32_t>& ids) const {
    return output(gelu(inner(reshape(embedding(ids), {to_index(ids.size()) / context, context * width}))));
  }
  void visit(nn::Visitor& visitor) override {
    visitor("embedding", embedding);
    visitor("inner", inner);
    visitor("output", output);
  }

  nn::Embedding embedding;
  nn::Linear inner, output;
};

int main() {
  std::vector<std::int32_t> contexts, next;
  for (std::size_t i = context; i < text.size(); ++i) {
    contexts.insert(contexts.end(), text.begin() + static_cast<Index>(i) - context,
                    text.begin() + static_cast<Index>(i));
    next.push_back(text[i]);
  }
  Random random(1);
  CharacterModel model(random);
  nn::Adam adam(model.parameters());
  Tensor loss;
  for (int step = 0; step < 200; ++step) {
    loss = cross_entropy(model(contexts), next);
    loss.backward();
    adam.step({.learning_rate = 0.01});
  }
  std::cout << "loss " << loss.item() << "\n";

  const NoGrad no_grad;
  std::vector<std::int32_t> drawn(contexts.begin(), contexts.begin() + context);
  while (drawn.size() < 100) {
    const Tensor logits = model({drawn.end() - context, drawn.end()});
    drawn.push_back(multinomial(softmax(logits / 0.5f), random).front());
  }
  std::cout << std::string(drawn.begin(), drawn.end()) << "\n";
}
