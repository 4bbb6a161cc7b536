#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/translation/settings/doors.h"
#include "apps/translation/settings/settings.h"
#include "apps/translation/settings/settings_description.h"
#include "apps/translation/settings/settings_json.h"
#include "apps/translation/text/tokeniser.h"
#include "tests/apps/support.h"
#include "tests/catch.h"

using namespace regard::translation;
using regard::tests::contains;

namespace {

Settings parse_refused(const std::string& text) {
  return parse_settings(parse_json(text, "c.json"), "c.json");
}

}  // namespace

TEST_CASE("a setting of a room that was not built may be there if it is off", "[settings]") {
  for (const char* const off : {"false", "[]"}) {
    const std::string text = fmt::format(R"({{"decoding": {{"of_a_room": {}}}}})", off);
    if (doors().complete)
      CHECK_ERROR(parse_refused(text), "no setting decoding.of_a_room");
    else
      parse_refused(text);
  }
  CHECK_ERROR(
      parse_refused(R"({"decoding": {"of_a_room": true}})"),
      "no setting decoding.of_a_room; regard train --print-config shows all settings" + about_not_built());
}

TEST_CASE("an unknown key is refused with its place and the most similar key", "[settings]") {
  CHECK_ERROR(parse_refused(R"({"training": {"stepz": 1}})"),
              "c.json: there is no setting training.stepz; the most similar one is training.steps");
  CHECK_ERROR(parse_refused(R"({"trainig": {"steps": 1}})"),
              "no setting trainig; the most similar one is training");
  CHECK_ERROR(parse_refused(R"({"steps": 1})"), "no setting steps; the most similar one is training.steps");
  CHECK_ERROR(parse_refused(R"({"data": {"batch_tokens": 1}})"),
              "no setting data.batch_tokens; the most similar one is training.batch_tokens");
  CHECK_ERROR(parse_refused(R"({"training": {"max_length": 1}})"),
              "no setting training.max_length; the most similar one is decoding.max_length");
  CHECK_ERROR(parse_refused(R"({"training.steps": 1})"), "no setting training.steps");
  CHECK_ERROR(parse_refused(R"({"": 1})"), "no setting ;");
  // No setting is similar to this key.
  CHECK_ERROR(parse_refused(R"({"decoding": {"%%%%": 1}})"),
              "no setting decoding.%%%%; regard train --print-config shows all");
  for (const std::string key : {"xy", "dedup", "max_sentences", "num_workers"})
    CHECK_ERROR(parse_refused("{\"training\": {\"" + key + "\": 1}}"),
                "no setting training." + key + "; regard train --print-config shows all");
}

TEST_CASE("a name from another program is answered with the setting here", "[settings]") {
  const auto refused = [](const std::string& place) { return MESSAGE_OF(fail_unknown_setting("c", place)); };
  CHECK_CONTAINS(refused("training.lr"),
                 "c: there is no setting training.lr; regard calls it training.learning_rate");
  CHECK_CONTAINS(refused("training.batch_size"), "training.batch_tokens, which counts tokens");
  CHECK_CONTAINS(refused("model.num_layers"),
                 "regard calls it model.encoder_layers and model.decoder_layers");
  CHECK_CONTAINS(refused("training.max_time"), "regard calls it training.minutes");
  CHECK_CONTAINS(refused("max-tokens"), "regard calls it training.batch_tokens");
  CHECK_CONTAINS(refused("model.dim"), "regard calls it model.d_model");
  CHECK_CONTAINS(refused("decoding.num_beams"),
                 "c: there is no setting decoding.num_beams; regard calls it decoding.beam");
  CHECK_CONTAINS(refused("model.nhead"), "regard calls it model.heads");
  CHECK_CONTAINS(refused("training.num_train_epochs"), "regard calls it training.epochs");
  CHECK_CONTAINS(refused("decoding.num_return_sequences"), "give --n-best to regard translate, or n_best in");
  CHECK_ERROR(parse_refused(R"({"decoding": {"length_penalty": 0.6}})"),
              "got 0.6; a number is its exponent: set decoding.length_penalty to \"power\" and "
              "decoding.alpha to 0.6");
  CHECK_ERROR(parse_refused(R"({"model": {"num_layers": 6}})"),
              "c.json: there is no setting model.num_layers; regard");
}

TEST_CASE("every answer to a name from another program names settings that exist", "[settings]") {
  std::size_t named = 0;
  for (const OtherName& name : other_names()) {
    CAPTURE(name.there);
    // A setting with such a key must be found by its own name.
    for (const KnownSetting& known : known_settings())
      for (const std::string& key : make_tokeniser("word")->split(name.there))
        CHECK_FALSE(known.place.substr(known.place.rfind('.') + 1) == key);
    for (const std::string& word : make_tokeniser("word")->split(name.here)) {
      const std::string place = word.substr(0, word.find_last_not_of(",;:") + 1);
      if (place.find('.') == std::string::npos || place.ends_with('.')) continue;
      CAPTURE(place);
      CHECK(find_setting(place) != nullptr);
      ++named;
    }
  }
  CHECK(named > 15);
}

