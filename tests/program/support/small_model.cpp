#include "tests/program/support/small_model.h"

#include <array>
#include <utility>

namespace regard::tests {

SmallCorpus::SmallCorpus() {
  constexpr std::array<std::pair<const char*, const char*>, 4> words{
      {{"one", "eins"}, {"two", "zwei"}, {"three", "drei"}, {"four", "vier"}}};
  std::string sources, targets, pairs;
  for (std::size_t length = 1, sentences = 4; length <= 3; ++length, sentences *= 4) {
    for (std::size_t sentence = 0; sentence < sentences; ++sentence) {
      std::string english, german;
      for (std::size_t i = 0, digits = sentence; i < length; ++i, digits /= 4) {
        const char* const blank = i > 0 ? " " : "";
        english.append(blank).append(words[digits % 4].first);
        german.append(blank).append(words[digits % 4].second);
      }
      sources += english + "\n";
      targets += german + "\n";
      pairs += english + "\t" + german + "\n";
    }
  }
  source = directory.file("source", sources);
  target = directory.file("target", targets);
  tsv = directory.file("corpus.tsv", pairs);
  const auto files = [](const std::string& prefix, const std::string& one, const std::string& other) {
    return fmt::format(R"("{0}source": "{1}", "{0}target": "{2}")", prefix, one, other);
  };
  config = directory.file("config.json", "{\"data\": {" + files("", source, target) + ", " +
                                             files("validation_", source, target) + R"(},
"model": {"preset": "toy", "d_model": 32, "heads": 2, "d_ff": 32, "encoder_layers": 1, "decoder_layers": 1,
          "norm": "pre", "shared_embeddings": "none", "dropout": 0},
"training": {"steps": 100, "batch_tokens": 1000, "schedule": "inverse_sqrt", "learning_rate": 0.01,
             "warmup_steps": 30, "label_smoothing": 0, "log_every": 20},
"validation": {"every_steps": 50}})");
}

const SmallCorpus& small_corpus() {
  static const SmallCorpus corpus;
  return corpus;
}

const std::string& small_model() {
  static const TemporaryDirectory directory;
  static const std::string path = [] {
    const Outcome trained = run(train_command(directory / "model"));
    if (trained.code != 0) throw std::runtime_error("no small model could be trained: " + trained.err);
    return directory / "model";
  }();
  return path;
}

std::string copy_of_small_model(const TemporaryDirectory& directory) {
  std::filesystem::copy(small_model(), directory / "model", std::filesystem::copy_options::recursive);
  return directory / "model";
}

std::vector<std::string> recurrent_preset(const std::string& name) {
  return {"model.preset=" + name, "model.d_model=16", "model.heads=4", "model.d_ff=256", "model.norm=post"};
}

std::vector<std::string> train_command(const std::string& out, const std::vector<std::string>& settings) {
  std::vector<std::string> command = {"train", small_corpus().config, "--out", out};
  for (const std::string& setting : settings) command.insert(command.end(), {"--set", setting});
  return command;
}

}  // namespace regard::tests
