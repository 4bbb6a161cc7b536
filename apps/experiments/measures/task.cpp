#include "apps/experiments/measures/task.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "apps/experiments/measures/maps.h"
#include "apps/experiments/measures/no_causal_mask.h"
#include "apps/translation/files/files.h"
#include "apps/translation/model/make_model.h"
#include "apps/translation/model/weights.h"
#include "apps/translation/settings/settings_json.h"
#include "apps/translation/training/training.h"
#include "autograd/machine/error.h"

namespace regard::experiments {

namespace {

constexpr Index curve_places = 20, validation_places = 10;

Pairs read_pairs(const std::string& path, Index most) {
  const translation::ParallelText text = translation::read_parallel_files(path + ".source", path + ".target");
  Pairs pairs;
  for (std::size_t i = 0; i < text.source.size() && to_index(i) < most; ++i)
    pairs.push_back({text.source[i], text.target[i]});
  return pairs;
}

/// Keeps the curves of a training.
struct Curves : translation::TrainingObserver {
  Measurements measured;

  void on_step(const translation::StepReport& report) override {
    if (!report.line_due) return;
    measured["loss"].push_back(report.window.mean_loss());
  }
  void on_validation(const translation::ValidationReport& report) override {
    std::vector<double>& least = measured["validation_loss"];
    const double loss = report.validation.evaluation.loss;
    measured["validation_curve"].push_back(loss);
    least = {least.empty() ? loss : std::min(least.front(), loss)};
  }
};

translation::Settings settings_of(const Job& job, const std::vector<std::string>& further) {
  std::vector<std::string> settings = common_settings(job);
  for (const auto* const more : {&job.settings, &further})
    settings.insert(settings.end(), more->begin(), more->end());
  if (job.quick) settings.insert(settings.end(), {"training.steps=4", "training.warmup_steps=2"});
  translation::Settings result =
      translation::parse_settings(translation::Json::object(), "experiment", settings);
  const Index steps = result.training.steps;
  if (steps < 1) fail("an experiment trains a number of steps; set training.steps");
  result.training.log_every = std::max<Index>(steps / curve_places, 1);
  if (result.validation.every_steps == 0)
    result.validation.every_steps = std::max<Index>(steps / validation_places, 1);
  result.checkpoints.save_every = steps;
  translation::check(result);
  return result;
}

/// A curve with one number for each place.
void cut_to_places(std::vector<double>& curve, Index count) {
  std::vector<double> places;
  for (std::size_t i = 1; i <= to_size(count); ++i)
    places.push_back(curve[std::max<std::size_t>(i * curve.size() / to_size(count), 1) - 1]);
  curve = std::move(places);
}

/// Each word gets 0 to `forms` - 1 stars.
std::string with_forms(const std::string& target, Index forms, SplitMix64& random) {
  std::string changed;
  for (const char c : target + " ") {
    if (c == ' ') changed.append(random.below(to_size(forms)), '*');
    changed += c;
  }
  changed.pop_back();
  return changed;
}

}  // namespace

toys::Toy toy_of(const Task& task) {
  if (task.toy == "sentences" && task.words > 0) return toys::long_sentences(task.words);
  if (task.letters.empty()) return toys::find_toy(task.toy);
  const auto kind = task.toy == "reverse"  ? toys::SequenceKind::reverse
                    : task.toy == "recall" ? toys::SequenceKind::recall
                                           : toys::SequenceKind::copy;
  return toys::sequence_toy(kind, task.letters[0], task.letters[1]);
}

toys::Corpus corpus_for(const Job& job, const Task& task) {
  const auto test = job.many(task.test, 10), validation = job.many(task.validation, 25);
  toys::Corpus corpus;
  if (job.corpus.empty()) {
    corpus = toys::generate(toy_of(task), random_for(job, Draw::corpus).next(),
                            {to_size(job.many(task.train, 100)), to_size(validation), to_size(test)});
  } else {
    const auto part = [&](const char* name, Index most) { return read_pairs(job.corpus + "/" + name, most); };
    corpus = {.train = part("train", job.many(100'000'000, 100)),
              .validation = part("validation", validation),
              .test = part("test", test)};
  }
  for (Pairs* const part : {&corpus.train, &corpus.validation})
    std::erase_if(*part, [&](const toys::SentencePair& pair) {
      return task.target_words > 0 && std::ranges::count(pair.target, ' ') >= task.target_words;
    });
  if (corpus.train.empty() || corpus.validation.empty() || corpus.test.empty())
    fail("{} needs pairs in each part, train, validation and test", job.corpus);
  SplitMix64 random = random_for(job, Draw::forms);
  for (Pairs* const part : {&corpus.train, &corpus.validation, &corpus.test})
    for (toys::SentencePair& pair : *part)
      if (task.forms > 1) pair.target = with_forms(pair.target, task.forms, random);
  return corpus;
}

SplitMix64 random_for(const Job& job, Draw draw) {
  return SplitMix64::for_epoch(to_size(job.seed), static_cast<std::uint64_t>(draw));
}

std::vector<std::string> common_settings(const Job& job) {
  std::vector<std::string> settings{
      "training.threads=1",         fmt::format("training.seed={}", job.seed), "training.batch_tokens=256",
      "training.label_smoothing=0", "training.schedule=inverse_sqrt",          "training.learning_rate=0.003",
      "training.warmup_steps=200",  "training.gradient_clip_norm=1",           "model.preset=toy"};
  for (const char* const part : {"source", "target"}) {
    const std::string path = job.directory + "/corpus/";
    settings.push_back(fmt::format("data.{0}={1}train.{0}", part, path));
    settings.push_back(fmt::format("data.validation_{0}={1}validation.{0}", part, path));
  }
  return settings;
}

Pairs sample(const Job& job, const toys::Toy& toy, Index count, Draw draw) {
  SplitMix64 random = random_for(job, draw);
  std::unordered_set<std::string> seen;
  Pairs pairs;
  // A toy may have too few different sources; then the loop ends with fewer pairs.
  for (Index i = 0; i < 20 * count && to_index(pairs.size()) < job.many(count, 4); ++i)
    if (toys::SentencePair pair = toy.sample(random); seen.insert(pair.source).second)
      pairs.push_back(std::move(pair));
  return pairs;
}

std::string model_directory(const Job& job) { return job.directory + "/model"; }
std::string kept_training(const std::string& job_directory) { return job_directory + "/training.json"; }

Trained train(const Job& job, const toys::Corpus& corpus, const std::vector<std::string>& further,
              const std::string& name, const std::vector<nn::Head>& off) {
  toys::write(corpus, job.directory + "/corpus", toys::Existing::replace);
  const std::string directory = job.directory + "/" + name;
  Curves curves;
  const translation::Settings settings = settings_of(job, further);
  translation::Training training =
      prepare_training(settings, directory,
                       {.overwrite = true,
                        .make_model = own_model(job),
                        .make_optimiser = optimiser_for(job.task.maps, settings)});
  {
    const nn::HeadsOff without(*training.model, off);
    run_training(training, curves);
  }
  cut_to_places(curves.measured["loss"], curve_places);
  cut_to_places(curves.measured["validation_curve"], validation_places);
  curves.measured["parameters"] = {static_cast<double>(
      training.model->parameter_count() - fixed_parameters(job.task.maps, training.model->parameters()))};
  return {translation::Translator::load(directory, {.make_model = own_model(job)}),
          std::move(curves.measured)};
}

void average_checkpoints(const Job& job, Trained& trained) {
  const std::string directory = model_directory(job) + "/checkpoints";
  std::vector<std::string> names = translation::files_in(directory), paths;
  std::ranges::sort(names, std::greater<>(), [](const std::string& name) { return std::stoll(name); });
  if (to_index(names.size()) < job.task.average && !job.quick)
    fail("\"average\" is {}, but the training keeps {} checkpoints; set checkpoints.keep_last",
         job.task.average, names.size());
  for (std::size_t i = 0; i < std::min(names.size(), to_size(job.task.average)); ++i)
    paths.push_back(directory + "/" + names[i]);
  const translation::Weights weights = translation::average_weights(paths);
  translation::copy_weights(trained.model(), weights, "the checkpoints", weights.identity);
}

transformer::EncoderDecoder untrained(const Job& job, Index words) {
  std::vector<std::string> all{"model.preset=toy"};
  all.insert(all.end(), job.settings.begin(), job.settings.end());
  translation::TokenCounts counts;
  for (Index word = 0; word < words; ++word) counts.add(fmt::format("{}", word));
  const translation::Vocabulary vocabulary = translation::Vocabulary::from_counts(counts);
  transformer::EncoderDecoder model =
      translation::make_model(translation::parse_settings(translation::Json::object(), "experiment", all),
                              {vocabulary, vocabulary}, Random(static_cast<std::uint64_t>(job.seed)));
  model.eval();
  return model;
}

Tensor parameter_named(transformer::EncoderDecoder& model, const std::string& name) {
  for (const nn::NamedParameter& parameter : model.parameters())
    if (parameter.name == name) return parameter.tensor;
  fail("this model has no parameter {}", name);
}

}  // namespace regard::experiments
