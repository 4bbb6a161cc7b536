#include "apps/translation/settings/settings.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/translation/settings/settings_description.h"
#include "apps/translation/settings/settings_json.h"
#include "tests/apps/support.h"
#include "tests/catch.h"

using namespace regard::translation;
using regard::nn::Schedule;
using regard::tests::contains;
using regard::transformer::LengthPenalty;
using regard::transformer::Norm;
using regard::transformer::SharedEmbeddings;

namespace {

Settings parse(const std::string& text) { return parse_settings(parse_json(text, "c.json"), "c.json"); }

}  // namespace

TEST_CASE("the defaults have the documented values", "[settings]") {
  const Settings settings = parse("{}");
  CHECK(settings.data.tokeniser == "word");
  CHECK(settings.data.max_length == 256);
  CHECK(settings.data.joint_vocabulary);
  CHECK(settings.data.vocabulary_size == 0);
  CHECK(settings.data.minimum_frequency == 1);
  CHECK(settings.model.preset == "tiny");
  CHECK(settings.model.config.d_model == 128);
  CHECK(settings.training.steps == 0);
  CHECK(settings.training.epoch_limit() == 10);
  CHECK(settings.training.batch.tokens == 4096);
  CHECK(settings.training.batch.order == BatchOrder::bucketed);
  CHECK(settings.training.label_smoothing == 0.1);
  CHECK(settings.training.optimiser == OptimiserKind::adam);
  CHECK(settings.training.schedule == Schedule::noam);
  CHECK(settings.training.rate() == 1.0);
  CHECK(settings.training.warmup_steps == 4000);
  CHECK(settings.training.beta2 == 0.98);
  CHECK(settings.data.subwords.size == 8000);
  CHECK(settings.data.subwords.sampling == 0);
  CHECK(settings.training.epsilon == 1e-9);
  CHECK_FALSE(settings.training.threads.has_value());
  CHECK(settings.decoding.beam == 4);
  CHECK(settings.decoding.length_penalty == LengthPenalty::wu);
  CHECK(to_json(settings) == to_json(Settings{}));
}

TEST_CASE("the documented defaults are a configuration equal to the defaults", "[settings]") {
  const std::string text = documented_defaults();
  CHECK(to_json(parse(text)) == to_json(Settings{}));
  for (const KnownSetting& known : known_settings()) {
    const std::string key = known.place.substr(known.place.rfind('.') + 1);
    CHECK(contains(text, "\"" + key + "\": "));
  }
  // Another preset in this text changes the sizes too, not only the name.
  std::string changed = text;
  changed.replace(changed.find("\"tiny\"\n"), 6, "\"base\"");
  CHECK(parse(changed).model.config.d_model == 512);
  CHECK(parse(changed).model.config.dropout.attention == 0.1);
}

TEST_CASE("the commented values of the documented defaults can be uncommented", "[settings]") {
  std::string text = documented_defaults();
  for (const std::string key :
       {"\"heads\"", "\"dropout\"", "\"embedding\"", "\"sublayer\"", "\"attention\"", "\"feed_forward\""}) {
    const std::size_t position = text.find("// " + key);
    REQUIRE(position != std::string::npos);
    text.erase(position, 3);
  }
  text.erase(text.find("// },"), 3);
  CHECK(to_json(parse(text)) == to_json(Settings{}));
}

TEST_CASE("every setting is read and written", "[settings]") {
  // Each value differs from its default.
  const std::string text = R"({
    "format": 1,
    "data": {"source": "a", "target": "b", "tsv": ["c", "cc"], "validation_source": "d", "validation_target": "e",
             "validation_tsv": "f", "tokeniser": "char", "max_length": 99, "joint_vocabulary": false,
             "vocabulary_size": 1000, "minimum_frequency": 2,
             "subwords": {"type": "unigram", "size": 900, "model": "g", "character_coverage": 0.99,
                          "sampling": 0.1, "sampling_n_best": 64},
             "images": {"height": 30, "width": 20, "resize": false}},
    "model": {"encoder": "recurrent", "decoder": "recurrent", "d_model": 96, "heads": 3, "d_ff": 100, "encoder_layers": 1, "decoder_layers": 2, "text_window": 5, "activation": "gelu", "norm": "pre", "residual": false, "scaled_embedding": false,
              "final_norm": false, "shared_embeddings": "target_output", "generator_bias": true, "first_predicted": 2,
              "dropout": {"embedding": 0.01, "sublayer": 0.02, "attention": 0.03, "feed_forward": 0.04},
              "positions": {"kind": "learned", "use": "concatenated", "base": 100.0, "layout": "halves", "most": 100, "radius": 4, "sides": "encoder"},
              "multi_head": {"scaled": false, "normaliser": "sigmoid", "shared_key_value": true},
              "cell": "lstm", "bidirectional": false, "encoder_width": 64, "reverse_source": true,
              "attention": {"kind": "none", "score": "cosine", "normaliser": "relu", "window": "local_p", "radius": 3,
                            "order": "state_first", "input_feeding": true, "fixed_context": true, "width": 7,
                            "positions": 50, "doubly_stochastic": 0.5,
                            "hard": {"expectation": true, "mean_share": 0.25, "mean_steps": 40, "reward_weight": 0.5, "entropy_weight": 0.2,
                                     "baseline_decay": 0.8}},
              "image": {"channels": [8, 16], "strides": [1, 2], "window": 5, "patch_size": 4},
              "own": "h", "preset": "toy"},
    "training": {"steps": 7, "epochs": 3, "tokens": 1000, "batch_tokens": 512, "batch_order": "mixed", "label_smoothing": 0.2,
                 "scheduled_sampling": 0.3, "scheduled_sampling_steps": 50,
                 "optimiser": "sgd", "learning_rate": 0.5, "schedule": "inverse_sqrt", "warmup_steps": 10, "minimum_learning_rate": 0.001,
                 "beta1": 0.8, "beta2": 0.9, "epsilon": 1e-08, "momentum": 0.7, "gradient_clip_norm": 2.5, "precision": "bfloat16", "accumulate": 4, "shards": 3, "seed": 9,
                 "threads": 2, "unequal_kernels": true, "log_every": 5, "average_decay": 0.999, "initial_weights": "g", "freeze": ["h"]},
    "validation": {"every_steps": 20, "every_epochs": 2, "beam": 3, "bleu_tokeniser": "intl",
                   "bleu_lowercase": true, "metric": "bleu", "patience": 4},
    "checkpoints": {"save_every": 100, "keep_last": 6, "keep_best": 7, "average": "last"},
    "decoding": {"beam": 2, "length_penalty": "power", "alpha": 1.5, "patience": 2.5, "max_length_ratio": 3.5,
                 "max_length_constant": 5, "min_length": 1, "max_length": 90, "no_repeat_ngram": 3,
                 "repetition_penalty": 1.25, "generate_unk": false}})";
  const Settings settings = parse(text);
  Json written = to_json(settings);
  CHECK_FALSE(written.at("version").get<std::string>().empty());
  written.erase("version");
  CHECK(written.dump() == Json::parse(text).dump());  // in the same order too

  const Json defaults = to_json(Settings{});
  for (const KnownSetting& known : known_settings()) {
    const Json::json_pointer place("/" + [&] {
      std::string path = known.place;
      std::replace(path.begin(), path.end(), '.', '/');
      return path;
    }());
    CHECK(to_json(settings).at(place) != defaults.at(place));
  }
}

