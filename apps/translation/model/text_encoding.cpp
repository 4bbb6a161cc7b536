#include "apps/translation/model/text_encoding.h"

#include "apps/translation/files/files.h"
#include "apps/translation/model/model_directory.h"
#include "apps/translation/subwords/subwords.h"
#include "apps/translation/text/utf8.h"
#include "autograd/error.h"

namespace regard::translation {

namespace {

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

TextEncoding load_text_encoding(const std::string& directory, const Settings& settings) {
  const ModelDirectory files(directory);
  const auto load = [&](const std::string& file) { return Vocabulary::load(files.present(file)); };
  if (settings.data.tokeniser != "sentencepiece") {
    Vocabularies two = settings.data.joint_vocabulary
                           ? Vocabularies{load(files.vocabulary()), load(files.vocabulary())}
                           : Vocabularies{load(files.source_vocabulary()), load(files.target_vocabulary())};
    return {std::move(two), make_tokeniser(settings.data.tokeniser)};
  }
  Vocabulary joint = load(files.vocabulary());
  std::string bytes = read_file(files.present(files.subwords()));
  auto tokeniser = std::make_unique<SubwordTokeniser>(bytes, files.subwords());
  check_same(joint, files.vocabulary(), *tokeniser, files.subwords());
  return {{joint, joint, std::move(bytes)}, std::move(tokeniser)};
}

}  // namespace regard::translation
