// Settings that are valid alone but contradict each other.
#include <limits>
#include <vector>

#include "apps/translation/settings/settings.h"
#include "tests/apps/support.h"
#include "tests/catch.h"

using namespace regard::translation;
using regard::Index;
using regard::nn::Schedule;
using regard::tests::contains;
using regard::transformer::SharedEmbeddings;

namespace {

/// Valid settings.
Settings complete() {
  Settings settings;
  settings.data.tsv = "corpus.tsv";
  return settings;
}

}  // namespace

TEST_CASE("settings that contradict each other are refused", "[settings]") {
  check(complete());
  const auto refused = [](const auto& spoil) {
    Settings settings = complete();
    spoil(settings);
    return MESSAGE_OF(check(settings));
  };
  CHECK(contains(refused([](Settings& s) { s.data.tsv = ""; }),
                 "there is no training corpus; give data.source"));
  CHECK(contains(refused([](Settings& s) { s.decoding.min_length = 5, s.decoding.max_length = 4; }),
                 "min_length is 5, but max_length is 4"));
  CHECK(contains(refused([](Settings& s) { s.data.source = s.data.target = "x"; }),
                 "data.tsv replaces data.source and data.target; give either data.tsv or the other two"));
  CHECK(contains(refused([](Settings& s) { s.data.tsv = "", s.data.source = "x"; }), "data.target is not"));
  CHECK(contains(refused([](Settings& s) { s.data.tsv = "", s.data.target = "x"; }), "data.source is not"));
  CHECK(contains(refused([](Settings& s) { s.data.validation_source = "x"; }),
                 "data.validation_target is not"));
  CHECK(contains(refused([](Settings& s) {
                   s.data.validation_source = s.data.validation_target = s.data.validation_tsv = "x";
                 }),
                 "data.validation_tsv replaces data.validation_source"));
  CHECK(contains(refused([](Settings& s) { s.data.vocabulary_size = 4; }),
                 "data.vocabulary_size 4 has no room"));
  CHECK(contains(refused([](Settings& s) { s.data.joint_vocabulary = false; }),
                 "model.shared_embeddings \"all\" needs data.joint_vocabulary true"));
  CHECK(contains(refused([](Settings& s) { s.model.config.heads = 3; }),
                 "heads (3) must divide d_model (128)"));
  CHECK(contains(refused([](Settings& s) { s.training.epochs = 0; }), "nothing ends the training"));
  CHECK(contains(refused([](Settings& s) { s.training.schedule = Schedule::constant; }),
                 "set training.learning_rate"));
  CHECK(contains(refused([](Settings& s) { s.validation.patience = 5; }), "validation.patience needs"));
  CHECK(contains(refused([](Settings& s) { s.validation.metric = ValidationMetric::bleu; }),
                 "validation.metric needs"));
  CHECK(contains(refused([](Settings& s) { s.checkpoints.keep_best = 5; }), "checkpoints.keep_best needs"));
  CHECK(contains(refused([](Settings& s) { s.checkpoints.average = Averaging::last; }),
                 "\"last\" needs checkpoints.keep_last of at least 2"));
  CHECK(contains(refused([](Settings& s) { s.checkpoints.average = Averaging::best; }),
                 "\"best\" needs checkpoints.keep_best of at least 2"));
  const auto cosine = [](Index steps, double minimum) {
    return [=](Settings& s) {
      s.training.schedule = Schedule::cosine;
      s.training.learning_rate = 0.01;
      s.training.steps = steps;
      s.training.minimum_learning_rate = minimum;
    };
  };
  CHECK(contains(refused(cosine(4000, 0)),
                 "falls from training.warmup_steps, which is 4000, to training.steps"));
  CHECK(contains(refused(cosine(4001, 0.02)), "minimum_learning_rate 0.02 is above"));
  CHECK(contains(refused([](Settings& s) { s.training.minimum_learning_rate = 1e-5; }),
                 "training.minimum_learning_rate can only be set with training.schedule \"cosine\""));
  CHECK(contains(refused([](Settings& s) { s.training.momentum = 0.9; }),
                 "training.momentum can only be set with training.optimiser \"sgd\""));

  CHECK(contains(refused([](Settings& s) {
                   s.training.shards = 2;
                   s.model.decoder = DecoderKind::recurrent;
                   s.model.recurrent.attention.kind = regard::transformer::RecurrentAttentionKind::hard;
                 }),
                 "training.shards is 2, but the model has hard attention"));

  CHECK(contains(refused([](Settings& s) { s.model.encoder = EncoderKind::patches; }),
                 "model.shared_embeddings is \"all\", but an encoder of images has no embedding"));
  CHECK(contains(refused([](Settings& s) {
                   s.model = model_preset("xu2015");
                   s.model.image.strides = {2};
                 }),
                 "image.channels has 4 entries and image.strides 1"));
  CHECK(contains(refused([](Settings& s) {
                   s.model = model_preset("xu2015");
                   s.model.recurrent.attention.kind = regard::transformer::RecurrentAttentionKind::hard;
                   s.model.recurrent.attention.doubly_stochastic = 1;
                 }),
                 "attention.doubly_stochastic is 1"));

  CHECK(contains(refused([](Settings& s) {
                   s.model = model_preset("xu2015");
                   s.data.joint_vocabulary = false;
                 }),
                 "one vocabulary, for the captions"));
  CHECK(
      contains(refused([](Settings& s) { s.data.images.height = 96; }), "data.images can only be set with"));

  CHECK(contains(refused([](Settings& s) {
                   s.model = model_preset("xu2015");
                   s.model.image = {.channels = std::vector<Index>(50, 4),
                                    .strides = std::vector<Index>(50, 2)};
                 }),
                 "image.channels has 50 entries; give at most 12"));
  CHECK(contains(refused([](Settings& s) {
                   s.model = model_preset("xu2015");
                   s.model.image.window = 101;
                 }),
                 "image.window is 101; give at most 15"));
  CHECK(contains(refused([](Settings& s) {
                   s.model = model_preset("luong2015");
                   s.model.recurrent.attention.window = regard::nn::AttentionWindow::local_m;
                   s.model.recurrent.attention.radius = std::numeric_limits<Index>::max();
                 }),
                 "a local window needs a number from 1 to 1000000000"));

  // Positions of the longest source, and of the longest translation of a search: 2 * 256 + 10, and </s>.
  const auto learned = [](const char* preset, Index most, Index max_length) {
    return [=](Settings& s) {
      s.model = model_preset(preset);
      s.model.config.positions = {.kind = regard::nn::PositionKind::learned, .most = most};
      s.decoding.max_length = max_length;
    };
  };
  CHECK(contains(refused(learned("toy", 256, 0)), "a sentence of training may have 257 tokens"));
  CHECK(contains(refused(learned("toy", 522, 0)),
                 "model.positions.most is 522, but a search may come to 523 tokens with their end "
                 "(decoding.max_length_ratio and the other limits); set model.positions.most to 523, or "
                 "decoding.max_length to 521"));
  CHECK(contains(refused([&](Settings& s) {  // a memory of 12 x 12 positions
                   learned("vit", 298, 0)(s);
                   s.data.images.height = s.data.images.width = 96;
                 }),
                 "a search may come to 299"));
  const auto by_position = [](Index side) {
    return [=](Settings& s) {
      s.model = model_preset("xu2015");
      s.model.recurrent.attention.score = regard::nn::ScoreKind::location;
      s.data.images.height = s.data.images.width = side;
    };
  };
  CHECK(contains(refused(by_position(136)),
                 "model.attention.positions is 257, but the memory of an image has 289; set it to 289"));

  const auto accepted = [](const auto& change) {
    Settings settings = complete();
    change(settings);
    check(settings);
  };
  accepted([](Settings& s) { s.data.tsv = "", s.data.source = s.data.target = "x"; });
  accepted([](Settings& s) { s.training.epochs = 0, s.training.steps = 1; });
  accepted([](Settings& s) { s.training.schedule = Schedule::constant, s.training.learning_rate = 1e-3; });
  accepted(cosine(4001, 0.01));
  accepted(learned("toy", 523, 0));
  accepted(learned("toy", 301, 300));
  accepted(learned("vit", 257, 0));
  accepted(learned("bahdanau2015", 1, 0));  // no Transformer reads it
  accepted(by_position(128));
  accepted([](Settings& s) { s.training.epochs = 0, s.training.tokens = 1; });
  accepted([](Settings& s) { s.validation.patience = 5, s.data.validation_tsv = "x"; });
  for (const char* preset : {"xu2015", "vit"})
    accepted([=](Settings& s) {
      s.model = model_preset(preset);
      s.data.images.resize = false;
    });
  accepted([](Settings& s) {
    s.data.joint_vocabulary = false, s.model.config.shared_embeddings = SharedEmbeddings::none;
  });
}
