// The toy "pronouns": each target is made again from its source, by a reader that shares no rule with the
// toy; and no word but the noun tells its gender.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "apps/toys/toys.h"
#include "tests/apps/support.h"
#include "tests/apps/toys/toy_sentences_reader.h"
#include "tests/catch.h"

namespace {

using namespace regard::toys;
using regard::tests::contains;
using regard::tests::read_english;
using regard::tests::words_of;
using Lines = std::vector<std::string>;

const std::map<std::string, bool> things_are_feminine = {
    {"book", false}, {"letter", true}, {"newspaper", false}, {"poem", false}, {"house", true},
    {"car", true},   {"boat", false},  {"clock", true},      {"hat", false},  {"bag", false},
    {"chair", true}, {"door", true},   {"window", true},     {"key", true},   {"flower", true},
    {"tree", false}, {"apple", true},  {"orange", true},     {"cake", false}, {"egg", false}};
const std::map<std::string, bool> people_are_feminine = {
    {"man", false},    {"woman", true},    {"boy", false},    {"girl", true},     {"child", false},
    {"son", false},    {"daughter", true}, {"friend", false}, {"student", false}, {"teacher", false},
    {"doctor", false}, {"poet", false},    {"singer", false}, {"farmer", false},  {"merchant", false}};

/// A source with the positions of its pronoun and of its two nouns.
struct Read {
  Lines words;
  std::size_t pronoun = 0, thing = 0, person = 0;

  bool of_thing() const { return words[pronoun] == "it"; }
  std::size_t antecedent() const { return of_thing() ? thing : person; }
  bool feminine() const {
    return of_thing() ? things_are_feminine.at(words[thing]) : people_are_feminine.at(words[person]);
  }
};

Read read_source(const std::string& source) {
  Read read{.words = words_of(source)};
  int pronouns = 0, things = 0, people = 0;
  for (std::size_t i = 0; i < read.words.size(); ++i) {
    const std::string& word = read.words[i];
    if (word == "it" || word == "he" || word == "she") read.pronoun = i, ++pronouns;
    if (things_are_feminine.contains(word)) read.thing = i, ++things;
    if (people_are_feminine.contains(word)) read.person = i, ++people;
  }
  REQUIRE((pronouns == 1 && things == 1 && people == 1));
  return read;
}

/// The French of a clause. For "it", the noun is put in its place, and then il or elle in place of the noun.
std::string french_clause(const Lines& words, const Read& read) {
  std::string english;
  for (const std::string& word : words)
    english += (english.empty() ? "" : " ") + (word == "it" ? "the " + read.words[read.thing] : word);
  regard::toys::Tokens french = sentences::french(read_english(english));
  if (words.front() != "it") return sentences::join(french);
  std::erase_if(french, [](const Token& word) { return (word.parts & 0xfu) != 0; });  // the subject
  return (read.feminine() ? "elle " : "il ") + sentences::join(french);
}

/// The French of a whole source.
std::string french_sentence(const Read& read) {
  std::string target;
  Lines clause;
  const auto end_clause = [&] {
    if (!clause.empty())
      target += (target.empty() || target.back() == ' ' ? "" : " ") + french_clause(clause, read);
    clause.clear();
  };
  for (std::size_t i = 0; i < read.words.size(); ++i) {
    const std::string& word = read.words[i];
    if (word == "and" || word == "because") {
      end_clause();
      target += target.empty() ? "" : " ";
      target += word == "and" ? "et " : "parce qu' ";
      continue;
    }
    clause.push_back(word);
    // No conjunction follows "because it is (not) heavy" at the beginning.
    const bool ends_be = clause.size() == (clause.size() > 2 && clause[2] == "not" ? 4u : 3u);
    if (read.words[0] == "because" && read.pronoun == 1 && i < 6 && clause.front() == read.words[1] &&
        ends_be)
      end_clause();
  }
  end_clause();
  return target;
}

double share(int part, int whole) { return static_cast<double>(part) / static_cast<double>(whole); }

}  // namespace

