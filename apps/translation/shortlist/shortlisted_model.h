#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "apps/translation/shortlist/shortlist.h"
#include "transformer/encoder_decoder.h"

namespace regard::translation {

/// A model to search with, and the shortlist that its translations keep to; null: none.
struct Searched {
  Searched(transformer::EncoderDecoder& whole, const Shortlist* its_shortlist = nullptr)
      : model(whole), shortlist(its_shortlist) {}

  transformer::EncoderDecoder& model;
  const Shortlist* shortlist;
};

/// A model for the sentences of a batch, whose target vocabulary has only the tokens that may come there. Its
/// projection has the rows of these tokens, its decoder reads them by their places in the list, and the
/// encoder is that of the whole model. So a search knows nothing of shortlists. The list is ascending:
/// special tokens keep their ids, and equally probable tokens their order.
class ShortlistedModel {
 public:
  /// `also` may come, too. The model must outlive this object and be in evaluation mode.
  ShortlistedModel(transformer::EncoderDecoder& model, const Shortlist& shortlist,
                   const transformer::Source& batch, std::span<const std::int32_t> also = {});

  transformer::EncoderDecoder& model() { return listed_; }
  /// Places in the list of tokens that it has, and back.
  std::vector<std::int32_t> places(std::vector<std::int32_t> tokens) const;
  std::vector<std::int32_t> tokens(std::vector<std::int32_t> places) const;

  struct Lists;

 private:
  std::shared_ptr<Lists> lists_;
  transformer::EncoderDecoder listed_;
};

}  // namespace regard::translation
