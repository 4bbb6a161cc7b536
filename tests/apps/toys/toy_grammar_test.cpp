#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "apps/toys/sentences/grammar.h"
#include "apps/toys/toys.h"
#include "tests/apps/support.h"
#include "tests/apps/toys/toy_sentences_reader.h"
#include "tests/catch.h"

namespace {

using namespace regard::toys;
using regard::tests::read_english;
using regard::tests::words_of;
using sentences::join;

bool one_of(const std::string& word, const std::vector<std::string>& list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

/// True if a French word begins with a vowel sound, so that le, la, je, ne, de, ma and ce cannot precede it.
bool begins_with_vowel(const std::string& word) {
  if (one_of(word, {"homme", "hommes", "horloge", "horloges", "hôpital", "heureux", "heureuse"})) return true;
  const std::string first = word.substr(0, static_cast<unsigned char>(word[0]) < 0x80 ? 1 : 2);
  return one_of(first, {"a", "e", "i", "o", "u", "y", "à", "â", "é", "è", "ê", "î", "ô", "û", "œ"});
}

/// The first pair of words that French does not allow; "" if there is none.
std::string french_fault(const std::string& sentence) {
  const std::vector<std::string> words = words_of(sentence);
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string &word = words[i], &next = words[i + 1];
    const bool elided = one_of(word, {"l'", "d'", "n'", "j'"});
    const bool full =
        one_of(word, {"le", "la", "de", "ne", "je", "ce", "ma", "sa", "beau", "vieux", "nouveau"});
    const bool plural_vieux = word == "vieux" && one_of(next.substr(next.size() - 1), {"s", "x"});
    const bool uncontracted = one_of(word, {"de", "à"}) && one_of(next, {"le", "les"});
    if (elided && !begins_with_vowel(next)) return word + " " + next;
    if (full && begins_with_vowel(next) && !plural_vieux) return word + " " + next;
    if (one_of(word, {"cet", "bel", "vieil", "nouvel"}) && !begins_with_vowel(next)) return word + " " + next;
    if (uncontracted || (word == "pas" && one_of(next, {"un", "une"}))) return word + " " + next;
    if (word == "ne" || word == "n'") {
      if (i + 2 >= words.size() || words[i + 2] != "pas") return "no pas";
    }
  }
  return "";
}

/// Decodes bytes into code points.
std::vector<std::uint32_t> code_points(const std::string& text) {
  std::vector<std::uint32_t> points;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xc0u) != 0x80u) {
      points.push_back(byte < 0x80 ? byte : byte < 0xe0 ? byte & 0x1fu : byte & 0x0fu);
    } else {
      points.back() = points.back() * 64 + (byte & 0x3fu);
    }
  }
  return points;
}

/// Checks that the grammar makes this pair from the meaning of its English sentence.
void check_agreement(const SentencePair& pair) {
  const std::string language = words_of(pair.source).at(0);
  const std::string sentence = pair.source.substr(language.size() + 1);
  INFO(sentence);
  const sentences::Clause clause = read_english(sentence);
  Tokens english = sentences::english(clause);
  CHECK(join(english) == sentence);
  const Tokens target = language == ">>fr<<" ? sentences::french(clause) : sentences::korean(clause);
  CHECK(join(target) == pair.target);
  english.insert(english.begin(), {language, sentences::parts::none});
  CHECK(gold_alignment(english, target, LinkKind::sure) == pair.alignment);
}

}  // namespace

TEST_CASE("no French sentence breaks elision, contraction or negation", "[toys]") {
  // Negative control: the check finds wrong sentences.
  for (const char* wrong :
       {"le homme dort", "l' hibou dort", "je ai faim", "il vient de le marché", "pas de argent",
        "il parle à les pauvres", "ma école", "un beau oiseau", "il ne dort", "n' a pas un chat"}) {
    INFO(wrong);
    CHECK_FALSE(french_fault(wrong).empty());
  }
  CHECK(french_fault("le hibou n' aime pas les vieux hommes").empty());

  std::size_t seen = 0;
  std::map<std::string, std::size_t> words;
  for (const SentencePair& pair : generate(find_toy("sentences"), 11).train) {
    if (!pair.source.starts_with(">>fr<< ")) continue;
    ++seen;
    for (const std::string& word : words_of(pair.target)) ++words[word];
    const std::string fault = french_fault(pair.target);
    if (fault.empty()) continue;
    INFO(pair.target);
    CHECK(fault.empty());
  }
  CHECK(seen > 9000);
  CHECK(seen < 11000);
  for (const char* word :
       {"l'", "d'", "n'", "j'", "au", "aux", "du", "cet", "vieil", "nouvel", "bel", "hibou"}) {
    INFO(word);
    CHECK(words[word] > 5);
  }
}

