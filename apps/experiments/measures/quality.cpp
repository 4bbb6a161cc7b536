#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>

#include "apps/experiments/measures/measures.h"
#include "apps/head_importance/head_importance.h"
#include "apps/images/scenes/scenes.h"
#include "autograd/machine/error.h"

// Measures of the quality of translations and captions.

namespace regard::experiments {

namespace {
Index words_of(const std::string& line) { return std::ranges::count(line, ' ') + 1; }
}  // namespace

Pairs with_words(const Pairs& pairs, Index from, Index width, Index most) {
  Pairs found;
  for (const toys::SentencePair& pair : pairs)
    if (const Index words = words_of(pair.source);
        words >= from && words < from + width && to_index(found.size()) < most)
      found.push_back(pair);
  return found;
}

namespace {

void training(Trial& trial) { trial.measured = trial.trained().training; }
void bleu(Trial& trial) { trial.measured["bleu"] = {trial.translations().bleu()}; }
void exact(Trial& trial) { trial.measured["exact"] = {trial.translations().exact_match()}; }
void perplexity(Trial& trial) {
  trial.measured["perplexity"] = {
      std::exp(translation::mean_loss(trial.trained().model(), encoded(trial.trained(), trial.test())))};
}

void first_and_last(Trial& trial) {
  trial.measured["first"] = {trial.translations().right_at(0)};
  trial.measured["last"] = {trial.translations().right_at(-1)};
}

void bleu_by_words(Trial& trial) {
  std::vector<double>& bleu = trial.measured["bleu"];
  const auto width = static_cast<Index>(trial.option("width", 5));
  const auto most = static_cast<Index>(trial.option("pairs", 200));
  for (const double from : trial.options("from")) {
    const Pairs pairs = with_words(trial.test(), static_cast<Index>(from), width, most);
    bleu.push_back(pairs.empty() ? 0 : translate(trial.trained(), pairs).bleu());
  }
  trial.measured["fall"] = {bleu.front() - bleu.back()};
}

void exact_by_words(Trial& trial) {
  for (Index words = 1; words <= static_cast<Index>(trial.option("most", 8)); ++words) {
    Pairs pairs;
    for (const toys::SentencePair& pair : trial.test())
      if (words_of(pair.target) == words) pairs.push_back(pair);
    trial.measured["exact"].push_back(pairs.empty() ? 0 : translate(trial.trained(), pairs).exact_match());
  }
}

/// The number of letters of a task whose sources are all of one length.
Index places_of(const Trial& trial) {
  const std::vector<Index>& letters = trial.task.letters;
  if (letters.size() != 2 || letters[0] != letters[1] || letters[0] < 4)
    fail("this measure needs sources of one length, at least 4: a task such as {{\"letters\": [20, 20]}}");
  return letters[0];
}

/// New pairs of the task's toy, with sources of exactly this many letters.
Pairs pairs_of_length(const Trial& trial, double letters) {
  Task task = trial.task;
  if (task.letters.empty()) fail("this measure needs a task with \"letters\"");
  task.letters = {static_cast<Index>(letters), static_cast<Index>(letters)};
  return sample(trial.job, toy_of(task), static_cast<Index>(trial.option("pairs", 100)), Draw::test);
}

/// For each of the first places of the target, the share of the pairs, in %, that are right with teacher
/// forcing.
std::vector<double> forced_by_place(Trial& trial, const Pairs& pairs, Index places, End end = End::anywhere) {
  std::vector<double> right(to_size(places));
  const std::vector<std::vector<bool>> forced = forced_right(trial.trained(), pairs, end);
  for (const std::vector<bool>& pair : forced) {
    if (pair.size() < right.size()) fail("this measure needs targets of {} letters", places);
    for (std::size_t at = 0; at < right.size(); ++at)
      right[at] += pair[at] ? 100.0 / static_cast<double>(forced.size()) : 0;
  }
  return right;
}

void right_by_length(Trial& trial) {
  for (const double letters : trial.options("lengths"))
    trial.measured["right"].push_back(
        translate(trial.trained(), pairs_of_length(trial, letters)).token_accuracy());
}

void forced_by_length(Trial& trial) {
  for (const double letters : trial.options("lengths"))
    trial.measured["forced"].push_back(
        mean(forced_by_place(trial, pairs_of_length(trial, letters), static_cast<Index>(letters))));
}

void right_beyond(Trial& trial) {
  const auto after = static_cast<Index>(trial.option("after", 20));
  for (const double letters : trial.options("lengths")) {
    const auto length = static_cast<Index>(letters);
    if (length <= after) fail("\"lengths\" has {}, but places after {} are measured", length, after);
    const Pairs pairs = pairs_of_length(trial, letters);
    const Translations found = translate(trial.trained(), pairs);
    double right = 0;
    for (Index place = after; place < length; ++place) right += found.right_at(place);
    trial.measured["beyond"].push_back(right / static_cast<double>(length - after));
    const std::vector<double> forced = forced_by_place(trial, pairs, length, End::at_the_end);
    trial.measured["forced"].push_back(mean({forced.begin() + after, forced.end()}));
  }
}

void right_by_place(Trial& trial) {
  std::vector<double> right = forced_by_place(trial, trial.test(), places_of(trial));
  if (trial.task.toy == "reverse") std::ranges::reverse(right);
  const auto middle = right.begin() + std::ssize(right) / 2;
  trial.measured["early"] = {mean({right.begin(), middle})};
  trial.measured["late"] = {mean({middle, right.end()})};
  trial.measured["right"] = std::move(right);
}

void forced_and_free(Trial& trial) {
  const Index places = places_of(trial);
  const std::vector<double> forced = forced_by_place(trial, trial.test(), places);
  std::vector<double> free;
  for (Index place = 0; place < places; ++place) free.push_back(trial.translations().right_at(place));
  trial.measured["mean_free"] = {mean(free)};
  trial.measured["gap"] = {mean(forced) - mean(free)};
  trial.measured["forced"] = forced;
  trial.measured["free"] = std::move(free);
}

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
      random_for(job, Draw::corpus).next(),
      {to_size(job.many(trial.task.train, 30)), to_size(job.many(trial.task.validation, 20)),
       to_size(job.many(trial.task.test, 20))});
  const std::string directory = std::filesystem::absolute(job.directory + "/scenes").string();
  toys::write(scenes, directory, toys::Existing::replace);
  const toys::Corpus corpus{.train = pairs_of(directory, "train", scenes.train),
                            .validation = pairs_of(directory, "validation", scenes.validation),
                            .test = pairs_of(directory, "test", scenes.test)};
  Trained trained = train(job, corpus, {}, "other");
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
    std::vector<double> right;  // each word, after the true ones
    if (!pairs.empty())
      for (const std::vector<bool>& of_pair : forced_right(trained, pairs))
        std::ranges::transform(of_pair, std::back_inserter(right), [](bool is) { return is ? 100 : 0; });
    trial.measured["forced_by_objects"].push_back(right.empty() ? 0 : mean(right));
  }
}

}  // namespace

