#include "apps/images/scenes/scenes.h"

#include <set>
#include <sstream>
#include <zlib.h>

#include "apps/images/image_file.h"
#include "autograd/machine/error.h"
#include "tests/apps/support.h"

using namespace regard;
using namespace regard::toys;
using namespace regard::tests;

namespace {

const Scenes& scenes() {
  static const Scenes drawn = generate_scenes(7, {.train = 400, .validation = 50, .test = 50});
  return drawn;
}

Object object(std::size_t cell, const std::string& colour, const std::string& shape, bool large) {
  Object result{.cell = cell, .large = large};
  while (scene_colours[result.colour].name != colour) ++result.colour;
  while (shape_names[result.shape] != shape) ++result.shape;
  return result;
}

std::string text(Style style, std::vector<Object> objects) {
  return caption({.style = style, .objects = std::move(objects)}).text();
}

/// What a caption can tell of a scene: everything but the exact places and the noise.
std::string described(const Scene& scene) {
  std::ostringstream out;
  out << static_cast<int>(scene.style);
  for (const Object& each : scene.objects)
    out << ' ' << each.cell << ' ' << each.shape << ' ' << each.colour << ' ' << each.large;
  return out.str();
}

toys::Colour pixel(const transformer::Image& image, Index y, Index x) {
  const std::size_t i = to_size(3 * (y * image.width + x));
  return {image.pixels[i], image.pixels[i + 1], image.pixels[i + 2]};
}

/// True if a pixel of the region has this colour.
bool shows(const transformer::Image& image, const Region& region, const toys::Colour& colour) {
  for (Index y = region.top; y < region.top + region.height; ++y)
    for (Index x = region.left; x < region.left + region.width; ++x)
      if (pixel(image, y, x) == colour) return true;
  return false;
}

}  // namespace

TEST_CASE("captions of scenes in their three styles", "[scenes]") {
  const Object circle = object(0, "red", "circle", false), square = object(2, "blue", "square", true),
               ring = object(3, "orange", "ring", false);
  CHECK(text(Style::place_last, {circle, square, ring}) ==
        "a small red circle at the top left and a large blue square at the top right and a small orange ring "
        "on the "
        "left");
  CHECK(text(Style::place_first, {square, ring}) ==
        "at the top right is a large blue square and on the left is a small orange ring");
  CHECK(text(Style::relations, {circle, square, ring}) ==
        "a small red circle is left of a large blue square which is above a small orange ring");
  CHECK(text(Style::relations, {ring}) == "there is a small orange ring");
  CHECK(text(Style::place_last, {object(4, "green", "cross", true)}) == "a large green cross in the middle");
}

TEST_CASE("the same seed draws the same scenes, and no scene comes twice", "[scenes]") {
  const Scenes again = generate_scenes(7, {.train = 400, .validation = 50, .test = 50});
  std::set<std::string> seen;
  for (const auto part : {&Scenes::train, &Scenes::validation, &Scenes::test})
    for (std::size_t i = 0; i < (scenes().*part).size(); ++i) {
      const Scene& scene = (scenes().*part)[i];
      CHECK(draw(scene).pixels == draw((again.*part)[i]).pixels);
      CHECK(seen.insert(described(scene)).second);
      CHECK(scene.objects.size() >= 1);
      CHECK(scene.objects.size() <= 5);
    }
  CHECK(seen.size() == 500);
  CHECK(described(generate_scenes(8, {.train = 1, .validation = 0, .test = 0}).train[0]) !=
        described(scenes().test[0]));
}

TEST_CASE("the pixels of a scene are the same everywhere", "[scenes]") {
  uLong sum = 0;
  for (const Scene& scene : scenes().validation) {
    const transformer::Image image = draw(scene);
    sum = crc32_z(sum, image.pixels.data(), image.pixels.size());
  }
  CHECK(sum == 3989887255);
}

