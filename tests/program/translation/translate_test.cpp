// `regard translate`: translations, n-best lists, maps, constraints and prefixes.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;

namespace {

/// The translations of these lines, or the error message.
std::string translated(const std::string& text, Words options = {}) {
  options.insert(options.begin(), {"translate", small_model()});
  const Outcome outcome = run(options, {.input = text});
  return outcome.code == 0 ? outcome.out + outcome.err : outcome.err;
}

/// The two halves of a line at its tab.
std::pair<std::string, std::string> at_tab(const std::string& line) {
  const std::size_t tab = line.find('\t');
  return {line.substr(0, tab), line.substr(std::min(line.size(), tab + 1))};
}

}  // namespace

TEST_CASE("a line with more sentences than those of the training gets a warning", "[program]") {
  const Outcome outcome = run({"translate", small_model()}, {.input = "one two\none. two. three\n"});
  CHECK(outcome.code == 0);
  CHECK(lines(outcome.out).size() == 2);
  CHECK_CONTAINS(
      outcome.err,
      "line 2: it has 3 sentences, but the lines of the training had at most 1; the translation may "
      "leave out a part");
  CHECK(outcome.err.find("line 1: it has") == std::string::npos);
}

TEST_CASE("lines are translated one for one, in order", "[program]") {
  const std::string source = content(small_corpus().source), target = content(small_corpus().target);
  CHECK(difference(translated(source), target) == "");
  CHECK(difference(translated(source, {"--threads", "1"}), target) == "");
  CHECK(difference(translated(source, {"--beam", "1"}), target) == "");
  CHECK(difference(translated(source, {"--beam", "2", "--length-penalty", "power", "--alpha", "1"}),
                   target) == "");
  CHECK(translated("").empty());

  // More lines than the program reads at a time, the long ones before the short ones.
  Words sources = lines(source), targets = lines(target);
  std::reverse(sources.begin(), sources.end());
  std::reverse(targets.begin(), targets.end());
  std::string many, expected;
  for (std::size_t i = 0; i < 1100; ++i) {
    many += sources[i % sources.size()] + "\n";
    expected += targets[i % targets.size()] + "\n";
  }
  CHECK(difference(translated(many, {"--beam", "1"}), expected) == "");
}

TEST_CASE("line ends, blanks and byte-order marks do not change translations", "[program]") {
  const std::string expected = "eins zwei\ndrei\n";
  CHECK(translated("\xEF\xBB\xBF"
                   "one two\nthree\n") == expected);
  CHECK(translated("  one \t two\u00A0\n\u3000three\n") == expected);
}

TEST_CASE("an unknown word is read as <unk>, with a note that names its line", "[program]") {
  const Outcome outcome = run({"translate", small_model()}, {.input = "one\nfive two six\n\nthree\n"});
  CHECK(outcome.code == 0);
  CHECK(outcome.err == "regard: line 2: not in the vocabulary, read as <unk>: five six\n");
  const Words found = lines(outcome.out);
  REQUIRE(found.size() == 4);
  CHECK(found[0] == "eins");
  CHECK(found[2].empty());
  CHECK(found[3] == "drei");
  // The text </s> does not end a sentence.
  CHECK_THAT(translated("one </s> two\n"),
             ContainsSubstring("line 1: not in the vocabulary") && ContainsSubstring("</s>"));
}

TEST_CASE("the n best translations come best first, with their scores", "[program]") {
  const Words found = lines(translated("one two\nfour\n", {"--beam", "5", "--n-best", "3", "--scores"}));
  REQUIRE(found.size() == 6);
  for (const std::size_t first : {0u, 3u}) {
    std::set<std::string> texts;
    double last = 0;
    for (std::size_t i = first; i < first + 3; ++i) {
      const auto [line, scored] = at_tab(found[i]);
      CHECK(line == (first == 0 ? "1" : "2"));
      const auto [score, text] = at_tab(scored);
      texts.insert(text);
      CHECK(std::stod(score) <= last);
      last = std::stod(score);
    }
    CHECK(texts.size() == 3);
  }
  CHECK(found[0].ends_with("\teins zwei"));
  // With one translation per line, the line number is not printed.
  CHECK("2\t" + lines(translated("one two\nfour\n", {"--scores"}))[1] == found[3]);
  CHECK(found[3].ends_with("\tvier"));
}

TEST_CASE("an empty line has one translation and no score", "[program]") {
  const Words scored = lines(translated("\none\n", {"--scores"}));
  REQUIRE(scored.size() == 2);
  CHECK(scored[0] == "\t");
  CHECK(at_tab(scored[1]).second == "eins");
  CHECK(std::stod(at_tab(scored[1]).first) < 0);
  for (const char* const how : {"--scores", "--sample"}) {
    if (!has_option("translate", how)) continue;
    const Words found = lines(translated("one\n\n", {"--n-best", "2", "--scores", how}));
    REQUIRE(found.size() == 3);
    CHECK(found[1].starts_with("1\t-"));
    CHECK(found[2] == "2\t\t");
  }
}

TEST_CASE("with --attention, translate prints a map of the attention weights", "[program]") {
  const Words found = lines(translated("one four two\n\ntwo\n", {"--attention"}));
  REQUIRE(found.size() == 15);
  CHECK(found[0] == "eins vier zwei");
  CHECK(found[1].empty());
  CHECK(found[2] == "one    four   two    </s>   ");
  const Words rows = {"eins", "vier", "zwei", "</s>"};
  for (std::size_t i = 0; i < rows.size(); ++i) CHECK(found[3 + i].ends_with(" " + rows[i]));
  CHECK(found[7].empty());
  CHECK(found[8].empty());  // an empty sentence has no map
  CHECK(found[9] == "zwei");
}

