#include "apps/translation/model/translation_model.h"

#include <filesystem>
#include <utility>

#include "apps/translation/files/files.h"
#include "apps/translation/model/make_model.h"
#include "apps/translation/model/model_directory.h"
#include "apps/translation/model/weights.h"
#include "apps/translation/subwords/marian_tokeniser.h"
#include "apps/translation/subwords/subwords.h"
#include "apps/translation/text/utf8.h"
#include "autograd/machine/error.h"
#include "nn/low_precision/quantise.h"

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

/// Returns the file of the weights. A training that was interrupted early has not written it yet.
std::string present_weights(const ModelDirectory& files, const Settings& settings) {
  if (!files.has_weights() && !files.states().empty()) {
    const Index step = files.states().front();
    const bool may_end_there = step > 0 && settings.training.schedule != nn::Schedule::cosine;
    fail("{} is not a complete model: {} is missing; resume its training with the same command{}",
         files.path(), files.weights(),
         may_end_there ? fmt::format(" (with --set training.steps={} it ends at its present step)", step)
                       : "");
  }
  return files.present(files.weights());
}

}  // namespace

TextEncoding load_text_encoding(const std::string& directory, const Settings& settings) {
  const ModelDirectory files(directory);
  const auto load = [&](const std::string& file) { return Vocabulary::load(files.present(file)); };
  if (settings.data.tokeniser != "sentencepiece") {
    Vocabularies two = settings.data.joint_vocabulary
                           ? Vocabularies{load(files.vocabulary()), load(files.vocabulary())}
                           : Vocabularies{load(files.source_vocabulary()), load(files.target_vocabulary())};
    if (settings.data.tokeniser != "marian") return {std::move(two), make_tokeniser(settings.data.tokeniser)};
    two.subwords = read_file(files.present(files.source_subwords()));
    two.target_subwords = read_file(files.present(files.target_subwords()));
    auto pieces = std::make_unique<MarianTokeniser>(two.subwords, files.source_subwords(),
                                                    two.target_subwords, files.target_subwords());
    return {std::move(two), std::move(pieces)};
  }
  Vocabulary joint = load(files.vocabulary());
  std::string bytes = read_file(files.present(files.subwords()));
  auto tokeniser = std::make_unique<SubwordTokeniser>(bytes, files.subwords());
  check_same(joint, files.vocabulary(), *tokeniser, files.subwords());
  return {{joint, joint, std::move(bytes)}, std::move(tokeniser)};
}

TranslationModel TranslationModel::load(const std::string& directory, const LoadOptions& options) {
  const ModelDirectory files(directory);
  std::error_code ignored;
  if (!std::filesystem::is_directory(directory, ignored)) fail("there is no model directory {}", directory);
  files.present(files.config());
  Settings settings = files.load_config();
  const MakeModel make = maker_of(settings.model, options.make_model);
  TextEncoding text = load_text_encoding(directory, settings);
  const std::string weights_file =
      options.weights.empty() ? present_weights(files, settings) : options.weights;
  transformer::EncoderDecoder model = make(settings, text.vocabularies, Random::none());
  const TrainedSources sources = load_weights(model, weights_file, identity_of(settings, text.vocabularies));
  const bool has_bytes = nn::is_quantised(model);
  const Precision precision = options.precision.value_or(has_bytes ? Precision::int8 : Precision::float32);
  if (has_bytes && precision != Precision::int8)
    fail("{} has weights in int8, which cannot become {} again; take the model that it was converted from",
         weights_file, to_string(precision));
  nn::set_precision(model, precision);
  model.eval();
  return {std::move(settings), std::move(text.vocabularies), std::move(text.tokeniser), std::move(model),
          sources};
}

ParallelCorpus TranslationModel::encode(const ParallelText& text) const {
  return translation::encode(text, {*tokeniser, vocabularies.source, vocabularies.target,
                                    settings.data.max_length, settings.images()});
}

bool TranslationModel::takes(std::size_t tokens) const {
  return to_index(tokens) <= settings.data.max_length;
}

void TranslationModel::check_length(std::size_t tokens, const std::string& place) const {
  if (!takes(tokens))
    throw TooLong(fmt::format("{} has {} tokens, but this model takes at most {}; split the sentence", place,
                              tokens, settings.data.max_length));
}

}  // namespace regard::translation
