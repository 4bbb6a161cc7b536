// The recurrent models of the tests over models of every kind (tests/transformer/properties_test.cpp).
#include "tests/transformer/models.h"

#include "tests/transformer/recurrent/support.h"

namespace regard::tests { namespace {

/// Every way in which a recurrent decoder runs: with and without attention, both orders, windows, several
/// layers.
std::vector<NamedModel> recurrent_models() {
  std::vector<NamedModel> all;
  const auto add = [&](const std::string& name, const std::string& preset, const auto& change) {
    RecurrentConfig config = small_recurrent(preset);
    change(config);
    const auto make = [config](const Size& size) mutable {
      config.d_model = size.width;
      config.embedding_dropout = config.dropout = size.dropout;
      const EmbeddingSettings vocabularies{
          .source_vocabulary = size.vocabulary, .target_vocabulary = size.vocabulary, .width = size.width};
      Random random(1);
      return moved(make_recurrent(config, vocabularies, random), size, 0.8);
    };
    const nn::AttentionWindow window = config.attention.window;
    all.push_back(
        {name, make, nullptr, window == nn::AttentionWindow::global, window != nn::AttentionWindow::local_p});
  };
  for (const char* preset : {"cho2014", "sutskever2014", "bahdanau2015", "luong2015"})
    add(preset, preset, [](RecurrentConfig&) {});
  add("context first with input feeding", "bahdanau2015",
      [](RecurrentConfig& c) { c.attention.input_feeding = true; });
  add("state first without input feeding, local_m", "luong2015", [](RecurrentConfig& c) {
    c.attention.input_feeding = false;
    c.attention.window = nn::AttentionWindow::local_m;
    c.attention.radius = 2;
  });
  add("two layers, context first with input feeding, local_p", "bahdanau2015", [](RecurrentConfig& c) {
    c.encoder_layers = c.decoder_layers = 2;
    c.cell = nn::Cell::lstm;
    c.attention.input_feeding = true;
    c.attention.window = nn::AttentionWindow::local_p;
  });
  return all;
}

const AddModels added_recurrent_models(recurrent_models);

}  // namespace

}  // namespace regard::tests