TEST_CASE("with --attention and --n-best, each translation has its map", "[program]") {
  const Words found = lines(translated("one\n", {"--attention", "--n-best", "2", "--beam", "2"}));
  std::size_t maps = 0;
  for (std::size_t i = 0; i + 2 < found.size(); ++i)
    maps += found[i].starts_with("1\t") && found[i + 2] == "one    </s>   ";
  CHECK(maps == 2);
}

TEST_CASE("impossible options of the search are refused", "[program]") {
  CHECK_REFUSED(run({"translate", small_model(), "--beam", "0"}),
                "--beam 0: decoding.beam must be a whole number from 1 to 1000000000, got 0");
  CHECK_REFUSED(run({"translate", small_model(), "--n-best", "5"}),
                "n_best is 5; it must be from 1 to beam, 4");
  CHECK(translated("one two\n", {"--max-length-ratio", "1e300"}) == "eins zwei\n");
  CHECK_CONTAINS(translated("one two\n", {"--max-length-ratio", "0", "--max-length-constant", "1"}),
                 "eins\n");
  // The vocabulary: four special tokens, four words on either side.
  CHECK_REFUSED(run({"translate", small_model(), "--beam", "13"}),
                "beam is 13, but the target vocabulary has only 12 entries; give a beam of at most 12");
  CHECK(translated("one two\n", {"--beam", "12"}) == "eins zwei\n");
}

TEST_CASE("lengths and repetition can be constrained", "[program]") {
  CHECK_CONTAINS(translated("one two three\n", {"--max-length", "2"}), "eins zwei\n");
  CHECK(translated("one one one\n") == "eins eins eins\n");
  for (const std::string& line : lines(translated("one\nfour one\n", {"--min-length", "3"}))) {
    CAPTURE(line);
    CHECK(std::ranges::count(line, ' ') >= 2);
  }
  for (const Words& options : {Words{"--no-repeat-ngram", "1"}, {"--repetition-penalty", "1000"}}) {
    const std::string line = lines(translated("one one one\n", options)).front();
    CAPTURE(line);
    CHECK(line.find("eins") == line.rfind("eins"));
  }
}

TEST_CASE("translations that reach their greatest length are counted in one warning", "[program]") {
  const auto warning = [&](const Words& command, const std::string& longest, const std::string& input) {
    const Outcome outcome = run(joined(command, {"--max-length", longest}), {.input = input});
    CHECK(outcome.code == 0);
    CHECK(lines(outcome.err).size() == 1);
    return outcome.err;
  };
  const Words translate{"translate", small_model()};
  CHECK_CONTAINS(warning(translate, "2", "one\none two\n\none two three\n"),
                 "the translation of 2 sentences reached its greatest length, so its end may be missing");
  if (has_option("translate", "--exact"))
    CHECK_CONTAINS(warning(joined(translate, {"--exact"}), "3", "one two three\n"), "of 1 sentence reached");
  std::string many;  // more lines than the program reads at a time
  for (int i = 0; i < 1100; ++i) many += "one two three\n";
  CHECK_CONTAINS(warning(joined(translate, {"--beam", "1"}), "2", many), "of 1100 sentences reached");
  CHECK_CONTAINS(warning(evaluate_command(small_model()), "3", ""), "of 64 sentences reached");
  CHECK(run_well(translate, {.input = "one two three\n"}).out == "eins zwei drei\n");
}

TEST_CASE("translate writes the attention of each translation as a line of JSON", "[program]") {
  const TemporaryDirectory directory;
  const std::string file = directory / "attention.jsonl";
  const Outcome outcome = run({"translate", small_model(), "--attention-json", file, "--n-best", "2"},
                              {.input = "one four two\n\nthree\n"});
  CHECK(outcome.code == 0);
  const Words found = lines(content(file));
  REQUIRE(found.size() == 4);  // an empty sentence has no line
  const auto first = nlohmann::json::parse(found[0]), last = nlohmann::json::parse(found[3]);
  CHECK(first["line"] == 1);
  CHECK(first["rank"] == 1);
  CHECK(first["text"] == "eins vier zwei");
  CHECK(first["source_tokens"] == nlohmann::json({"one", "four", "two", "</s>"}));
  CHECK(first["target_tokens"] == nlohmann::json({"eins", "vier", "zwei", "</s>"}));
  CHECK(first["attention"].size() == 3);
  CHECK(last["line"] == 3);
  CHECK(last["rank"] == 2);
  CHECK_REFUSED(
      run({"translate", small_model(), "--attention-json", directory / "no/file"}, {.input = "one\n"}),
      "no/file");
}

TEST_CASE("translate goes on from a prefix", "[program]") {
  const auto translated = [](const Words& options) {
    return run(joined({"translate", small_model()}, options), {.input = "one two\nthree\n"});
  };
  const std::string free = translated({}).out;
  CHECK(free == "eins zwei\ndrei\n");
  for (const std::string& line : lines(translated({"--prefix", "vier"}).out)) CHECK(line.starts_with("vier"));
  CHECK(lines(translated({"--prefix", "eins", "--beam", "1"}).out)[0] == "eins zwei");
  CHECK_REFUSED(translated({"--prefix", "eins fünf"}), "the prefix has \"fünf\"");
}
