// Exact search of a recurrent model against trying everything.
#include "tests/apps/exact_search/double/support.h"
#include "tests/transformer/recurrent/support.h"

using namespace regard;
using namespace regard::tests;

TEST_CASE("exact search of a recurrent model") {
  Random random(3);
  RecurrentConfig config = recurrent_preset("bahdanau2015");
  config.d_model = 8;
  EncoderDecoder model = make_recurrent(config,
                                        {.source_vocabulary = vocabulary_size,
                                         .target_vocabulary = vocabulary_size,
                                         .width = 8,
                                         .shared = SharedEmbeddings::none},
                                        random);
  randomise(model, 4, 1.0);
  model.eval();
  check_best(exact_search(model, pack_sources({{4, 6, 5}}), {.search = up_to_most_tokens()}).front(),
             best_of(model, {4, 6, 5}, everything(most_tokens, vocabulary_size)));
}
