#include "apps/images/scenes/scenes.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <numeric>
#include <unordered_set>

#include "apps/random.h"
#include "autograd/machine/error.h"

namespace regard::toys {
namespace {

constexpr std::size_t cells = 9;

/// 1 to 5 objects; one object is rarer, because there are only 1,620 such scenes.
std::size_t random_count(SplitMix64& random) {
  static const std::vector<std::size_t> counts{1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5};
  return random.pick(counts);
}

Object random_object(std::size_t cell, Index image_size, SplitMix64& random) {
  Object object{.cell = cell,
                .shape = random.below(shape_names.size()),
                .colour = random.below(scene_colours.size()),
                .large = random.below(2) == 1};
  const Index cell_size = image_size / 3;
  const Index size = object.large ? cell_size * 7 / 8 : cell_size / 2;
  const auto place = [&](std::size_t index) {
    return to_index(index) * cell_size + to_index(random.below(to_size(cell_size - size) + 1));
  };
  const Index left = place(cell % 3), top = place(cell / 3);
  object.region = {left, top, size, size};
  return object;
}

Scene random_scene(Index size, SplitMix64& random) {
  Scene scene{.size = size,
              .style = static_cast<Style>(random.below(background_greys.size())),
              .noisy = random.below(2) == 1,
              .noise_seed = random.next()};
  std::vector<std::size_t> free(cells);
  std::iota(free.begin(), free.end(), std::size_t{0});
  random.shuffle(free);
  free.resize(random_count(random));
  std::ranges::sort(free);
  for (const std::size_t cell : free) scene.objects.push_back(random_object(cell, size, random));
  return scene;
}

/// Everything that decides the caption, and the cells.
std::string identity(const Scene& scene) {
  std::string text = fmt::format("{}", static_cast<int>(scene.style));
  for (const Object& object : scene.objects)
    fmt::format_to(std::back_inserter(text), " {},{},{},{}", object.cell, object.shape, object.colour,
                   object.large);
  return text;
}

}  // namespace

Scenes generate_scenes(std::uint64_t seed, const CorpusSizes& sizes, Index size) {
  if (size < smallest_scene || size > largest_scene || size % 3 != 0)
    fail("scenes of {} pixels are not possible; give a multiple of 3 from {} to {}", size, smallest_scene,
         largest_scene);
  constexpr std::size_t most = 999999;  // of each part, so that all together are few of the different scenes
  for (const std::size_t part : {sizes.train, sizes.validation, sizes.test})
    if (part > most) fail("{} scenes are too many; give at most {} for each part", part, most);
  SplitMix64 random(seed);
  std::unordered_set<std::string> seen;
  const auto random_part = [&](std::size_t count) {
    std::vector<Scene> part;
    while (part.size() < count) {
      Scene scene = random_scene(size, random);
      if (seen.insert(identity(scene)).second) part.push_back(std::move(scene));
    }
    return part;
  };
  Scenes scenes;
  scenes.test = random_part(sizes.test);
  scenes.validation = random_part(sizes.validation);
  scenes.train = random_part(sizes.train);
  return scenes;
}

}  // namespace regard::toys