TEST_CASE("a list of numbers is read, and refused with the place and what it may be", "[settings]") {
  const Settings settings = parse(R"({"model": {"image": {"channels": [4, 8e0], "strides": [2, 2]}}})");
  CHECK(settings.model.image.channels == std::vector<regard::Index>{4, 8});
  for (const char* wrong : {"8", "[8, 0]", "[1.5]", "[\"8\"]", "[[8]]", "null"})
    CHECK_ERROR(parse(std::string(R"({"model": {"image": {"channels": )") + wrong + "}}}"),
                "model.image.channels must be a list of at most 12 whole numbers, each from 1 to 65536, got");
}

TEST_CASE("a preset gives the model settings that are not set", "[settings]") {
  const Settings base = parse(R"({"model": {"d_model": 256, "preset": "base"}})");
  CHECK(base.model.config.d_model == 256);
  CHECK(base.model.config.encoder_layers == 6);
  CHECK(base.model.config.d_ff == 2048);
  CHECK(base.model.config.dropout.attention == 0.1);
  CHECK(parse(R"({"model": {"preset": "toy"}})").model.config.d_model == 64);
  CHECK_ERROR(parse(R"({"model": {"preset": "huge"}})"),
              "c.json: model.preset must be \"base\", \"tiny\", \"toy\", \"cho2014\", \"sutskever2014\", "
              "\"bahdanau2015\", \"luong2015\", \"xu2015\" or \"vit\", got \"huge\"");
}

TEST_CASE("one number sets all dropout rates, an object sets some of them", "[settings]") {
  const auto all = parse(R"({"model": {"dropout": 0.25}})").model.config.dropout;
  CHECK(all.embedding == 0.25);
  CHECK(all.sublayer == 0.25);
  CHECK(all.attention == 0.25);
  CHECK(all.feed_forward == 0.25);
  const auto some = parse(R"({"model": {"dropout": {"attention": 0}}})").model.config.dropout;
  CHECK(some.attention == 0);
  CHECK(some.sublayer == 0.3);
  CHECK_ERROR(parse(R"({"model": {"dropout": 1}})"),
              "model.dropout must be a number from 0 to below 1, got 1");
  CHECK_ERROR(parse(R"({"model": {"dropout": "none"}})"),
              "model.dropout must be an object with settings, or one number");
  CHECK_ERROR(parse(R"({"model": {"dropout": {"attention": -0.1}}})"),
              "model.dropout.attention must be a number");
  CHECK_ERROR(parse(R"({"model": {"dropout": {"attn": 0}}})"),
              "no setting model.dropout.attn; the most similar one is model.dropout.attention");
}

TEST_CASE("a limit on steps removes the default limit on epochs", "[settings]") {
  CHECK(parse(R"({"training": {"steps": 5}})").training.epoch_limit() == 0);
  CHECK(parse(R"({"training": {"steps": 5, "epochs": 2}})").training.epoch_limit() == 2);
  CHECK(parse(R"({"training": {"epochs": 0}})").training.epoch_limit() == 0);
  CHECK(parse(R"({"training": {"epochs": null}})").training.epoch_limit() == 10);
}

TEST_CASE("resolved settings have a value for every setting", "[settings]") {
  const Json written = to_json(resolved(Settings{}));
  for (const KnownSetting& known : known_settings()) {
    if (known.section) continue;
    std::string path = "/" + known.place;
    std::ranges::replace(path, '.', '/');
    CAPTURE(known.place);
    CHECK_FALSE(written.at(Json::json_pointer(path)).is_null());
  }
  CHECK(resolved(Settings{}).training.epochs == 10);
  Settings limited;
  limited.training.steps = 5;
  limited.model.config.norm = regard::transformer::Norm::pre;
  CHECK(resolved(limited).training.epochs == 0);
  CHECK(resolved(limited).model.config.final_norm == true);
}
