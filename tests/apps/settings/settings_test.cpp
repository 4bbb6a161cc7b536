#include "apps/translation/settings/settings.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/translation/files/files.h"
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

/// "training.steps" as the place of a value in JSON.
Json::json_pointer pointer(std::string place) {
  std::ranges::replace(place, '.', '/');
  return Json::json_pointer("/" + place);
}

/// Returns a value that a setting may have besides its usual one; a discarded one if none was found.
Json another_value(const KnownSetting& setting, const Json& usual) {
  std::vector<Json> candidates{
      true, false, 2, 0.5, 1, 0, 9, 0.99, "x", Json::array({"x", "y"}), Json::array({5, 3})};
  const std::string& names = setting.kind.allowed;  // "a", "b" or "c"
  for (std::size_t begin = names.find('"'); begin != names.npos; begin = names.find('"', begin)) {
    const std::size_t end = names.find('"', begin + 1);
    candidates.emplace_back(names.substr(begin + 1, end - begin - 1));
    begin = end + 1;
  }
  const auto found = std::ranges::find_if(
      candidates, [&](const Json& value) { return value != usual && setting.kind.holds(value); });
  return found == candidates.end() ? Json(Json::value_t::discarded) : *found;
}

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
  CHECK(settings.training.batch_tokens == 4096);
  CHECK(settings.training.label_smoothing == 0.1);
  CHECK(settings.training.optimiser == OptimiserKind::adam);
  CHECK(settings.training.schedule == Schedule::noam);
  CHECK(settings.training.rate() == 1.0);
  CHECK(settings.training.warmup_steps == 4000);
  CHECK(settings.training.beta2 == 0.98);
  CHECK(settings.training.epsilon == 1e-9);
  CHECK_FALSE(settings.training.threads.has_value());
  CHECK(settings.decoding.beam == 4);
  CHECK(settings.decoding.length_penalty == LengthPenalty::wu);
  CHECK(to_json(settings) == to_json(Settings{}));
}

