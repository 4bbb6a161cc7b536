// Settings that are valid alone but contradict each other, or have no effect.
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "apps/translation/settings/settings.h"
#include "apps/translation/settings/settings_json.h"
#include "tests/apps/support.h"
#include "tests/catch.h"

using namespace regard::translation;
using regard::Index;
using regard::tests::TemporaryDirectory;

namespace {

using Overrides = std::vector<std::string>;

/// Valid settings with these overrides.
Settings with(const Overrides& overrides) {
  Json json{{"data", {{"tsv", "corpus.tsv"}}}};
  return parse_settings(json, "c.json", overrides);
}

void accepted(const Overrides& overrides) {
  CAPTURE(overrides);
  CHECK_NOTHROW(check(with(overrides)));
}

void refused(const Overrides& overrides, const std::string& message) {
  CAPTURE(overrides);
  CHECK_ERROR(check(with(overrides)), message);
}

}  // namespace

TEST_CASE("settings that contradict each other are refused", "[settings]") {
  accepted({});
  accepted({"model.encoder=text_convolutional", "model.text_window=5", "model.positions.kind=none"});
  accepted({"model.encoder=text_convolutional", "model.preset=bahdanau2015", "model.positions.kind=none"});
  refused({"model.encoder=text_convolutional", "model.text_window=4"}, "model.text_window is 4");
  refused({"model.text_window=5"}, "model.text_window has no effect here");
  accepted({"training.scheduled_sampling=0.5", "training.scheduled_sampling_steps=10"});
  refused({"training.scheduled_sampling_steps=10"},
          "training.scheduled_sampling_steps is 10, but training.scheduled_sampling is 0");
  refused({"data.tsv="}, "there is no training corpus; give data.source");
  refused({"decoding.min_length=5", "decoding.max_length=4"}, "min_length is 5, but max_length is 4");
  refused({"data.source=x", "data.target=x"},
          "data.tsv replaces data.source and data.target; give either data.tsv or the other two");
  refused({"data.tsv=", "data.source=x"}, "data.target is not");
  refused({"data.tsv=", "data.target=x"}, "data.source is not");
  accepted({"data.tsv=", "data.source=x", "data.target=x"});
  refused({"data.validation_source=x"}, "data.validation_target is not");
  refused({"data.validation_source=x", "data.validation_target=x", "data.validation_tsv=x"},
          "data.validation_tsv replaces data.validation_source");
  refused({"data.vocabulary_size=4"}, "data.vocabulary_size 4 has no room");
  refused({"data.joint_vocabulary=false"},
          "model.shared_embeddings \"all\" needs data.joint_vocabulary true");
  accepted({"data.joint_vocabulary=false", "model.shared_embeddings=none"});
  refused({"model.heads=3"}, "heads (3) must divide d_model (128)");
  refused({"training.epochs=0"}, "nothing ends the training");
  accepted({"training.epochs=0", "training.steps=1"});
  accepted({"training.epochs=0", "training.tokens=1"});
  refused({"training.schedule=constant"}, "set training.learning_rate");
  accepted({"training.schedule=constant", "training.learning_rate=1e-3"});
  accepted({"training.epochs=0", "training.minutes=0.5"});
  refused({"training.schedule=cosine", "training.learning_rate=0.01", "training.minutes=60"},
          "which training.tokens and training.minutes do not tell; set training.steps or training.epochs");
  const Overrides plateau{"training.schedule=plateau", "training.learning_rate=0.01"};
  const auto with_plateau = [&](const Overrides& more) {
    Overrides all = plateau;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  refused(plateau, "follows the validations, but there is no validation corpus");
  accepted(with_plateau({"data.validation_tsv=x", "validation.patience=4"}));
  accepted(with_plateau({"data.validation_share=0.01", "training.minimum_learning_rate=1e-4"}));
  refused(with_plateau({"data.validation_tsv=x", "validation.patience=3"}),
          "validation.patience 3 ends the training before training.plateau_patience 3");
  refused(with_plateau({"data.validation_tsv=x", "training.minimum_learning_rate=1"}),
          "minimum_learning_rate 1 is above");
  refused({"data.validation_share=0.1", "data.validation_tsv=x"}, "but there is a validation corpus");
  refused({"model.preset=xu2015", "data.validation_share=0.1"}, "but the sources are images");
  const std::string two = "data.tsv=[\"a\", \"b\"]";
  accepted({two, "data.shares=[1, 0.5]"});
  accepted({two, "data.temperature=5"});
  refused({two, "data.shares=[1]"}, "data.shares has 1 number, but the training corpus has 2 files");
  refused({two, "data.shares=[1, 2]", "data.temperature=5"}, "give one of them");
  refused({"data.temperature=5"}, "is for a training corpus of several files, but there is one");
  refused({"checkpoints.average=last"}, "\"last\" needs checkpoints.keep_last of at least 2");
  refused({"checkpoints.average=best"}, "\"best\" needs checkpoints.keep_best of at least 2");
  const auto cosine = [](const char* steps, const char* minimum) -> Overrides {
    return {"training.schedule=cosine", "training.learning_rate=0.01", std::string("training.steps=") + steps,
            std::string("training.minimum_learning_rate=") + minimum};
  };
  refused(cosine("4000", "0"), "falls from training.warmup_steps, which is 4000, to training.steps");
  refused(cosine("4001", "0.02"), "minimum_learning_rate 0.02 is above");
  accepted(cosine("4001", "0.01"));
  accepted(cosine("0", "0.01"));  // over the epochs
  refused({"training.schedule=cosine", "training.learning_rate=0.01", "training.tokens=1000"},
          "set training.steps or training.epochs");
  refused({"training.shards=2", "model.decoder=recurrent", "model.attention.kind=hard"},
          "training.shards is 2, but the model has hard attention");
  refused({"model.encoder=patches"}, "model.shared_embeddings is \"all\", but an encoder of images has no");
  refused({"model.preset=xu2015", "model.image.strides=[2]"},
          "image.channels has 4 entries and image.strides 1");
  refused({"model.preset=xu2015", "model.attention.kind=hard", "model.attention.doubly_stochastic=1"},
          "attention.doubly_stochastic is 1");
  refused({"model.preset=xu2015", "data.joint_vocabulary=false"}, "one vocabulary, for the captions");
  refused({"model.preset=xu2015", "model.image.channels=[4, 8]", "model.image.strides=[3, 2]",
           "data.images.width=50"},
          "data.images is 50 x 48 pixels, but the encoder needs multiples of 6");
  refused({"model.preset=bahdanau2015", "model.encoder_width=10", "model.attention.score=dot"},
          "equal widths");
}

TEST_CASE("shapes that only a program can make are refused, too", "[settings]") {
  const auto complaint = [](const char* preset, const auto& change) {
    ModelSettings model = model_preset(preset);
    change(model);
    return MESSAGE_OF(check(model));
  };
  CHECK_CONTAINS(complaint("xu2015",
                           [](ModelSettings& m) {
                             m.image = {.channels = std::vector<Index>(50, 4),
                                        .strides = std::vector<Index>(50, 2)};
                           }),
                 "image.channels has 50 entries; give at most 12");
  CHECK_CONTAINS(complaint("xu2015", [](ModelSettings& m) { m.image.window = 101; }),
                 "image.window is 101; give at most 15");
  CHECK_CONTAINS(complaint("luong2015",
                           [](ModelSettings& m) {
                             m.recurrent.attention.window = regard::nn::AttentionWindow::local_m;
                             m.recurrent.attention.radius = std::numeric_limits<Index>::max();
                           }),
                 "a local window needs a number from 1 to 1000000000");
}

TEST_CASE("positions must suffice for the longest source and the longest translation", "[settings]") {
  // A search goes on for 2 * 256 + 10 tokens and </s>.
  const auto learned = [](const std::string& preset, const std::string& most, Overrides more) {
    more.insert(more.begin(),
                {"model.preset=" + preset, "model.positions.kind=learned", "model.positions.most=" + most});
    return more;
  };
  refused(learned("toy", "256", {}), "a sentence of training may have 257 tokens");
  refused(learned("toy", "522", {}),
          "model.positions.most is 522, but a search may come to 523 tokens with their end "
          "(decoding.max_length_ratio and the other limits); set model.positions.most to 523, or "
          "decoding.max_length to 521");
  accepted(learned("toy", "523", {}));
  accepted(learned("toy", "301", {"decoding.max_length=300"}));
  accepted(learned("vit", "257", {}));
  accepted(learned("toy", "257", {"model.positions.sides=encoder"}));  // no search reads a source
  refused(learned("toy", "257", {"model.positions.sides=decoder"}), "a search may come to 523 tokens");
  const Overrides twelve_by_twelve = {"data.images.height=96", "data.images.width=96"};
  refused(learned("vit", "298", twelve_by_twelve), "a search may come to 299");
  accepted(learned("vit", "299", twelve_by_twelve));
  refused({"model.preset=bahdanau2015", "model.attention.score=location", "model.attention.positions=2"},
          "may have 257 tokens");
  const Overrides by_location = {"model.preset=xu2015", "model.attention.score=location"};
  accepted(by_location);
  Overrides large = by_location;
  large.insert(large.end(), {"data.images.height=136", "data.images.width=136"});
  refused(large, "model.attention.positions is 257, but the memory of an image has 289; set it to 289");
}

TEST_CASE("a setting that nothing reads is refused with what would read it", "[settings]") {
  const auto needs = [](const Overrides& overrides, const std::string& what) {
    const std::string& last = overrides.back();
    refused(overrides, last.substr(0, last.find('=')) + " has no effect here; it needs " + what);
  };
  needs(
      {"validation.patience=5"},
      "data.validation_source and data.validation_target, or data.validation_tsv, or data.validation_share");
  accepted({"data.validation_tsv=x", "validation.patience=5"});
  needs({"validation.metric=bleu"}, "data.validation_source");
  needs({"checkpoints.keep_best=5"}, "data.validation_source");
  needs({"training.minimum_learning_rate=1e-5"}, "training.schedule \"cosine\" or \"plateau\"");
  needs({"training.plateau_factor=0.9"}, "training.schedule \"plateau\"");
  needs({"training.optimiser=sgd", "training.weight_decay=0.1"}, "training.optimiser \"adam\"");
  accepted({"training.weight_decay=0.1"});
  accepted({"data.validation_share=0.1", "validation.patience=5"});
  needs({"training.momentum=0.9"}, "training.optimiser \"sgd\"");
  needs({"data.images.height=96"}, "model.encoder \"convolutional\" or \"patches\"");
  needs({"model.preset=toy", "model.attention.score=general"}, "model.decoder \"recurrent\"");
  needs({"model.preset=toy", "model.attention.kind=hard"}, "model.decoder \"recurrent\"");
  needs({"model.preset=toy", "model.cell=lstm"},
        "model.encoder \"recurrent\", or model.decoder \"recurrent\"");
  needs({"model.decoder=recurrent", "model.reverse_source=true"}, "model.encoder \"recurrent\"");
  needs({"model.preset=cho2014", "model.attention.score=dot"},
        "model.decoder \"recurrent\" and model.attention.kind \"soft\" or \"hard\"");
  needs({"model.preset=bahdanau2015", "model.heads=8"}, "model.encoder \"transformer\" or \"patches\"");
  needs({"model.preset=bahdanau2015", "model.norm=pre"}, "model.encoder \"transformer\" or \"patches\"");
  refused({"model.preset=bahdanau2015", "model.heads=8", "model.cell=lstm", "model.norm=pre"},
          "model.heads, model.norm have no effect here; they need model.encoder \"transformer\" or");
  needs({"model.preset=bahdanau2015", "model.dropout.attention=0"}, "model.encoder \"transformer\"");
  needs({"model.preset=bahdanau2015", "model.positions.kind=none"},
        "model.encoder \"transformer\" or \"text_convolutional\", or model.decoder");
  needs({"model.preset=luong2015", "model.attention.radius=3"}, "model.decoder \"recurrent\" and");
  needs({"model.preset=luong2015", "model.attention.width=3"}, "model.decoder \"recurrent\" and");
  needs({"model.preset=luong2015", "model.attention.positions=300"}, "model.decoder \"recurrent\" and");
  needs({"model.preset=luong2015", "model.attention.hard.mean_share=1"}, "model.decoder \"recurrent\" and");
  needs({"model.preset=xu2015", "model.encoder_layers=2"},
        "model.encoder \"transformer\" or \"recurrent\" or \"text_convolutional\" or \"patches\"");
  needs({"model.preset=xu2015", "model.image.patch_size=4"}, "model.encoder \"patches\"");
  needs({"model.preset=vit", "model.image.window=5"}, "model.encoder \"convolutional\"");
  needs({"model.preset=tiny", "model.positions.most=2000"}, "model.positions.kind \"learned\"");
  needs({"model.positions.kind=none", "model.positions.use=concatenated"},
        "model.positions.kind \"sinusoidal\" or \"learned\" and model.encoder \"transformer\" or "
        "\"text_convolutional\", or");
  needs({"model.positions.kind=learned", "model.positions.base=100"}, "model.positions.kind \"sinusoidal\"");
  for (const std::string kind : {"relative", "rotary", "alibi"})
    needs({"model.positions.kind=" + kind, "model.positions.use=concatenated"},
          "model.positions.kind \"sinusoidal\" or \"learned\" and model.encoder \"transformer\" or "
          "\"text_convolutional\", or");
  needs({"model.positions.kind=rotary", "model.positions.radius=3"}, "model.positions.kind \"relative\"");
  needs({"model.positions.kind=rotary", "model.positions.layout=halves"},
        "model.positions.kind \"sinusoidal\"");
  needs({"model.positions.kind=alibi", "model.positions.base=100"}, "model.positions.kind \"sinusoidal\"");
  needs({"model.preset=vit", "model.positions.sides=decoder"},
        "model.encoder \"transformer\" and model.decoder \"transformer\"");
  needs({"model.preset=luong2015", "model.multi_head.scaled=false"}, "model.encoder \"transformer\"");

  accepted({"model.preset=bahdanau2015", "model.dropout=0.3"});  // one number sets all rates
  accepted({"model.preset=xu2015", "model.attention.kind=none", "model.positions.base=100"});
  accepted({"model.encoder=recurrent", "model.cell=lstm", "model.heads=8"});
  accepted({"model.positions.kind=rotary", "model.positions.base=100", "model.positions.sides=decoder"});
  accepted({"model.preset=vit", "model.positions.kind=relative", "model.positions.radius=3"});
}

TEST_CASE("the values of a preset are not refused, whether they are given or not", "[settings]") {
  for (const char* preset : preset_names) {
    const Settings settings = with({std::string("model.preset=") + preset});
    CHECK_NOTHROW(check(settings));
    CHECK_NOTHROW(check(parse_settings(to_json(resolved(settings)), "config.json")));
  }
}

TEST_CASE("a model directory with a setting that nothing reads can be resumed and tuned", "[settings]") {
  const Settings old = with({"model.preset=bahdanau2015", "model.heads=8"});
  const Settings now = with({"model.preset=bahdanau2015"});
  CHECK_FALSE(changed_setting(old, now));
  CHECK(contradictions(now, old).empty());
  CHECK(changed_setting(old, with({"model.preset=bahdanau2015", "model.cell=lstm"}))->place == "model.cell");
  const TemporaryDirectory directory;
  directory.file("config.json", to_json(old).dump());
  const std::string config = directory.file("c.json", R"({"data": {"tsv": "x"}})");
  const Overrides from = {"training.initial_weights=" + directory / ""};
  CHECK(load_settings(config, from).model.preset == "bahdanau2015");
}

TEST_CASE("settings of subwords", "[settings][subwords]") {
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
