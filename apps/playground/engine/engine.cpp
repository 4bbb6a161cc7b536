#include "apps/playground/engine/engine.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "apps/explore/replies.h"
#include "apps/translation/files/files.h"
#include "apps/translation/files/json_fields.h"
#include "apps/translation/search/search_rules.h"
#include "apps/translation/settings/settings_json.h"
#include "apps/translation/settings/tokeniser_kind.h"
#include "apps/translation/training/step.h"
#include "apps/translation/training/store.h"
#include "apps/translation/translator/evaluation.h"
#include "autograd/machine/error.h"

namespace regard::playground {

using translation::Fields;
using translation::ParallelCorpus;

namespace {

using Clock = std::chrono::steady_clock;
constexpr const char *corpus_directory = "corpus", *model_directory = "model";
constexpr std::size_t most_measured = 100, measured_at_once = 10, longest_tested = 20, most_examples = 8;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

translation::Training prepare(const Choices& choices) {
  const Json data = write_corpus(choices, corpus_directory);
  return prepare_training(translation::training_settings(configuration(choices, data), "the settings"),
                          model_directory, {.overwrite = true});
}

translation::TranslationModel model_of(const translation::Training& training) {
  const translation::Vocabularies& vocabularies = training.data->vocabularies;
  return {training.settings, vocabularies, tokeniser_of(training.settings.data).make(vocabularies, {}),
          *training.model};
}

/// The longest source that a map has room for.
std::size_t choose_tested(const ParallelCorpus& corpus) {
  std::size_t best = 0;
  const auto size = [&](std::size_t pair) {
    return corpus.source[pair].size() > longest_tested ? 0 : corpus.source[pair].size();
  };
  for (std::size_t i = 1; i < corpus.source.size(); ++i)
    if (size(i) > size(best)) best = i;
  return best;
}

ParallelCorpus part_of(const ParallelCorpus& corpus, std::size_t begin, std::size_t end) {
  ParallelCorpus part;
  for (std::size_t i = begin; i < end; ++i) {
    part.source.push_back(corpus.source[i]);
    part.target.push_back(corpus.target[i]);
  }
  return part;
}

}  // namespace

Engine::Engine(const Json& choices)
    : choices_(read_choices(choices)),
      training_(prepare(choices_)),
      model_(model_of(training_)),
      tested_(choose_tested(*training_.data->validation)) {}

std::string Engine::sentence(const std::vector<std::int32_t>& ids,
                             const translation::Vocabulary& words) const {
  return model_.tokeniser->join(words.tokens(ids));
}

Json Engine::about() {
  const translation::TrainingData& data = *training_.data;
  const ParallelCorpus& validation = *data.validation;
  const auto source = [&](std::size_t i) { return sentence(validation.source[i], data.vocabularies.source); };
  Json examples = Json::array();
  for (std::size_t i = 0; i < std::min(most_examples, validation.source.size()); ++i)
    examples.push_back(source(i));
  return {{"parameters", model_.model.parameter_count()},
          {"training_pairs", data.training.pairs()},
          {"validation_pairs", validation.pairs()},
          {"source_words", data.vocabularies.source.size()},
          {"target_words", data.vocabularies.target.size()},
          {"tokeniser", training_.settings.data.tokeniser},
          {"examples", examples},
          {"test",
           {{"source", source(tested_)},
            {"target", sentence(validation.target[tested_], data.vocabularies.target)}}},
          {"settings", to_json(choices_)},
          {"model", explore::model_reply(model_, choices_.task, nullptr)}};
}

/// The next epoch, or the first one. A plan belongs to an epoch, and to the settings when it was made.
void Engine::begin_epoch() {
  translation::Progress& progress = training_.progress;
  if (epoch_) ++progress.epoch;
  progress.epoch_steps = 0;
  epoch_.emplace(training_.data->training, training_.model->encoder(), training_.settings.training,
                 progress.epoch);
  plan_.emplace(training_.settings, progress, epoch_->steps(), epoch_->tokens());
}

Json Engine::train(double milliseconds, Index until) {
  const Clock::time_point begin = Clock::now();
  translation::Progress& progress = training_.progress;
  Json losses = Json::array();
  double rate = 0;
  do {
    if (!epoch_ || progress.epoch_steps == epoch_->steps()) begin_epoch();
    const translation::StepBatches batches = epoch_->step(progress.epoch_steps++);
    rate = plan_->learning_rate(++progress.step);
    losses.push_back(step(training_, *epoch_, batches, rate).loss);
  } while (1000 * seconds_since(begin) < milliseconds && progress.step != until);
  measured_ = right_ = 0;
  seconds_ += seconds_since(begin);
  return {{"step", progress.step}, {"losses", losses}, {"learning_rate", rate}, {"seconds", seconds_}};
}

Json Engine::test() {
  const std::string source =
      sentence(training_.data->validation->source[tested_], training_.data->vocabularies.source);
  Json reply = translate({{"source", source}, {"search", {{"beam", 1}}}});
  const Json& best = reply["hypotheses"][0];
  return {{"text", source}, {"hypothesis", best}, {"attention", reply["attention"]}};
}

Json Engine::measure(double milliseconds) {
  const Clock::time_point begin = Clock::now();
  const ParallelCorpus& corpus = *training_.data->validation;
  const std::size_t all = std::min(most_measured, corpus.source.size());
  transformer::SearchOptions greedy =
      decoding_of(training_.settings, *model_.tokeniser, training_.data->vocabularies);
  greedy.beam = 1;
  do {
    const std::size_t end = std::min(all, measured_ + measured_at_once);
    const translation::Evaluation part = evaluate(model_.searched(), part_of(corpus, measured_, end), greedy);
    right_ += static_cast<std::size_t>(std::count(part.exact.begin(), part.exact.end(), true));
    measured_ = end;
  } while (measured_ < all && 1000 * seconds_since(begin) < milliseconds);
  if (measured_ < all) return {{"exact", nullptr}};
  const double exact = 100 * static_cast<double>(right_) / static_cast<double>(all);
  measured_ = right_ = 0;
  return {{"exact", exact}};
}

void Engine::set(const Json& request) {
  Fields fields(request, "the change");
  std::optional<double> rate;
  double given = 0;
  if (request.contains("learning_rate")) {
    fields.take("learning_rate", given, translation::above(0));
    rate = given;
  }
  if (request.contains("heads_off")) {
    const std::vector<nn::Head> off =
        explore::parse_request(model_, {{"source", sentence({4}, model_.vocabularies.source)},
                                        {"heads_off", fields.list("heads_off")}})
            .heads_off;
    heads_off_.reset();
    heads_off_.emplace(*training_.model, off);
  }
  fields.end();
  if (!rate) return;
  choices_.learning_rate = *rate;
  training_.settings.training.learning_rate = rate;
  if (epoch_) plan_.emplace(training_.settings, training_.progress, epoch_->steps(), epoch_->tokens());
}

Json Engine::files() {
  save_weights(training_);
  translation::save_config(model_directory, training_.settings);
  Json names = Json::array();
  for (const std::string& file : training_.directory.files_to_translate())
    if (translation::path_exists(file)) names.push_back(file);
  return {{"files", names}};
}

Json Engine::translate(const Json& request) {
  model_.model.eval();
  return explore::translate_reply(model_, request);
}

}  // namespace regard::playground
