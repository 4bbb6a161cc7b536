// A decoder with SSRUs, for the tests over models of every kind (tests/transformer/properties_test.cpp).
#include "tests/transformer/models.h"

#include "transformer/ssru/ssru_decoder.h"

namespace regard::tests { namespace {

Config ssru_config(const Size& size, Norm norm) {
  Config config = small_config();
  config.d_model = size.width;
  config.norm = norm;
  config.dropout = DropoutRates::all(size.dropout);
  return config;
}

std::vector<NamedModel> ssru_models() {
  std::vector<NamedModel> all;
  for (const Norm norm : {Norm::post, Norm::pre})
    all.push_back(combined(
        norm == Norm::post ? "SSRU" : "SSRU, norms before the layers", nullptr,
        [norm](const Size& size, const Embeddings& embeddings, Random& random) {
          return std::make_unique<TransformerEncoder>(ssru_config(size, norm), embeddings.source, random);
        },
        [norm](const Size& size, const Embeddings& embeddings, const Encoder&, Random& random) {
          return std::make_unique<SsruDecoder>(ssru_config(size, norm), embeddings.target, random);
        }));
  return all;
}

const AddModels added_ssru_models(ssru_models);

}  // namespace

}  // namespace regard::tests
