#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "apps/toys/toys.h"
#include "autograd/machine/real.h"
#include "transformer/captions/image.h"

namespace regard::toys {

inline constexpr std::array<const char*, 5> shape_names{"circle", "square", "triangle", "cross", "ring"};

using Colour = std::array<std::uint8_t, 3>;  ///< red, green, blue
struct NamedColour {
  const char* name;
  Colour colour;
};
inline constexpr std::array<NamedColour, 6> scene_colours{{{"red", {220, 40, 40}},
                                                           {"orange", {245, 140, 30}},
                                                           {"yellow", {240, 225, 50}},
                                                           {"green", {40, 160, 70}},
                                                           {"blue", {50, 80, 220}},
                                                           {"purple", {160, 60, 190}}}};

/// The style of a caption. The background shows it, so that the image alone decides the caption.
enum class Style {
  place_last,   ///< light background: a small red circle at the top left and …
  place_first,  ///< dark background: at the top left is a small red circle and …
  relations     ///< grey background: a small red circle is left of a large blue square which is above …
};
inline constexpr std::array<std::uint8_t, 3> background_greys{224, 32, 128};  ///< of each style

/// A part of an image, in pixels.
struct Region {
  Index left = 0, top = 0, width = 0, height = 0;

  bool operator==(const Region&) const = default;
};

/// A coloured shape. The image has 3 x 3 cells, and an object lies in one of them.
struct Object {
  std::size_t cell = 0;  ///< row by row from the top left
  std::size_t shape = 0, colour = 0;
  bool large = false;
  Region region = {};  ///< the smallest square around it
};

/// What an image shows. The objects lie in different cells and are in the order of the cells, which is also
/// their order in the caption.
struct Scene {
  Index size = 48;  ///< height and width of the image, a multiple of 3
  Style style = Style::place_last;
  bool noisy = false;
  std::uint64_t noise_seed = 0;
  std::vector<Object> objects = {};
};

transformer::Image draw(const Scene& scene);

/// A word of a caption that names an object: its size, its colour or its shape.
struct NamingWord {
  std::size_t position = 0;  ///< in the caption, from 0
  std::string word;
  Region region;
};

struct Caption {
  std::vector<std::string> words;
  std::vector<NamingWord> naming;

  std::string text() const;
};
Caption caption(const Scene& scene);

/// A corpus of images with captions. No two scenes have the same objects in the same cells and the same
/// style, so nothing in the test set was seen in training, with other noise or a few pixels aside.
struct Scenes {
  std::vector<Scene> train, validation, test;
};

inline constexpr CorpusSizes scene_sizes{.train = 8000, .validation = 500, .test = 1000};
inline constexpr Index smallest_scene = 48, largest_scene = 96;

/// The line about this toy for --help.
inline constexpr const char* scenes_summary =
    "images of one to five coloured shapes -> \"a small red circle is left of a large blue square\"";

/// Returns random scenes of 1 to 5 objects. The same arguments give the same scenes on every platform. `size`
/// is the height and width of the images. Throws Error if it is outside smallest_scene … largest_scene or no
/// multiple of 3, or if there are too many images.
Scenes generate_scenes(std::uint64_t seed, const CorpusSizes& sizes, Index size = smallest_scene);

/// Writes for each part the images (train/00001.png, …), the captions (train.tsv, with lines "image TAB
/// caption") and the regions that the words name (train.regions.jsonl). Throws Error with the name of the
/// file if that fails, or if a file exists and has other contents unless they may be replaced. An error that
/// comes later leaves the images that are written already.
void write(const Scenes& scenes, const std::filesystem::path& directory,
           Existing existing = Existing::refuse);

/// The line of a scene in the file of the regions.
std::string regions_line(const std::string& image, const Scene& scene);

}  // namespace regard::toys
