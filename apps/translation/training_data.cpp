#include "apps/translation/training_data.h"

#include <utility>
#include <zlib.h>

#include "apps/translation/files.h"
#include "apps/translation/subwords.h"
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

/// A CRC-32 of many things, each with its size, so that things cut differently give another sum.
class Checksum {
 public:
  void add(const void* data, std::size_t bytes) {
    const std::uint64_t size = bytes;
    update(&size, sizeof size);
    if (bytes > 0) update(data, bytes);  // of nothing, zlib would begin anew
  }
  void add(const std::string& text) { add(text.data(), text.size()); }
  void add(const ParallelCorpus& corpus) {
    for (const auto* side : {&corpus.source, &corpus.target})
      for (const std::vector<std::int32_t>& sentence : *side)
        add(sentence.data(), sentence.size() * sizeof(std::int32_t));
  }
  void add(const Vocabulary& vocabulary) {
    for (std::int64_t id = 0; id < vocabulary.size(); ++id) add(vocabulary.token(id));
  }

  uLong sum() const { return sum_; }

 private:
  void update(const void* data, std::size_t bytes) {
    sum_ = crc32_z(sum_, static_cast<const Bytef*>(data), bytes);
  }
  uLong sum_ = 0;
};

TrainingData encode_corpora(Vocabularies vocabularies, const ParallelText& text,
                            std::shared_ptr<const Tokeniser> tokeniser, const DataSettings& data) {
  TrainingData result{.vocabularies = std::move(vocabularies)};
  const Encoding encoding{*tokeniser, result.vocabularies.source, result.vocabularies.target,
                          data.max_length};
  result.training = encode(text, encoding);
  if (data.has_validation()) {
    const ParallelText validation = read(data.validation_source, data.validation_target, data.validation_tsv);
    result.validation = encode(validation, encoding);
    for (const std::int64_t line : result.validation->lines)
      result.references.push_back(tokeniser->plain(validation.target[static_cast<std::size_t>(line)]));
  }
  result.tokeniser = std::move(tokeniser);
  return result;
}

/// The SentencePiece model that the settings name, or one learnt from the text, and a sentence about it.
std::pair<std::string, std::string> subword_model(const ParallelText& text, const SubwordSettings& settings) {
  if (!settings.model.empty()) return {read_file(settings.model), "those of " + settings.model};
  LearntSubwords learnt = learn_subwords({text.source, text.target}, settings);
  std::string about = summary(learnt, settings);
  return {std::move(learnt.bytes), std::move(about)};
}

TrainingData encode_subwords(const ParallelText& text, const DataSettings& data) {
  auto [bytes, about] = subword_model(text, data.subwords);
  const auto tokeniser = std::make_shared<const SubwordTokeniser>(
      bytes, data.subwords.model.empty() ? "the model" : data.subwords.model);
  if (!tokeniser->pieces().has_checksum) bytes = with_checksum(std::move(bytes));
  const Vocabulary& pieces = tokeniser->vocabulary();
  TrainingData result = encode_corpora({pieces, pieces, std::move(bytes)}, text, tokeniser, data);
  result.subwords = std::move(about);
  if (data.subwords.sampling > 0)
    result.regularisation =
        std::make_shared<SubwordRegularisation>(text, result.training, *tokeniser, data.subwords);
  return result;
}

}  // namespace

std::string TrainingData::checksum() const {
  Checksum checksum;
  checksum.add(training);
  if (validation) checksum.add(*validation);
  for (const std::string& reference : references) checksum.add(reference);
  checksum.add(vocabularies.source);
  checksum.add(vocabularies.target);
  checksum.add(vocabularies.subwords);
  return fmt::format("{:08x}", checksum.sum());
}

TrainingData load_training_data(const Settings& settings) {
  const DataSettings& data = settings.data;
  const ParallelText text = read(data.source, data.target, data.tsv);
  if (data.tokeniser == "sentencepiece") return encode_subwords(text, data);
  const std::shared_ptr<const Tokeniser> tokeniser = make_tokeniser(data.tokeniser);
  return encode_corpora(make_vocabularies(text, *tokeniser, data), text, tokeniser, data);
}

}  // namespace regard::translation
