// Markup is taken off, and put back where the translation of its content stands.
#include "apps/markup/markup.h"

#include <random>

#include "apps/markup/html.h"
#include "apps/markup/transfer.h"
#include "tests/apps/support.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::markup;
using namespace regard::tests;

namespace {

/// Takes the markup off and puts it back into the same text.
std::string there_and_back(const std::string& text) {
  const Plain plain = take_off(text);
  return put_in(plain.text, plain.elements);
}

/// Puts the markup of a source into a translation, both with a word for each token.
std::string moved(const std::string& source, const std::string& target, const translation::Alignment& links) {
  const auto tokeniser = translation::make_tokeniser("word");
  const Plain plain = take_off(source);
  const Tokens from = tokens_in(plain.text, tokeniser->split(plain.text), *tokeniser);
  const Tokens to = tokens_in(target, tokeniser->split(target), *tokeniser);
  return put_in(target, transferred(plain.elements, from, to, links));
}

/// True if each tag of a text closes the one that was opened last.
bool is_well_formed(const std::string& text) {
  std::vector<std::string> open;
  for (std::size_t at = text.find('<'); at != text.npos; at = text.find('<', at + 1)) {
    const bool closes = text[at + 1] == '/';
    const std::size_t name = at + (closes ? 2 : 1);
    const std::string tag = text.substr(name, text.find_first_of(" >", name) - name);
    if (!closes) {
      open.push_back(tag);
    } else {
      if (open.empty() || open.back() != tag) return false;
      open.pop_back();
    }
  }
  return open.empty();
}

}  // namespace

TEST_CASE("a model reads the text without markup", "[markup]") {
  for (const auto& [marked, plain] : std::vector<std::pair<std::string, std::string>>{
           {"a <b>red</b> car", "a red car"},
           {"<p class=\"a>b\">R&amp;D &lt; 5 &#233;&#x4E2D;</p>", "R&D < 5 é中"},
           {"Hello {0}, you have {count} mails", "Hello , you have mails"},
           {"one<br>two<br/>three", "one two three"},
           {"un<b>believ</b>able", "unbelievable"},
           {"a < b and c > d & e &unknown; {not a name}", "a < b and c > d & e {not a name}"},
           {"AT&T; & c", "AT&T; & c"},
           {"a&#10;b&#x9;c", "a b c"},
           {"a &#0; b &#xD800; c &#x110000;", "a b c"},
           {"a &#; &#x; &#1a;", "a &#; &#x; &#1a;"},
           {"run <code>ls <b>-l</b></code> now", "run now"},
           {"<i translate=no>a <i>b</i> c</i> d <b class='x notranslate'>e</b>", "d"},
           {"the <code> element", "the element"},
           {"a <a href=\"b\"\">c</a> <a href=it's>d</a>", "a c d"},
           {"<!-- no > text -->word", "word"},
           {"<1> </ b> <", "<1> </ b> <"},
           {"", ""}})
    CHECK(take_off(marked).text == plain);
#ifdef REGARD_HAS_LIBXML2
  CHECK(take_off("caf&eacute; &copy; don&rsquo;t").text == "café © don’t");
#endif
}

