// Models that describe images: the kinds of encoders that read them, their settings and their presets.
#include "apps/images/model_images.h"
#include "apps/recurrent/recurrent.h"
#include "apps/translation/settings/doors.h"
#include "apps/translation/settings/settings_description.h"
#include "autograd/machine/error.h"
#include "transformer/captions/convolutional_encoder.h"
#include "transformer/captions/patch_encoder.h"

namespace regard::translation {

namespace {

void describe_shape(const Section& model, transformer::ImageConfig& image) {
  const Section table =
      model.section("image", "Encoders of images.", {.need = Need{{{"model.encoder", "convolutional"}}}});
  table.add("channels", image.channels, whole_numbers(transformer::most_layers, 1, widest),
            "convolutional: channels of each layer. There are as many layers as numbers.");
  table.add("strides", image.strides,
            whole_numbers(transformer::most_layers, 1, transformer::greatest_window),
            "convolutional: pixels by which the window of each layer moves. Height and width of an image are "
            "multiples of their product.",
            {.identity = Identity::always});
  table.add("window", image.window, whole(1, transformer::greatest_window),
            "convolutional: height and width of the window; odd.");
  table.add("patch_size", image.patch_size, whole(1, 4096),
            "patches: height and width of a patch (Dosovitskiy et al. 2021). Those of an image are multiples "
            "of it.",
            {.need = Need{{{"model.encoder", "patches"}}}});
}

void describe_pixels(const Section& data, ImageSettings& settings) {
  const Section images = data.section(
      "images", "Images, for an encoder that reads them.",
      {.inheritance = Inheritance::equal, .need = Need{{{"model.encoder", "convolutional patches"}}}});
  images.add("height", settings.height, whole(1, 4096), "Height of the model's images, in pixels.");
  images.add("width", settings.width, whole(1, 4096), "Width of the model's images, in pixels.");
  images.add("resize", settings.resize, flag(),
             "true: images of another size are resized. false: they are refused.");
}

const transformer::ImageConfig& shape(const ModelSettings& model) {
  return model.parts.of<transformer::ImageConfig>();
}

/// Pixels of an image, in each direction, for one position of the memory.
Index pixels_per_position(const ModelSettings& model) {
  return model.encoder == "patches" ? shape(model).patch_size : shape(model).reduction();
}

/// A model that reads images has text on one side only.
void check_images(const Settings& settings) {
  const DataSettings& data = settings.data;
  const auto& images = data.parts.of<ImageSettings>();
  if (!settings.model.reads_files()) return;
  const Index unit = pixels_per_position(settings.model);
  if (images.height % unit != 0 || images.width % unit != 0)
    fail("data.images is {} x {} pixels, but the encoder needs multiples of {}", images.width, images.height,
         unit);
  if (!data.joint_vocabulary)
    fail("a model that reads images has one vocabulary, for the captions; set data.joint_vocabulary to true");
}

void check_encoder(const ModelSettings& model) {
  check(shape(model));
  if (model.config.shared_embeddings == transformer::SharedEmbeddings::all)
    fail(
        "model.shared_embeddings is \"all\", but an encoder of images has no embedding to share; choose "
        "\"target_output\" or \"none\"");
}

std::unique_ptr<transformer::Encoder> make_convolutional(const ModelSettings& model, const nn::Embedding&,
                                                         Random& random) {
  return std::make_unique<transformer::ConvolutionalEncoder>(
      transformer::ConvolutionalEncoder::Settings{.image = shape(model),
                                                  .width = model.config.d_model,
                                                  .dropout = model.config.dropout.embedding,
                                                  .base = model.config.positions.base},
      random);
}

std::unique_ptr<transformer::Encoder> make_patches(const ModelSettings& model, const nn::Embedding&,
                                                   Random& random) {
  return std::make_unique<transformer::PatchEncoder>(model.config, shape(model).patch_size, random);
}

std::unique_ptr<SourceFiles> make_files(const Settings& settings) {
  return image_files(settings.data.parts.of<ImageSettings>(), pixels_per_position(settings.model));
}

/// Xu et al. 2015: a convolutional encoder, and a recurrent decoder.
ModelSettings xu2015(const std::string& name) {
  ModelSettings model = recurrent_model_preset(name);
  model.encoder = "convolutional";
  model.config.shared_embeddings = transformer::SharedEmbeddings::target_output;
  return model;
}

/// The encoder of Dosovitskiy et al. 2021 at the size of small images, with a Transformer decoder.
ModelSettings vit(const std::string& name) {
  return {.preset = name,
          .encoder = "patches",
          .config = {.d_model = 128,
                     .heads = 4,
                     .d_ff = 256,
                     .encoder_layers = 4,
                     .decoder_layers = 2,
                     .norm = transformer::Norm::pre,
                     .activation = nn::Activation::gelu,
                     .shared_embeddings = transformer::SharedEmbeddings::target_output}};
}

}  // namespace

void open_images(Doors& doors) {
  doors.encoders.push_back({.name = "convolutional",
                            .about = "a convolutional network; the source is an image.",
                            .layers = false,
                            .make = make_convolutional,
                            .check = check_encoder,
                            .words = &image_words,
                            .files = make_files,
                            .names_file = images::names_image});
  doors.encoders.push_back({.name = "patches",
                            .about = "patches of an image, which is the source (Dosovitskiy et al. 2021).",
                            .transformer = true,
                            .make = make_patches,
                            .check = check_encoder,
                            .words = &image_words,
                            .files = make_files,
                            .names_file = images::names_image});
  doors.presets.push_back({"xu2015", xu2015});
  doors.presets.push_back({"vit", vit});
  doors.settings.push_back(settings_door("model", describe_shape));
  doors.settings.push_back(settings_door("data", describe_pixels, check_images));
}

}  // namespace regard::translation
