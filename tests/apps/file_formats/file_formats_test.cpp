// Files come back byte for byte but for the translations in them.
#include <cstdlib>

#include "apps/markup/tags.h"
#include "tests/apps/file_formats/files_of_tests.h"

using namespace regard;
using namespace regard::files;
using namespace regard::tests;

namespace {

/// The tags of a file in the order of their bytes.
std::vector<std::string> tags_of(std::string_view file) {
  std::vector<std::string> tags;
  for (; !file.empty(); file.remove_prefix(1))
    if (const std::size_t length = markup::tag_length(file); length > 0)
      tags.emplace_back(file.substr(0, length));
  std::ranges::sort(tags);
  return tags;
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
        CHECK(tags_of(changed) == tags_of(full));
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
  // The flags of an obsolete entry are not those of the next one.
  CHECK(read_units("a.po", "#, fuzzy\n#~ msgid \"x\"\n#~ msgstr \"y\"\n\nmsgid \"a\"\nmsgstr \"b\"\n", {})
            .front()
            .pair.second == "b");
  CHECK(translate("a.po", "msgid \"open\\tctrl\"\nmsgstr \"\"\n").bytes ==
        "msgid \"open\\tctrl\"\nmsgstr \"OPEN\\tCTRL\"\n");
  CHECK(read_units("a.po", "#,no-wrap\n#,c-format\nmsgid \"%s\"\nmsgstr \"\"\n", {})
            .front()
            .source.text()
            .find('%') == std::string::npos);
  const std::string books =
      "#, c-format\nmsgid \"a book\"\nmsgid_plural \"%d books\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n";
  const auto first_form = [&](const std::string& rule) {
    return read_units("a.po",
                      "msgid \"\"\nmsgstr \"Plural-Forms: nplurals=2; plural=" + rule + ";\\n\"\n\n" + books,
                      {})
        .front()
        .source.readable();
  };
  CHECK(first_form("n != 1") == "a book");
  CHECK(first_form("n % 10 != 1") == "%1$d books");
  // An attribute is no mark of ours.
  CHECK(translate("a.txt", "the <b regard=\"0\">car</b> is &foo; red", same).bytes ==
        "the <b regard=\"0\">car</b> is &foo; red");
  CHECK(translate("a.txt", "the <b regard=\"0\">car</b> is &foo; red", large).bytes ==
        "THE <b regard=\"0\">CAR</b> IS &foo; RED");
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
                        {"python-brace-format", "{:>{w}} of {b:%d %m}", "{b:%d %m} of {:>{w}}"},
                        {"qt-format", "%1 of %L2", "%L2 of %1"},
                        {"c-format", "%<PRIu64> of %hhd", "%2$hhd of %1$<PRIu64>"},
                        {"sh-format", "$a of ${b}", "${b} of $a"},
                        {"java-format", "{0,date,dd MMM} of {1,choice,0#a|1<{1} b}",
                         "{1,choice,0#a|1<{1} b} of {0,date,dd MMM}"},
                        {"csharp-format", "{0, 10} of {1:N2}", "{1:N2} of {0, 10}"},
                        {"python-brace-format", "{a[b c]} of {d.e}", "{d.e} of {a[b c]}"},
                        {"c-format", "%1$*2$d of %3$s", "%3$s of %1$*2$d"},
                        {"object-pascal-format", "%0:s of %1:-10d", "%1:-10d of %0:s"},
                        {"perl-format", "%2$vd of %1$s", "%1$s of %2$vd"},
                        {"perl-format", "%s of %d", "%2$d of %1$s"},
                        {"php-format", "%'x10s of %b", "%2$b of %1$'x10s"},
                        {"ruby-format", "%<a>s of %{b}", "%{b} of %<a>s"},
                        {"boost-format", "%1% of %|2$d|", "%|2$d| of %1%"},
                        {"gcc-internal-format", "%<a%>", "%<a%>"},
                        {"lisp-format", "~% a ~~", "~~ a ~%"},
                        {"no-c-format", "{a} of {b} % d", "{b} of {a} % d"}}) {
    CAPTURE(flag, id);
    const Translated result = translate("a.po", entry(flag, id, ""), turned);
    if (id != "{a!r} of {}" && id != "%<a%>") CHECK(result.bytes == entry(flag, id, str));
    CHECK(translate("a.po", entry(flag, id, "")).warnings.empty());
  }
  for (const auto& [flag, id] :
       std::vector<std::pair<std::string, std::string>>{{"python-format", "%s of %s"},
                                                        {"c-format", "%*d of %s"},
                                                        {"java-printf-format", "%s of %d"},
                                                        {"scheme-format", "~a of ~2,5F"},
                                                        {"boost-format", "%|s| of %*d"},
                                                        {"python-brace-format", "{:{}} of {}"}}) {
    CAPTURE(flag, id);
    const Translated result = translate("a.po", entry(flag, id, ""), turned);
    CHECK(result.bytes == entry(flag, id, ""));
    REQUIRE(result.warnings.size() == 1);
    CHECK_CONTAINS(result.warnings.front(), "line 2: the directives would change their order");
    CHECK(translate("a.po", entry(flag, id, ""), same).bytes == entry(flag, id, id));
  }
  // Directives that touch still do, and %m has no argument.
  for (const auto& [flag, id] :
       std::vector<std::pair<std::string, std::string>>{{"c-format", "a %d%% b %s%s"},
                                                        {"lisp-format", "~{~A~} a"},
                                                        {"c-format", "%m a %s"},
                                                        {"java-format", "a''b '{0}' {0}"}}) {
    CAPTURE(flag, id);
    CHECK(translate("a.po", entry(flag, id, ""), same).bytes == entry(flag, id, id));
  }
  CHECK(translate("a.po", entry("c-format", "%m of %s", ""), turned).bytes ==
        entry("c-format", "%m of %s", "%s of %m"));
  const Translate quote = [](const markup::Plain& plain) { return same(plain) + " l'a"; };
  CHECK(translate("a.po", entry("java-format", "a {0}", ""), quote).bytes ==
        entry("java-format", "a {0}", "a {0} l''a"));
  // A sign of the model's is no directive.
  const Translate percent = [](const markup::Plain& plain) { return same(plain) + " 5 %"; };
  CHECK(translate("a.po", entry("c-format", "done %s 100%%", ""), percent).bytes ==
        entry("c-format", "done %s 100%%", "done %s 100%% 5 %%"));
  CHECK(translate("a.po", entry("python-brace-format", "{{x}} {}", ""), same).bytes ==
        entry("python-brace-format", "{{x}} {}", "{{x}} {}"));
  const Translate brace = [](const markup::Plain& plain) { return same(plain) + " }"; };
  CHECK(translate("a.po", entry("python-brace-format", "a {}", ""), brace).bytes ==
        entry("python-brace-format", "a {}", "a {} }}"));
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
  const std::string long_entry = "msgid \"a b c\"\nmsgstr \"\"\n";
  CHECK(translate("a.po", long_entry, large, {}, 2).bytes == long_entry);
}

