#include <fmt/ranges.h>
#include <sstream>

#include "apps/images/scenes/scenes.h"

namespace regard::toys {
namespace {

constexpr std::array<const char*, 9> places{"at the top left",    "at the top",    "at the top right",
                                            "on the left",        "in the middle", "on the right",
                                            "at the bottom left", "at the bottom", "at the bottom right"};

void add(Caption& caption, const char* words) {
  std::istringstream stream(words);
  for (std::string word; stream >> word;) caption.words.push_back(word);
}

void add_object(Caption& caption, const Object& object) {
  add(caption, "a");
  for (const char* const word :
       {object.large ? "large" : "small", scene_colours[object.colour].name, shape_names[object.shape]}) {
    caption.naming.push_back({caption.words.size(), word, object.region});
    add(caption, word);
  }
}

/// A chain: each object is left of the next one or, if the next one is in a lower row of cells, above it.
void add_relations(Caption& caption, const std::vector<Object>& objects) {
  if (objects.size() == 1) add(caption, "there is");
  add_object(caption, objects.front());
  for (std::size_t i = 1; i < objects.size(); ++i) {
    const bool in_one_row = objects[i - 1].cell / 3 == objects[i].cell / 3;
    add(caption, i > 1 ? "which is" : "is");
    add(caption, in_one_row ? "left of" : "above");
    add_object(caption, objects[i]);
  }
}

void add_places(Caption& caption, const std::vector<Object>& objects, Style style) {
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const char* const place = places[objects[i].cell];
    if (i > 0) add(caption, "and");
    if (style == Style::place_first) {
      add(caption, place);
      add(caption, "is");
    }
    add_object(caption, objects[i]);
    if (style == Style::place_last) add(caption, place);
  }
}

}  // namespace

std::string Caption::text() const { return fmt::format("{}", fmt::join(words, " ")); }

Caption caption(const Scene& scene) {
  Caption caption;
  if (scene.style == Style::relations)
    add_relations(caption, scene.objects);
  else
    add_places(caption, scene.objects, scene.style);
  return caption;
}

}  // namespace regard::toys