TEST_CASE("a text with a NUL character is refused, because a path would end there", "[settings]") {
  CHECK_ERROR(parse_refused(R"({"data": {"source": "a\u0000b"}})"),
              R"(data.source must be a path, a list of paths, or "" for none, got "a\u0000b")");
  CHECK_ERROR(parse_refused(R"({"training": {"freeze": ["encoder", "\u0000"]}})"),
              "training.freeze must be a list of names");
}

TEST_CASE("a number that only rounds to a limit is refused with its rounded value", "[settings]") {
  CHECK_ERROR(
      parse_refused(R"({"model": {"dropout": 0.99999999}})"),
      "model.dropout must be a number from 0 to below 1, got 0.99999999, which is 1 in single precision");
  CHECK_ERROR(parse_refused(R"({"training": {"learning_rate": 1e-60}})"),
              "got 1e-60, which is 0 in single precision");
  CHECK(MESSAGE_OF(parse_refused(R"({"model": {"dropout": 1}})")).ends_with("got 1"));
  CHECK(MESSAGE_OF(parse_refused(R"({"training": {"learning_rate": -1}})")).ends_with("got -1"));
}

TEST_CASE("whole numbers have upper limits", "[settings]") {
  CHECK_ERROR(parse_refused(R"({"decoding": {"beam": 1000000001}})"),
              "decoding.beam must be a whole number from 1 to 1000000000, got 1000000001");
  CHECK_ERROR(parse_refused(R"({"model": {"d_model": 65537}})"), "a whole number from 1 to 65536, got 65537");
}

TEST_CASE("a wrong type or range is refused with the allowed values and the given one", "[settings]") {
  const auto training = [](const std::string& text) { parse_refused("{\"training\": {" + text + "}}"); };
  CHECK_ERROR(training("\"steps\": -1"),
              "c.json: training.steps must be a whole number from 0 to 9007199254740991, got -1");
  CHECK_ERROR(training("\"steps\": 1.5"),
              "training.steps must be a whole number from 0 to 9007199254740991, got 1.5");
  CHECK_ERROR(training("\"steps\": \"5\""), "got \"5\"");
  CHECK_ERROR(training("\"steps\": true"), "got true");
  CHECK_ERROR(training("\"steps\": null"), "got null");
  CHECK_ERROR(training("\"steps\": [1]"), "got [1]");
  CHECK_ERROR(training("\"steps\": {\"a\": 1}"), "got an object");
  CHECK_ERROR(training("\"steps\": 1e300"), "got 1e+300");
  CHECK_ERROR(training("\"steps\": 9223372036854775808"), "got 9223372036854775808");
  CHECK_ERROR(training("\"seed\": 9007199254740992"),
              "training.seed must be a whole number from 0 to 9007199254740991");
  CHECK_ERROR(training("\"batch_tokens\": 0"), "from 1 to 1000000000, got 0");
  CHECK_ERROR(training("\"threads\": 0"),
              "training.threads must be a whole number from 1 to 1024, or null, got 0");
  CHECK_ERROR(training("\"threads\": 10000"), "got 10000");
  CHECK_ERROR(training("\"learning_rate\": 0"),
              "training.learning_rate must be a number above 0, or null, got 0");
  CHECK_ERROR(training("\"label_smoothing\": 1.0"), "must be a number from 0 to below 1, got 1.0");
  CHECK_ERROR(training("\"optimiser\": \"adamw\""),
              "training.optimiser must be \"adam\" or \"sgd\", got \"adamw\"");
  CHECK_ERROR(training("\"schedule\": 1"),
              "\"noam\", \"inverse_sqrt\", \"cosine\", \"plateau\" or \"constant\", got 1");
  CHECK_ERROR(parse_refused(R"({"data": {"joint_vocabulary": "yes"}})"),
              "must be true or false, got \"yes\"");
  const std::string paths = "data.source must be a path, a list of paths, or \"\" for none, got ";
  CHECK_ERROR(parse_refused(R"({"data": {"source": 3}})"), paths + "3");
  CHECK_ERROR(parse_refused(R"({"data": {"source": ["a", 3]}})"), paths + "[\"a\",3]");
  CHECK_ERROR(parse_refused(R"({"data": {"source": ["a", ""]}})"), paths + "[\"a\",\"\"]");
  CHECK_ERROR(parse_refused(R"({"data": {"tokeniser": "words"}})"),
              "data.tokeniser must be \"word\", \"subword-nmt\"");
  CHECK_ERROR(parse_refused(R"({"data": "corpus"})"), "data must be an object with settings, got \"corpus\"");
  CHECK_ERROR(parse_refused("[1]"), "c.json: a configuration is a JSON object {...}, got [1]");
  // The limits of a range are allowed, and whole numbers may have an exponent.
  training(R"("steps": 0, "threads": 1024, "label_smoothing": 0, "seed": 9007199254740991)");
  CHECK(parse_refused(R"({"training": {"steps": 1e5}})").training.steps == 100000);
  CHECK(parse_refused(R"({"training": {"seed": 9007199254740991}})").training.seed == 9007199254740991);
}
