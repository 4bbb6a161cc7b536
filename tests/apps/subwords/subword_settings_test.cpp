#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/translation/settings/settings.h"
#include "apps/translation/settings/settings_json.h"
#include "tests/apps/support.h"
#include "tests/catch.h"

using namespace regard::translation;

namespace {

const std::string none = "no error was thrown";

/// The error of settings with subwords and these overrides.
std::string refusal(const std::vector<std::string>& overrides) {
  Json json{{"data", {{"tsv", "corpus.tsv"}, {"tokeniser", "sentencepiece"}}}};
  return MESSAGE_OF(check(parse_settings(json, "c.json", overrides)));
}

}  // namespace

TEST_CASE("settings of subwords outside their ranges are refused", "[settings][subwords]") {
  CHECK_THAT(refusal({"data.subwords.size=4"}),
             ContainsSubstring("data.subwords.size must be a whole number from 5 to 1000000, got 4"));
  CHECK_THAT(refusal({"data.subwords.type=word"}),
             ContainsSubstring("data.subwords.type must be \"bpe\" or \"unigram\", got \"word\""));
  CHECK_THAT(refusal({"data.subwords.character_coverage=0.9"}),
             ContainsSubstring("data.subwords.character_coverage must be a number from 0.98 to 1, got 0.9"));
}

TEST_CASE("settings that contradict subwords are refused", "[settings][subwords]") {
  CHECK_THAT(refusal({}), ContainsSubstring(none));
  CHECK_THAT(refusal({"data.subwords.sampling=0.1"}), ContainsSubstring(none));
  CHECK_THAT(refusal({"data.joint_vocabulary=false"}),
             ContainsSubstring("set data.joint_vocabulary to true"));
  for (const char* own : {"data.vocabulary_size=100", "data.minimum_frequency=2"})
    CHECK_THAT(refusal({own}), ContainsSubstring("its vocabulary has data.subwords.size entries"));
  for (const char* n_best : {"0", "1"})
    CHECK_THAT(refusal({std::string("data.subwords.sampling_n_best=") + n_best}),
               ContainsSubstring("leaves no choice; set it to -1 or at least 2"));
  for (const std::string given : {"sampling=0.1", "model=x", "size=300", "type=unigram"})
    CHECK_THAT(refusal({"data.tokeniser=word", "data.subwords." + given}),
               ContainsSubstring("data.subwords." + given.substr(0, given.find('=')) +
                                 " has no effect here; it needs data.tokeniser \"sentencepiece\""));
}

TEST_CASE("what sampling may be depends on the type, which a given model has itself",
          "[settings][subwords]") {
  for (const std::string model : {"", "x"})
    for (const std::string type : {"bpe", "unigram"}) {
      const bool fits = type == "unigram" || !model.empty();
      const auto with = [&](const std::string& sampling) {
        return refusal(
            {"data.subwords.model=" + model, "data.subwords.type=" + type, "data.subwords." + sampling});
      };
      CHECK_THAT(with("sampling=1.5"),
                 ContainsSubstring(fits ? none : "data.subwords.sampling is a probability, but it is 1.5"));
      CHECK_THAT(with("sampling_n_best=9"),
                 ContainsSubstring(fits ? none : "can only be set with data.subwords.type \"unigram\""));
    }
}
