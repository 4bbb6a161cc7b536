#include "apps/translation/trainer.h"
#include "autograd/error.h"

namespace regard::translation {

namespace {

ParallelText read(const std::string& source, const std::string& target, const std::string& tsv) {
  return tsv.empty() ? read_parallel_files(source, target) : read_parallel_tsv(tsv);
}

Vocabularies make_vocabularies(const ParallelText& text, const Tokeniser& tokeniser,
                               const DataSettings& data) {
  const VocabularySettings settings{.maximum_size = data.vocabulary_size,
                                    .minimum_frequency = data.minimum_frequency};
  TokenCounts source, target;
  count_tokens(source, text.source, tokeniser);
  count_tokens(data.joint_vocabulary ? source : target, text.target, tokeniser);
  if (data.joint_vocabulary) {
    const Vocabulary joint = Vocabulary::from_counts(source, settings);
    return {joint, joint};
  }
  return {Vocabulary::from_counts(source, settings), Vocabulary::from_counts(target, settings)};
}

}  // namespace

TrainingData load_training_data(const Settings& settings) {
  const DataSettings& data = settings.data;
  const std::unique_ptr<Tokeniser> tokeniser = make_tokeniser(data.tokeniser);
  const ParallelText text = read(data.source, data.target, data.tsv);
  TrainingData result{make_vocabularies(text, *tokeniser, data), {}, {}};
  const Encoding encoding{*tokeniser, result.vocabularies.source, result.vocabularies.target,
                          data.max_length};
  result.training = encode(text, encoding);
  if (data.has_validation())
    result.validation =
        encode(read(data.validation_source, data.validation_target, data.validation_tsv), encoding);
  return result;
}

}  // namespace regard::translation
