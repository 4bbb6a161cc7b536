// Models that read images and recurrent models under the program's commands: everything that works for the
// Transformer works for them.
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;

namespace {

/// A small toy and a configuration for it.
struct SmallScenes {
  SmallScenes() {
    const Outcome made = run({"toy", "scenes", "--out", directory / "scenes", "--train", "40", "--validation",
                              "8", "--test", "8"});
    if (made.code != 0) throw std::runtime_error("no toy could be made: " + made.err);
    config =
        directory.file("config.json", R"({"data": {"tsv": ")" + train_tsv() + R"(", "validation_tsv": ")" +
                                          (directory / "scenes/validation.tsv") + R"("},
"model": {"preset": "xu2015", "d_model": 16, "dropout": 0, "image": {"channels": [4, 8], "strides": [3, 2]}},
"training": {"steps": 6, "batch_tokens": 200, "schedule": "constant", "learning_rate": 0.01, "log_every": 2},
"validation": {"every_steps": 3}, "decoding": {"max_length": 12}})");
  }

  std::string train_tsv() const { return directory / "scenes/train.tsv"; }
  std::string image(const std::string& number = "00001") const {
    return directory / ("scenes/test/" + number + ".png");
  }
  Words train(const std::string& out, const Words& settings = {}) const {
    return with_settings({"train", config, "--out", out}, settings);
  }

  TemporaryDirectory directory;
  std::string config;
};

const SmallScenes& scenes() {
  static const SmallScenes small;
  return small;
}

const std::string& caption_model() {
  static const TemporaryDirectory directory;
  static const std::string path = [] {
    const Outcome trained = run(scenes().train(directory / "model"));
    if (trained.code != 0) throw std::runtime_error("no model could be trained: " + trained.err);
    return directory / "model";
  }();
  return path;
}

}  // namespace

TEST_CASE("a model of captions trains, and all commands know it", "[program]") {
  const TemporaryDirectory directory;
  const std::string& model = caption_model();
  const Outcome one = run({"translate", model, scenes().image()});
  CHECK(one.code == 0);
  CHECK_CONTAINS(one.err,
                 "the translation of 1 sentence reached its greatest length");  // it has learnt little
  REQUIRE(lines(one.out).size() == 1);
  // The same from standard input, with n-best lists and samples.
  const std::string list = scenes().image() + "\n\n" + scenes().image("00002") + "\n";
  const Outcome piped = run({"translate", model}, {.input = list});
  REQUIRE(lines(piped.out).size() == 3);
  CHECK(lines(piped.out)[0] == lines(one.out)[0]);
  CHECK(lines(piped.out)[1].empty());
  CHECK(lines(run({"translate", model, "--beam", "3", "--n-best", "2", "--scores"}, {.input = list}).out)
            .size() == 5);
  if (has_option("translate", "--sample"))
    CHECK(lines(run({"translate", model, scenes().image(), "--sample", "--n-best", "4"}).out).size() == 4);

  const std::string test = scenes().directory / "scenes/test.tsv";
  const Outcome evaluated = run({"evaluate", model, "--tsv", test});
  CHECK(evaluated.code == 0);
  for (const char* const name : {"exact match", "BLEU"}) CHECK_CONTAINS(evaluated.out, name);
  if (!has_command("score")) return;
  // What the room of further commands makes of it.
  CHECK(lines(run({"score", model, "--tsv", test}).out).size() == 8);
  CHECK(run({"average", "--output", directory / "mean.safetensors", model + "/weights.safetensors",
             model + "/weights.safetensors"})
            .code == 0);
  CHECK(run({"translate", model, scenes().image(), "--weights", directory / "mean.safetensors"}).out ==
        one.out);
  CHECK(run({"inspect", model}).code == 0);
}

TEST_CASE("the attention of a caption becomes images", "[program]") {
  const TemporaryDirectory directory;
  const Words command{"translate",          caption_model(),        scenes().image(), scenes().image("00002"),
                      "--attention-images", directory / "attention"};
  const Outcome outcome = run(command);
  CHECK(outcome.code == 0);
  REQUIRE(lines(outcome.out).size() == 2);
  const auto files = files_below(directory / "attention");
  CHECK(files.count("1-00001/sheet.svg") == 1);
  CHECK(files.count("2-00002/sheet.svg") == 1);
  const std::string first = lines(outcome.out)[0];
  const auto words = std::count(first.begin(), first.end(), ' ') + 1;
  CHECK(std::count_if(files.begin(), files.end(), [](const auto& file) {
          return file.first.starts_with("1-") && file.first.ends_with(".png");
        }) == words);
  CHECK_REFUSED(run(command), "the directory is not empty");
}

