#pragma once

#include "apps/shortlist/shortlist.h"
#include "apps/translation/corpus/corpus.h"
#include "apps/translation/text/vocabulary.h"
#include "autograd/machine/real.h"
#include "transformer/encoder_decoder.h"

namespace regard::translation {

/// The defaults are Marian's.
struct ShortlistSettings {
  Index first = 100;  ///< the most frequent target tokens, which may always come
  Index best = 100;   ///< for each source token the most probable target tokens
};

/// Makes a shortlist from the attention of a model that reads a corpus with its targets given (teacher
/// forcing): the probability of a target token for a source token is the sum of the attention weights between
/// them (source_attention, alignment.h), divided by that of all target tokens. Of equally probable tokens,
/// the smaller id is taken first. A source token always brings the target token of the same text, if there is
/// one, so that names, numbers and placeholders can be copied. The model must be in evaluation mode. Throws
/// Error as source_attention does, for images, and for settings below 0.
Shortlist make_shortlist(transformer::EncoderDecoder& model, const Vocabularies& vocabularies,
                         const ParallelCorpus& corpus, const ShortlistSettings& settings = {});

}  // namespace regard::translation
