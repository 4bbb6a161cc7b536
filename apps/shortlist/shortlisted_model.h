#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "apps/shortlist/shortlist.h"
#include "transformer/encoder_decoder.h"
#include "transformer/search/search_options.h"

namespace regard::translation {

/// A model for the sentences of a batch, whose target vocabulary has only the tokens that may come there. Its
/// projection has the rows of these tokens, its decoder reads them by their places in the list, and the
/// encoder is that of the whole model. So a search knows nothing of shortlists. The list is ascending:
/// special tokens keep their ids, and equally probable tokens their order.
struct ShortlistedModel {
  std::shared_ptr<const std::vector<std::int32_t>> list;
  transformer::EncoderDecoder model;
  /// For each sentence, a rule that leaves out the tokens of the other sentences, so that its translation
  /// does not depend on them. It also passes on what the rule of the caller says.
  transformer::MakeTokenRule make_rule;

  /// Places in the list of tokens that it has, and back.
  std::vector<std::int32_t> places(std::vector<std::int32_t> tokens) const;
  std::vector<std::int32_t> tokens(std::vector<std::int32_t> places) const;
};

/// The tokens `also` may come, too, and so may those that a rule of the caller demands. The model must
/// outlive the result and be in evaluation mode.
ShortlistedModel shortlisted(transformer::EncoderDecoder& model, const Shortlist& shortlist,
                             const transformer::Source& batch,
                             const transformer::MakeTokenRule& make_rule = {},
                             std::span<const std::int32_t> also = {});

}  // namespace regard::translation