TEST_CASE("a configuration may have the default of a room that is not built", "[settings]") {
  CHECK(to_json(parse(R"({"data": {"subwords": {"model": ""}}})")) == to_json(Settings{}));
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

TEST_CASE("a preset gives the model settings that are not set", "[settings]") {
  const Settings base = parse(R"({"model": {"d_model": 256, "preset": "base"}})");
  CHECK(base.model.config.d_model == 256);
  CHECK(base.model.config.encoder_layers == 6);
  CHECK(base.model.config.d_ff == 2048);
  CHECK(base.model.config.dropout.attention == 0.1);
  CHECK(parse(R"({"model": {"preset": "toy"}})").model.config.d_model == 64);
  CHECK_ERROR(parse(R"({"model": {"preset": "huge"}})"), "c.json: model.preset must be \"base\", \"tiny\"");
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
  CHECK_ERROR(parse(R"({"model": {"dropout": {"atention": 0}}})"),
              "no setting model.dropout.atention; the most similar one is model.dropout.attention");
}

TEST_CASE("a limit on steps removes the default limit on epochs", "[settings]") {
  CHECK(parse(R"({"training": {"steps": 5}})").training.epoch_limit() == 0);
  CHECK(parse(R"({"training": {"steps": 5, "epochs": 2}})").training.epoch_limit() == 2);
  CHECK(parse(R"({"training": {"epochs": 0}})").training.epoch_limit() == 0);
  CHECK(parse(R"({"training": {"epochs": null}})").training.epoch_limit() == 10);
}

TEST_CASE("resolved settings have a value for every setting", "[settings]") {
  for (const auto& [place, value] : values_of(resolved(Settings{}))) {
    CAPTURE(place);
    CHECK_FALSE(value.is_null());
  }
  CHECK(resolved(Settings{}).training.epochs == 10);
  Settings limited;
  limited.training.steps = 5;
  limited.model.config.norm = regard::transformer::Norm::pre;
  CHECK(resolved(limited).training.epochs == 0);
  CHECK(resolved(limited).model.config.final_norm == true);
}

TEST_CASE("the table: each setting is read, written and found, and refuses what it may not be",
          "[settings]") {
  const Values defaults = values_of(Settings{}), in_full = values_of(resolved(Settings{}));
  std::size_t settings = 0, whole_numbers = 0;
  for (const KnownSetting& known : known_settings()) {
    if (known.section) continue;
    CAPTURE(known.place);
    ++settings;
    const Json other = another_value(known, defaults.at(known.place));
    if (other.is_discarded()) {  // a build without rooms has one encoder and one decoder
      CHECK(known.kind.allowed == "\"transformer\"");
      continue;
    }

    // It changes itself and, except for the preset, nothing else; in a configuration and in what is written.
    Json configuration;
    configuration[pointer(known.place)] = other;
    const Settings changed = parse_settings(configuration, "c.json");
    for (const auto& [place, value] : values_of(changed))
      if (place == known.place)
        CHECK(value == other);
      else if (known.place != "model.preset")
        CHECK(value == defaults.at(place));
    CHECK(values_of(parse_settings(to_json(changed), "c.json")) == values_of(changed));

    // A value of another type, and for whole numbers one whose sums and products would overflow.
    configuration[pointer(known.place)] = Json::object();
    const std::string must_be = "c.json: " + known.place + " must be " + known.kind.allowed + ", got ";
    CHECK_ERROR(parse_settings(configuration, "c.json"), must_be + "an object");
    const Json& usual = in_full.at(known.place);
    const bool list = usual.is_array() && !usual.empty();
    if (list || usual.is_number_integer()) {
      ++whole_numbers;
      const Json largest = std::numeric_limits<std::int64_t>::max();
      configuration[pointer(known.place)] = list ? Json::array({largest}) : largest;
      CHECK_ERROR(parse_settings(configuration, "c.json"), must_be);
    }

    // Its key is found again if it has one additional letter, or one wrong letter.
    const std::size_t key = known.place.rfind('.') + 1;
    std::string inserted = known.place, replaced = known.place;
    inserted.insert(key + 1, "%");
    replaced[key] = '%';
    for (const std::string& wrong : {inserted, replaced})
      CHECK_ERROR(fail_unknown_setting("c", wrong),
                  "there is no setting " + wrong + "; the most similar one is " + known.place);
  }
  CHECK(settings > 90);
  CHECK(whole_numbers > 30);
}

namespace {

/// The keys of settings whose words are all in a feature that the README says is missing, such as
/// "weight decay as a setting". Words may have an s at the end.
std::vector<std::string> settings_in(std::string feature) {
  for (char& c : feature)
    c = std::isalpha(static_cast<unsigned char>(c)) ? static_cast<char>(std::tolower(c)) : ' ';
  std::vector<std::string> found;
  for (const KnownSetting& setting : known_settings()) {
    if (setting.section) continue;
    std::string key(section_and_key(setting.place).second);
    std::ranges::replace(key, '_', ' ');
    const std::string text = " " + feature + " ";
    if (text.find(" " + key + " ") != std::string::npos || text.find(" " + key + "s ") != std::string::npos)
      found.push_back(setting.place);
  }
  return found;
}

}  // namespace

TEST_CASE("the README counts choices as they are, and misses no feature that has a setting", "[settings]") {
  const std::string readme = regard::read_file(REGARD_FIXTURES "/../../README.md");
  const std::string label = "- **Not there**: ";
  const std::size_t begin = readme.find(label);
  REQUIRE(begin != std::string::npos);
  const std::string missing =
      readme.substr(begin + label.size(), readme.find("\n\n", begin) - begin - label.size());
  CAPTURE(missing);
  CHECK(missing.find("GPUs") != std::string::npos);
  CHECK(settings_in(missing).empty());
  CHECK(settings_in("GPUs, weight decay as a setting") == std::vector<std::string>{"training.weight_decay"});
  CHECK(settings_in("schedules that depend on validation") == std::vector<std::string>{"training.schedule"});
  const std::vector<std::string> numbers{"", "one", "two", "three", "four", "five", "six", "seven", "eight"};
  for (const auto& [place, noun] : {std::pair("training.schedule", "schedules"),
                                    {"model.attention.score", "scores"},
                                    {"model.attention.normaliser", "normalisers"}}) {
    const KnownSetting* const known = find_setting(place);
    if (known == nullptr) continue;  // its room was not built
    const std::string& allowed = known->kind.allowed;
    const auto choices = static_cast<std::size_t>(std::ranges::count(allowed, '"') / 2);
    CHECK_CONTAINS(readme, " " + numbers.at(choices) + " " + noun);
  }
}

TEST_CASE("settings that a program has made are checked, too", "[settings]") {
  Settings settings;
  settings.data.tsv = "x";
  CHECK_NOTHROW(check(settings));
  settings.training.label_smoothing = 2;
  CHECK_ERROR(check(settings), "the settings: training.label_smoothing must be a number from 0 to below 1");
}

TEST_CASE("a setting that regard no longer has may keep its value in an old configuration", "[settings]") {
  CHECK_NOTHROW(parse(R"({"training": {"batch_order": "bucketed"}, "validation": {"bleu_lowercase": false},
                          "data": {"cache": ""}})"));
  CHECK_ERROR(parse(R"({"training": {"batch_order": "mixed"}})"), "there is no setting training.batch_order");
  CHECK_ERROR(parse(R"({"data": {"cache": "directory"}})"),
              "there is no setting data.cache; it was removed, because a corpus is read fast without it; "
              "delete this setting");
}
