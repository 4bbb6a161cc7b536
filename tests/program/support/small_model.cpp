#include "tests/program/support/small_model.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>

#include "apps/toys/toys.h"
#include "tests/catch.h"

namespace regard::tests {

namespace {

/// Runs a command whose output is a new file or directory of this name, and returns its path. It exists until
/// the tests end.
std::string made_once(const std::string& name, const std::function<Words(const std::string&)>& command) {
  static std::vector<std::unique_ptr<TemporaryDirectory>> directories;
  directories.push_back(std::make_unique<TemporaryDirectory>());
  const std::string path = *directories.back() / name;
  const Outcome outcome = run(command(path));
  if (outcome.code != 0) throw std::runtime_error("cannot make the " + name + ": " + outcome.err);
  return path;
}

}  // namespace

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
  static const std::string path =
      made_once("model", [](const std::string& out) { return train_command(out); });
  return path;
}

std::string copy_of_small_model(const TemporaryDirectory& directory) {
  std::filesystem::copy(small_model(), directory / "model", std::filesystem::copy_options::recursive);
  return directory / "model";
}

Words recurrent_preset(const std::string& name, const Words& more) {
  return joined(
      {"model.preset=" + name, "model.d_model=16", "model.heads=4", "model.d_ff=256", "model.norm=post"},
      more);
}

Words with_settings(Words command, const Words& settings) {
  for (const std::string& setting : settings) command.insert(command.end(), {"--set", setting});
  return command;
}

Words train_command(const std::string& out, const Words& settings) {
  return with_settings({"train", small_corpus().config, "--out", out}, settings);
}

Words evaluate_command(const std::string& model, const Words& more) {
  return joined({"evaluate", model, "--source", small_corpus().source, "--reference", small_corpus().target},
                more);
}

Words score_command(const std::string& model, const Words& more) {
  return joined({"score", model, "--source", small_corpus().source, "--target", small_corpus().target}, more);
}

Numbers::Numbers() {
  std::string sources, targets;
  for (const regard::toys::SentencePair& pair :
       regard::toys::generate(regard::toys::find_toy("numbers"), 1, {.train = 300}).train) {
    sources += pair.source + "\n";
    targets += pair.target + "\n";
  }
  source = directory.file("train.en", sources);
  target = directory.file("train.de", targets);
  config = directory.file(
      "config.json",
      fmt::format(R"({{
"data": {{"source": "{0}", "target": "{1}", "validation_source": "{0}", "validation_target": "{1}",
          {2}}},
"model": {{"preset": "toy", "d_model": 16, "heads": 2, "d_ff": 16, "encoder_layers": 1, "decoder_layers": 1,
           "dropout": 0}},
"training": {{"epochs": 2, "batch_tokens": 1000, "schedule": "constant", "learning_rate": 0.003}}}})",
                  source, target,
                  has_kind("sentencepiece") ? R"("tokeniser": "sentencepiece", "subwords": {"size": 100})"
                                            : R"("tokeniser": "char")"));
}

const Numbers& numbers() {
  static const Numbers corpus;
  return corpus;
}

Words learn_command(const std::string& output, const Words& more) {
  return joined({"vocabulary", "--input", numbers().source, "--input", numbers().target, "--size", "100",
                 "--output", output},
                more);
}

const std::string& subwords() {
  static const std::string none;
  if (!has_kind("sentencepiece")) return none;
  static const std::string path =
      made_once("numbers",
                [](const std::string& out) {
                  return with_settings({"train", numbers().config, "--out", out}, {"training.steps=1"});
                }) +
      "/subwords.model";
  return path;
}

Outcome train_numbers(const std::string& out, const Words& settings) {
  return run(with_settings({"train", numbers().config, "--out", out}, settings));
}

Words eventful(const std::string& out, const Words& more) {
  const Words settings = {
      "model.dropout=0.2",        "training.batch_tokens=40", "training.average_decay=0.9",
      "training.steps=150",       "training.epochs=0",        "validation.every_steps=7",
      "checkpoints.save_every=1", "checkpoints.keep_last=3",  "checkpoints.average=last"};
  return train_command(out, joined(settings, more));
}

const std::string& undisturbed_model() {
  static const std::string path = made_once("model", [](const std::string& out) { return eventful(out); });
  return path;
}

void check_same_results(const std::string& model, const std::string& undisturbed) {
  const auto got = files_below(model), expected = files_below(undisturbed);
  for (const auto& [name, bytes] : expected) {
    CAPTURE(name);
    REQUIRE(got.count(name) == 1);
    // The log and the progress in the states contain times.
    if (name != "metrics.jsonl" && !name.starts_with("state/")) CHECK(got.at(name) == bytes);
  }
  CHECK(got.size() == expected.size());  // and no temporary file
  CHECK(lines(got.at("metrics.jsonl")).size() == lines(expected.at("metrics.jsonl")).size());
}

Index newest_step(const std::string& model) {
  Index newest = -1;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(model + "/state", none))
    if (entry.path().extension() == ".safetensors")
      newest = std::max<Index>(newest, std::stoll(entry.path().stem().string()));
  return newest;
}

bool in_the_middle_of_a_save(const std::string& directory) {
  // Files come and go while we look, so every step may fail.
  std::error_code error;
  std::filesystem::recursive_directory_iterator entry(directory, error), end;
  for (; !error && entry != end; entry.increment(error))
    if (entry->path().filename().string().find(".regard-tmp-") != std::string::npos) return true;
  return false;
}

}  // namespace regard::tests
