#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "apps/toys/scenes/scene.h"
#include "apps/toys/toys.h"

namespace regard::toys {

/// A corpus of images with captions. No two scenes have the same objects in the same cells and the same
/// style, so nothing in the test set was seen in training, with other noise or a few pixels aside.
struct Scenes {
  std::vector<Scene> train, validation, test;
};

inline constexpr CorpusSizes scene_sizes{.train = 8000, .validation = 500, .test = 1000};
inline constexpr Index smallest_scene = 48, largest_scene = 96;

/// The line about this toy for --help.
const char* scenes_summary();

/// Draws scenes of 1 to 5 objects. The same arguments give the same scenes on every platform. `size` is the
/// height and width of the images. Throws Error if it is outside smallest_scene … largest_scene or no
/// multiple of 3, or if there are too many images.
Scenes generate_scenes(std::uint64_t seed, const CorpusSizes& sizes, Index size = smallest_scene);

/// Writes for each part the images (train/00001.png, …), the captions (train.tsv, with lines "image TAB
/// caption") and the regions that the words name (train.regions.jsonl). Throws Error with the name of the
/// file if that fails, or if a file exists and has other contents unless they may be replaced; then no file
/// is replaced.
void write(const Scenes& scenes, const std::filesystem::path& directory,
           Existing existing = Existing::refuse);

/// The line of a scene in the file of the regions.
std::string regions_line(const std::string& image, const Scene& scene);

}  // namespace regard::toys