TEST_CASE("what is no PO is refused with the line", "[file_formats]") {
  for (const auto& [file, error] : std::vector<std::pair<std::string, std::string>>{
           {"msgid \"a\"\nmsgstr \"\"\nHello\n", "line 3: this is no line of a PO file"},
           {"\"a\"\n", "line 1: a string stands here without a keyword"},
           {"msgid \"a\"\nmsgid \"b\"\n", "line 1: this entry has no msgstr"},
           {"msgid \"a\"\n", "line 1: this entry has no msgstr"},
           {"msgid \"a\"\nmsgstr[0] \"\"\n", "line 1: this entry has no msgstr"},
           {"msgid \"a\"\nmsgid_plural \"b\"\nmsgstr \"\"\n", "line 1: this entry has no msgstr[0]"},
           {"msgid \"a\"\nmsgid_plural \"b\"\nmsgstr[x] \"\"\n", "line 3: this is no line of a PO file"},
           {"msgid \"\"\nmsgid_plural \"b\"\nmsgstr[0] \"\"\n", "line 1: the msgid of a text is empty"},
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
  CHECK_CONTAINS(error_of("a.html", "<p>a</p>\n<META content='text/html; CHARSET=Latin1'>"),
                 "a.html, line 2: its encoding is LATIN1");
  CHECK(translate("a.html", "<meta charset=utf-8>a").bytes == "<meta charset=utf-8>A");
  CHECK(translate("a.html", "<meta charset=''><meta charset=>a").bytes ==
        "<meta charset=''><meta charset=>A");
  CHECK_CONTAINS(error_of("a.html", "<?xml version='1.0' encoding='Latin1'?><p>a"),
                 "a.html, line 1: its encoding is LATIN1");
  CHECK_CONTAINS(error_of("a.html", "<meta charset=us-ascii>"), "its encoding is US-ASCII");
  CHECK_CONTAINS(error_of("a.po", "\x1F\x8B"), "a.po: it is compressed; unpack it first");
  CHECK(translate("a.html", "<script src='a'/><p>a <pre>b").bytes == "<script src='a'/><p>A <pre>B");
  CHECK_CONTAINS(error_of("a.doc", "a"), "a.doc: the end of its name does not say what it is");
}

TEST_CASE("a text with an empty translation stays as it is, with a warning", "[file_formats]") {
  const Translate none = [](const markup::Plain&) { return std::string(); };
  const std::string po = "msgid \"a b\\n\"\nmsgstr \"\"\n";
  const Translated result = translate("a.po", po, none);
  CHECK(result.bytes == po);
  CHECK(result.warnings == std::vector<std::string>{"line 1: 1 translation is empty"});
  CHECK(translate("a.html", "<p>a</p> 1", none).bytes == "<p>a</p> 1");
}
