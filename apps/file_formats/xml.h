#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "apps/file_formats/unit.h"
#include "autograd/machine/real.h"

namespace regard::files {

/// An element of XML, and its place in the bytes of its file; or a text between elements, which has no name.
struct Element {
  std::string name = {}, prefix = {};                  ///< of <xlf:source>: "source" and "xlf:"
  std::map<std::string, std::string> attributes = {};  ///< by their names without prefixes
  std::string text = {};                               ///< of a text: entities stand for their characters
  /// Begin and end of the element, and of its content. An element such as <x/> has no content.
  std::size_t begin = 0, end = 0, inner = 0, inner_end = 0;
  Index line = 0;
  bool keeps_lines = false;  ///< xml:space="preserve" holds here
  std::vector<Element> children = {};

  /// The first child of this name; null: there is none.
  const Element* child(std::string_view name) const;
  /// The attribute, or "".
  std::string attribute(const std::string& name) const;
  bool is_empty() const;  ///< it has blanks at most
};

/// Reads a file and returns its root. Throws Error that names the file and the line if it is not well-formed,
/// if it is not in UTF-8, or if the program was built without libxml2.
Element read_xml(const std::string& name, const std::string& bytes);

/// Calls `visit` for each element of this name at any depth.
void visit_all(const Element& root, std::string_view name,
               const std::function<void(const Element& element)>& visit);

/// A unit with the content of `source`. Inline elements of XLIFF and TMX stay as they are. Its translation
/// replaces the content of `target`; if that is null, it stands with the tags `begin` and `end` behind the
/// element `before`, on a line of its own if that has one. The bytes must outlive the unit.
Unit unit_of(const std::string& bytes, const Element& source, const Element* target, const Element& before,
             const std::string& begin, const std::string& end);

}  // namespace regard::files
