// The kinds of tokenisers with models of SentencePiece: `sentencepiece`, `marian` and `nllb`.
#include <span>
#include <utility>

#include "apps/subwords/marian_tokeniser.h"
#include "apps/subwords/nllb_tokeniser.h"
#include "apps/subwords/subword_regularisation.h"
#include "apps/subwords/subwords.h"
#include "apps/translation/files/files.h"
#include "apps/translation/files/utf8.h"
#include "apps/translation/model/text_encoding.h"
#include "apps/translation/settings/doors.h"
#include "autograd/machine/error.h"

namespace regard::translation {

namespace {

const SubwordSettings& subword_settings(const Settings& settings) {
  return settings.data.parts.of<SubwordSettings>();
}

/// Throws Error unless the vocabulary consists of the pieces. Otherwise the ids of the text would not fit the
/// weights.
void check_same(const Vocabulary& vocabulary, const std::string& path, const SubwordTokeniser& subwords,
                const std::string& subwords_path) {
  const Vocabulary& pieces = subwords.vocabulary();
  if (vocabulary.size() != pieces.size())
    fail("{} does not fit {}: it has {} entries instead of {}", path, subwords_path, vocabulary.size(),
         pieces.size());
  for (Index id = 0; id < pieces.size(); ++id)
    if (vocabulary.token(id) != pieces.token(id))
      fail("{} does not fit {}: its entry {} is \"{}\" instead of \"{}\"", path, subwords_path, id,
           printable(vocabulary.token(id)), printable(pieces.token(id)));
}

std::unique_ptr<Tokeniser> make_sentencepiece(const Vocabularies& vocabularies, const TextFiles& names) {
  const std::string& name = names.subwords.front();
  auto tokeniser = std::make_unique<SubwordTokeniser>(vocabularies.subwords, name);
  check_same(vocabularies.source, names.vocabularies.front(), *tokeniser, name);
  return tokeniser;
}

/// Reads the subwords from the model that the settings name, or learns them.
TextEncoding learn_sentencepiece(const ParallelText& text, const Settings& settings,
                                 const LearningProgress& progress) {
  const std::string& given = subword_settings(settings).model;
  std::string bytes, from;
  if (given.empty()) {
    std::vector<std::span<const std::string>> sides{text.target};
    if (!settings.model.reads_files()) sides.insert(sides.begin(), text.source);
    LearntSubwords learnt = learn_subwords(sides, subword_settings(settings), progress);
    bytes = std::move(learnt.bytes);
    from = origin(learnt);
  } else {
    bytes = read_file(given);
    from = ", from " + given;
  }
  auto tokeniser = std::make_unique<SubwordTokeniser>(bytes, given.empty() ? "the model" : given);
  std::string about = tokeniser->about() + from;
  const Vocabulary pieces = tokeniser->vocabulary();
  return {{pieces, pieces, std::move(bytes)}, std::move(tokeniser), std::move(about)};
}

/// The training has its own copy, so the given file may be missing now.
void check_same_subwords(const Vocabularies& own, const Settings& settings, const std::string& directory) {
  const std::string& given = subword_settings(settings).model;
  if (given.empty() || !path_exists(given)) return;
  const std::string bytes = read_file(given);
  const SubwordTokeniser readable(bytes, given);  // throws Error if it is not
  // Earlier versions have added a checksum to the end of their copy.
  if (!own.subwords.starts_with(bytes))
    fail(
        "data.subwords.model: {} is not the model with which the training in {} began; leave it out to "
        "resume, give another directory, or --overwrite to start a new training",
        given, directory);
}

void write_properties(const Tokeniser& tokeniser, Settings& settings) {
  const auto* const subwords = dynamic_cast<const SubwordTokeniser*>(&tokeniser);
  if (subwords == nullptr) return;
  const SubwordProperties& properties = subwords->properties();
  auto& written = settings.data.parts.of<SubwordSettings>();
  written.type = properties.type;
  written.size = subwords->vocabulary().size();
  written.normalisation = properties.normalisation;
  written.keep_blanks = properties.keep_blanks;
  written.byte_fallback = properties.byte_fallback;
}

CutAgain regularisation(const ParallelText& text, const ParallelCorpus& corpus, const Tokeniser& tokeniser,
                        const Settings& settings) {
  const SubwordSettings& subwords = subword_settings(settings);
  if (subwords.sampling == 0) return {};
  const auto regularisation = std::make_shared<const SubwordRegularisation>(
      text, corpus, dynamic_cast<const SubwordTokeniser&>(tokeniser), subwords,
      settings.model.longest_sentences());
  return [regularisation](const ParallelCorpus& plain, std::uint64_t seed, Index epoch) {
    return regularisation->sample(plain, seed, epoch);
  };
}

std::unique_ptr<Tokeniser> make_marian(const Vocabularies& vocabularies, const TextFiles& names) {
  return std::make_unique<MarianTokeniser>(vocabularies.subwords, names.subwords.front(),
                                           vocabularies.target_subwords, names.subwords.back());
}

std::unique_ptr<Tokeniser> make_nllb(const Vocabularies& vocabularies, const TextFiles& names) {
  const std::string& file = names.subwords.back();
  Direction direction = Direction::of(vocabularies.target_subwords, file);
  for (const std::string& code : {direction.source, direction.target})
    if (vocabularies.source.id(code) == special::unknown)
      fail("{} has \"{}\", which is no language of this model", file, printable(code));
  return std::make_unique<NllbTokeniser>(vocabularies.subwords, names.subwords.front(), std::move(direction));
}

TextEncoding learn_nothing(const ParallelText&, const Settings& settings, const LearningProgress&) {
  fail(
      "data.tokeniser \"{}\" belongs to a model of regard import; to train it further, give its directory "
      "as training.initial_weights",
      settings.data.tokeniser);
}

}  // namespace

void open_subwords(Doors& doors) {
  doors.tokenisers.push_back({.name = "sentencepiece",
                              .about = "subwords of raw text.",
                              .files = {"subwords.model"},
                              .check = check_subwords,
                              .make = make_sentencepiece,
                              .learn = learn_sentencepiece,
                              .given = "data.subwords.model",
                              .check_given = check_same_subwords,
                              .in_effect = write_properties,
                              .cut_again = regularisation});
  doors.tokenisers.push_back({.name = "marian",
                              .about = "the two SentencePiece models of an imported model (regard import).",
                              .files = {"subwords.source.model", "subwords.target.model"},
                              .make = make_marian,
                              .learn = learn_nothing});
  doors.tokenisers.push_back({.name = "nllb",
                              .about =
                                  "the SentencePiece model of an imported model of NLLB; the code of the "
                                  "language, of languages.txt, comes first.",
                              .files = {"subwords.model", "languages.txt"},
                              .make = make_nllb,
                              .learn = learn_nothing});
  doors.rules.push_back({.make = begin_with_language});
  doors.settings.push_back(settings_door("data", describe_subwords));
  doors.settings.push_back(settings_door("data", describe_marian));
}

}  // namespace regard::translation
