#include "transformer/batch.h"

#include "autograd/machine/error.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

std::vector<std::int32_t> positions(const PackedSequences& sequences) {
  std::vector<std::int32_t> result;
  result.reserve(sequences.ids.size());
  for (Index sentence = 0; sentence < sequences.sentences(); ++sentence)
    for (Index position = 0; position < sequences.length(sentence); ++position)
      result.push_back(static_cast<std::int32_t>(position));
  if (result.size() != sequences.ids.size())
    fail("a packed batch has {} tokens, but its offsets cover {}", sequences.ids.size(), result.size());
  return result;
}

void Batch::append(std::span<const std::int32_t> sentence, std::span<const std::int32_t> translation) {
  std::vector<std::int32_t> ids(sentence.begin(), sentence.end());
  source.append(with_end(ids));
  ids.assign(1, sentence_begin_id);
  ids.insert(ids.end(), translation.begin(), translation.end());
  target_input.append(ids);
  target_output.insert(target_output.end(), translation.begin(), translation.end());
  target_output.push_back(sentence_end_id);
}

Source pack_sources(std::span<const std::vector<std::int32_t>> sentences) {
  Source source;
  for (const std::vector<std::int32_t>& sentence : sentences) source.append(with_end(sentence));
  return source;
}

Batch make_batch(std::span<const std::vector<std::int32_t>> sentences,
                 std::span<const std::vector<std::int32_t>> translations) {
  if (sentences.size() != translations.size())
    fail("make_batch: {} sentences and {} translations; give each sentence one", sentences.size(),
         translations.size());
  Batch batch;
  for (std::size_t i = 0; i < sentences.size(); ++i) batch.append(sentences[i], translations[i]);
  return batch;
}

}}}  // namespace regard::REGARD_PRECISION::transformer
