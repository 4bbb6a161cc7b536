// What is unusual in a corpus: each finding in lines made for it, and not in others.
#include "apps/inspection/inspection.h"

#include <cmath>
#include <set>

#include "apps/inspection/line_facts.h"
#include "apps/inspection/raw_corpus.h"
#include "autograd/machine/error.h"
#include "autograd/machine/parallel.h"
#include "autograd/machine/random.h"
#include "tests/apps/support.h"
#include "tests/catch.h"
#include "tests/gzip.h"

using namespace regard::translation;
using regard::Index;
using regard::Random;
using regard::tests::gzip;
using regard::tests::TemporaryDirectory;

namespace {

struct TextPair : ParallelText {
  void add(const std::string& one, const std::string& other) {
    source.push_back(one);
    target.push_back(other);
  }
  CorpusReport inspect(const ParallelText& validation = {}, const InspectionSettings& settings = {}) const {
    return regard::translation::inspect(*this, validation, settings);
  }
};

/// The names of the findings of a pair.
std::set<std::string> findings_of(const CorpusReport& report, std::size_t pair) {
  std::set<std::string> names;
  for (std::size_t finding = 0; finding < findings.size(); ++finding)
    if (report.has(pair, finding)) names.insert(findings[finding].name);
  return names;
}

/// A beginning and so many words.
std::string with_words(std::string text, int count, const std::string& word) {
  for (int i = 0; i < count; ++i) text += " " + word;
  return text;
}

std::size_t shift() { return finding_named("shift"); }

/// Sentences of 3 to 20 words out of 60, with translations of similar length: "the w12 …" -> "der v12 …".
TextPair sentences(std::size_t count, std::uint64_t seed = 1) {
  Random random(seed);
  TextPair pairs;
  for (std::size_t i = 0; i < count; ++i) {
    std::string source = "The", target = "Der";
    for (std::uint64_t words = 3 + random.below(18); words > 0; --words) {
      const std::string word(1 + random.below(6), static_cast<char>('a' + random.below(10)));
      source += " x" + word;
      target += " y" + word;
    }
    pairs.add(source + ".", target + ".");
  }
  return pairs;
}

}  // namespace

TEST_CASE("kana tell Japanese from Chinese", "[inspection]") {
  const auto script = [](const char* line) { return std::string(script_name(line_facts(line).script)); };
  CHECK(script("日本国憲法の前文") == "kana");
  CHECK(script("カタカナ") == "kana");
  CHECK(script("中华人民共和国的宪法") == "Han");
  CHECK(script("日本国憲法") == "none");  // it may be of either language
  CHECK(script("OpenOffice の") == "Latin");
  CHECK(script("한국어 문장") == "Hangul");
}

