#include "apps/regard/measure.h"
#include "apps/shortlist/recall.h"

namespace regard::program {

namespace {

/// How much of the references the shortlist of the model allows.
class RecallMeasure : public Measure {
  Measured of_model(translation::TranslationModel& model, const translation::ParallelCorpus& pairs) override {
    const auto* const shortlist = dynamic_cast<const translation::Shortlist*>(model.selection.get());
    if (shortlist == nullptr) return {};
    const translation::ShortlistRecall found = recall(*shortlist, pairs);
    return {.lines = fmt::format(
                "shortlist       {:.0f} tokens per sentence, recall {:.2f} % ({} of {} reference tokens)\n",
                found.mean_list(), 100 * found.share(), found.held, found.tokens),
            .json = {{"shortlist",
                      {{"recall", found.share()},
                       {"mean_tokens", found.mean_list()},
                       {"held", found.held},
                       {"tokens", found.tokens}}}}};
  }
};

}  // namespace

std::shared_ptr<Measure> make_recall() { return std::make_shared<RecallMeasure>(); }

}  // namespace regard::program
