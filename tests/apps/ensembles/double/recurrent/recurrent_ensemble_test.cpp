// Models with states, which pass from each encoder to its decoder, in one ensemble with a Transformer.
#include "tests/apps/ensembles/double/support.h"
#include "tests/transformer/recurrent/support.h"

using namespace regard;
using namespace regard::tests;

TEST_CASE("an ensemble may have recurrent models and a Transformer") {
  std::vector<EncoderDecoder> models;
  for (const char* preset : {"sutskever2014", "bahdanau2015"}) {
    Random random(3);
    const RecurrentConfig config = small_recurrent(preset);
    models.push_back(make_recurrent(config,
                                    {.source_vocabulary = ensemble_vocabulary,
                                     .target_vocabulary = ensemble_vocabulary,
                                     .width = config.d_model},
                                    random));
    randomise(models.back(), 4, 0.8);
    models.back().eval();
  }
  models.push_back(opinionated_model(ensemble_vocabulary, 6, 0.5));
  check_ensemble(models, {{4, 5, 3}, {5}});
}
