#include "apps/file_formats/xml.h"

#include <algorithm>
#include <array>
#include <utility>

#include "apps/markup/tags.h"
#include "autograd/machine/error.h"

#ifdef REGARD_HAS_LIBXML2
#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#endif

namespace regard::files {

namespace {

/// The bytes of a file from `begin` to `end`.
std::string_view part(const std::string& bytes, std::size_t begin, std::size_t end) {
  return std::string_view(bytes).substr(begin, end - begin);
}

}  // namespace

#ifdef REGARD_HAS_LIBXML2

namespace {

std::string text_of(const xmlChar* text) { return text ? reinterpret_cast<const char*>(text) : ""; }

/// Receives the events of libxml2. It tells the places of `<a` and `</a>` by the bytes that it has read.
class XmlReader {
 public:
  explicit XmlReader(const std::string& bytes) : bytes_(bytes) {
    if (!context_) fail("no memory is left for reading XML");
    xmlSAXHandler& handler = *context_->sax;
    handler = {};
    handler.initialized = XML_SAX2_MAGIC;
    handler.startElementNs = [](void* self, const xmlChar* name, const xmlChar* prefix, const xmlChar*, int,
                                const xmlChar**, int count, int, const xmlChar** attributes) {
      static_cast<XmlReader*>(self)->open(text_of(name), text_of(prefix), count, attributes);
    };
    handler.endElementNs = [](void* self, const xmlChar*, const xmlChar*, const xmlChar*) {
      static_cast<XmlReader*>(self)->close();
    };
    handler.characters = [](void* self, const xmlChar* text, int size) {
      static_cast<XmlReader*>(self)->add_text({reinterpret_cast<const char*>(text), to_size(size)});
    };
    handler.ignorableWhitespace = handler.characters;
    handler.serror = [](void* self, auto* error) {
      static_cast<XmlReader*>(self)->keep(error->level, error->line, error->message);
    };
    context_->userData = this;
    xmlCtxtUseOptions(context_, XML_PARSE_NONET);
  }
  XmlReader(const XmlReader&) = delete;
  XmlReader& operator=(const XmlReader&) = delete;
  ~XmlReader() { xmlFreeParserCtxt(context_); }

  Element read(const std::string& name) {
    xmlParseDocument(context_);
    if (problem_.starts_with("Entity") && bytes_.find("<!ENTITY") != bytes_.npos)
      fail("{}, line {}: {}: entities that a file defines itself are not read; write their texts instead",
           name, line_, problem_);
    if (!problem_.empty() || !context_->wellFormed || open_.size() != 1 || open_[0].children.empty())
      fail("{}, line {}: this is no well-formed XML: {}", name, std::max(line_, 1),
           problem_.empty() ? "it has no element" : problem_);
    return std::move(open_[0].children.back());
  }

 private:
  std::size_t position() const { return static_cast<std::size_t>(xmlByteConsumed(context_)); }

  void open(std::string name, const std::string& prefix, int count, const xmlChar** attributes) {
    Element element{.name = std::move(name), .prefix = prefix.empty() ? "" : prefix + ":"};
    for (int i = 0; i < count; ++i) {  // name, prefix, namespace, begin and end of the value
      const xmlChar** const of = attributes + 5 * i;
      element.attributes[text_of(of[0])].assign(reinterpret_cast<const char*>(of[3]),
                                                reinterpret_cast<const char*>(of[4]));
    }
    element.keeps_lines = open_.back().keeps_lines;
    if (const std::string space = element.attribute("space"); !space.empty())
      element.keeps_lines = space == "preserve";
    element.inner = std::min(position(), bytes_.size() - 1);  // at '>', or at '/' of "/>"
    element.begin = bytes_.rfind('<', element.inner);         // no attribute has this character
    element.inner += bytes_[element.inner] == '/' ? 2 : 1;
    element.line = context_->input->line;
    open_.push_back(std::move(element));
  }
  void close() {
    Element element = std::move(open_.back());
    open_.pop_back();
    element.end = position();
    const bool alone = element.end == element.inner;
    element.inner_end = alone ? element.end : bytes_.rfind("</", element.end - 1);
    open_.back().children.push_back(std::move(element));
  }
  void add_text(std::string_view text) {
    std::vector<Element>& children = open_.back().children;
    if (children.empty() || !children.back().name.empty()) children.emplace_back();
    children.back().text += text;
  }
  void keep(int level, int line, const char* message) {
    if (level == XML_ERR_WARNING || !problem_.empty()) return;
    problem_ = message ? message : "";
    while (problem_.ends_with('\n')) problem_.pop_back();
    line_ = line;
  }