TEST_CASE("Korean particles follow the sound before them", "[toys]") {
  struct Particle {
    std::string text;
    bool after_consonant;
  };
  const std::vector<Particle> particles = {{"은", true}, {"는", false}, {"이", true}, {"가", false},
                                           {"을", true}, {"를", false}, {"과", true}, {"와", false}};
  std::set<std::string> nouns = {"나", "그", "그녀", "우리", "사람들"};
  for (const auto& noun : sentences::nouns()) {
    nouns.insert(noun.korean[0]);
    nouns.insert(noun.korean[0] + "들");
  }
  std::map<std::string, std::size_t> uses;
  for (const SentencePair& pair : generate(find_toy("sentences"), 12).train) {
    if (!pair.source.starts_with(">>ko<< ")) continue;
    for (const std::string& word : words_of(pair.target)) {
      for (const Particle& particle : particles) {
        if (!word.ends_with(particle.text)) continue;
        const std::string noun = word.substr(0, word.size() - particle.text.size());
        if (nouns.count(noun) == 0 || nouns.count(word) == 1) continue;
        ++uses[particle.text];
        const bool consonant = (code_points(noun).back() - 0xac00u) % 28 != 0;
        if (consonant == particle.after_consonant) continue;
        INFO(word);
        CHECK(consonant == particle.after_consonant);
      }
    }
  }
  for (const Particle& particle : particles) {
    INFO(particle.text);
    CHECK(uses[particle.text] > 100);
  }
  CHECK((code_points("책").back() - 0xac00u) % 28 != 0);
  CHECK((code_points("나무").back() - 0xac00u) % 28 == 0);
}

TEST_CASE("the fixed pairs are in every training set, and the grammar agrees with them", "[toys]") {
  const auto& fixed = sentences::fixed_pairs();
  REQUIRE(fixed.size() >= 4);
  for (const std::uint64_t seed : {1, 2}) {
    const auto train = generate(find_toy("sentences"), seed, {fixed.size() + 100, 100, 100}).train;
    for (const SentencePair& pair : fixed) CHECK(std::count(train.begin(), train.end(), pair) == 1);
  }
  for (const SentencePair& pair : fixed) {
    check_agreement(pair);
  }
}

TEST_CASE("every sentence of a corpus can be read back, is short, and uses frequent words", "[toys]") {
  std::map<std::string, std::size_t> words;
  std::size_t longest = 0;
  const auto train = generate(find_toy("sentences"), 13).train;
  for (const SentencePair& pair : train) {
    for (const std::string& word : words_of(pair.source)) ++words[word];
    longest = std::max({longest, words_of(pair.source).size(), words_of(pair.target).size()});
  }
  CHECK(longest <= 15);
  CHECK(words.size() > 200);
  for (const auto& [word, count] : words) {
    INFO(word);
    CHECK(count >= 25);
  }
  for (std::size_t i = 0; i < 1000; ++i) {
    check_agreement(train[i]);
  }
}

namespace {

/// The parts of a sentence around a conjunction.
std::vector<std::string> clauses_of(const std::string& sentence, const std::string& conjunction) {
  std::vector<std::string> clauses(1);
  for (const std::string& word : words_of(sentence)) {
    if (word == conjunction)
      clauses.emplace_back();
    else
      clauses.back() += (clauses.back().empty() ? "" : " ") + word;
  }
  return clauses;
}

/// Links such as "0-0 1-2" with both positions moved.
std::string moved(const std::string& links, std::size_t source, std::size_t target) {
  std::string text;
  for (const std::string& link : words_of(links)) {
    const std::size_t dash = link.find('-');
    text += " " + std::to_string(std::stoul(link) + source) + "-" +
            std::to_string(std::stoul(link.substr(dash + 1)) + target);
  }
  return text;
}

}  // namespace

