#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/translation/settings/settings.h"
#include "apps/translation/settings/settings_json.h"
#include "tests/apps/support.h"
#include "tests/catch.h"

using namespace regard::translation;
using regard::Index;

namespace {

Settings parse(const std::string& text) { return parse_settings(parse_json(text, "c.json"), "c.json"); }

/// The error of check() for settings with subwords and this change.
std::string refusal(const std::function<void(DataSettings&)>& change) {
  Settings settings;
  settings.data.tsv = "corpus.tsv";
  settings.data.tokeniser = "sentencepiece";
  change(settings.data);
  return MESSAGE_OF(check(settings));
}

}  // namespace

TEST_CASE("settings of subwords outside their ranges are refused", "[settings][subwords]") {
  CHECK_ERROR(parse(R"({"data": {"subwords": {"size": 4}}})"),
              "data.subwords.size must be a whole number from 5 to 1000000, got 4");
  CHECK_ERROR(parse(R"({"data": {"subwords": {"type": "word"}}})"),
              "data.subwords.type must be \"bpe\" or \"unigram\", got \"word\"");
  CHECK_ERROR(parse(R"({"data": {"subwords": {"character_coverage": 0.9}}})"),
              "data.subwords.character_coverage must be a number from 0.98 to 1, got 0.9");
}

TEST_CASE("settings that contradict subwords are refused", "[settings][subwords]") {
  const std::string none = "no error was thrown";
  CHECK_THAT(refusal([](DataSettings&) {}), ContainsSubstring(none));
  CHECK_THAT(refusal([](DataSettings& data) { data.subwords.sampling = 0.1; }), ContainsSubstring(none));
  CHECK_THAT(refusal([](DataSettings& data) { data.tokeniser = "word", data.subwords.sampling = 0.1; }),
             ContainsSubstring("data.subwords.sampling needs data.tokeniser \"sentencepiece\""));
  CHECK_THAT(refusal([](DataSettings& data) { data.joint_vocabulary = false; }),
             ContainsSubstring("set data.joint_vocabulary to true"));
  CHECK_THAT(refusal([](DataSettings& data) { data.vocabulary_size = 100; }),
             ContainsSubstring("its vocabulary has data.subwords.size entries"));
  CHECK_THAT(refusal([](DataSettings& data) { data.minimum_frequency = 2; }),
             ContainsSubstring("its vocabulary has data.subwords.size entries"));
  for (const Index n_best : {0, 1})
    CHECK_THAT(refusal([&](DataSettings& data) { data.subwords.sampling_n_best = n_best; }),
               ContainsSubstring("leaves no choice; set it to -1 or at least 2"));
  CHECK_THAT(refusal([](DataSettings& data) { data.tokeniser = "word", data.subwords.model = "x"; }),
             ContainsSubstring("data.subwords.model needs data.tokeniser \"sentencepiece\""));
  CHECK_THAT(refusal([](DataSettings& data) { data.tokeniser = "word", data.subwords.size = 300; }),
             ContainsSubstring("data.subwords.size needs data.tokeniser \"sentencepiece\""));
  CHECK_THAT(
      refusal([](DataSettings& data) { data.tokeniser = "char", data.subwords.type = SubwordType::unigram; }),
      ContainsSubstring("data.subwords.type needs data.tokeniser \"sentencepiece\""));
  // The type of a given model is not known before it is read.
  for (const std::string model : {"", "x"})
    for (const SubwordType type : {SubwordType::bpe, SubwordType::unigram}) {
      const bool fits = type == SubwordType::unigram || !model.empty();
      const auto with = [&](double sampling, Index n_best) {
        return refusal([&](DataSettings& data) {
          data.subwords.model = model, data.subwords.type = type;
          data.subwords.sampling = sampling, data.subwords.sampling_n_best = n_best;
        });
      };
      CHECK_THAT(with(1.5, -1),
                 ContainsSubstring(fits ? none : "data.subwords.sampling is a probability, but it is 1.5"));
      CHECK_THAT(with(0.5, 9),
                 ContainsSubstring(fits ? none : "can only be set with data.subwords.type \"unigram\""));
    }
}
