#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/translation/corpus/corpus.h"
#include "apps/translation/files/json.h"
#include "apps/translation/model/translation_model.h"
#include "transformer/attention_layers.h"
#include "transformer/captions/image.h"
#include "transformer/search/search.h"

namespace regard::explore {

// The data that the page shows. FORMATS.md has the format of each reply.

using translation::Json;
using translation::TranslationModel;

/// Limits of a request, so that one request cannot compute for hours.
inline constexpr Index widest_beam = 20, longest_translation = 300;

/// The shape of a model, its attentions and the settings of its search. `name` is shown to the user;
/// `corpus`: the model's heads can be ranked on it, unless it is null.
Json model_reply(TranslationModel& model, const std::string& name, const translation::ParallelCorpus* corpus);

/// A few short sentences, with which a user can begin: the first ones of the validation corpus that the
/// settings name, or else of the training corpus. None if these files are not there or not text, or if the
/// model reads images.
std::vector<std::string> example_sentences(const translation::TranslationModel& model);

/// The tokens such as >>fr<<, without the blank "▁" of SentencePiece before them: a sentence begins with one
/// of them, which says into what it is translated.
std::vector<std::string> sentence_tags(const translation::Vocabulary& vocabulary);

/// A request for a translation, checked and in the numbers of the model.
struct TranslateRequest {
  std::vector<std::int32_t> source;         ///< without </s>
  std::vector<std::string> unknown_words;   ///< tokens of the source that the model reads as <unk>
  std::optional<transformer::Image> image;  ///< in the size that the model reads
  transformer::Prefix prefix;
  transformer::SearchOptions search;
  std::vector<nn::Head> heads_off;
};

/// Throws Error that names the wrong part of the request.
TranslateRequest parse_request(const TranslationModel& model, const Json& request);

/// Translates a sentence or an image. Throws Error that says what is wrong with the request.
Json translate_reply(TranslationModel& model, const Json& request);

/// The loss of a corpus, and its growth without each head, largest growth first.
Json head_importance_reply(TranslationModel& model, const translation::ParallelCorpus& corpus);

}  // namespace regard::explore
