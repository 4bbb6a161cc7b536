#pragma once

#include "apps/shortlist/shortlist.h"
#include "tests/apps/terms/placeholder_model.h"

namespace regard::tests {

/// Each source token brings itself, so the lists lack tokens that a placeholder may need in another place.
inline Shortlist own_tokens(const PiecesModel& model) {
  std::vector<std::vector<std::int32_t>> of_source;
  for (Index id = 0; id < model.vocabularies.source.size(); ++id)
    of_source.push_back({static_cast<std::int32_t>(id)});
  return Shortlist({}, of_source);
}

}  // namespace regard::tests
