#include "apps/translation/settings/settings.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/translation/settings/other_names.h"
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
  CHECK(settings.training.optimiser == Optimiser::adam);
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
                          "sampling": 0.1, "sampling_n_best": 64}},
    "model": {"encoder": "recurrent", "decoder": "recurrent", "d_model": 96, "heads": 3, "d_ff": 100, "encoder_layers": 1, "decoder_layers": 2, "activation": "gelu", "norm": "pre",
              "final_norm": false, "shared_embeddings": "target_output",
              "dropout": {"embedding": 0.01, "sublayer": 0.02, "attention": 0.03, "feed_forward": 0.04},
              "positions": {"kind": "learned", "use": "concatenated", "base": 100.0, "most": 99},
              "cell": "lstm", "bidirectional": false, "encoder_width": 64, "reverse_source": true,
              "attention": {"kind": "none", "score": "cosine", "normaliser": "relu", "window": "local_p", "radius": 3,
                            "order": "state_first", "input_feeding": true, "fixed_context": true, "width": 7,
                            "positions": 50, "doubly_stochastic": 0.5,
                            "hard": {"expectation": true, "reward_weight": 0.5, "entropy_weight": 0.2,
                                     "baseline_decay": 0.8}},
              "image": {"channels": [8, 16], "strides": [1, 2], "window": 5, "patch_size": 4},
              "preset": "toy"},
    "training": {"steps": 7, "epochs": 3, "tokens": 1000, "batch_tokens": 512, "batch_order": "mixed", "label_smoothing": 0.2,
                 "optimiser": "sgd", "learning_rate": 0.5, "schedule": "inverse_sqrt", "warmup_steps": 10, "minimum_learning_rate": 0.001,
                 "beta1": 0.8, "beta2": 0.9, "epsilon": 1e-08, "momentum": 0.7, "gradient_clip_norm": 2.5, "accumulate": 4, "seed": 9,
                 "threads": 2, "log_every": 5, "average_decay": 0.999, "initial_weights": "g", "freeze": ["h"]},
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

  CHECK(settings.data.validation_target == "e");
  CHECK(settings.data.tokeniser == "char");
  CHECK(settings.data.subwords.type == SubwordType::unigram);
  CHECK(settings.data.subwords.sampling_n_best == 64);
  CHECK_FALSE(settings.data.joint_vocabulary);
  CHECK(settings.model.config.heads == 3);
  CHECK(settings.model.config.norm == Norm::pre);
  CHECK(settings.model.config.final_norm == false);
  CHECK(settings.model.config.shared_embeddings == SharedEmbeddings::target_output);
  CHECK(settings.model.config.dropout.sublayer == 0.02);
  CHECK(settings.training.batch.tokens == 512);
  CHECK(settings.training.batch.order == BatchOrder::mixed);
  CHECK(settings.training.optimiser == Optimiser::sgd);
  CHECK(settings.training.schedule == Schedule::inverse_sqrt);
  CHECK(settings.training.rate() == 0.5);
  CHECK(settings.training.beta1 == 0.8);
  CHECK(settings.training.threads == 2);
  CHECK(settings.decoding.length_penalty == LengthPenalty::power);
  CHECK(settings.decoding.max_length_constant == 5);
  CHECK(settings.decoding.no_repeat_ngram == 3);
}