TEST_CASE("every sentence with a pronoun is translated by the gender of its noun", "[toys]") {
  CHECK(french_sentence(read_source("the poet sold my big clock and it was not heavy")) ==
        "le poète a vendu ma grande horloge et elle n' était pas lourde");
  CHECK(french_sentence(read_source("because it is red we dance and I give this hat to my daughter")) ==
        "parce qu' il est rouge nous dansons et je donne ce chapeau à ma fille");
  const Corpus corpus = generate(find_toy("pronouns"), 3, {5000, 100, 100});
  CHECK(corpus.has_alignments);
  for (const SentencePair& pair : corpus.train) {
    const Read read = read_source(pair.source);
    const Lines target = words_of(pair.target);
    const PronounLink link = pronoun_link(pair);
    const bool right = french_sentence(read) == pair.target && link.pronoun == read.pronoun &&
                       link.antecedent == read.antecedent() &&
                       target.at(link.translation) == (read.feminine() ? "elle" : "il") &&
                       std::ranges::count(target, "il") + std::ranges::count(target, "elle") == 1 &&
                       std::ranges::count(pair.alignment, '?') == 1;
    INFO(pair.source << " -> " << pair.target << " " << pair.alignment);
    INFO(french_sentence(read));
    if (!right) CHECK(right);
  }
}

TEST_CASE("the words of a sentence with a pronoun are aligned, and the pronoun with its noun", "[toys]") {
  const SentencePair pair{"the poet sold this clock because it was red",
                          "le poète a vendu cette horloge parce qu' elle était rouge",
                          "0-0 1-1 2-2 2-3 3-4 4-5 5-6 5-7 6-8 7-9 8-10 4?8"};
  const PronounLink link = pronoun_link(pair);
  CHECK(link.pronoun == 6);
  CHECK(link.antecedent == 4);
  CHECK(link.translation == 8);
  // Sure links leave no word out, and the toy makes those above.
  bool found = false;
  regard::SplitMix64 random(1);
  for (int i = 0; i < 2000 && !found; ++i) {
    const SentencePair made = find_toy("pronouns").sample(random);
    const Lines links = words_of(made.alignment);
    std::set<std::string> sources;
    for (const std::string& one : links) sources.insert(one.substr(0, one.find_first_of("-?")));
    CHECK(sources.size() == words_of(made.source).size());
    const Lines source = words_of(made.source);
    const auto shape = [](const std::string& alignment) {
      return alignment.substr(0, alignment.find(" 4?8"));
    };
    found = source.size() == 9 && source[5] == "because" && source[0] == "the" && source[6] == "it" &&
            words_of(made.target).size() == 11 && shape(made.alignment) == shape(pair.alignment);
  }
  CHECK(found);
}

TEST_CASE("only the noun tells the gender of it: neither place nor any other word does", "[toys]") {
  std::map<std::string, std::pair<int, int>> words;  // how often with "it", and how often it is feminine
  std::set<std::ptrdiff_t> distances;
  int its = 0, feminine = 0, like_person = 0, first_noun = 0, nearest_noun = 0, others = 0;
  for (const SentencePair& pair : generate(find_toy("pronouns"), 7).train) {
    const Read read = read_source(pair.source);
    const auto distance = [&](std::size_t noun) {
      return static_cast<std::ptrdiff_t>(read.pronoun) - static_cast<std::ptrdiff_t>(noun);
    };
    distances.insert(distance(read.antecedent()));
    if (!read.of_thing()) {
      ++others;
      continue;
    }
    ++its;
    feminine += read.feminine() ? 1 : 0;
    like_person += read.feminine() == people_are_feminine.at(read.words[read.person]) ? 1 : 0;
    first_noun += read.thing < read.person ? 1 : 0;
    nearest_noun += std::abs(distance(read.thing)) < std::abs(distance(read.person)) ? 1 : 0;
    for (const std::string& word : std::set<std::string>(read.words.begin(), read.words.end())) {
      ++words[word].first;
      words[word].second += read.feminine() ? 1 : 0;
    }
  }
  CHECK(share(others, 20000) > 0.3);
  CHECK(std::abs(share(feminine, its) - 0.5) < 0.02);
  CHECK(std::abs(share(like_person, its) - 0.5) < 0.02);
  CHECK(std::abs(share(first_noun, its) - 0.5) < 0.02);
  CHECK(std::abs(share(nearest_noun, its) - 0.5) < 0.1);
  CHECK(distances.size() > 20);
  CHECK(*distances.begin() < -5);
  CHECK(*distances.rbegin() > 10);
  int frequent = 0;
  for (const auto& [word, counts] : words) {
    if (counts.first < 400) continue;
    ++frequent;
    INFO(word);
    const double of_word = share(counts.second, counts.first);
    if (things_are_feminine.contains(word))
      CHECK(of_word == (things_are_feminine.at(word) ? 1 : 0));
    else
      CHECK(std::abs(of_word - 0.5) < 0.1);
  }
  CHECK(frequent > 60);
}