TEST_CASE("tags may stand in each other as deep as XML allows, and no deeper", "[markup]") {
  const auto nested = [](int depth, std::string text = "a") {
    for (int i = 0; i < depth; ++i) text = "<b>" + text + "</b>";
    return text;
  };
  CHECK(there_and_back(nested(256)) == nested(256));
  CHECK(moved(nested(256), "b", {{0, 0}}) == nested(256, "b"));
  CHECK_ERROR(take_off(nested(10'000)), "more than 300 tags are open here");
  std::string row;
  for (int i = 0; i < 10'000; ++i) row += "<b>";
  CHECK_ERROR(take_off(row), "more than 300 tags");
}

TEST_CASE("markup that is taken off and put back is as before", "[markup]") {
  for (const char* const text : {"a <b>red</b> car",
                                 "<i>a <b>red</b></i> car",
                                 "<b>a</b> <b>b</b>",
                                 "x <a href=\"u?a=1&b=2\" title='>'>y</a>.",
                                 "Hello {0} and {1}",
                                 "un<b>believ</b>able",
                                 "one<br/> two",
                                 "<b></b>word",
                                 "a &lt;b&gt; &amp; c",
                                 "<p>A <b>b <i>c</i> d</b> e <u>f</u></p>",
                                 "한국어 <b>문장</b>입니다",
                                 "<p>you have {0}</p> mails",
                                 "{0} mails",
                                 "{0}",
                                 "<i>{0}</i> of {1}",
                                 "<x/>",
                                 "a &unknown; b",
                                 "a {0}{1} b",
                                 "{0}{1}",
                                 "the <b>{0}</b><i>{1}</i> car",
                                 "a <img x/><img y/> b",
                                 "a {0} {1} b",
                                 "a &#0; b",
                                 "run <code>ls <b>-l</b></code> now",
                                 "<i translate=no>a <i>b</i> c</i> d",
                                 "a <a href=\"b\"\">c</a> <a href=it's>d</a>",
                                 "a<br/>{0}&unknown; {1}"})
    CHECK(there_and_back(text) == text);
}

TEST_CASE("a tag without a partner stays a single one", "[markup]") {
  CHECK(there_and_back("a <b>c") == "a<b> c");
  CHECK(there_and_back("a</i> <b>c</b>") == "a</i> <b>c</b>");
  CHECK(there_and_back("<b><i>c</b></i>") == "<b><i>c</b></i>");
}

TEST_CASE("an element goes around the words that translate its content", "[markup]") {
  const std::string french = "une voiture rouge";
  const translation::Alignment links{{0, 0}, {2, 1}, {1, 2}};
  CHECK(moved("a <b>red</b> car", french, links) == "une voiture <b>rouge</b>");
  CHECK(moved("a red <b>car</b>", french, links) == "une <b>voiture</b> rouge");
  CHECK(moved("a <i><b>red</b> car</i>", french, links) == "une <i>voiture <b>rouge</b></i>");
  CHECK(moved("<b>a red car</b>", french, {}) == "<b>une voiture rouge</b>");
  // Without the links it stands at the same part of the text: this is what the links are for.
  CHECK(moved("a <b>red</b> car", french, {}) != "une voiture <b>rouge</b>");
  // Neighbours do not cross, although the translation of "a red" is not in one piece.
  CHECK(moved("<i>a red</i> <b>car</b>", french, links) == "<i>une</i> <b>voiture</b> rouge");
  // A placeholder stands before the word that follows it, with its blanks.
  CHECK(moved("a {0} red car", french, links) == "une voiture {0} rouge");
  CHECK(moved("a red car {0}", french, links) == "une voiture rouge {0}");
  CHECK(moved("a red car{0}", french, links) == "une voiture rouge{0}");
  CHECK(moved("bu {0} fo", "%s x", {}) == "{0} %s x");  // and not inside a token
}

TEST_CASE("tags whose partners are elsewhere keep their order", "[markup]") {
  CHECK(moved("x <b>a <i>red", "une voiture rouge", {{1, 2}, {2, 0}, {0, 1}}) == "une voiture<b><i> rouge");
  CHECK(moved("x a</i> red</b> car", "une voiture rouge", {{1, 1}, {2, 2}, {3, 0}}) ==
        "une voiture</i></b> rouge");
}

TEST_CASE("the word that names the language is no part of what an element is around", "[markup]") {
  CHECK(moved(">>fr<< <b>a red car</b>", "une voiture rouge", {{2, 2}}) == "<b>une voiture rouge</b>");
  CHECK(moved(">>fr<< {0} red car", "une voiture rouge", {{1, 2}}) == "{0} une voiture rouge");
  CHECK(moved("fr <b>a red car</b>", "une voiture rouge", {{2, 2}}) == "une voiture <b>rouge</b>");
}

TEST_CASE("a tokeniser may read a character as several", "[markup]") {
  /// Words, in which "…" is three full stops.
  class Dots : public translation::Tokeniser {
    std::vector<std::string> split(std::string_view text) const override {
      std::string dots(text);
      for (std::size_t at = 0; (at = dots.find("…", at)) != dots.npos;) dots.replace(at, 3, "...");
      return words_->split(dots);
    }
    std::string join(const std::vector<std::string>& tokens) const override { return words_->join(tokens); }
    std::unique_ptr<translation::Tokeniser> words_ = translation::make_tokeniser("word");
  };
  const Dots dots;
  const translation::Tokeniser& tokeniser = dots;
  const std::string text = "é… red …";
  CHECK(tokens_in(text, tokeniser.split(text), tokeniser).places ==
        std::vector<Span>{{0, 2}, {2, 5}, {5, 6}});
  CHECK(tokens_in(text, {"é..", ".", "red", "..."}, tokeniser).places ==
        std::vector<Span>{{0, 2}, {1, 2}, {2, 5}, {5, 6}});
}

TEST_CASE("an element has whole words", "[markup]") {
  const auto subwords = translation::make_tokeniser("subword-nmt");
  const Plain plain = take_off("a <b>red</b> car");
  const Tokens from = tokens_in(plain.text, {"a", "red", "car"}, *subwords);
  const Tokens to = tokens_in("ein rotes Auto", {"ein", "ro@@", "tes", "Auto"}, *subwords);
  CHECK(to.places == std::vector<Span>{{0, 3}, {3, 5}, {5, 8}, {8, 12}});
  CHECK(put_in(to.text, transferred(plain.elements, from, to, {{0, 0}, {1, 1}, {2, 3}})) ==
        "ein <b>rotes</b> Auto");
}

TEST_CASE("a page has sentences between its block tags, and the rest stays", "[markup]") {
  const std::string page =
      "<!DOCTYPE html>\n<p class=x>One <b>two</b>.\n Three <i>four. Five</i> six. Seven.</p>\n<pre>no</pre> "
      "12 <p translate=no>One <p>two</p></p><script src=a />"
      "<ul><li> a&amp;b </li></ul><SCRIPT>if (a < b) \"</scripts> b\"</Script>last<!-- no end";
  std::string all;
  std::vector<std::string> texts;
  for (const Part& part : parts_of_html(page)) {
    all += part.text;
    if (part.translated) texts.push_back(part.text);
  }
  CHECK(all == page);
  CHECK(texts ==
        std::vector<std::string>{"One <b>two</b>.\n Three <i>four. Five</i> six. Seven.", "a&amp;b", "last"});
  // Sentences, except where an element goes on.
  const Plain plain = take_off(texts[0]);
  REQUIRE(plain.text == "One two. Three four. Five six. Seven.");
  const std::vector<Plain> pieces = cut(plain, {9, 21, 31, plain.text.size()});
  std::vector<std::string> put;
  for (const Plain& piece : pieces) put.push_back(put_in(piece.text, piece.elements));
  CHECK(put == std::vector<std::string>{"One <b>two</b>.", "Three <i>four. Five</i> six.", "Seven."});
  CHECK(cut(take_off(""), {}).empty());
  const auto all_of = [](const std::vector<std::string>& sentences) { return joined(sentences); };
  CHECK(all_of({"One.", "", "<b>Two.</b>", "Three."}) == "One. <b>Two.</b> Three.");
  CHECK(all_of({"<b>一。</b>", "二。", "A.", "三。"}) == "<b>一。</b>二。A. 三。");
}

TEST_CASE("whatever the links are, the result is well-formed and has each tag once", "[markup]") {
  std::mt19937 random(7);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (int round = 0; round < 2000; ++round) {
    // Random nested elements around words.
    std::string source;
    std::vector<std::string> open;
    int tags = 0;
    for (int word = 0; word < 8; ++word) {
      while (below(3) == 0 && open.size() < 4) {
        open.push_back("t" + std::to_string(tags++));
        source += "<" + open.back() + ">";
      }
      source += "w" + std::to_string(word);
      while (!open.empty() && below(3) == 0) {
        source += "</" + open.back() + ">";
        open.pop_back();
      }
      source += ' ';
    }
    for (; !open.empty(); open.pop_back()) source += "</" + open.back() + ">";
    translation::Alignment links;
    for (std::size_t i = below(12); i > 0; --i) links.push_back({to_index(below(8)), to_index(below(6))});
    const std::string result = moved(source, "v0 v1 v2 v3 v4 v5", links);
    CAPTURE(source, result);
    CHECK(is_well_formed(result));
    CHECK(take_off(result).text == "v0 v1 v2 v3 v4 v5");
    CHECK(std::ranges::count(result, '<') == 2 * tags);
  }
}
