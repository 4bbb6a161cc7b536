#include <filesystem>
#include <fmt/format.h>

#include "apps/experiments/measures.h"
#include "apps/toys/scenes/scenes.h"

// Measures of captions.

namespace regard::experiments {

namespace {

/// The paths of the images of a part, with their captions.
Pairs pairs_of(const std::string& directory, const char* part, const std::vector<toys::Scene>& scenes) {
  Pairs pairs;
  for (std::size_t i = 0; i < scenes.size(); ++i)
    pairs.push_back(
        {fmt::format("{}/{}/{:05}.png", directory, part, i + 1), toys::caption(scenes[i]).text()});
  return pairs;
}

void captions(Trial& trial) {
  const Job& job = trial.job;
  const toys::Scenes scenes = toys::generate_scenes(
      1, {to_size(job.many(trial.task.train, 30)), 20, to_size(job.many(trial.task.test, 20))});
  const std::string directory = std::filesystem::absolute(job.directory + "/scenes").string();
  toys::write(scenes, directory, toys::Existing::replace);
  const toys::Corpus corpus{.train = pairs_of(directory, "train", scenes.train),
                            .validation = pairs_of(directory, "validation", scenes.validation),
                            .test = pairs_of(directory, "test", scenes.test)};
  Trained trained = train(job, corpus, trial.experiment.settings);
  trial.measured.merge(trained.training);
  trial.measured["words"] = {translate(trained, corpus.test).token_accuracy()};
  std::vector<double>& words = trial.measured["words_by_objects"];
  for (std::size_t objects = 1; objects <= 5; ++objects) {
    Pairs pairs;
    for (std::size_t i = 0; i < scenes.test.size(); ++i)
      if (scenes.test[i].objects.size() == objects) pairs.push_back(corpus.test[i]);
    const Translations result = translate(trained, pairs);
    words.push_back(pairs.empty() ? 0 : result.token_accuracy());
    trial.measured["exact_by_objects"].push_back(pairs.empty() ? 0 : result.exact_match());
  }
  trial.measured["fall"] = {words.front() - words.back()};
}

}  // namespace

std::vector<Measure> measures_of_images() {
  return {{"captions", "words right, in %; words_by_objects, exact_by_objects; fall of the words", captions}};
}

}  // namespace regard::experiments
