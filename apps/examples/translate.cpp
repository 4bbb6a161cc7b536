// Loads a model directory, translates the lines of standard input, and prints for each line the translation,
// its log-probability, and the source word that the decoder looked at most when it wrote each word.
#include <iostream>
#include <string>

#include "apps/translation/translation.h"
#include "autograd/autograd.h"

using namespace regard::translation;

void translate(Translator& translator, const std::string& line) {
  const Translator::Result result = translator.translate({line}).front();
  const Translation& best = result.n_best.front();
  std::cout << best.text << "\n";
  if (const auto score = translator.score({line}, {best.text}).front())
    std::cout << "  log-probability " << score->log_probability << "\n";
  if (!best.score) return;  // an empty line
  const Translator::Attention attention = translator.attention(result.source, best);
  const std::vector<std::int32_t> looked_at = regard::argmax(attention.weights);
  for (std::size_t i = 0; i < looked_at.size(); ++i)
    std::cout << "  " << attention.target_tokens[i] << " <- "
              << attention.source_tokens[static_cast<std::size_t>(looked_at[i])] << "\n";
}

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: translate MODEL_DIR < sentences\n";
    return 1;
  }
  try {
    Translator translator = Translator::load(argv[1]);
    for (std::string line; std::getline(std::cin, line);) translate(translator, line);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
