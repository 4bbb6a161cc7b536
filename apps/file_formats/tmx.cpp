// TMX 1.4b: Localization Industry Standards Association, 2005.
#include <algorithm>
#include <cctype>
#include <set>

#include "apps/file_formats/xml.h"
#include "apps/markup/tags.h"
#include "autograd/machine/error.h"

namespace regard::files {

namespace {

/// True if two codes name one language: "en" is "en-US", and "de-AT" is not "de-DE".
bool are_one(std::string one, std::string other) {
  for (std::string* const code : {&one, &other})
    std::ranges::transform(*code, code->begin(), [](unsigned char c) {
      return c == '_' ? '-' : static_cast<char>(std::tolower(c));
    });
  if (one.size() > other.size()) std::swap(one, other);
  return one == other || other.starts_with(one + "-");
}

void check_code(const std::string& language, const char* option) {
  for (const unsigned char c : language)
    if (std::isalnum(c) == 0 && c != '-' && c != '_')
      fail("{}: \"{}\" is no code of a language, such as en or pt-BR", option, language);
}

/// The variant in a language that has a segment.
const Element* variant(const Element& tu, const std::string& language) {
  for (const Element& tuv : tu.children)
    if (tuv.name == "tuv" && tuv.child("seg") && are_one(tuv.attribute("lang"), language)) return &tuv;
  return nullptr;
}

/// The language of the targets: the only one that is not that of the sources.
std::string only_other(const Element& root, const std::string& source, const std::string& name) {
  std::set<std::string> others;
  visit_all(root, "tuv", [&](const Element& tuv) {
    if (!are_one(tuv.attribute("lang"), source)) others.insert(tuv.attribute("lang"));
  });
  if (others.size() != 1)
    fail("{}: it has {} languages beside {}; name one with --target-language", name, others.size(), source);
  return *others.begin();
}

}  // namespace

std::vector<Unit> units_of_tmx(const std::string& name, const std::string& bytes,
                               const Languages& languages) {
  const Element root = read_xml(name, bytes);
  const Element* const header = root.child("header");
  if (root.name != "tmx" || !header)
    fail("{}, line {}: it does not begin with <tmx> and a <header>", name, root.line);
  check_code(languages.source, "--source-language");
  check_code(languages.target, "--target-language");
  const std::string source = languages.source.empty() ? header->attribute("srclang") : languages.source;
  if (source.empty() || source == "*all*")
    fail("{}, line {}: it does not name the language of the sources; give --source-language", name,
         header->line);
  const std::string target = languages.target.empty() ? only_other(root, source, name) : languages.target;
  if (are_one(source, target)) fail("{}: {} is the language of the sources, too", name, target);
  std::vector<Unit> units;
  bool has_source = languages.source.empty();
  visit_all(root, "tu", [&](const Element& tu) {
    const Element *const from = variant(tu, source), *const to = variant(tu, target);
    if (from) has_source = true;
    if (!from || from->child("seg")->is_empty()) return;
    const std::string_view tag = std::string_view(bytes).substr(from->begin, from->inner - from->begin);
    const std::string name_of_language = tag.find("xml:lang") == tag.npos ? "lang" : "xml:lang";  // TMX 1.1
    units.push_back(unit_of(bytes, *from->child("seg"), to ? to->child("seg") : nullptr, *from,
                            "<tuv " + name_of_language + "=\"" + markup::escaped(target) + "\"><seg>",
                            "</seg></tuv>"));
  });
  if (!has_source) fail("{}: it has no text in {}, the language of --source-language", name, source);
  return units;
}

}  // namespace regard::files
