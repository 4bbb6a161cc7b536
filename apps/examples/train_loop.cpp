// The training loop in plain sight: reads two files of sentences, one per line, trains a Transformer on nine
// of ten pairs, translates the others after each epoch, and at the end the lines of standard input.
#include <cstdlib>
#include <iostream>

#include "apps/translation/translation.h"
#include "transformer/transformer.h"

using namespace regard;
using namespace regard::translation;

int main(int argc, char** argv) try {
  const int epochs = argc > 3 ? std::atoi(argv[3]) : 8;
  if (argc < 3 || argc > 4 || epochs < 1) fail("usage: train_loop SOURCE TARGET [EPOCHS] < sentences");
  const ParallelText text = read_parallel_files(argv[1], argv[2]);
  const auto tokeniser = make_tokeniser("word");
  TokenCounts counts;  // source and target share a vocabulary
  count_tokens(counts, text.source, *tokeniser);
  count_tokens(counts, text.target, *tokeniser);
  const Vocabulary words = Vocabulary::from_counts(counts);
  const ParallelCorpus corpus = encode(text, {*tokeniser, words, words});
  ParallelCorpus training, validation;
  for (std::size_t i = 0; i < corpus.source.size(); ++i) {
    ParallelCorpus& part = i % 10 == 9 ? validation : training;
    part.source.push_back(corpus.source[i]);
    part.target.push_back(corpus.target[i]);
  }
  transformer::Config config = transformer::preset("toy");
  config.source_vocabulary = config.target_vocabulary = words.size();
  Random random(1);
  transformer::EncoderDecoder model = make_transformer(config, random);
  nn::Adam adam(model.parameters());
  const auto text_of = [&](const auto& sentence) { return tokeniser->join(words.tokens(sentence)); };
  const auto translate = [&](const auto& sentences) {
    std::vector<std::string> translations;
    for (const auto& found : greedy_search(model, transformer::pack_sources(sentences)))
      translations.push_back(text_of(found.tokens));
    return translations;
  };
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    double mean_loss = 0;
    model.train();  // with dropout
    for (const auto& pairs : plan_epoch(pair_lengths(training), 1000, 1, epoch)) {
      const Tensor loss = model.loss(make_batch(training, pairs), {.label_smoothing = 0.1f});
      loss.backward();
      mean_loss += loss.item() * double(pairs.size()) / double(training.source.size());
      adam.step({nn::learning_rate({.warmup_steps = 400, .d_model = config.d_model}, adam.steps() + 1)});
    }
    model.eval();
    std::vector<std::string> references;
    for (const auto& target : validation.target) references.push_back(text_of(target));
    std::cout << "epoch " << epoch << "  loss " << mean_loss << "  BLEU "
              << corpus_bleu(translate(validation.source), references).score << std::endl;
  }
  for (std::string line; std::getline(std::cin, line);)
    std::cout << translate(std::vector(1, words.ids(tokeniser->split(line)))).front() << "\n";
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
