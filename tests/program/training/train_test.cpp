#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/translation/text/counted.h"
#include "autograd/machine/processors.h"
#include "tests/catch.h"
#include "tests/program/support/small_model.h"
#include "tests/program/support/weights.h"

using namespace regard::tests;
using Json = nlohmann::json;

namespace {
Words names(const std::map<std::string, std::string>& files) {
  Words result;
  for (const auto& entry : files) result.push_back(entry.first);
  return result;
}
}  // namespace

TEST_CASE("a training prints its corpus, its progress and the place of the model", "[program]") {
  const TemporaryDirectory directory;
  const Outcome outcome = run_well(train_command(
      directory / "model", {"training.steps=40", "validation.every_steps=20", "data.max_length=2"}));
  CHECK_CONTAINS(outcome.out,
                 "training     20 sentence pairs, 72 tokens; left out: 0 with an empty side, 64 too long\n");
  CHECK_CONTAINS(outcome.out, "validation   20 sentence pairs, 72 tokens");
  CHECK_CONTAINS(outcome.out, "vocabulary   12 source and 12 target entries, joint\n");
  CHECK_CONTAINS(outcome.out, "     20  ");
  CHECK_CONTAINS(outcome.out, "  validation  BLEU ");
  CHECK_CONTAINS(outcome.out, " %  best\n");
  CHECK_CONTAINS(outcome.out, "regard translate " + directory / "model");
  CHECK(outcome.out.find('\r') == std::string::npos);  // only a terminal gets a bar
}

TEST_CASE("a model directory holds configuration, vocabulary, weights and metrics", "[program]") {
  const auto files = files_below(small_model());
  CHECK(names(files) == Words{"config.json", "metrics.jsonl", "state", "state/100.safetensors",
                              "state/50.safetensors", "validation", "validation/100.txt", "validation/50.txt",
                              "vocabulary.json", "weights.safetensors"});
  CHECK(files.at("validation/100.txt") == content(small_corpus().target));  // exact match is 100 %

  const Json config = Json::parse(files.at("config.json"));
  CHECK(config.at("format") == 1);
  CHECK_CONTAINS(config.at("version").get<std::string>(), "0.1.0");
  CHECK(config.at("data").at("source") == small_corpus().source);
  CHECK(config.at("model").at("d_model") == 32);
  CHECK(config.at("model").at("dropout").at("sublayer") == 0);
  CHECK(config.at("training").at("steps") == 100);
  CHECK(config.at("decoding").at("beam") == 4);  // default values are written too

  const Json vocabulary = Json::parse(files.at("vocabulary.json"));
  CHECK(vocabulary.at("format") == 1);
  Words tokens = vocabulary.at("tokens");
  REQUIRE(tokens.size() == 12);
  CHECK(Words(tokens.begin(), tokens.begin() + 4) == Words{"<pad>", "<s>", "</s>", "<unk>"});
  CHECK(std::count(tokens.begin(), tokens.end(), "drei") == 1);

  const Json header = Json::parse(Weights(small_model() + "/weights.safetensors").header);
  const Json& embedding = header.at("src_embed.weight");
  CHECK(embedding.at("dtype") == "F32");
  CHECK(embedding.at("shape") == std::vector<int>{12, 32});
}

TEST_CASE("the printed configuration is a configuration", "[program]") {
  const TemporaryDirectory directory;
  const Outcome printed = run_well({"train", "--print-config"});
  const std::string config = directory.file("config.json", printed.out);
  CHECK_REFUSED(run({"train", config, "--out", directory / "model"}), "there is no training corpus");
  const Outcome trained =
      run_well({"train", config, "--out", directory / "model", "--set",
                "data.source=" + small_corpus().source, "--set", "data.target=" + small_corpus().target,
                "--set", "training.steps=1", "--set", "training.warmup_steps=1"});
  // The config.json of a model directory is a configuration too, with all settings.
  const Outcome again = run({"train", directory / "model/config.json", "--out", directory / "again"});
  CHECK(again.code == 0);
  CHECK(content(directory / "again/config.json") == content(directory / "model/config.json"));
  CHECK(content(directory / "again/weights.safetensors") == content(directory / "model/weights.safetensors"));
}

TEST_CASE("with a configuration, --print-config prints the settings of this training", "[program]") {
  const TemporaryDirectory directory;
  Words command = train_command(directory / "model", {"model.dropout=0.25", "training.threads=3"});
  const Outcome trained = run(command);
  REQUIRE(trained.code == 0);
  CHECK_CONTAINS(trained.out, "\nthreads      3 (training.threads)\n");
  command.push_back("--print-config");
  const Outcome printed = run(command);
  CHECK(printed.code == 0);
  CHECK(Json::parse(printed.out) == Json::parse(content(directory / "model/config.json")));
  CHECK_REFUSED(run({"train", "--print-config", "--set", "training.steps=1"}), "give its file too");
}

