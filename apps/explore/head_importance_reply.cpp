#include <nlohmann/json.hpp>

#include "apps/explore/replies.h"
#include "apps/translation/translator/head_importance.h"

namespace regard::explore {

Json head_importance_reply(TranslationModel& model, const translation::ParallelCorpus& corpus) {
  const translation::HeadImportance importance = head_importance(model.model, corpus);
  Json heads = Json::array();
  for (const auto& [head, loss] : importance.heads)
    heads.push_back({{"attention", head.attention},
                     {"head", head.head},
                     {"loss_without", loss},
                     {"growth", loss - importance.loss}});
  return {{"loss", importance.loss}, {"heads", std::move(heads)}};
}

}  // namespace regard::explore
