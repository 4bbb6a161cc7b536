#pragma once

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "apps/file_formats/file_text.h"
#include "tests/apps/support.h"
#include "tests/catch.h"

// What the tests of file formats have in common: translations by a function, and random files.

namespace regard::tests {

using namespace regard::files;

#ifdef REGARD_HAS_LIBXML2
inline const std::vector<std::string> xml_kinds{"xlf", "tmx"};
#else
inline const std::vector<std::string> xml_kinds;
#endif

/// Each text is one sentence.
inline std::vector<std::size_t> one_sentence(const std::string& text) { return {text.size()}; }

using Translate = std::function<std::string(const markup::Plain& sentence)>;

/// The same sentence with its markup.
inline std::string same(const markup::Plain& sentence) {
  return markup::put_in(sentence.text, sentence.elements);
}
/// The same sentence with large letters, so that no text stays as it is.
inline std::string large(const markup::Plain& sentence) {
  std::string text = sentence.text;
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return markup::put_in(text, sentence.elements);
}

struct Translated {
  std::string bytes;
  std::vector<std::string> warnings;
};

/// The translation of a file with this name.
inline Translated translate(const std::string& name, const std::string& bytes,
                            const Translate& sentence = large, const FileSettings& settings = {},
                            std::size_t most_words = 1000) {
  const TemporaryDirectory directory;
  const FileText text(directory.file(name, bytes), settings, one_sentence,
                      [&](const std::string& source, Index line) {
                        if (to_size(std::ranges::count(source, ' ')) >= most_words)
                          throw translation::TooLong("too long");
                        return translation::Translator::Source{.text = source, .line = line};
                      });
  std::vector<std::string> translations;
  for (const markup::Plain& plain : text.sentences()) translations.push_back(sentence(plain));
  Translated result;
  result.bytes =
      text.with(translations, [&](const std::string& clause) { result.warnings.push_back(clause); });
  return result;
}

/// The sentences that a model reads.
inline std::vector<std::string> sentences(const std::string& name, const std::string& bytes,
                                          const FileSettings& settings = {}) {
  std::vector<std::string> all;
  translate(
      name, bytes,
      [&](const markup::Plain& plain) {
        all.push_back(plain.text);
        return same(plain);
      },
      settings);
  return all;
}

inline std::string error_of(const std::string& name, const std::string& bytes,
                            const FileSettings& settings = {}) {
  return MESSAGE_OF(translate(name, bytes, same, settings));
}

inline std::string xliff(const std::string& units) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<xliff version=\"1.2\" "
         "xmlns=\"urn:oasis:names:tc:xliff:document:1.2\">\n <file source-language=\"en\">\n  <body>\n" +
         units + "  </body>\n </file>\n</xliff>\n";
}

inline std::string tmx(const std::string& units) {
  return "<?xml version=\"1.0\"?>\n<!DOCTYPE tmx SYSTEM \"tmx14.dtd\">\n<tmx version=\"1.4\">\n <header "
         "srclang=\"en\"/>\n <body>\n" +
         units + " </body>\n</tmx>\n";
}
inline const FileSettings to_german{.languages = {.source = "", .target = "de"}};

inline std::string replaced(std::string text, const std::string& old, const std::string& replacement) {
  for (std::size_t at = 0; (at = text.find(old, at)) != text.npos; at += replacement.size())
    text.replace(at, old.size(), replacement);
  return text;
}

/// A file of a kind whose translations are empty or, if `full`, the same texts: some of these pieces.
inline std::string random_file(const std::string& kind, std::mt19937& random, bool full) {
  std::vector<std::string> pieces;
  std::string file;
  const auto filled = [&](const std::string& text) { return full ? text : ""; };
  if (kind == "po") {
    pieces = {
        "# comment\n#: a.c:1\n#, c-format\nmsgid \"%d of %s\"\nmsgstr \"" + filled("%d of %s") + "\"\n\n",
        "#~ msgid \"old\"\n#~ msgstr \"\"\n\n",
        "#| msgid \"before\"\nmsgctxt \"menu\"\nmsgid \"a \\\"b\\\"\\t\\\\ \\x41\"\nmsgstr \"" +
            filled("a \\\"b\\\"\\t\\\\ \\x41") + "\"\n\n",
        "msgid \"\"\n  \"first\\n\"\n  \"second <b>b</b> &amp; c\"\nmsgstr " +
            (full ? std::string("\"\"\n  \"first\\n\"\n  \"second <b>b</b> &amp; c\"") : "\"\"") + "\n\n",
        "msgid \"one\"\nmsgid_plural \"many\"\nmsgstr[0] \"" + filled("one") + "\"\nmsgstr[1] \"" +
            filled("many") + "\"\n\n",
        "   \n",
        "#, fuzzy\nmsgid \"x y\"\nmsgstr \"" + filled("x y") + "\"\n\n"};
  } else if (kind == "html") {
    pieces = {"<p class='a>b'>A <b>red</b>\n  car &amp; one &quot;bus&quot;</p>\n",
              "<!-- no > text -->",
              "<script>var a = '<b>x</b>';</script>",
              "text</b></i> broken <i><b>nest</i></b>",
              "<pre>a  b</pre>",
              "</div></p>",
              "<br><img alt=x>",
              "  &nbsp; \t",
              "5 < 6 & 7 <3",
              "<p"};
  } else if (kind == "txt") {
    pieces = {
        "- one item. Another one!\n",       "  indented  \n", "\n", "1. a < b & c\n", "12 34\n", "* \t* x\n",
        "A <b>bold</b> word\xC2\xA0here.\n"};
  } else if (kind == "xlf") {
    for (const char* const text :
         {"a <g id=\"1\">b</g> c", " x &#233; &lt;b&gt;y&lt;/b&gt; ",
          "<bpt id=\"1\">&lt;i&gt;</bpt>one<ept id=\"1\">&lt;/i&gt;</ept> two<x id='3'/>"})
      pieces.push_back("   <trans-unit id=\"1\">\n    <source>" + std::string(text) +
                       "</source>\n    <target>" + filled(text) + "</target>\n   </trans-unit>\n");
    pieces.push_back("<!-- <trans-unit><source>no</source></trans-unit> -->\n");
    pieces.push_back("<trans-unit translate=\"no\"><source>no</source></trans-unit>");
  } else {
    for (const char* const text : {"a <hi>b</hi> c", "it <ph x=\"1\">&lt;br&gt;</ph>is"})
      pieces.push_back("  <tu><tuv xml:lang=\"en-US\"><seg>" + std::string(text) +
                       "</seg></tuv>\n <tuv xml:lang=\"DE\"><seg>" + filled(text) + "</seg></tuv></tu>\n");
    pieces.push_back("<tu><tuv xml:lang=\"fr\"><seg>non</seg></tuv></tu>");
  }
  for (int i = 0; i < 8; ++i) file += pieces[random() % pieces.size()];
  if (kind == "xlf") file = xliff(file);
  if (kind == "tmx") file = tmx(file);
  if (random() % 2 == 0) file = replaced(file, "\n", "\r\n");
  if (random() % 3 == 0) file = "\xEF\xBB\xBF" + file;
  while (random() % 2 == 0 && (file.ends_with('\n') || file.ends_with('\r'))) file.pop_back();
  return file;
}

inline std::vector<std::string> kinds() {
  std::vector<std::string> all{"po", "html"};
#ifdef REGARD_HAS_ICU
  all.push_back("txt");
#endif
  all.insert(all.end(), xml_kinds.begin(), xml_kinds.end());
  return all;
}

}  // namespace regard::tests
