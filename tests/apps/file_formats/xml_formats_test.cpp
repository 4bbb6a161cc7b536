// XLIFF and TMX, and what is read as a corpus.
#include "tests/apps/file_formats/files_of_tests.h"

using namespace regard;
using namespace regard::files;
using namespace regard::tests;

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

TEST_CASE("XLIFF: what a person must not translate stays", "[file_formats]") {
  const auto unit = [](const std::string& attributes, const std::string& source) {
    return "<trans-unit" + attributes + "><source>" + source + "</source></trans-unit>";
  };
  const auto written = [&](const std::string& attributes, const std::string& source, const Translate& how) {
    const std::string file = xliff(unit(attributes, source));
    const std::string bytes = translate("a.xlf", file, how).bytes;
    const std::size_t begin = bytes.find("<target>"), end = bytes.find("</target>");
    if (begin == bytes.npos) return bytes == file ? "as it is" : bytes;
    return bytes.substr(begin + 8, end - begin - 8);
  };
  CHECK(written("", "a <mrk mtype='protected'>b</mrk> <mrk mtype='x-c'>c</mrk>", large) ==
        "A <mrk mtype='protected'>b</mrk> <mrk mtype='x-c'>C</mrk>");
  CHECK(written(" restype='x-gettext-domain-header'", "a", large) == "as it is");
  CHECK(written("", "{n, plural, =1 {one} other {many}}", large) == "as it is");
  CHECK(written("", "{n , select , other {many}}", large) == "as it is");
  CHECK(written("", "{n} of a, plural, b", large) == "{n} OF A, PLURAL, B");
  CHECK(written(" xml:space='preserve'", "a\n b\n", large) == "A\n B\n");
  CHECK(written("", "a\n b\n", large) == "A B\n");
  const std::string group =
      xliff("<group translate='no'>" + unit(" translate='yes'", "a") + unit("", "a") + "</group>");
  CHECK(translate("a.xlf", group).bytes ==
        replaced(group, "'yes'><source>a</source>", "'yes'><source>a</source><target>A</target>"));
  // The halves of a pair are around the same word: here, the first one, which becomes the last one.
  const Translate turned = [](const markup::Plain& plain) {
    std::vector<markup::Element> elements = plain.elements;
    REQUIRE(elements.size() == 1);
    CHECK_FALSE(elements[0].single());
    elements[0].span = {2, 3};
    return markup::put_in("b c a", elements);
  };
  for (const auto& [open, close] : std::vector<std::pair<std::string, std::string>>{
           {"<bx id='1'/>", "<ex id='2' rid='1'/>"},
           {"<x id='START_LINK'/>", "<x id='CLOSE_LINK'/>"},
           {"<it id='1' pos='open'>&lt;b&gt;</it>", "<it id='2' pos='close'>&lt;/b&gt;</it>"},
           {"<ph id='1'>&lt;b&gt;</ph>", "<ph id='2'>&lt;/b&gt;</ph>"}})
    CHECK(written("", open + "a" + close + " b c", turned) == "b c " + open + "a" + close);
  const Translate one_pair = [](const markup::Plain& plain) {
    REQUIRE(plain.elements.size() == 1);
    CHECK(plain.elements[0].content.size() == 1);
    return same(plain);
  };
  const std::string line_break = "<bx id='1'/>a<ph id='2'>&lt;br&gt;</ph>b<ex id='3'/> c";
  CHECK(written("", line_break, one_pair) == line_break);
  CHECK(written("", "<ph id='1'>&lt;br&gt;</ph>a <x id='1'/>", large) ==
        "<ph id='1'>&lt;br&gt;</ph>A <x id='1'/>");
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
  CHECK_CONTAINS(
      translate("a.tmx", replaced(tmx(source + "  </tu>\n"), "xml:lang", "lang"), large, to_german).bytes,
      "<tuv lang=\"de\"><seg>");  // TMX 1.1
  CHECK_CONTAINS(error_of("a.tmx", tmx(source + "</tu>")),
                 "it has 0 languages beside en; name one with --target-language");
  CHECK_CONTAINS(error_of("a.tmx", replaced(tmx(source + german), "srclang=\"en\"", "")),
                 "line 4: it does not name the language");
  CHECK_CONTAINS(error_of("a.tmx", tmx(source + german), {.languages = {.source = "", .target = "en"}}),
                 "en is the language of the sources");
  CHECK_CONTAINS(error_of("a.tmx", tmx(source + german), {.languages = {.source = "", .target = "\"><x"}}),
                 "is no code of a language");
  CHECK_CONTAINS(error_of("a.tmx", tmx(source + german), {.languages = {.source = "it", .target = "de"}}),
                 "it has no text in it, the language of --source-language");
  const std::string empty = tmx("<tu><tuv xml:lang='en'><seg/></tuv><tuv xml:lang='de'><seg/></tuv></tu>");
  CHECK(translate("a.tmx", empty).bytes == empty);
  const std::string no_source = xliff("<trans-unit><source/></trans-unit>");
  CHECK(translate("a.xlf", no_source).bytes == no_source);
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
  CHECK_CONTAINS(error_of("a.xlf", ""), "this file is empty");
  CHECK_CONTAINS(error_of("a.xlf", "text"), "line 1: this is no well-formed XML");
  CHECK_CONTAINS(error_of("a.xlf", tmx("")), "line 3: its root is <tmx>, not <xliff>");
  CHECK_CONTAINS(error_of("a.xlf", replaced(xliff(""), "version=\"1.2\"", "version=\"2.0\"")),
                 "its version is \"2.0\"");
  CHECK_CONTAINS(error_of("a.xlf", replaced(xliff(""), "UTF-8", "ISO-8859-1")),
                 "line 1: its encoding is ISO-8859-1");
  CHECK_CONTAINS(error_of("a.xlf", replaced(xliff(""), "encoding=\"UTF-8\"", "encoding = 'Latin1'")),
                 "line 1: its encoding is LATIN1");
  CHECK_CONTAINS(error_of("a.xlf", replaced(xliff(""), "UTF-8", "us-ascii")),
                 "line 1: its encoding is US-ASCII, which has no place for most translations");
  CHECK_CONTAINS(error_of("a.tmx", "<tmx/>"), "line 1: it does not begin with <tmx> and a <header>");
  CHECK_CONTAINS(error_of("a.xlf", "<!DOCTYPE xliff [<!ENTITY b \"c\">]><xliff>&b;</xliff>"),
                 "entities that a file defines itself are not read");
  CHECK_CONTAINS(error_of("a.xlf", xliff("<trans-unit><source>&unknown;</source></trans-unit>")),
                 "Entity 'unknown' not defined");
}

#endif