TEST_CASE("a training with images resumes to the same bits, and notices a changed image", "[program]") {
  const TemporaryDirectory directory;
  const std::string out = directory / "model";
  CHECK(run(scenes().train(out, {"training.steps=3"})).code == 0);
  CHECK(run(scenes().train(out)).code == 0);
  CHECK(content(out + "/weights.safetensors") == content(caption_model() + "/weights.safetensors"));

  std::filesystem::copy(scenes().directory / "scenes", directory / "scenes",
                        std::filesystem::copy_options::recursive);
  const Words copied{"data.tsv=" + (directory / "scenes/train.tsv")};
  CHECK(run(scenes().train(out, joined(copied, {"training.steps=7"}))).code ==
        0);  // the same images elsewhere
  std::filesystem::copy_file(directory / "scenes/train/00002.png", directory / "scenes/train/00001.png",
                             std::filesystem::copy_options::overwrite_existing);
  CHECK_REFUSED(run(scenes().train(out, joined(copied, {"training.steps=8"}))), "training corpus");
}

TEST_CASE("images of another size are resized, or refused", "[program]") {
  const TemporaryDirectory directory;
  CHECK(run({"toy", "scenes", "--out", directory / "large", "--size", "96", "--train", "1", "--validation",
             "1", "--test", "1"})
            .code == 0);
  const std::string image = directory / "large/test/00001.png";
  CHECK(run({"translate", caption_model(), image}).code == 0);
  CHECK_REFUSED(run(scenes().train(directory / "model", {"data.tsv=" + (directory / "large/train.tsv"),
                                                         "data.images.resize=false"})),
                "large/train/00001.png has 96 x 96 pixels, but this model reads 48 x 48");
}

TEST_CASE("inputs that are no images are refused by name", "[program]") {
  const TemporaryDirectory directory;
  const std::string& model = caption_model();
  const auto translate = [&](const std::string& path) { return run({"translate", model, path}); };
  const std::string whole = content(scenes().image());
  CHECK_REFUSED(translate(directory.file("half.png", whole.substr(0, whole.size() / 2))),
                "half.png cannot be read as an image");
  CHECK_REFUSED(run({"translate", model}, {.input = "a red ring\n"}), "a red ring: No such file");
  // The captions before it are written.
  const Outcome some = run({"translate", model, scenes().image(), directory / "missing.png"});
  CHECK(lines(some.out).size() == 1);
  CHECK(some.code == 1);

  const auto train = [&](const std::string& text) {
    return run(scenes().train(directory / "model", {"data.tsv=" + directory.file("train.tsv", text)}));
  };
  CHECK_REFUSED(train(scenes().image() + "\t\n"),
                "train.tsv, line 1: the caption of the image " + scenes().image() + " is empty");
  CHECK_REFUSED(train("\ta ring\n"), "train.tsv, line 1: the path of an image is missing");
  CHECK_REFUSED(train("missing.png\ta ring\n"), directory / "missing.png: No such file");
  CHECK_FALSE(std::filesystem::exists(directory / "model"));
}

TEST_CASE("text for a model of images, and images for a model of text, are refused", "[program]") {
  const std::string text_model = small_model();
  CHECK_REFUSED(run({"translate", text_model, scenes().image()}), "reads text, so it cannot read the file");
  CHECK_REFUSED(run({"translate", text_model}, {.input = scenes().image() + "\n"}),
                "but this model reads text");
  CHECK_REFUSED(run({"evaluate", text_model, "--tsv", scenes().directory / "scenes/test.tsv"}),
                "test.tsv, line 1, is the image");
  CHECK_REFUSED(run(scenes().train(
                    "never", {"model.encoder=transformer", "model.preset=toy",
                              "model.image.channels=[32, 64, 96, 128]", "model.image.strides=[2, 2, 2, 1]"})),
                "but this model reads text");
  CHECK_REFUSED(run({"translate", caption_model(), "--attention"}, {.input = scenes().image() + "\n"}),
                "give --attention-images DIR");
  CHECK_REFUSED(run({"translate", caption_model(), "--alignments"}, {.input = scenes().image() + "\n"}),
                "--alignments links words");
  CHECK_REFUSED(run(evaluate_command(caption_model())), "No such file");
}

TEST_CASE("an output does not replace an image that is read", "[program]") {
  const std::string image = scenes().image(), bytes = content(image);
  CHECK_REFUSED(run({"translate", caption_model(), image, "--attention-json", image}),
                "--attention-json " + image + ": this file is an input");
  CHECK_REFUSED(run({"translate", caption_model(), "--attention-json", image}, {.input = image + "\n"}),
                "--attention-json " + image + ": this file is an image");
  CHECK_REFUSED(
      run({"evaluate", caption_model(), "--tsv", scenes().directory / "scenes/test.tsv", "--output", image}),
      "--output " + image + ": this file is an input");
  CHECK(content(image) == bytes);
}