  const std::string& bytes_;
  xmlParserCtxtPtr context_ = xmlCreateMemoryParserCtxt(bytes_.data(), static_cast<int>(bytes_.size()));
  std::vector<Element> open_ = std::vector<Element>(1);  ///< the document, and the elements that are open
  std::string problem_;
  int line_ = 1;
};

/// The encoding that the declaration names; "UTF-8" if it names none.
std::string encoding_of(const std::string& bytes) {
  const std::string_view declaration = part(bytes, 0, bytes.find("?>"));
  const std::size_t at = declaration.find("encoding");
  if (declaration.find("<?xml") == declaration.npos || at == declaration.npos) return "UTF-8";
  const std::size_t begin = std::min(declaration.find_first_of("\"'", at), declaration.size() - 1) + 1;
  return std::string(declaration.substr(begin, declaration.find_first_of("\"'", begin) - begin));
}

}  // namespace

Element read_xml(const std::string& name, const std::string& bytes) {
  check_encoding(name, 1, encoding_of(bytes));
  constexpr std::size_t most = 2'000'000'000;  // libxml2 counts with int
  if (bytes.empty()) fail("{}: this file is empty", name);
  if (bytes.size() > most) fail("{}: it has {} bytes, but at most {} can be read", name, bytes.size(), most);
  return XmlReader(bytes).read(name);
}

#else

Element read_xml(const std::string& name, const std::string&) {
  fail("{}: this program was built without libxml2, which reads XML", name);
}

#endif

const Element* Element::child(std::string_view wanted) const {
  const auto found = std::ranges::find(children, wanted, &Element::name);
  return found == children.end() ? nullptr : &*found;
}

std::string Element::attribute(const std::string& wanted) const {
  const auto found = attributes.find(wanted);
  return found == attributes.end() ? "" : found->second;
}

bool Element::is_empty() const {
  return std::ranges::all_of(children, [](const Element& child) {
    return child.name.empty() && child.text.find_first_not_of(" \t\r\n") == child.text.npos;
  });
}

void visit_all(const Element& root, std::string_view name,
               const std::function<void(const Element& element)>& visit) {
  if (root.name == name) visit(root);
  for (const Element& child : root.children) visit_all(child, name, visit);
}

namespace {

/// Which inline elements of XLIFF and TMX are one half of a pair: those that say so, Angular's
/// <x id="START_LINK"/>, and a <ph> whose content is a tag.
Marked::Kind kind_of(const Element& element) {
  const std::string &name = element.name, id = element.attribute("id"), at = element.attribute("pos");
  const std::string tag = name == "ph" && element.children.size() == 1 ? element.children[0].text : "";
  const bool is_tag = !tag.empty() && markup::tag_length(tag) == tag.size() && !markup::is_single(tag);
  if (name == "bpt" || name == "bx" || (name == "it" && (at == "open" || at == "begin")) ||
      (name == "x" && id.starts_with("START_")) || (is_tag && tag[1] != '/'))
    return Marked::Kind::opening;
  if (name == "ept" || name == "ex" || (name == "it" && (at == "close" || at == "end")) ||
      (name == "x" && id.starts_with("CLOSE_")) || is_tag)
    return Marked::Kind::closing;
  return Marked::Kind::single;
}

bool has_text(const Element& element) {
  constexpr std::array with_text{"g", "hi", "mrk"};
  return std::ranges::find(with_text, element.name) != with_text.end() && element.inner < element.end &&
         element.attribute("mtype") != "protected";
}

void add_content(Marked& marked, const Element& element, const std::string& bytes) {
  for (const Element& child : element.children) {
    if (child.name.empty()) {
      marked.add(child.text, element.keeps_lines);
    } else if (has_text(child)) {
      marked.hide(part(bytes, child.begin, child.inner), Marked::Kind::opening);
      add_content(marked, child, bytes);
      marked.hide(part(bytes, child.inner_end, child.end), Marked::Kind::closing);
    } else {
      marked.hide(part(bytes, child.begin, child.end), kind_of(child));
    }
  }
}

Marked marked_content(const Element& element, const std::string& bytes) {
  Marked marked(markup::escaped);
  add_content(marked, element, bytes);
  return marked;
}

/// The line end and the indentation before an element; "" if it stands in a line with others.
std::string indentation(const Element& element, const std::string& bytes) {
  std::size_t begin = element.begin;
  while (begin > 0 && (bytes[begin - 1] == ' ' || bytes[begin - 1] == '\t')) --begin;
  if (begin == 0 || bytes[begin - 1] != '\n') return "";
  begin -= begin > 1 && bytes[begin - 2] == '\r' ? 2 : 1;
  return std::string(part(bytes, begin, element.begin));
}

}  // namespace

Unit unit_of(const std::string& bytes, const Element& source, const Element* target, const Element& before,
             const std::string& begin, const std::string& end) {
  std::string open = indentation(before, bytes) + begin, close = end;
  if (target) {
    open = part(bytes, target->begin, target->inner);
    close = part(bytes, target->inner_end, target->end);
    if (close.empty()) {  // <target/>
      open = open.substr(0, open.find_last_not_of(" \t\r\n", open.size() - 3) + 1) + ">";
      close = "</" + target->prefix + target->name + ">";
    }
  }
  const Marked marked = marked_content(source, bytes);
  Unit unit{.source = marked,
            .line = source.line,
            .begin = target ? target->begin : before.end,
            .end = target ? target->end : before.end,
            .translated = target && !target->is_empty(),
            .write = {}};
  unit.write = [marked, open, close, same = std::string(part(bytes, source.inner, source.inner_end))](
                   const std::string& translation) {
    return open + (translation == marked.text() ? same : marked.restored(translation)) + close;
  };
  if (unit.translated) unit.pair = {marked.readable(), marked_content(*target, bytes).readable()};
  return unit;
}

}  // namespace regard::files
