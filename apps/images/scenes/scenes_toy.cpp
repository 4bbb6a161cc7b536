// The toy scenes of `regard toy`.
#include <fmt/format.h>
#include <memory>
#include <optional>

#include "apps/images/scenes/scenes.h"
#include "apps/regard/streams.h"
#include "apps/regard/toy_door.h"
#include "autograd/machine/error.h"

namespace regard::program {

namespace {

int run(const ToyOptions& toy, Index size) {
  const toys::Scenes scenes = generate_scenes(toy.seed, toy.sizes(toys::scene_sizes), size);
  complete_before_stopping([&] { write(scenes, toy.out, toy.existing()); });
  report("scenes: {} training, {} validation and {} test images in {}, for example\n", scenes.train.size(),
         scenes.validation.size(), scenes.test.size(), toy.out);
  for (std::size_t i = 0; i < scenes.train.size() && i < 3; ++i)
    report("  train/{:05}.png  ->  {}\n", i + 1, caption(scenes.train[i]).text());
  return 0;
}

}  // namespace

ToyDoor scenes_toy(const Command& command) {
  const auto size = std::make_shared<std::optional<Index>>();
  command.option("--size", *size, "scenes: height and width of the images; default: 48");
  return {.name = "scenes",
          .summary = toys::scenes_summary,
          .files =
              "Scenes are images: train.tsv has lines \"train/00001.png TAB caption\", and "
              "train.regions.jsonl tells\nwhich part of the image each word names.\n",
          .refuse_options =
              [size] {
                if (*size) fail("--size {}: only the toy scenes has images", **size);
              },
          .run = [size](const ToyOptions& toy) { return run(toy, size->value_or(toys::smallest_scene)); }};
}

}  // namespace regard::program
