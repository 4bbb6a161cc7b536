// XLIFF 1.2: OASIS Standard, 1 February 2008.
#include "apps/file_formats/xml.h"
#include "autograd/machine/error.h"

namespace regard::files {

namespace {

/// A target with another state is a translation.
bool is_untranslated(const Element& target) {
  const std::string state = target.attribute("state");
  return state == "new" || state == "needs-translation";
}

void add_units(const Element& element, const std::string& bytes, std::vector<Unit>& units) {
  if (element.attribute("translate") == "no") return;
  const Element* const source = element.child("source");
  if (element.name == "trans-unit" && source) {
    if (source->is_empty()) return;
    const Element* const target = element.child("target");
    const Element* const segmented = element.child("seg-source");
    const std::string name = source->prefix + "target";
    units.push_back(unit_of(bytes, *source, target, segmented ? *segmented : *source, "<" + name + ">",
                            "</" + name + ">"));
    if (target && is_untranslated(*target)) {
      units.back().translated = false;
      units.back().pair = {};
    }
    return;
  }
  for (const Element& child : element.children) add_units(child, bytes, units);
}

}  // namespace

std::vector<Unit> units_of_xliff(const std::string& name, const std::string& bytes) {
  const Element root = read_xml(name, bytes);
  if (root.name != "xliff") fail("{}, line {}: its root is <{}>, not <xliff>", name, root.line, root.name);
  if (const std::string version = root.attribute("version"); !version.starts_with("1."))
    fail("{}, line {}: its version is \"{}\", but only XLIFF 1.2 is read", name, root.line, version);
  std::vector<Unit> units;
  add_units(root, bytes, units);
  return units;
}

}  // namespace regard::files
