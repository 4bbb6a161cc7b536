#include "apps/translation/training/training_data.h"

#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "apps/translation/corpus/checksum.h"
#include "apps/translation/corpus/held_out.h"
#include "apps/translation/files/files.h"
#include "apps/translation/files/warning.h"
#include "apps/translation/model/model_directory.h"
#include "apps/translation/processes/sharing.h"
#include "apps/translation/subwords/marian_tokeniser.h"
#include "apps/translation/subwords/subwords.h"
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

/// Describes subwords and their origin; empty if the tokeniser has none.
std::string about_subwords(const Tokeniser& tokeniser, const std::string& origin) {
  const auto* subwords = dynamic_cast<const SubwordTokeniser*>(&tokeniser);
  if (subwords == nullptr) return "";
  return describe(subwords->properties(), subwords->vocabulary().size()) + origin;
}

/// Reads the subwords from the model that the settings name, or learns them.
TextEncoding make_subwords(const ParallelText& text, const Settings& settings, const DataProgress& progress) {
  const std::string& given = settings.data.subwords.model;
  std::string bytes, from;
  if (given.empty()) {
    std::vector<std::span<const std::string>> sides{text.target};
    if (!settings.model.reads_files()) sides.insert(sides.begin(), text.source);
    LearntSubwords learnt = learn_subwords(sides, settings.data.subwords, progress.learning);
    bytes = std::move(learnt.bytes);
    from = origin(learnt);
  } else {
    bytes = read_file(given);
    from = ", from " + given;
  }
  auto tokeniser = std::make_unique<SubwordTokeniser>(bytes, given.empty() ? "the model" : given);
  std::string about = about_subwords(*tokeniser, from);
  const Vocabulary pieces = tokeniser->vocabulary();
  return {{pieces, pieces, std::move(bytes)}, std::move(tokeniser), std::move(about)};
}

TextEncoding with_description(TextEncoding encoding, const std::string& directory) {
  encoding.about = about_subwords(*encoding.tokeniser, ", from " + directory);
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

/// Throws Error if data.subwords.model is not the model that the resumed training began with. The training
/// has its own copy, so the given file may be missing now.
void check_same_subwords(const TextEncoding& own, const std::string& given, const std::string& directory) {
  if (given.empty() || !path_exists(given)) return;
  const std::string bytes = read_file(given);
  const SubwordTokeniser readable(bytes, given);  // throws Error if it is not
  // Earlier versions have added a checksum to the end of their copy.
  if (!own.vocabularies.subwords.starts_with(bytes))
    fail(
        "data.subwords.model: {} is not the model with which the training in {} began; leave it out to "
        "resume, give another directory, or --overwrite to start a new training",
        given, directory);
}

/// Makes or loads the encoding of the text.
TextEncoding make_encoding(const ParallelText& text, const Settings& settings,
                           const std::string& resumed_directory, const DataProgress& progress) {
  const DataSettings& data = settings.data;
  if (!resumed_directory.empty())
    if (std::optional<TextEncoding> saved = saved_encoding(resumed_directory, data)) {
      check_same_subwords(*saved, data.subwords.model, resumed_directory);
      return with_description(std::move(*saved), resumed_directory);
    }
  if (const std::string model = initial_model(settings.training); !model.empty())
    return with_description(load_text_encoding(model, load_config(model).data), model);
  if (data.tokeniser == "sentencepiece") return make_subwords(text, settings, progress);
  std::unique_ptr<Tokeniser> tokeniser = make_tokeniser(data.tokeniser);
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
  constexpr const char* name = "the model of rank 0";
  TextEncoding shared{
      {vocabulary_of(source), vocabulary_of(target), subwords, target_subwords}, nullptr, about};
  if (!target_subwords.empty())
    shared.tokeniser = std::make_unique<MarianTokeniser>(subwords, name, target_subwords, name);
  else if (!subwords.empty())
    shared.tokeniser = std::make_unique<SubwordTokeniser>(subwords, name);
  else
    shared.tokeniser = make_tokeniser(settings.tokeniser);
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
  if (regularisation)  // its random numbers depend on the line numbers of the pairs
    corpus.add(training.lines.data(), training.lines.size() * sizeof(Index));
  if (validation) validated.add(*validation);
  for (const std::string& reference : references) validated.add(reference);
  // The vocabulary comes first, because another vocabulary also changes the checksums of the corpora.
  return {{vocabulary_part, vocabulary.text()},
          {"training corpus", corpus.text()},
          {"validation corpus", validation ? validated.text() : no_corpus}};
}

Settings settings_in_effect(Settings settings, const TrainingData& data) {
  if (const auto* subwords = dynamic_cast<const SubwordTokeniser*>(data.tokeniser.get())) {
    const SubwordProperties& properties = subwords->properties();
    settings.data.subwords.type = properties.type;
    settings.data.subwords.size = subwords->vocabulary().size();
    settings.data.subwords.normalisation = properties.normalisation;
    settings.data.subwords.keep_blanks = properties.keep_blanks;
    settings.data.subwords.byte_fallback = properties.byte_fallback;
  }
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
  TextEncoding encoding = same_encoding(
      data, processes, [&] { return make_encoding(text, settings, resumed_directory, progress); });
  TrainingData result =
      encode_corpora(std::move(encoding), text, validation ? &*validation : nullptr, settings, progress);
  const auto* const subwords = dynamic_cast<const SubwordTokeniser*>(result.tokeniser.get());
  if (subwords != nullptr && data.subwords.sampling > 0)
    result.regularisation = std::make_shared<SubwordRegularisation>(
        text, result.training, *subwords, data.subwords, settings.model.longest_sentences());
  return result;
}

}  // namespace regard::translation
