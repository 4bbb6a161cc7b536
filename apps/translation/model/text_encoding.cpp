#include "apps/translation/model/text_encoding.h"

#include <algorithm>
#include <utility>

#include "apps/translation/files/files.h"
#include "apps/translation/files/utf8.h"
#include "apps/translation/subwords/marian_tokeniser.h"
#include "apps/translation/subwords/subwords.h"
#include "autograd/machine/error.h"

namespace regard::translation {

namespace {

/// One file for both languages, or one for each.
struct TextFiles {
  std::vector<std::string> vocabularies, subwords = {};
};

TextFiles files_of(const std::string& directory, const std::string& tokeniser, bool joint) {
  TextFiles files{.vocabularies = {directory + "/vocabulary.json"}};
  if (!joint)
    files.vocabularies = {directory + "/vocabulary.source.json", directory + "/vocabulary.target.json"};
  if (tokeniser == "sentencepiece") files.subwords = {directory + "/subwords.model"};
  if (tokeniser == "marian")
    files.subwords = {directory + "/subwords.source.model", directory + "/subwords.target.model"};
  return files;
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

}  // namespace

std::vector<std::string> text_encoding_files(const std::string& directory) {
  std::vector<std::string> all;
  for (const TextFiles& files :
       {files_of(directory, "sentencepiece", true), files_of(directory, "marian", false)}) {
    all.insert(all.end(), files.vocabularies.begin(), files.vocabularies.end());
    all.insert(all.end(), files.subwords.begin(), files.subwords.end());
  }
  return all;
}

bool has_text_encoding(const std::string& directory, const DataSettings& settings) {
  const TextFiles files = files_of(directory, settings.tokeniser, settings.joint_vocabulary);
  return std::ranges::all_of(files.vocabularies, path_exists) &&
         std::ranges::all_of(files.subwords, path_exists);
}

TextEncoding load_text_encoding(const std::string& directory, const DataSettings& settings) {
  const TextFiles files = files_of(directory, settings.tokeniser, settings.joint_vocabulary);
  const auto load = [&](const std::string& file) { return Vocabulary::load(present(directory, file)); };
  Vocabularies vocabularies{load(files.vocabularies.front()), load(files.vocabularies.back())};
  std::unique_ptr<Tokeniser> tokeniser;
  if (files.subwords.empty()) {
    tokeniser = make_tokeniser(settings.tokeniser);
  } else if (files.subwords.size() == 1) {
    vocabularies.subwords = read_file(present(directory, files.subwords.front()));
    auto pieces = std::make_unique<SubwordTokeniser>(vocabularies.subwords, files.subwords.front());
    check_same(vocabularies.source, files.vocabularies.front(), *pieces, files.subwords.front());
    tokeniser = std::move(pieces);
  } else {
    vocabularies.subwords = read_file(present(directory, files.subwords.front()));
    vocabularies.target_subwords = read_file(present(directory, files.subwords.back()));
    tokeniser = std::make_unique<MarianTokeniser>(vocabularies.subwords, files.subwords.front(),
                                                  vocabularies.target_subwords, files.subwords.back());
  }
  return {std::move(vocabularies), std::move(tokeniser)};
}

void save_vocabularies(const std::string& directory, const DataSettings& settings,
                       const Vocabularies& vocabularies) {
  const TextFiles files = files_of(directory, settings.tokeniser, settings.joint_vocabulary);
  vocabularies.source.save(files.vocabularies.front());
  if (files.vocabularies.size() > 1) vocabularies.target.save(files.vocabularies.back());
  const std::string* const bytes[]{&vocabularies.subwords, &vocabularies.target_subwords};
  for (std::size_t i = 0; i < files.subwords.size(); ++i)
    if (!bytes[i]->empty()) write_file(files.subwords[i], *bytes[i]);
}

const std::string& present(const std::string& directory, const std::string& file) {
  if (!path_exists(file))
    fail("{} is not a complete model: {} is missing; train it with regard train", directory, file);
  return file;
}

}  // namespace regard::translation