TEST_CASE("a long sentence is clauses with a conjunction, aligned clause by clause", "[toys]") {
  const Corpus corpus = generate(long_sentences(40), 7, {3000, 10, 10});
  CHECK(corpus.has_alignments);
  std::set<std::size_t> lengths;
  for (const SentencePair& pair : corpus.train) {
    INFO(pair.source);
    const bool is_french = pair.source.starts_with(">>fr<< ");
    const std::string without_language = pair.source.substr(pair.source.find(' ') + 1);
    lengths.insert(words_of(without_language).size());
    const auto sources = clauses_of(without_language, "and");
    const auto targets = clauses_of(pair.target, is_french ? "et" : "그리고");
    REQUIRE(sources.size() == targets.size());
    std::string links;
    std::size_t source = 1, target = 0;  // the language is source token 0
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (i > 0) links += " " + std::to_string(source++) + "-" + std::to_string(target++);
      const sentences::Clause clause = read_english(sources[i]);
      const Tokens english = sentences::english(clause),
                   translated = is_french ? sentences::french(clause) : sentences::korean(clause);
      CHECK(join(english) == sources[i]);
      CHECK(join(translated) == targets[i]);
      links += moved(gold_alignment(english, translated, LinkKind::sure), source, target);
      source += english.size();
      target += translated.size();
    }
    CHECK(links.substr(1) == pair.alignment);
  }
  // All lengths from "she dances" to the limit.
  CHECK(lengths.size() == 39);
  CHECK(*lengths.begin() == 2);
  CHECK(*lengths.rbegin() == 40);
}

TEST_CASE("with the least limit, no clause is longer than it", "[toys]") {
  std::size_t longest = 0;
  for (const SentencePair& pair : generate(long_sentences(13), 2, {5000, 10, 10}).train)
    longest = std::max(longest, words_of(pair.source).size() - 1);
  CHECK(longest == 13);
  CHECK(join(sentences::english(
            read_english("this famous poet doesn't wait for his old black cat at the market"))) ==
        "this famous poet doesn't wait for his old black cat at the market");
  CHECK_ERROR(long_sentences(12),
              "--max-words 12: give a number from 13, the words of the longest clause, to 1000");
  CHECK_ERROR(long_sentences(1001), "--max-words 1001: give a number from 13");
}

TEST_CASE("no English word of the lexicon has two meanings", "[toys]") {
  for (const sentences::Noun& noun : sentences::nouns()) {
    std::set<std::string> seen;
    for (const sentences::Adjective& adjective : sentences::adjectives()) {
      INFO(noun.english[0] << ", " << adjective.english[0]);
      if (noun.is(adjective.applies_to)) CHECK(seen.insert(adjective.english[0]).second);
    }
  }
  std::set<std::string> nouns, forms;
  for (const sentences::Noun& noun : sentences::nouns()) CHECK(nouns.insert(noun.english[0]).second);
  for (const sentences::Verb& verb : sentences::verbs()) {
    INFO(verb.english[0]);
    for (const std::string& form : {verb.english[0], verb.english[1], verb.english[2]}) {
      // "have" has two entries, and their objects distinguish them; "I read" would be present and past.
      CHECK((forms.insert(form).second || verb.usage.possesses));
    }
  }
}

TEST_CASE("a frame draws each of its sentences", "[toys]") {
  const auto phrase = [](const std::string& subject) { return read_english(subject + " slept").subject; };
  sentences::Frame frame{.weight = 1,
                         .predicate = {.verb = read_english("he ate the bread").verb},
                         .subjects = {},
                         .related = {}};
  frame.subjects.add(3, {{phrase("the cat"), phrase("a cat")}, {phrase("some old men")}});
  frame.subjects.add(1, {{}, {phrase("I")}});
  frame.objects.emplace();
  frame.objects->add(1, {{phrase("the bread"), phrase("some bread")}, {phrase("an apple")}});
  frame.related.push_back({sentences::Relation::none, 2, {}});
  frame.related.push_back({sentences::Relation::place, 1, {}});
  frame.related.back().phrases.add(1, {{phrase("the garden")}, {phrase("the market")}});
  // 2 subjects with two polarities and 2 with one, 2 tenses, 3 objects, 3 ends
  regard::SplitMix64 random(5);
  std::set<std::string> drawn;
  for (int i = 0; i < 5000; ++i) drawn.insert(join(sentences::english(frame.sample(random))));
  CHECK(drawn.size() == (2 * 2 + 2) * 2 * 3 * 3);
}
