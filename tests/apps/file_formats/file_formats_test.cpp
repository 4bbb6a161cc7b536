// Files come back byte for byte but for the translations in them.
#include <cstdlib>
#include <filesystem>
#include <random>

#include "apps/file_formats/file_text.h"
#include "tests/apps/support.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::files;
using namespace regard::tests;

namespace {

#ifdef REGARD_HAS_LIBXML2
const std::vector<std::string> xml_kinds{"xlf", "tmx"};
#else
const std::vector<std::string> xml_kinds;
#endif

/// Each text is one sentence.
std::vector<std::size_t> one_sentence(const std::string& text) { return {text.size()}; }

using Translate = std::function<std::string(const markup::Plain& sentence)>;

/// The same sentence with its markup.
std::string same(const markup::Plain& sentence) { return markup::put_in(sentence.text, sentence.elements); }
/// The same sentence with large letters, so that no text stays as it is.
std::string large(const markup::Plain& sentence) {
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
Translated translate(const std::string& name, const std::string& bytes, const Translate& sentence = large,
                     const FileSettings& settings = {}, std::size_t most_words = 1000) {
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
std::vector<std::string> sentences(const std::string& name, const std::string& bytes,
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

std::string error_of(const std::string& name, const std::string& bytes, const FileSettings& settings = {}) {
  return MESSAGE_OF(translate(name, bytes, same, settings));
}

std::string xliff(const std::string& units) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<xliff version=\"1.2\" "
         "xmlns=\"urn:oasis:names:tc:xliff:document:1.2\">\n <file source-language=\"en\">\n  <body>\n" +
         units + "  </body>\n </file>\n</xliff>\n";
}

std::string tmx(const std::string& units) {
  return "<?xml version=\"1.0\"?>\n<!DOCTYPE tmx SYSTEM \"tmx14.dtd\">\n<tmx version=\"1.4\">\n <header "
         "srclang=\"en\"/>\n <body>\n" +
         units + " </body>\n</tmx>\n";
}
const FileSettings to_german{.languages = {.source = "", .target = "de"}};

std::string replaced(std::string text, const std::string& old, const std::string& replacement) {
  for (std::size_t at = 0; (at = text.find(old, at)) != text.npos; at += replacement.size())
    text.replace(at, old.size(), replacement);
  return text;
}

/// A file of a kind whose translations are empty or, if `full`, the same texts: some of these pieces.
std::string random_file(const std::string& kind, std::mt19937& random, bool full) {
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

std::vector<std::string> kinds() {
  std::vector<std::string> all{"po", "html"};
#ifdef REGARD_HAS_ICU
  all.push_back("txt");
#endif
  all.insert(all.end(), xml_kinds.begin(), xml_kinds.end());
  return all;
}

}  // namespace

TEST_CASE("a file whose translation is the same text has the same bytes", "[file_formats]") {
  std::mt19937 random(1);
  for (const std::string& kind : kinds())
    for (int i = 0; i < 40; ++i) {
      const std::string file = random_file(kind, random, true);
      FileSettings settings = to_german;
      settings.again = true;
      const Translated again = translate("f." + kind, file, same, settings);
      CAPTURE(kind);
      REQUIRE(again.bytes == file);
      CHECK(again.warnings.empty());
    }
}

TEST_CASE("an empty translation gets the text, and nothing else changes", "[file_formats]") {
  std::mt19937 random(2), random_again(2);
  for (const std::string& kind : kinds())
    for (int i = 0; i < 40; ++i) {
      const std::string empty = random_file(kind, random, false),
                        full = random_file(kind, random_again, true);
      CAPTURE(kind, empty);
      if (kind != "po")  // the lines of a string are those of its text
        REQUIRE(translate("f." + kind, empty, same, to_german).bytes == full);
      // The same file without its small letters, which were translated: only letters changed.
      const std::string changed = translate("f." + kind, empty, large, to_german).bytes;
      if (kind == "html" || kind == "txt") {
        REQUIRE(changed.size() >= full.size() / 2);
      } else {
        CHECK(translate("f." + kind, changed, large, to_german).bytes == changed);
      }
    }
}

TEST_CASE("PO: only empty strings are filled", "[file_formats]") {
  const std::string file =
      "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=UTF-8\\n\"\n\n"
      "# of a person\nmsgctxt \"menu\"\nmsgid \"open\"\nmsgstr \"\"\n\n"
      "msgid \"close\"\nmsgstr \"zu\"\n\n#, fuzzy\nmsgid \"save\"\nmsgstr \"sichern\"\n\n"
      "#, c-format\nmsgid \"%d file\"\nmsgid_plural \"%d files\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\nmsgstr[2] "
      "\"da\"\n\n"
      "msgid \"one\\n\"\n\"two \\\"x\\\"\\n\"\nmsgstr \"\"\n\n#~ msgid \"gone\"\n#~ msgstr \"\"\n";
  std::string expected = replaced(file, "\"open\"\nmsgstr \"\"", "\"open\"\nmsgstr \"OPEN\"");
  expected =
      replaced(expected, "msgstr[0] \"\"\nmsgstr[1] \"\"", "msgstr[0] \"%d FILE\"\nmsgstr[1] \"%d FILES\"");
  expected = replaced(expected, "two \\\"x\\\"\\n\"\nmsgstr \"\"",
                      "two \\\"x\\\"\\n\"\nmsgstr \"\"\n\"ONE\\n\"\n\"TWO \\\"X\\\"\\n\"");
  CHECK(translate("a.po", file).bytes == expected);
  FileSettings again;
  again.again = true;
  expected =
      replaced(replaced(replaced(expected, "zu", "CLOSE"), "sichern", "SAVE"), "\"da\"", "\"%d FILES\"");
  CHECK(translate("a.po", file, large, again).bytes == expected);
  // With one form, it is the plural.
  CHECK(translate("a.po", "msgid \"one\"\nmsgid_plural \"many\"\nmsgstr[0] \"\"").bytes ==
        "msgid \"one\"\nmsgid_plural \"many\"\nmsgstr[0] \"MANY\"");
  // Lines end as those of the file do.
  CHECK(translate("a.po", "msgid \"a\\nb\"\r\nmsgstr \"\"\r\n").bytes ==
        "msgid \"a\\nb\"\r\nmsgstr \"\"\r\n\"A\\n\"\r\n\"B\"\r\n");
}

TEST_CASE("PO: directives stay what they are, and change their order only with numbers", "[file_formats]") {
  const auto entry = [](const std::string& flag, const std::string& id, const std::string& str) {
    return "#, " + flag + "\nmsgid \"" + id + "\"\nmsgstr \"" + str + "\"\n";
  };
  // The content of an element changes places with the text before it.
  const Translate turned = [](const markup::Plain& plain) {
    std::vector<markup::Element> elements = plain.elements;
    std::swap(elements.front().open, elements.back().open);
    return markup::put_in(plain.text, elements);
  };
  using Row = std::array<std::string, 3>;
  for (const auto& [flag, id, str] :
       std::vector<Row>{{"c-format", "%s of %d", "%2$d of %1$s"},
                        {"c-format", "%2$s of %1$s", "%1$s of %2$s"},
                        {"python-format", "%(a)s of %(b)5.1f", "%(b)5.1f of %(a)s"},
                        {"python-brace-format", "{} of {:>5}", "{1:>5} of {0}"},
                        {"python-brace-format", "{a!r} of {}", "{0} of {a!r}"},
                        {"qt-format", "%1 of %L2", "%L2 of %1"},
                        {"no-c-format", "{a} of {b} % d", "{b} of {a} % d"}}) {
    CAPTURE(flag, id);
    const Translated result = translate("a.po", entry(flag, id, ""), turned);
    if (id != "{a!r} of {}") CHECK(result.bytes == entry(flag, id, str));
    CHECK(translate("a.po", entry(flag, id, "")).warnings.empty());
  }
  for (const auto& [flag, id] : std::vector<std::pair<std::string, std::string>>{
           {"python-format", "%s of %s"}, {"c-format", "%*d of %s"}, {"java-printf-format", "%s of %d"}}) {
    CAPTURE(flag, id);
    const Translated result = translate("a.po", entry(flag, id, ""), turned);
    CHECK(result.bytes == entry(flag, id, ""));
    REQUIRE(result.warnings.size() == 1);
    CHECK_CONTAINS(result.warnings.front(), "line 2: the directives would change their order");
    CHECK(translate("a.po", entry(flag, id, ""), same).bytes == entry(flag, id, id));
  }
  // A sign of the model's is no directive.
  const Translate percent = [](const markup::Plain& plain) { return same(plain) + " 5 %"; };
  CHECK(translate("a.po", entry("c-format", "done %s 100%%", ""), percent).bytes ==
        entry("c-format", "done %s 100%%", "done %s 100%% 5 %%"));
  CHECK(translate("a.po", entry("no-c-format", "done", ""), percent).bytes ==
        entry("no-c-format", "done", "done 5 %"));
  CHECK(sentences("a.po", entry("c-format", "a <a href=\\\"%s\\\">b</a> &amp; R&D %d", "")) ==
        std::vector<std::string>{"a b R&D"});
}

TEST_CASE("msgfmt accepts the PO files", "[file_formats]") {
  if (std::system("msgfmt --version >/dev/null 2>&1") != 0) {
    WARN("msgfmt is not installed, so nobody checks our PO files");
    return;
  }
  const TemporaryDirectory directory;
  const std::string header =
      "msgid \"\"\nmsgstr \"\"\n\"Project-Id-Version: x\\n\"\n\"Last-Translator: x\\n\"\n\"Language-Team: "
      "x\\n\"\n"
      "\"PO-Revision-Date: 2026-11-30 12:00+0000\\n\"\n\"Language: de\\n\"\n\"MIME-Version: 1.0\\n\"\n"
      "\"Content-Type: text/plain; charset=UTF-8\\n\"\n\"Content-Transfer-Encoding: 8bit\\n\"\n"
      "\"Plural-Forms: nplurals=2; plural=n != 1;\\n\"\n\n";
  const auto accepts = [&](const std::string& file) {
    const std::string path = directory.file("a.po", file);
    return std::system(("msgfmt -c -o /dev/null " + path + " 2>/dev/null").c_str()) == 0;
  };
  const std::string entries =
      "#, c-format\nmsgid \"%s is 100%% of\\n\\\"%d\\\"\\n\"\nmsgstr \"\"\n\n#, c-format\nmsgid \"%d f\"\n"
      "msgid_plural \"%d fs\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n\n#, python-brace-format\nmsgid \"a {} "
      "{b}\"\nmsgstr \"\"\n";
  CHECK(accepts(translate("a.po", header + entries).bytes));
  CHECK_FALSE(accepts(header + "#, c-format\nmsgid \"%s\"\nmsgstr \"%d\"\n"));
}

TEST_CASE("HTML: what is between tags is translated", "[file_formats]") {
  CHECK(translate("a.html",
                  "<!DOCTYPE html>\r\n<p class=a>one <b>two</b> &amp; 3</p><code>four</code>\r\n<p>5 &nbsp;")
            .bytes ==
        "<!DOCTYPE html>\r\n<p class=a>ONE <b>TWO</b> &amp; 3</p><code>four</code>\r\n<p>5 &nbsp;");
  CHECK(translate("a.htm", "</p></div>one <i><b>two</i></b></p><p").bytes ==
        "</p></div>ONE <i><b>TWO</i></b></p>&lt;P");
  // Too long for the model: it stays.
  const Translated result = translate("a.html", "<p>a b</p>\n<p>a  b c</p>", large, {}, 2);
  CHECK(result.bytes == "<p>A B</p>\n<p>a  b c</p>");
  CHECK(result.warnings == std::vector<std::string>{"line 2: a sentence is too long for the model"});
}

TEST_CASE("the model reads the word of its target language first", "[file_formats]") {
  FileSettings settings;
  settings.first_word = ">>fr<<";
  CHECK(sentences("a.html", "<p>one <b>two</b><p>3", settings) == std::vector<std::string>{">>fr<< one two"});
}

#ifdef REGARD_HAS_LIBXML2

TEST_CASE("XLIFF: targets are added and filled", "[file_formats]") {
  const std::string source =
      "<source>one <g id=\"1\" ctype=\"a>b\">two</g><x id=\"2\"/> &amp; <![CDATA[<i>3</i>]]></source>";
  const std::string target = "ONE <g id=\"1\" ctype=\"a>b\">TWO</g><x id=\"2\"/> &amp; &lt;i&gt;3&lt;/i&gt;";
  const auto unit = [](const std::string& content) {
    return xliff("   <trans-unit id=\"1\">\r\n\t" + content + "\r\n   </trans-unit>\n");
  };
  const auto written = [&](const std::string& content, const FileSettings& settings = {}) {
    return translate("a.xlf", unit(content), large, settings).bytes;
  };
  CHECK(written(source) == unit(source + "\r\n\t<target>" + target + "</target>"));
  CHECK(written(source + "<target state=\"new\" />") ==
        unit(source + "<target state=\"new\">" + target + "</target>"));
  CHECK(written(source + "<target state='new'>one</target>") ==
        unit(source + "<target state='new'>" + target + "</target>"));
  const std::string done = source + "<alt-trans><target>x</target></alt-trans><target>eins</target>";
  CHECK(written(done) == unit(done));
  FileSettings again;
  again.again = true;
  CHECK(written(done, again) == unit(replaced(done, "eins", target)));
  const std::string segmented = "<source>a</source><seg-source><mrk mtype=\"seg\">a</mrk></seg-source>";
  CHECK(written(segmented) == unit(segmented + "<target>A</target>"));
  const std::string prefixed =
      replaced(replaced(xliff("<trans-unit><source>a</source></trans-unit>"), "</", "</q:"), "<", "<q:");
  const std::string proper =
      replaced(replaced(replaced(prefixed, "<q:/q:", "</q:"), "<q:?", "<?"), "xmlns=", "xmlns:q=");
  CHECK(translate("a.xliff", proper).bytes ==
        replaced(proper, "</q:source>", "</q:source><q:target>A</q:target>"));
}

TEST_CASE("TMX: a variant in the target language is added", "[file_formats]") {
  const std::string source =
      "  <tu>\n    <tuv xml:lang=\"en-GB\"><seg>one <bpt i=\"1\">&lt;b></bpt>two<ept "
      "i=\"1\">&lt;/b></ept></seg></tuv>\n";
  const std::string seg = "<seg>ONE <bpt i=\"1\">&lt;b></bpt>TWO<ept i=\"1\">&lt;/b></ept></seg>";
  CHECK(translate("a.tmx", tmx(source + "  </tu>\n"), large, to_german).bytes ==
        tmx(source + "    <tuv xml:lang=\"de\">" + seg + "</tuv>\n  </tu>\n"));
  const std::string german = "    <tuv xml:lang=\"de\"><seg/></tuv>\n  </tu>\n";
  CHECK(translate("a.tmx", tmx(source + german), large).bytes ==
        tmx(source + replaced(german, "<seg/>", seg)));
  const std::string done = replaced(german, "<seg/>", "<seg>eins</seg>");
  CHECK(translate("a.tmx", tmx(source + done), large).bytes == tmx(source + done));
  CHECK_CONTAINS(error_of("a.tmx", tmx(source + "</tu>")),
                 "it has 0 languages beside en; name one with --target-language");
  CHECK_CONTAINS(error_of("a.tmx", replaced(tmx(source + german), "srclang=\"en\"", "")),
                 "line 4: it does not name the language");
  CHECK_CONTAINS(error_of("a.tmx", tmx(source + german), {.languages = {.source = "", .target = "en"}}),
                 "en is the language of the sources");
}

TEST_CASE("a corpus has the texts that are translated", "[file_formats]") {
  const auto pairs = [](const std::string& name, const std::string& bytes) {
    std::vector<std::pair<std::string, std::string>> all;
    for (const Unit& unit : read_units(name, bytes, {}))
      if (!unit.pair.second.empty()) all.push_back(unit.pair);
    return all;
  };
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  CHECK(pairs("a.po",
              "#, c-format\nmsgid \"%s\\n\"\n\"a\"\nmsgstr \"%s\\nb\"\n#, fuzzy\nmsgid \"x\"\nmsgstr "
              "\"y\"\n\nmsgid \"z\"\nmsgstr \"\"\n") == Pairs{{"%s\na", "%s\nb"}});
  CHECK(pairs("a.xlf", xliff("<trans-unit><source>a <ph id='1'>x</ph>&amp;amp; {0}</source><target>&lt;b <g "
                             "id='2'>c</g></target></trans-unit>")) == Pairs{{"a &amp; {0}", "<b c"}});
  CHECK(pairs("a.tmx",
              tmx("<tu><tuv xml:lang='de'><seg>b</seg></tuv><tuv xml:lang='en'><seg>a</seg></tuv></tu>")) ==
        Pairs{{"a", "b"}});
}

TEST_CASE("what is no XML is refused with the line", "[file_formats]") {
  CHECK_CONTAINS(error_of("a.xlf", xliff("\n<trans-unit><source>a</trans-unit>")),
                 "a.xlf, line 6: this is no well-formed XML: Opening and ending tag mismatch");
  CHECK_CONTAINS(error_of("a.xlf", ""), "it has 0 bytes");
  CHECK_CONTAINS(error_of("a.xlf", "text"), "line 1: this is no well-formed XML");
  CHECK_CONTAINS(error_of("a.xlf", tmx("")), "line 3: its root is <tmx>, not <xliff>");
  CHECK_CONTAINS(error_of("a.xlf", replaced(xliff(""), "version=\"1.2\"", "version=\"2.0\"")),
                 "its version is \"2.0\"");
  CHECK_CONTAINS(error_of("a.xlf", replaced(xliff(""), "UTF-8", "ISO-8859-1")),
                 "line 1: its encoding is iso-8859-1");
  CHECK_CONTAINS(error_of("a.tmx", "<tmx/>"), "line 1: it does not begin with <tmx> and a <header>");
  CHECK_CONTAINS(error_of("a.xlf", xliff("<trans-unit><source>&unknown;</source></trans-unit>")),
                 "Entity 'unknown' not defined");
}

#endif

TEST_CASE("what is no PO is refused with the line", "[file_formats]") {
  for (const auto& [file, error] : std::vector<std::pair<std::string, std::string>>{
           {"msgid \"a\"\nmsgstr \"\"\nHello\n", "line 3: this is no line of a PO file"},
           {"\"a\"\n", "line 1: a string stands here without a keyword"},
           {"msgid \"a\"\nmsgid \"b\"\n", "line 1: this entry has no msgstr"},
           {"msgid \"a\"\n", "line 1: this entry has no msgstr"},
           {"msgstr \"a\"\n", "line 1: a msgstr stands here without a msgid"},
           {"msgid a\n", "line 1: a string in quotes is missing"},
           {"msgid \"a\nmsgstr \"\"", "line 1: the quote at the end"},
           {"msgid \"a\\\nmsgstr \"\"", "line 1: there is no such escape"},
           {"msgid \"a\\q\"", "line 1: there is no such escape"},
           {"msgid \"a\\777\"", "line 1: this escape stands for no character"},
           {"msgid \"a\" b\n", "line 1: there is a text behind the string"},
           {"msgid \"a\"\nmsgid_plural \"a\"\nmsgid_plural \"a\"\n", "line 3: this keyword stands twice"},
           {"msgid \"\"\nmsgstr \"charset=ISO-8859-1\\n\"\n", "line 2: its encoding is ISO-8859-1"},
           {"msgid \"a\xFF\"\n", "line 1: a byte there is no text in UTF-8"},
           {std::string("# a\n\0", 5), "line 2: a byte there is no text in UTF-8"},
           {"\xFF\xFE", "line 1: its encoding is UTF-16"}}) {
    CAPTURE(file);
    CHECK_CONTAINS(error_of("a.po", file), "a.po, " + error);
  }
  CHECK_CONTAINS(error_of("a.doc", "a"), "a.doc: the end of its name does not say what it is");
}
