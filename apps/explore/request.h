#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/explore/replies.h"
#include "transformer/attention_layers.h"
#include "transformer/images/image.h"
#include "transformer/search/search.h"

namespace regard::explore {

/// A request for a translation, checked and in the numbers of the model.
struct TranslateRequest {
  std::vector<std::int32_t> source;         ///< without </s>
  std::vector<std::string> unknown_words;   ///< tokens of the source that the model reads as <unk>
  std::optional<transformer::Image> image;  ///< in the size that the model reads
  transformer::Prefix prefix;
  transformer::SearchOptions search;
  std::vector<transformer::Head> heads_off;
};

/// Throws Error that names the wrong part of the request.
TranslateRequest parse_request(const TranslationModel& model, const Json& request);

}  // namespace regard::explore
