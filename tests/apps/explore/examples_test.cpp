// The sentences with which the page begins.
#include <string>
#include <sys/stat.h>
#include <vector>

#include "apps/explore/replies.h"
#include "tests/apps/training/small_training.h"
#include "tests/catch.h"

using namespace regard::tests;
using regard::explore::example_sentences;
using regard::explore::sentence_tags;
using regard::translation::make_tokeniser;
using regard::translation::TokenCounts;
using regard::translation::TranslationModel;
using regard::translation::Vocabulary;

namespace {

using Examples = std::vector<std::string>;

TranslationModel model_of_numbers() {
  SmallTraining training;
  training.settings.data = {};
  return {training.settings, training.data.vocabularies, make_tokeniser("word"), training.model()};
}

}  // namespace

TEST_CASE("examples are the first short lines of the validation corpus, or else of the training corpus",
          "[explore]") {
  const TemporaryDirectory directory;
  std::string words;
  for (int i = 0; i < 13; ++i) words += "w0 ";
  directory.file("train", "w1\nw2\nw3 w1\nw4\nw5\nw6\n");
  directory.file("validation", "\n" + words + "\nw1 w2\r\n" + std::string(101, 'x') + "\nw1 w2\n\xFF\nw2");
  directory.file("pairs.tsv", "w7 w7\tw0\nw6\tw0\n");
  TranslationModel model = model_of_numbers();
  CHECK(example_sentences(model).empty());
  model.settings.data.source = directory / "train";
  CHECK(example_sentences(model) == Examples{"w1", "w2", "w3 w1", "w4", "w5"});
  model.settings.data.validation_source = directory / "validation";
  CHECK(example_sentences(model) == Examples{"w1 w2", "w2", "w1", "w3 w1", "w4"});
  model.settings.data.max_length = 1;
  CHECK(example_sentences(model) == Examples{"w2", "w1", "w4", "w5", "w6"});
  model.settings.data = {};
  model.settings.data.tsv = directory / "pairs.tsv";
  CHECK(example_sentences(model) == Examples{"w7 w7", "w6"});
}

TEST_CASE("without a readable corpus there are no examples", "[explore]") {
  const TemporaryDirectory directory;
  TranslationModel model = model_of_numbers();
  directory.file("compressed", "\x1F\x8B\x08");
  directory.file("one line", std::string(100'000, 'x'));
  ::mkfifo((directory / "pipe").c_str(), 0600);
  for (const char* const name : {"missing", "compressed", "one line", "pipe", ""}) {
    model.settings.data.source = directory / name;
    CHECK(example_sentences(model).empty());
  }
  directory.file("source", "w1\n");
  model.settings.data.source = directory / "source";
  CHECK(example_sentences(model).size() == 1);
  model.settings.model.encoder = "patches";  // its sources are images
  CHECK(example_sentences(model).empty());
}

TEST_CASE("the tags of a model are the tokens of its source vocabulary that look like >>fr<<", "[explore]") {
  TokenCounts counts;
  counts.add({"the", ">>fr<<", "▁>>ko<<", ">>", "<<", ">><<", ">>de", "it<<", "a>>x<<"});
  CHECK(sentence_tags(Vocabulary::from_counts(counts)) == Examples{">>fr<<", ">>ko<<"});
}