TEST_CASE("a list of numbers is read, and refused with the place and what it may be", "[settings]") {
  const Settings settings = parse(R"({"model": {"image": {"channels": [4, 8e0], "strides": [2, 2]}}})");
  CHECK(settings.model.image.channels == std::vector<regard::Index>{4, 8});
  for (const char* wrong : {"8", "[8, 0]", "[1.5]", "[\"8\"]", "[[8]]", "null"})
    CHECK_ERROR(parse(std::string(R"({"model": {"image": {"channels": )") + wrong + "}}}"),
                "model.image.channels must be a list of whole numbers, each of at least 1, got");
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

TEST_CASE("an unknown key is refused with its place and the most similar key", "[settings]") {
  CHECK_ERROR(parse(R"({"training": {"stepz": 1}})"),
              "c.json: there is no setting training.stepz; the most similar one is training.steps");
  CHECK_ERROR(parse(R"({"trainig": {"steps": 1}})"), "no setting trainig; the most similar one is training");
  CHECK_ERROR(parse(R"({"steps": 1})"), "no setting steps; the most similar one is training.steps");
  CHECK_ERROR(parse(R"({"data": {"batch_tokens": 1}})"),
              "no setting data.batch_tokens; the most similar one is training.batch_tokens");
  CHECK_ERROR(parse(R"({"training": {"max_length": 1}})"),
              "no setting training.max_length; the most similar one is decoding.max_length");
  CHECK_ERROR(parse(R"({"training.steps": 1})"), "no setting training.steps");
  CHECK_ERROR(parse(R"({"": 1})"), "no setting ;");
  // No setting is similar to this key.
  CHECK_ERROR(parse(R"({"decoding": {"%%%%": 1}})"),
              "no setting decoding.%%%%; regard train --print-config shows all");
  CHECK_ERROR(parse(R"({"training": {"xy": 1}})"),
              "no setting training.xy; regard train --print-config shows all");
}

TEST_CASE("a name from another program is answered with the setting here", "[settings]") {
  const auto refused = [](const std::string& place) { return MESSAGE_OF(fail_unknown_setting("c", place)); };
  CHECK(refused("training.lr") ==
        "c: there is no setting training.lr; regard calls it training.learning_rate");
  CHECK_THAT(refused("training.batch_size"), ContainsSubstring("training.batch_tokens, which counts tokens"));
  CHECK_THAT(refused("model.num_layers"),
             ContainsSubstring("regard calls it model.encoder_layers and model.decoder_layers"));
  CHECK_THAT(refused("training.weight_decay"), ContainsSubstring("; regard has no weight decay"));
  CHECK_THAT(refused("model.activation-fn"), ContainsSubstring("regard calls it model.activation"));
  CHECK_THAT(refused("max-tokens"), ContainsSubstring("regard calls it training.batch_tokens"));
  CHECK_ERROR(parse(R"({"model": {"num_layers": 6}})"),
              "c.json: there is no setting model.num_layers; regard");
}

TEST_CASE("every answer to a name from another program names settings that exist", "[settings]") {
  std::size_t named = 0;
  for (const OtherName& name : other_names()) {
    CAPTURE(name.there);
    // A setting with this key must be found by its own name.
    for (const KnownSetting& known : known_settings())
      CHECK_FALSE(known.place.substr(known.place.rfind('.') + 1) == name.there);
    for (const std::string& word : make_tokeniser("word")->split(name.here)) {
      const std::string place = word.substr(0, word.find_last_not_of(",;:") + 1);
      if (place.find('.') == std::string::npos || place.ends_with('.')) continue;
      CAPTURE(place);
      CHECK(find_setting(place) != nullptr);
      ++named;
    }
  }
  CHECK(named > 100);
}

TEST_CASE("the most similar key is the one with the fewest edits", "[settings]") {
  // Each key is found again if it has one additional letter, or one wrong letter.
  for (const KnownSetting& known : known_settings()) {
    if (known.section) continue;
    const std::size_t key = known.place.rfind('.') + 1;
    std::string inserted = known.place, replaced = known.place;
    inserted.insert(key + 1, "%");
    replaced[key] = '%';
    for (const std::string& wrong : {inserted, replaced})
      CHECK_ERROR(fail_unknown_setting("c", wrong),
                  "there is no setting " + wrong + "; the most similar one is " + known.place);
  }
}

TEST_CASE("a text with a NUL character is refused, because a path would end there", "[settings]") {
  CHECK_ERROR(parse(R"({"data": {"source": "a\u0000b"}})"),
              R"(data.source must be a path, a list of paths, or "" for none, got "a\u0000b")");
  CHECK_ERROR(parse(R"({"training": {"freeze": ["encoder", "\u0000"]}})"),
              "training.freeze must be a list of names");
}

TEST_CASE("a number that only rounds to a limit is refused with its rounded value", "[settings]") {
  CHECK_ERROR(
      parse(R"({"model": {"dropout": 0.99999999}})"),
      "model.dropout must be a number from 0 to below 1, got 0.99999999, which is 1 in single precision");
  CHECK_ERROR(parse(R"({"training": {"learning_rate": 1e-60}})"),
              "got 1e-60, which is 0 in single precision");
  CHECK(MESSAGE_OF(parse(R"({"model": {"dropout": 1}})")).ends_with("got 1"));
  CHECK(MESSAGE_OF(parse(R"({"training": {"learning_rate": -1}})")).ends_with("got -1"));
}

TEST_CASE("a wrong type or range is refused with the allowed values and the given one", "[settings]") {
  const auto training = [](const std::string& text) { parse("{\"training\": {" + text + "}}"); };
  CHECK_ERROR(training("\"steps\": -1"),
              "c.json: training.steps must be a whole number of at least 0, got -1");
  CHECK_ERROR(training("\"steps\": 1.5"), "training.steps must be a whole number of at least 0, got 1.5");
  CHECK_ERROR(training("\"steps\": \"5\""), "got \"5\"");
  CHECK_ERROR(training("\"steps\": true"), "got true");
  CHECK_ERROR(training("\"steps\": null"), "got null");
  CHECK_ERROR(training("\"steps\": [1]"), "got a list");
  CHECK_ERROR(training("\"steps\": {\"a\": 1}"), "got an object");
  CHECK_ERROR(training("\"steps\": 1e300"), "got 1e+300");
  CHECK_ERROR(training("\"steps\": 9223372036854775808"), "got 9223372036854775808");
  CHECK_ERROR(training("\"seed\": 9007199254740992"),
              "training.seed must be a whole number from 0 to 9007199254740991");
  CHECK_ERROR(training("\"batch_tokens\": 0"), "of at least 1, got 0");
  CHECK_ERROR(training("\"threads\": 0"),
              "training.threads must be a whole number from 1 to 1024, or null, got 0");
  CHECK_ERROR(training("\"threads\": 10000"), "got 10000");
  CHECK_ERROR(training("\"learning_rate\": 0"),
              "training.learning_rate must be a number above 0, or null, got 0");
  CHECK_ERROR(training("\"label_smoothing\": 1.0"), "must be a number from 0 to below 1, got 1.0");
  CHECK_ERROR(training("\"optimiser\": \"adamw\""),
              "training.optimiser must be \"adam\" or \"sgd\", got \"adamw\"");
  CHECK_ERROR(training("\"schedule\": 1"), "\"noam\", \"inverse_sqrt\", \"cosine\" or \"constant\", got 1");
  CHECK_ERROR(parse(R"({"data": {"joint_vocabulary": "yes"}})"), "must be true or false, got \"yes\"");
  const std::string paths = "data.source must be a path, a list of paths, or \"\" for none, got ";
  CHECK_ERROR(parse(R"({"data": {"source": 3}})"), paths + "3");
  CHECK_ERROR(parse(R"({"data": {"source": ["a", 3]}})"), paths + "a list");
  CHECK_ERROR(parse(R"({"data": {"source": ["a", ""]}})"), paths + "a list");
  CHECK_ERROR(
      parse(R"({"data": {"tokeniser": "words"}})"),
      "data.tokeniser must be \"word\", \"subword-nmt\", \"char\" or \"sentencepiece\", got \"words\"");
  CHECK_ERROR(parse(R"({"data": "corpus"})"), "data must be an object with settings, got \"corpus\"");
  CHECK_ERROR(parse("[1]"), "c.json: a configuration is a JSON object {...}, got a list");
  // The limits of a range are allowed, and whole numbers may have an exponent.
  training(R"("steps": 0, "threads": 1024, "label_smoothing": 0, "seed": 9007199254740991)");
  CHECK(parse(R"({"training": {"steps": 1e5}})").training.steps == 100000);
  CHECK(parse(R"({"training": {"seed": 9007199254740991}})").training.seed == 9007199254740991);
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
