// The section data.subwords, and the names of the tokenisers.
#include "apps/subwords/subword_settings.h"

#include <filesystem>
#include <utility>

#include "apps/translation/model/model_directory.h"
#include "tests/apps/settings/checked.h"
#include "tests/temporary_directory.h"

using namespace regard::translation;
using namespace regard::tests;

TEST_CASE("the defaults of subwords have the documented values", "[settings][subwords]") {
  const auto subwords = with({}).data.parts.of<SubwordSettings>();
  CHECK(subwords.size == 8000);
  CHECK(subwords.sampling == 0);
}

TEST_CASE("an unknown tokeniser is refused with the names of all", "[settings][subwords]") {
  CHECK_ERROR(with({"data.tokeniser=words"}),
              "data.tokeniser must be \"word\", \"subword-nmt\", \"char\", \"sentencepiece\", \"marian\" or "
              "\"nllb\", got \"words\"");
}

TEST_CASE("settings of subwords that contradict each other are refused", "[settings][subwords]") {
  const auto with_subwords = [](const Overrides& more) {
    Overrides overrides{"data.tokeniser=sentencepiece"};
    overrides.insert(overrides.end(), more.begin(), more.end());
    return overrides;
  };
  const std::vector<std::pair<Overrides, std::string>> cases{
      {{"data.subwords.size=4"}, "data.subwords.size must be a whole number from 5 to 1000000, got 4"},
      {{"data.subwords.type=word"}, "data.subwords.type must be \"bpe\" or \"unigram\", got \"word\""},
      {{"data.subwords.character_coverage=0.9"}, "must be a number from 0.98 to 1, got 0.9"},
      {{"data.joint_vocabulary=false"}, "set data.joint_vocabulary to true"},
      {{"data.vocabulary_size=100"}, "its vocabulary has data.subwords.size entries"},
      {{"data.minimum_frequency=2"}, "its vocabulary has data.subwords.size entries"},
      {{"data.subwords.sampling_n_best=0"}, "leaves no choice; set it to -1 or at least 2"},
      {{"data.subwords.sampling_n_best=1"}, "leaves no choice; set it to -1 or at least 2"},
      // The type decides, and a given model has a type of its own.
      {{"data.subwords.sampling=1.5"}, "data.subwords.sampling is a probability, but it is 1.5"},
      {{"data.subwords.sampling_n_best=9"}, "can only be set with data.subwords.type \"unigram\""}};
  for (const auto& [overrides, message] : cases) refused(with_subwords(overrides), message);
  accepted(with_subwords({"data.subwords.sampling=0.1"}));
  for (const std::string own : {"data.subwords.type=unigram", "data.subwords.model=x"})
    for (const std::string sampling : {"data.subwords.sampling=1.5", "data.subwords.sampling_n_best=9"})
      accepted(with_subwords({own, sampling}));
  for (const std::string given : {"sampling=0.1", "model=x", "size=300", "type=unigram"})
    refused({"data.tokeniser=word", "data.subwords." + given},
            "data.subwords." + given.substr(0, given.find('=')) +
                " has no effect here; it needs data.tokeniser \"sentencepiece\"");
}

TEST_CASE("settings of subwords may change while there are none", "[settings][subwords]") {
  // Earlier versions accepted configurations that are refused now.
  const auto refusal = [](const Overrides& begun, const std::string& changed) {
    Overrides now = begun;
    now.push_back(changed);
    return MESSAGE_OF(check_resumable(with(begun), with(now), "DIR"));
  };
  const std::string none = "no error was thrown", learnt = "data.tokeniser=sentencepiece";
  CHECK_CONTAINS(refusal({}, "data.subwords.size=300"), none);
  CHECK_CONTAINS(refusal({learnt}, "data.subwords.size=300"), "data.subwords.size was 8000 when");
  CHECK_CONTAINS(refusal({learnt}, "data.subwords.sample_lines=300"), none);
  // A given model has its own size, but not its own sampling.
  CHECK_CONTAINS(refusal({learnt, "data.subwords.model=x"}, "data.subwords.size=300"), none);
  CHECK_CONTAINS(refusal({learnt, "training.initial_weights=x"}, "data.subwords.type=unigram"), none);
  CHECK_CONTAINS(refusal({learnt, "data.subwords.model=x"}, "data.subwords.sampling=0.1"),
                 "data.subwords.sampling was 0.0 when");
}

TEST_CASE("the files of subwords are known by name and place", "[model][subwords]") {
  const TemporaryDirectory temporary;
  const std::string model = temporary / "model";
  std::filesystem::create_directory(model);
  for (const std::string file : {"config.json", "weights.safetensors", "subwords.model",
                                 "subwords.source.model", "subwords.target.model", "other.model"})
    temporary.file("model/" + file, "x");
  for (const std::string file : {"subwords.model", "subwords.source.model", "subwords.target.model"})
    CHECK(is_file_of_model(model + "/" + file));
  CHECK_FALSE(is_file_of_model(model + "/other.model"));
  std::filesystem::remove(model + "/weights.safetensors");
  CHECK_FALSE(is_file_of_model(model + "/subwords.model"));  // a project may have such files
}