TEST_CASE("each finding is found in its line", "[inspection]") {
  TextPair pairs = sentences(300);
  const std::vector<std::tuple<std::string, std::string, std::set<std::string>>> cases{
      {"A good pair", "Ein gutes Paar", {}},
      {"not UTF-8", "\xE4", {"not-utf8"}},
      {"", "leer", {"empty"}},
      {"blank", " \t ", {"empty", "tabs"}},
      {"with a\ttab", "mit einem", {"tabs"}},
      {"A good pair", "Ein gutes Paar", {"duplicates"}},
      {" A good pair ", "Ein gutes  Paar", {"duplicates"}},
      {"A good pair", "Ein guter Fang", {"repeated-sources"}},
      {"a café", "ein Café", {}},
      {"a cafe\u0301", "ein\u00A0Cafe\u0301", {"duplicates"}},
      {"A café", "ein Café", {}},
      {"GNU Emacs", " GNU Emacs", {}},
      {"The xa xb xc", "The xa  xb xc", {"identical"}},
      {"one %s two", "eins %d zwei", {"placeholders"}},
      {"<b>bold</b>", "<b>fett</b", {"markup"}},
      {"7 of 1,000", "7 von 1.000", {}},
      {"7 of 100", "7 von 200", {"numbers"}},
      {"Moscow", "Москва", {"script"}},
      {"bell \x07", "Glocke", {"control"}},
      {"noncharacter \uFFFF", "keines", {"control"}},
      {"a 😀 c", "ein 😀 c ✈️ 👨‍👩‍👧", {}},
      {"a soft hyphen", "ein Trenn\u00ADstrich", {"invisible"}},
      {"\uFEFFa mark", "eine Marke", {"invisible"}},
      {"last\u200B", "letztes", {"invisible"}},
      {"damaged",
       "besch\xEF\xBF\xBD"
       "digt",
       {"control"}},
      {"The xa", with_words("Der", 20, "yaaa"), {"ratio"}},
      {with_words("The", 20, "xaaa"), "kurz", {"ratio"}},
      {"Der yaaa ybb yccc ydd ye.", "The xaaa xbb xccc xdd xe.", {"swapped"}},
      {"The xaaa xbb xccc xdd xe.", "The xaaa xbb xccc xdd xf.", {"language"}},
      {"damage", "schÃ¶n", {"mojibake"}},
      {"qui mange un repas avec ses amis bleus aujourd hui", "Der yaaa yaaa yaaa yaaa", {"language"}},
  };
  for (const auto& [source, target, expected] : cases) pairs.add(source, target);
  const CorpusReport report = pairs.inspect();
  CHECK(report.pairs == 300 + std::ssize(cases));
  for (std::size_t i = 0; i < cases.size(); ++i) {
    CAPTURE(std::get<0>(cases[i]), std::get<1>(cases[i]));
    CHECK(findings_of(report, 300 + i) == std::get<2>(cases[i]));
  }
  std::vector<Index> counts(findings.size());
  for (std::size_t pair = 0; pair < report.findings.size(); ++pair)
    for (std::size_t finding = 0; finding < findings.size(); ++finding)
      counts[finding] += report.has(pair, finding);
  CHECK(report.counts == counts);
  for (std::size_t pair = 0; pair < 300; ++pair) CHECK(findings_of(report, pair).empty());
}

TEST_CASE("the settings of an inspection", "[inspection]") {
  TextPair pairs;
  for (int i = 0; i < 5; ++i)
    pairs.add("one two three four " + std::to_string(i), "eins zwei drei vier " + std::to_string(i));
  pairs.add("@host@ one two", "@host one two three four five six");
  pairs.add("GNU Emacs", "GNU Emacs");
  CHECK(findings_of(pairs.inspect(), 5).empty());
  CHECK(findings_of(pairs.inspect(), 6).empty());
  CHECK(findings_of(pairs.inspect({}, {.identical_words = 3}), 6).empty());
  CHECK(findings_of(pairs.inspect({}, {.identical_words = 2}), 6) == std::set<std::string>{"identical"});
  CHECK(findings_of(pairs.inspect({}, {.most_words = 6, .ratio = 1.5, .placeholders = {"@[a-z]+@"}}), 5) ==
        std::set<std::string>{"long", "ratio", "placeholders"});
}

TEST_CASE("overlap with the validation corpus, case and punctuation aside", "[inspection]") {
  TextPair training, validation;
  training.add("Hello, World!", "Hallo Welt");
  training.add("another one", "ein anderes");
  training.add("...", "!!!");
  validation.add("hello world", "guten Tag, Welt");
  validation.add("the other", "Ein Anderes.");
  validation.add("?", "-");
  validation.add("none of it", "nichts davon");
  training.add("un cafe\u0301 ﬁn", "x");
  validation.add("Un Café fin", "y");
  const CorpusReport report = training.inspect(validation);
  CHECK(findings_of(report, 0) == std::set<std::string>{"overlap"});
  CHECK(findings_of(report, 1) == std::set<std::string>{"overlap"});
  CHECK(findings_of(report, 2).empty());  // no letters
  CHECK(findings_of(report, 3) == std::set<std::string>{"overlap"});
  CHECK(report.validation_pairs == 5);
  CHECK(report.validation_overlap == 3);
}

