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

/// `is_translated`: what holds around the element.
void add_units(const Element& element, bool is_translated, const std::string& bytes,
               std::vector<Unit>& units) {
  if (const std::string said = element.attribute("translate"); !said.empty()) is_translated = said != "no";
  const Element* const source = element.child("source");
  if (element.name == "trans-unit" && source) {
    // The header of a PO file has this type in the XLIFF that is made of it.
    if (source->is_empty() || !is_translated || element.attribute("restype") == "x-gettext-domain-header")
      return;
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
  for (const Element& child : element.children) add_units(child, is_translated, bytes, units);
}

}  // namespace

std::vector<Unit> units_of_xliff(const std::string& name, const std::string& bytes) {
  const Element root = read_xml(name, bytes);
  if (root.name != "xliff") fail("{}, line {}: its root is <{}>, not <xliff>", name, root.line, root.name);
  if (const std::string version = root.attribute("version"); !version.starts_with("1."))
    fail("{}, line {}: its version is \"{}\", but only XLIFF 1.2 is read", name, root.line, version);
  std::vector<Unit> units;
  add_units(root, true, bytes, units);
  return units;
}

}  // namespace regard::files
