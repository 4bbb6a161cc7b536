#include <fmt/ranges.h>

#include "apps/toys/scenes/scene.h"

namespace regard::toys {
namespace {

constexpr std::array<std::array<const char*, 4>, 9> places{{{"at", "the", "top", "left"},
                                                            {"at", "the", "top", nullptr},
                                                            {"at", "the", "top", "right"},
                                                            {"on", "the", "left", nullptr},
                                                            {"in", "the", "middle", nullptr},
                                                            {"on", "the", "right", nullptr},
                                                            {"at", "the", "bottom", "left"},
                                                            {"at", "the", "bottom", nullptr},
                                                            {"at", "the", "bottom", "right"}}};

/// Builds a caption word by word.
class Writer {
 public:
  void add(const char* word) { caption_.words.emplace_back(word); }

  void add_place(const Object& object) {
    for (const char* const word : places[object.cell])
      if (word != nullptr) add(word);
  }

  void add_object(const Object& object) {
    add("a");
    for (const char* const word :
         {object.large ? "large" : "small", scene_colours[object.colour].name, shape_names[object.shape]}) {
      caption_.naming.push_back({caption_.words.size(), word, object.region});
      add(word);
    }
  }

  Caption caption_;
};

/// A chain: each object is left of the next one or, if the next one is in a lower row of cells, above it.
void add_relations(Writer& writer, const std::vector<Object>& objects) {
  if (objects.size() == 1) {
    writer.add("there");
    writer.add("is");
  }
  writer.add_object(objects.front());
  for (std::size_t i = 1; i < objects.size(); ++i) {
    if (i > 1) writer.add("which");
    writer.add("is");
    if (objects[i - 1].cell / 3 == objects[i].cell / 3) {
      writer.add("left");
      writer.add("of");
    } else {
      writer.add("above");
    }
    writer.add_object(objects[i]);
  }
}

void add_places(Writer& writer, const std::vector<Object>& objects, bool place_first) {
  for (std::size_t i = 0; i < objects.size(); ++i) {
    if (i > 0) writer.add("and");
    if (place_first) {
      writer.add_place(objects[i]);
      writer.add("is");
    }
    writer.add_object(objects[i]);
    if (!place_first) writer.add_place(objects[i]);
  }
}

}  // namespace

std::string Caption::text() const { return fmt::format("{}", fmt::join(words, " ")); }

Caption caption(const Scene& scene) {
  Writer writer;
  if (scene.style == Style::relations)
    add_relations(writer, scene.objects);
  else
    add_places(writer, scene.objects, scene.style == Style::place_first);
  return std::move(writer.caption_);
}

}  // namespace regard::toys
