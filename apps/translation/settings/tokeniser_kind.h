#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "apps/translation/corpus/corpus.h"
#include "apps/translation/corpus/epoch_corpus.h"
#include "apps/translation/settings/settings.h"
#include "apps/translation/text/text_form.h"
#include "apps/translation/text/tokeniser.h"
#include "apps/translation/text/vocabulary.h"

namespace regard::translation {

struct TextEncoding;  // model/text_encoding.h

/// The files of a tokeniser and its vocabularies: one for both languages, or one for each. Messages call them
/// by these names.
struct TextFiles {
  std::vector<std::string> vocabularies, subwords = {};
};

/// Told in a line of text when learning begins, and how long it took.
using LearningProgress = std::function<void(const std::string& line)>;

/// A kind of tokeniser that settings can name (data.tokeniser).
struct TokeniserKind {
  std::string name;
  std::string about;  ///< for the description of data.tokeniser
  /// The names of its own files in a model directory: none, one, or one for each side.
  std::vector<std::string> files = {};
  /// Throws Error if the settings contradict each other. Null: only the general checks are made.
  void (*check)(const Settings& settings) = nullptr;
  /// Makes it from the bytes of its files, which the vocabularies hold. Throws Error if they are damaged or
  /// do not fit the vocabularies.
  std::unique_ptr<Tokeniser> (*make)(const Vocabularies& vocabularies, const TextFiles& names);
  /// Makes the encoding of a new training. Null: the vocabularies are the tokens of its corpus.
  TextEncoding (*learn)(const ParallelText& text, const Settings& settings,
                        const LearningProgress& progress) = nullptr;
  /// The setting that names a file of the user from which the encoding is made, so that nothing is learnt.
  /// Empty: there is no such setting, and the next function is null.
  std::string given = {};
  /// Throws Error if that file is not the one with which the training that is resumed in this directory
  /// began.
  void (*check_given)(const Vocabularies& own, const Settings& settings,
                      const std::string& directory) = nullptr;
  /// Writes into the settings what the files say. Null: nothing.
  void (*in_effect)(const Tokeniser& tokeniser, Settings& settings) = nullptr;
  /// How a training with these settings cuts its corpus in each epoch. Null: always in the same way.
  CutAgain (*cut_again)(const ParallelText& text, const ParallelCorpus& corpus, const Tokeniser& tokeniser,
                        const Settings& settings) = nullptr;
};

/// Makes the form of text that these settings choose (text/text_form.h); null if they choose none of this
/// room.
using MakeTextForm = std::unique_ptr<TextForm> (*)(const DataSettings& data);

/// The form of text that the settings choose, of all rooms; null if they choose none. Throws Error if they
/// choose two.
std::unique_ptr<TextForm> text_form_of(const DataSettings& data);

/// Gives a tokeniser of the kind of these settings the form of text that they choose.
std::unique_ptr<Tokeniser> with_text_form(std::unique_ptr<Tokeniser> tokeniser, const DataSettings& data);

/// The kind of these settings. Throws Error if there is none of this name.
const TokeniserKind& tokeniser_of(const DataSettings& data);

/// The file that the settings give (TokeniserKind::given); "" if they give none.
std::string given_tokeniser(const Settings& settings);

/// The spine's own, which make_tokeniser knows.
std::vector<TokeniserKind> plain_tokenisers();

}  // namespace regard::translation