TEST_CASE("a training says why it uses so many threads", "[program]") {
  const TemporaryDirectory directory;
  const auto threads_of = [&](const std::string& variable, const std::string& steps) {
    const Outcome outcome = run(train_command(directory / "model", {"training.steps=" + steps}),
                                {.launcher = {"env", "--unset=OMP_NUM_THREADS", variable}});
    CHECK(outcome.code == 0);
    const std::size_t begin = outcome.out.find("\nthreads      ") + 1;
    return outcome.out.substr(begin, outcome.out.find("\nepoch ") - begin);
  };
  CHECK(threads_of("A=1", "1") ==
        fmt::format("threads      {} ({})", regard::processors().count(), regard::processors().limit));
  CHECK(threads_of("OMP_NUM_THREADS=1", "2") == "threads      1 (OMP_NUM_THREADS)");
}

TEST_CASE("more threads than processors are a warning", "[program]") {
  const TemporaryDirectory directory;
  const int processors = regard::processors().count(), threads = processors + 1;
  const std::string number = std::to_string(threads);
  const Outcome trained = run(train_command(directory / "model", {"training.threads=" + number})),
                translated = run({"translate", small_model(), "--threads", number}, {.input = "a\n"});
  for (const auto& [outcome, origin] : {std::pair(trained, "training.threads"), {translated, "--threads"}}) {
    CHECK(outcome.code == 0);
    CHECK_CONTAINS(outcome.err,
                   fmt::format("regard: warning: {} is {}, but the program has only {} ({}); more threads "
                               "than processors make it slower\n",
                               origin, threads, regard::translation::counted(processors, "processor"),
                               regard::processors().limit));
  }
  const Outcome fits = run({"translate", small_model(), "--threads", std::to_string(processors)});
  CHECK(fits.err.empty());
}

TEST_CASE("a training warns about settings that are probably mistakes", "[program]") {
  const TemporaryDirectory directory;
  const std::string model = directory / "model";
  const Outcome warming = run(
      train_command(model, {"training.steps=9", "training.schedule=inverse_sqrt", "training.warmup_steps=10",
                            "validation.every_steps=3", "checkpoints.keep_last=3"}));
  CHECK(warming.code == 0);
  CHECK_CONTAINS(warming.err, "the training has about 9 updates, but training.warmup_steps is 10");
  const Outcome japanese =
      run(train_command(directory / "japanese",
                        {"data.validation_source=" + directory.file("source", "one two\n"),
                         "data.validation_target=" + directory.file("target", "犬が庭で走っている。\n")}));
  CHECK(japanese.code == 0);
  CHECK_CONTAINS(japanese.err, "BLEU with validation.bleu_tokeniser 13a compares whole phrases");
  // The same command without the settings of checkpoints resumes, but with a warning.
  const Outcome longer = run(train_command(model, {"training.steps=12", "training.schedule=inverse_sqrt",
                                                   "training.warmup_steps=10", "validation.every_steps=3"}));
  CHECK(longer.code == 0);
  CHECK_CONTAINS(longer.err, model +
                                 " has 3 checkpoints, but checkpoints.keep_last is now 0 and "
                                 "keep_best is 0; the other checkpoints will be removed");
  const Outcome cold = run(train_command(
      model, {"training.steps=12", "training.schedule=inverse_sqrt", "training.warmup_steps=10"}));
  CHECK(cold.err.empty());

  const std::string words = directory.file("words", "one two seven\n"),
                    worte = directory.file("worte", "eins\n");
  const Outcome unknown =
      run(train_command(directory / "other", {"training.steps=1", "data.validation_source=" + words,
                                              "data.validation_target=" + worte}));
  CHECK_CONTAINS(unknown.out, "validation   1 sentence pair, 4 tokens, 1 of them unknown\n");
}

TEST_CASE("a model is replaced only with --overwrite", "[program]") {
  const TemporaryDirectory directory;
  const std::string model = copy_of_small_model(directory);
  const auto before = files_below(model);
  const Outcome again = run(train_command(model, {"checkpoints.keep_last=4"}));
  CHECK(again.code == 0);
  CHECK_CONTAINS(again.out, "The training in " + model +
                                " has ended: it reached training.steps. No "
                                "setting was changed.");
  CHECK_REFUSED(run(train_command(model, {"training.seed=5"})),
                "training.seed was 1 when the training in " + model + " began, and is 5 now; give 1 again");
  CHECK(files_below(model) == before);

  CHECK(run(joined(train_command(model, {"training.steps=1"}), {"--overwrite"})).code == 0);
  CHECK(names(files_below(model + "/state")) == Words{"0.safetensors", "1.safetensors"});
  CHECK(content(model + "/weights.safetensors") != before.at("weights.safetensors"));
  CHECK(lines(content(model + "/metrics.jsonl")).size() == 2);  // the old lines were removed
}

TEST_CASE("a configuration file in the model directory is not lost", "[program]") {
  const TemporaryDirectory directory;
  std::filesystem::copy(small_corpus().config, directory / "config.json");
  const auto before = files_below(directory / "");
  CHECK_REFUSED(run({"train", directory / "config.json", "--out", directory / ""}),
                "has files of a model, but no training that can be resumed");
  CHECK(files_below(directory / "") == before);
}
