#include "apps/translation/training/training_data.h"

#include <optional>
#include <tuple>
#include <utility>

#include "apps/translation/corpus/checksum.h"
#include "apps/translation/corpus/held_out.h"
#include "apps/translation/files/warning.h"
#include "apps/translation/model/model_directory.h"
#include "apps/translation/processes/sharing.h"
#include "apps/translation/settings/doors.h"
#include "apps/translation/settings/tokeniser_kind.h"
#include "apps/translation/training/fine_tuning.h"
#include "autograd/machine/error.h"

namespace regard::translation {

namespace {

Vocabularies make_vocabularies(const ParallelText& text, const Tokeniser& tokeniser,
                               const Settings& all_settings) {
  const DataSettings& data = all_settings.data;
  const VocabularySettings settings{.maximum_size = data.vocabulary_size,
                                    .minimum_frequency = data.minimum_frequency};
  TokenCounts source, target;
  if (!all_settings.model.reads_files()) count_tokens(source, text.source, tokeniser);
  count_tokens(data.joint_vocabulary ? source : target, text.target, tokeniser);
  const auto make = [&](const TokenCounts& counts, const char* side) {
    Vocabulary vocabulary = Vocabulary::from_counts(counts, settings);
    if (vocabulary.size() == special::count)
      fail("no token of the training corpus{} occurs at least {} times; {}", side, settings.minimum_frequency,
           settings.minimum_frequency > 1 ? "lower data.minimum_frequency" : "its lines are empty");
    return vocabulary;
  };
  if (data.joint_vocabulary) {
    const Vocabulary joint = make(source, "");
    return {joint, joint};
  }
  return {make(source, "'s source side"), make(target, "'s target side")};
}

/// Turns the corpora into numbers. `validation` is null without a validation corpus.
TrainingData encode_corpora(TextEncoding text_encoding, const ParallelText& text,
                            const ParallelText* validation, const Settings& settings,
                            const DataProgress& progress) {
  TrainingData result{.vocabularies = std::move(text_encoding.vocabularies)};
  const std::shared_ptr<const Tokeniser> tokeniser = std::move(text_encoding.tokeniser);
  const std::shared_ptr<const SourceFiles> files = settings.source_files();
  Encoding encoding{.tokeniser = *tokeniser,
                    .source_vocabulary = result.vocabularies.source,
                    .target_vocabulary = result.vocabularies.target,
                    .max_length = settings.data.max_length,
                    .files = files.get(),
                    .progress = progress.cutting};
  result.training = encode(text, encoding);
  result.sources = TrainedSources::of(text, result.training, files.get());
  encoding.progress = {};
  if (const DataSettings& data = settings.data; data.is_mixture())
    result.mixture = mixture_of(text, result.training, data.files(), data.shares, data.temperature);
  if (validation != nullptr) {
    result.validation = encode(*validation, encoding);
    for (const Index line : result.validation->lines)
      result.references.push_back(tokeniser->plain(validation->target[to_size(line)]));
  }
  result.tokeniser = tokeniser;
  result.subwords = std::move(text_encoding.about);
  return result;
}

TextEncoding with_description(TextEncoding encoding, const std::string& directory) {
  encoding.about = encoding.tokeniser->about();
  if (!encoding.about.empty()) encoding.about += ", from " + directory;
  return encoding;
}

/// Returns the vocabulary of the training that is being resumed, or nothing if its file is missing or
/// damaged. Then the vocabulary is made again, and load_state compares it with the checksum in the state.
std::optional<TextEncoding> saved_encoding(const std::string& directory, const DataSettings& settings) {
  try {
    if (has_text_encoding(directory, settings)) return load_text_encoding(directory, settings);
    warn("the vocabulary in {} is missing; it is made again", directory);
  } catch (const Error& error) {
    warn("{}; the vocabulary is made again", error.what());
  }
  return std::nullopt;
}

/// Returns the text in the form in which the tokeniser cuts it: `text` itself, or `changed`.
const ParallelText& in_form(const ParallelText& text, const Settings& settings, ParallelText& changed) {
  const std::unique_ptr<TextForm> form = text_form_of(settings.data);
  if (!form) return text;
  changed = text;
  if (!settings.model.reads_files())
    for (std::string& line : changed.source) line = form->to(line);
  for (std::string& line : changed.target) line = form->to(line);
  return changed;
}

/// Makes or loads the encoding of the text.
TextEncoding make_encoding(const ParallelText& text, const Settings& settings,
                           const std::string& resumed_directory, const DataProgress& progress) {
  const TokeniserKind& kind = tokeniser_of(settings.data);
  if (!resumed_directory.empty())
    if (std::optional<TextEncoding> saved = saved_encoding(resumed_directory, settings.data)) {
      if (kind.check_given) kind.check_given(saved->vocabularies, settings, resumed_directory);
      return with_description(std::move(*saved), resumed_directory);
    }
  if (const std::string model = initial_model(settings.training); !model.empty())
    return with_description(load_text_encoding(model, load_config(model).data), model);
  if (kind.learn) {
    ParallelText changed;
    TextEncoding learnt = kind.learn(in_form(text, settings, changed), settings, progress.learning);
    const std::string given = given_tokeniser(settings);
    if (const auto form = text_form_of(settings.data); form && !given.empty())
      form->check_given(learnt.vocabularies.source, given);
    learnt.tokeniser = with_text_form(std::move(learnt.tokeniser), settings.data);
    return learnt;
  }
  const Vocabulary none = Vocabulary::from_counts({});
  std::unique_ptr<Tokeniser> tokeniser = with_text_form(kind.make({none, none}, {}), settings.data);
  Vocabularies vocabularies = make_vocabularies(text, *tokeniser, settings);
  return {std::move(vocabularies), std::move(tokeniser)};
}

/// The words of a vocabulary without the special tokens, and the vocabulary of these words.
std::vector<std::string> words_of(const Vocabulary& vocabulary) {
  std::vector<std::string> words;
  for (Index id = special::count; id < vocabulary.size(); ++id) words.push_back(vocabulary.token(id));
  return words;
}

Vocabulary vocabulary_of(const std::vector<std::string>& words) {
  TokenCounts counts;  // all equal, so the vocabulary keeps their order
  for (const std::string& word : words) counts.add(word);
  return Vocabulary::from_counts(counts);
}

/// Makes the encoding in the first process and gives it to all: its files may be in the directory that only
/// the first process reads, and learning subwords takes a while.
TextEncoding same_encoding(const DataSettings& settings, Processes& processes,
                           const std::function<TextEncoding()>& make) {
  if (processes.alone()) return make();
  const auto [source, target, subwords, target_subwords, about] = of_first(processes, [&] {
    const TextEncoding encoding = make();
    const Vocabularies& made = encoding.vocabularies;
    return std::tuple(words_of(made.source), words_of(made.target), made.subwords, made.target_subwords,
                      encoding.about);
  });
  const std::string name = "the model of rank 0";
  TextEncoding shared{
      {vocabulary_of(source), vocabulary_of(target), subwords, target_subwords}, nullptr, about};
  auto tokeniser =
      tokeniser_of(settings).make(shared.vocabularies, {.vocabularies = {name}, .subwords = {name, name}});
  shared.tokeniser = with_text_form(std::move(tokeniser), settings);
  return shared;
}

}  // namespace

Checksums TrainingData::checksums() const {
  Checksum vocabulary, corpus, validated;
  vocabulary.add(vocabularies.source);
  vocabulary.add(vocabularies.target);
  vocabulary.add(vocabularies.subwords);
  if (!vocabularies.target_subwords.empty()) vocabulary.add(vocabularies.target_subwords);
  corpus.add(training);
  for (const CorpusPart& part : mixture) corpus.add(&part.pairs, sizeof part.pairs);
  if (cut_again)  // its random numbers depend on the line numbers of the pairs
    corpus.add(training.lines.data(), training.lines.size() * sizeof(Index));
  if (validation) validated.add(*validation);
  for (const std::string& reference : references) validated.add(reference);
  // The vocabulary comes first, because another vocabulary also changes the checksums of the corpora.
  return {{vocabulary_part, vocabulary.text()},
          {"training corpus", corpus.text()},
          {"validation corpus", validation ? validated.text() : no_corpus}};
}

Settings settings_in_effect(Settings settings, const TrainingData& data) {
  const auto in_effect = tokeniser_of(settings.data).in_effect;
  if (in_effect && data.tokeniser) in_effect(data.tokeniser->of_form(), settings);
  return settings;
}

TrainingData load_training_data(const Settings& settings, const std::string& resumed_directory,
                                const DataProgress& progress, Processes& processes) {
  const DataSettings& data = settings.data;
  const std::shared_ptr<const SourceFiles> files = settings.source_files();
  ParallelText text = read_parallel(data.source, data.target, data.tsv, files.get());
  std::optional<ParallelText> validation;  // read before subwords are learnt, which takes minutes
  if (data.has_validation_files())
    validation =
        read_parallel(data.validation_source, data.validation_target, data.validation_tsv, files.get());
  else if (data.validation_share > 0)
    validation = hold_out(text, data.validation_share);
  if (progress.read && !settings.model.reads_files() && resumed_directory.empty() && processes.first())
    progress.read(text, validation.value_or(ParallelText()));
  for (const SourceDoor& door : doors().sources) {
    door.of_training(settings, text);
    if (validation) door.of_training(settings, *validation);
  }
  TextEncoding encoding = same_encoding(
      data, processes, [&] { return make_encoding(text, settings, resumed_directory, progress); });
  TrainingData result =
      encode_corpora(std::move(encoding), text, validation ? &*validation : nullptr, settings, progress);
  if (const auto cut_again = tokeniser_of(data).cut_again) {
    ParallelText changed;
    result.cut_again =
        cut_again(in_form(text, settings, changed), result.training, result.tokeniser->of_form(), settings);
  }
  return result;
}

}  // namespace regard::translation