TEST_CASE("each region shows its object, and nothing else does", "[scenes]") {
  for (const Scene& scene : scenes().train) {
    const transformer::Image image = draw(scene);
    const std::uint8_t grey = background_greys[static_cast<std::size_t>(scene.style)];
    std::vector<bool> covered(to_size(image.height * image.width));
    for (const Object& each : scene.objects) {
      const Region& region = each.region;
      CHECK(shows(image, region, scene_colours[each.colour].colour));
      // Inside its cell of 16 pixels, so that the place in the caption is right.
      const Index row = to_index(each.cell / 3), column = to_index(each.cell % 3);
      CHECK(region.top >= 16 * row);
      CHECK(region.top + region.height <= 16 * (row + 1));
      CHECK(region.left >= 16 * column);
      CHECK(region.left + region.width <= 16 * (column + 1));
      CHECK(region.width == (each.large ? 14 : 8));
      for (Index y = region.top; y < region.top + region.height; ++y)
        for (Index x = region.left; x < region.left + region.width; ++x)
          covered[to_size(y * image.width + x)] = true;
    }
    Index coloured = 0;  // outside the regions
    for (Index y = 0; y < image.height; ++y)
      for (Index x = 0; x < image.width; ++x) {
        if (covered[to_size(y * image.width + x)]) continue;
        const auto [red, green, blue] = pixel(image, y, x);
        coloured += red != green || green != blue || std::abs(red - grey) > (scene.noisy ? 24 : 0);
      }
    CHECK(coloured == 0);
  }
}

TEST_CASE("the words that name an object have its region", "[scenes]") {
  for (const Scene& scene : scenes().train) {
    const Caption made = caption(scene);
    REQUIRE(made.naming.size() == 3 * scene.objects.size());
    for (std::size_t i = 0; i < made.naming.size(); ++i) {
      const NamingWord& word = made.naming[i];
      const Object& of = scene.objects[i / 3];
      CHECK(made.words[word.position] == word.word);
      CHECK(word.region == of.region);
      const std::array<std::string, 3> names{of.large ? "large" : "small", scene_colours[of.colour].name,
                                             shape_names[of.shape]};
      CHECK(word.word == names[i % 3]);
    }
  }
}

TEST_CASE("the line of the regions", "[scenes]") {
  Object ring = object(3, "orange", "ring", false);
  ring.region = {1, 20, 8, 8};
  CHECK(
      regions_line("test/00001.png", {.style = Style::relations, .objects = {ring}}) ==
      R"({"image":"test/00001.png","width":48,"height":48,"objects":1,"words":[)"
      R"({"position":3,"word":"small","region":[1,20,8,8]},{"position":4,"word":"orange","region":[1,20,8,8]},)"
      R"({"position":5,"word":"ring","region":[1,20,8,8]}]})"
      "\n");
}

TEST_CASE("scenes are written and read", "[scenes]") {
  const TemporaryDirectory directory;
  const Scenes few = generate_scenes(3, {.train = 3, .validation = 1, .test = 1}, 60);
  toys::write(few, directory / "scenes");
  const images::Image image = images::read_image(directory / "scenes/train/00002.png");
  CHECK(image.height == 60);
  CHECK(image.pixels == draw(few.train[1]).pixels);
  toys::write(few, directory / "scenes");  // the same again
  const Scenes others = generate_scenes(4, {.train = 3, .validation = 1, .test = 1}, 60);
  CHECK_ERROR(toys::write(others, directory / "scenes"), "scenes/train.tsv exists and is different");
  CHECK(images::read_image(directory / "scenes/train/00002.png").pixels == image.pixels);
  // Nothing is written if one file is another's, not even the files before it.
  std::filesystem::remove_all(directory / "scenes/train");
  CHECK_ERROR(toys::write(others, directory / "scenes"), "scenes/train.tsv exists and is different");
  CHECK_FALSE(std::filesystem::exists(directory / "scenes/train"));
  toys::write(others, directory / "scenes", Existing::replace);
  CHECK(images::read_image(directory / "scenes/train/00002.png").pixels == draw(others.train[1]).pixels);
}

TEST_CASE("sizes of scenes that are refused", "[scenes]") {
  CHECK_ERROR(generate_scenes(1, {}, 50), "a multiple of 3 from 48 to 96");
  CHECK_ERROR(generate_scenes(1, {}, 45), "a multiple of 3 from 48 to 96");
  CHECK_ERROR(generate_scenes(1, {}, 99), "a multiple of 3 from 48 to 96");
  CHECK_ERROR(generate_scenes(1, {.train = 1000000}), "1000000 scenes are too many");
}