std::vector<Measure> measures_of_quality() {
  return {
      {"training", "validation_loss parameters", "the least loss of the validation pairs; parameters",
       training},
      {"loss", "loss", "of the training, at 20 places", training},
      {"validation_curve", "validation_curve", "loss of the validation pairs at 10 places", training},
      {"bleu", "bleu", "BLEU of the test pairs", bleu},
      {"exact", "exact", "sentences that are right, in %", exact},
      {"perplexity", "perplexity", "of the references", perplexity},
      {"first_and_last", "first last", "these tokens are right, in %", first_and_last},
      {"bleu_by_words", "bleu fall", "for each range of source words (from, width, pairs)", bleu_by_words,
       "from width pairs"},
      {"exact_by_words", "exact", "for each number of target words, 1 to most", exact_by_words, "most"},
      {"right_by_length", "right", "letters at their place, in %, for each of lengths (pairs)",
       right_by_length, "lengths pairs"},
      {"forced_by_length", "forced", "the same with teacher forcing", forced_by_length, "lengths pairs"},
      {"right_beyond", "beyond forced",
       "the same, of the places beyond `after`; forced: after the true letters, if it may not end before",
       right_beyond, "lengths pairs after"},
      {"right_by_place", "right early late", "by place in the source; early, late: its halves",
       right_by_place},
      {"forced_and_free", "forced free mean_free gap",
       "right by place with and without teacher forcing, in %", forced_and_free},
      {"captions",
       "words words_by_objects exact_by_objects forced_by_objects validation_loss validation_curve "
       "parameters",
       "words right, in %; captions, and words after the true ones, by objects", captions, "", Model::own}};
}

}  // namespace regard::experiments