TEST_CASE("figures of the sides", "[inspection]") {
  TextPair pairs;
  for (int i = 1; i <= 20; ++i) {
    std::string words;
    for (int k = 0; k < i; ++k) words += "w ";
    pairs.add(words, "два слова");
  }
  const CorpusReport report = pairs.inspect();
  CHECK(report.source.words == 210);
  CHECK(report.source.median_words == 11);
  CHECK(report.source.words_95 == 20);
  CHECK(report.source.most_words == 20);
  CHECK(report.target.words == 40);
  CHECK(report.target.script == 3);
  CHECK(TextPair().inspect().pairs == 0);
  TextPair half;
  half.source = {"a"};
  CHECK_ERROR(half.inspect(), "1 sources, but 0 targets");
}

TEST_CASE("files that are out of step are noticed, and where", "[inspection]") {
  const TextPair good = sentences(2000);
  CHECK(good.inspect().shifts.empty());
  TextPair late = good;  // the target has one line more at 700, and lacks two at 1500
  late.target.insert(late.target.begin() + 700, "Der yab yac.");
  late.target.erase(late.target.begin() + 1501, late.target.begin() + 1503);
  late.source.pop_back();
  const CorpusReport report = late.inspect();
  REQUIRE(report.shifts.size() == 2);
  const auto near = [](Index found, Index expected) { return std::abs(found - expected) <= 3; };
  CHECK(report.shifts[0].offset == 1);
  CHECK(near(report.shifts[0].first, 700));
  CHECK(near(report.shifts[0].last, 1499));
  CHECK(report.shifts[1].offset == -1);
  CHECK(near(report.shifts[1].first, 1502));
  CHECK(near(report.shifts[1].last, 1998));
  CHECK(report.counts[shift()] > 1200);
  CHECK(report.has(1000, shift()));
  CHECK_FALSE(report.has(600, shift()));
  TextPair other = good;  // lines that belong nowhere are no shift
  other.target = sentences(2000, 2).target;
  CHECK(other.inspect().shifts.empty());
}

TEST_CASE("an inspection does not depend on the number of threads", "[inspection]") {
  TextPair pairs = sentences(9000);
  for (std::size_t i = 0; i < pairs.source.size(); i += 97) pairs.source[i] = pairs.source[i / 2] + " %s 5";
  pairs.target.insert(pairs.target.begin() + 5000, "Der yab yac.");
  pairs.target.pop_back();
  const int before = regard::threads();
  regard::set_threads(1);
  const CorpusReport one = pairs.inspect(sentences(100));
  regard::set_threads(3);
  const CorpusReport three = pairs.inspect(sentences(100));
  regard::set_threads(before);
  CHECK(one.findings == three.findings);
  CHECK(one.counts == three.counts);
  CHECK(one.shifts.size() == three.shifts.size());
  CHECK(one.counts[shift()] > 0);
  CHECK(one.counts[finding_named("placeholders")] > 80);
}

TEST_CASE("a raw corpus has every line as it is", "[inspection]") {
  const TemporaryDirectory directory;
  const std::string en = directory.file("a.en", "\xEF\xBB\xBFone\r\n\xE4\nthree\n"),
                    de = directory.file("a.de", gzip("eins\nzwei"));
  const RawCorpus two({en}, {de}, {});
  CHECK(two.source == std::vector<std::string>{"one", "\xE4"});
  CHECK(two.target == std::vector<std::string>{"eins", "zwei"});
  REQUIRE(two.unpaired.size() == 1);
  CHECK(two.unpaired[0] ==
        en + " has 3 lines, " + de + " has 2 lines; the lines after line 2 have no partner");
  CHECK(two.place(1) == "2");

  const std::string tsv = directory.file("a.tsv", "a\tb\nc\nd\te\tf\n"),
                    more = directory.file("b.tsv", "x\ty\n");
  const RawCorpus both({}, {}, std::vector<std::string>{tsv, more});
  CHECK(both.source == std::vector<std::string>{"a", "c", "d", "x"});
  CHECK(both.target == std::vector<std::string>{"b", "", "e\tf", "y"});
  CHECK(both.place(2) == tsv + ":3");
  CHECK(both.place(3) == more + ":1");
  CHECK_ERROR(RawCorpus({en}, {}, {}), "1 source files, but 0 target files");
  CHECK_ERROR(RawCorpus(directory.file("empty", ""), de, {}), "the file is empty");
}
