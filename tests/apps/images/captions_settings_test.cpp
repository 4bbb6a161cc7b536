#include "apps/images/model_images.h"
#include "apps/translation/corpus/trained_sources.h"
#include "tests/apps/settings/checked.h"
#include "transformer/captions/image_config.h"

using namespace regard::translation;
using namespace regard::tests;

TEST_CASE("settings of models that read images and contradict others are refused", "[settings]") {
  refused({"model.preset=xu2015", "data.validation_share=0.1"}, "but the sources are images");
  refused({"model.encoder=patches"}, "model.shared_embeddings is \"all\", but an encoder of images has no");
  refused({"model.preset=xu2015", "model.image.strides=[2]"},
          "image.channels has 4 entries and image.strides 1");
  refused({"model.preset=xu2015", "model.attention.kind=hard", "model.attention.doubly_stochastic=1"},
          "attention.doubly_stochastic is 1");
  refused({"model.preset=xu2015", "data.joint_vocabulary=false"}, "one vocabulary, for the captions");
  refused({"model.preset=xu2015", "model.image.channels=[4, 8]", "model.image.strides=[3, 2]",
           "data.images.width=50"},
          "data.images is 50 x 48 pixels, but the encoder needs multiples of 6");
}

TEST_CASE("positions must suffice for the memory of an image and the longest caption", "[settings]") {
  const auto learned = [](const std::string& preset, const std::string& most, Overrides more) {
    more.insert(more.begin(),
                {"model.preset=" + preset, "model.positions.kind=learned", "model.positions.most=" + most});
    return more;
  };
  accepted(learned("vit", "257", {}));
  const Overrides twelve_by_twelve = {"data.images.height=96", "data.images.width=96"};
  refused(learned("vit", "298", twelve_by_twelve), "a search may come to 299");
  accepted(learned("vit", "299", twelve_by_twelve));
  const Overrides by_location = {"model.preset=xu2015", "model.attention.score=location"};
  accepted(by_location);
  Overrides large = by_location;
  large.insert(large.end(), {"data.images.height=136", "data.images.width=136"});
  refused(large, "model.attention.positions is 257, but the memory of an image has 289; set it to 289");
}

TEST_CASE("a setting of images that nothing reads is refused with what would read it", "[settings]") {
  needs({"data.images.height=96"}, "model.encoder \"convolutional\" or \"patches\"");
  needs({"model.preset=xu2015", "model.encoder_layers=2"}, "model.encoder \"transformer\" or \"recurrent\"");
  needs({"model.preset=xu2015", "model.image.patch_size=4"}, "model.encoder \"patches\"");
  needs({"model.preset=vit", "model.image.window=5"}, "model.encoder \"convolutional\"");
  needs({"model.preset=vit", "model.positions.sides=decoder"},
        "model.encoder \"transformer\" and model.decoder \"transformer\"");
  accepted({"model.preset=xu2015", "model.attention.kind=none", "model.positions.base=100"});
  accepted({"model.preset=vit", "model.positions.kind=relative", "model.positions.radius=3"});
}

TEST_CASE("shapes of images that only a program can make are refused, too", "[settings]") {
  const auto complaint = [](const char* preset, const auto& change) {
    ModelSettings model = model_preset(preset);
    change(model);
    return MESSAGE_OF(check(model));
  };
  CHECK_CONTAINS(complaint("xu2015",
                           [](ModelSettings& m) {
                             m.parts.of<regard::transformer::ImageConfig>() = {
                                 .channels = std::vector<regard::Index>(50, 4),
                                 .strides = std::vector<regard::Index>(50, 2)};
                           }),
                 "image.channels has 50 entries; give at most 12");
  CHECK_CONTAINS(
      complaint("xu2015",
                [](ModelSettings& m) { m.parts.of<regard::transformer::ImageConfig>().window = 101; }),
      "image.window is 101; give at most 15");
}

TEST_CASE("a list of numbers is read, and refused with the place and what it may be", "[settings]") {
  const Settings settings = with({"model.image.channels=[4, 8e0]", "model.image.strides=[2, 2]"});
  CHECK(settings.model.parts.of<regard::transformer::ImageConfig>().channels ==
        std::vector<regard::Index>{4, 8});
  for (const char* wrong : {"8", "[8, 0]", "[1.5]", "[\"8\"]", "[[8]]", "null"})
    CHECK_ERROR(with({std::string("model.image.channels=") + wrong}),
                "model.image.channels must be a list of at most 12 whole numbers, each from 1 to 65536, got");
  CHECK_ERROR(with({"model.image.window=101"}),
              "model.image.window must be a whole number from 1 to 15, got 101");
  Json fifty;
  for (int i = 0; i < 50; ++i) fifty.push_back(2);
  CHECK_ERROR(
      with({"model.image.strides=" + fifty.dump()}),
      "model.image.strides must be a list of at most 12 whole numbers, each from 1 to 15, got a list");
}

TEST_CASE("a model that reads text refuses an image in memory", "[images]") {
  CHECK_ERROR(image_source({1, 1, {0, 0, 0}}, with({})), "this model reads text");
}

TEST_CASE("sources that are images tell nothing of the sentences that a model was trained on", "[images]") {
  const ParallelText text{.source = {"a b", "c d"}, .target = {"e", "f"}, .name = "x"};
  const ParallelCorpus corpus{
      .source = {{4, 5}, {6, 7}}, .target = {{4}, {5}}, .lines = {0, 1}, .lines_read = 2, .dropped = {}};
  const auto images = image_files({}, 8);
  CHECK(TrainedSources::of(text, corpus, images.get()).difference("a. b. c", 100).empty());
  CHECK_FALSE(TrainedSources::of(text, corpus, nullptr).difference("a. b. c", 100).empty());
}
