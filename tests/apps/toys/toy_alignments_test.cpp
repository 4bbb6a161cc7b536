// Gold alignments of the toys, compared with alignments written by hand.
#include <string>
#include <vector>

#include "apps/toys/toys.h"
#include "tests/apps/support.h"
#include "tests/apps/toys/toy_sentences_reader.h"

namespace {

using namespace regard::toys;

/// The alignment of an English sentence behind its language token, which is source token 0.
std::string aligned(const std::string& sentence,
                    regard::toys::Tokens (*translate)(const sentences::Clause&)) {
  const sentences::Clause clause = regard::tests::read_english(sentence);
  regard::toys::Tokens source = sentences::english(clause);
  source.insert(source.begin(), {">>xx<<", sentences::parts::none});
  return gold_alignment(source, translate(clause), LinkKind::sure);
}

std::string to_french(const std::string& sentence) { return aligned(sentence, sentences::french); }
std::string to_korean(const std::string& sentence) { return aligned(sentence, sentences::korean); }

/// Two words with their first and last characters.
struct WordPair {
  int source_begin, source_end, target_begin, target_end;
};

/// Possible links between all characters of each two words. The words are in the order of the target.
std::string links(const std::vector<WordPair>& words) {
  std::string text;
  for (const WordPair& pair : words)
    for (int target = pair.target_begin; target <= pair.target_end; ++target)
      for (int source = pair.source_begin; source <= pair.source_end; ++source)
        text += (text.empty() ? "" : " ") + std::to_string(source) + "?" + std::to_string(target);
  return text;
}

}  // namespace

TEST_CASE("English and French words with the same part of the meaning are linked", "[toys]") {
  // je suis étudiant: "a" has no counterpart
  CHECK(to_french("I am a student") == "1-0 2-1 4-2");
  // il vient du marché: "du" is "from the"
  CHECK(to_french("he comes from the market") == "1-0 2-1 3-2 4-2 5-3");
  // il parle aux pauvres
  CHECK(to_french("he speaks to the poor") == "1-0 2-1 3-2 4-2 5-3");
  // elle n' aime pas la petite maison rouge
  CHECK(to_french("she doesn't like the small red house") == "1-0 2-1 3-2 2-3 4-4 5-5 7-6 6-7");
  // elle aime les fleurs rouges: "les" has no counterpart
  CHECK(to_french("she likes red flowers") == "1-0 2-1 4-3 3-4");
  // j' ai écrit ma lettre à l' église
  CHECK(to_french("I wrote my letter at the church") == "1-0 2-1 2-2 3-3 4-4 5-5 6-6 7-7");
  // il a attendu la fille: "wait for" is one verb
  CHECK(to_french("he waited for the girl") == "1-0 2-1 3-1 2-2 3-2 4-3 5-4");
  // elle boit de l' eau
  CHECK(to_french("she drinks some water") == "1-0 2-1 3-2 3-3 4-4");
  // elle n' a pas faim
  CHECK(to_french("she is not hungry") == "1-0 3-1 2-2 3-3 4-4");
  // les pauvres sont démunis: the idiom says verb, negation and object
  CHECK(to_french("the poor don't have any money") == "1-0 2-1 4-2 3-3 4-3 5-3 6-3");
}

TEST_CASE("English and Korean words with the same part of the meaning are linked", "[toys]") {
  // 나는 학생 이다
  CHECK(to_korean("I am a student") == "1-0 4-1 2-2");
  // 그는 의사가 아니다: "is not" is one word
  CHECK(to_korean("he is not a doctor") == "1-0 5-1 2-2 3-2");
  // 그녀는 고양이를 보지 못한다
  CHECK(to_korean("she doesn't see the cat") == "1-0 5-1 3-2 2-3");
  // 나는 의사를 모른다: "don't know" is one word
  CHECK(to_korean("I don't know the doctor") == "1-0 5-1 2-2 3-2");
  // 그녀는 배가 고프다
  CHECK(to_korean("she is hungry") == "1-0 3-1 2-2 3-2");
  // 그의 가방은 무겁지 않다
  CHECK(to_korean("his bag is not heavy") == "1-0 2-1 3-2 5-2 4-3");
  // 나는 교회에서 내 편지를 썼다: the particle says "at"
  CHECK(to_korean("I wrote my letter at the church") == "1-0 5-1 7-1 3-2 4-3 2-4");
  // 그는 작은 빨간 집을 좋아한다
  CHECK(to_korean("he likes the small red house") == "1-0 4-1 5-2 6-3 2-4");
  // 가난한 사람들은 돈이 없다: "poor" is two words, "don't have" one
  CHECK(to_korean("the poor don't have any money") == "2-0 2-1 6-2 3-3 4-3");
}

TEST_CASE("the characters of number words are linked word by word", "[toys]") {
  // one / eins
  CHECK(number_pair(1).alignment == "0?0 1?0 2?0 0?1 1?1 2?1 0?2 1?2 2?2 0?3 1?3 2?3");
  // twenty-one / einundzwanzig: the hyphen is "und"
  CHECK(number_pair(21).alignment == links({{7, 9, 0, 2}, {6, 6, 3, 5}, {0, 5, 6, 12}}));
  // one hundred and one / einhunderteins
  CHECK(number_pair(101).alignment == links({{0, 2, 0, 2}, {4, 10, 3, 9}, {16, 18, 10, 13}}));
  // one thousand two hundred and twenty-one / eintausendzweihunderteinundzwanzig
  CHECK(number_pair(1221).alignment == links({{0, 2, 0, 2},
                                              {4, 11, 3, 9},
                                              {13, 15, 10, 13},
                                              {17, 23, 14, 20},
                                              {36, 38, 21, 23},
                                              {35, 35, 24, 26},
                                              {29, 34, 27, 33}}));
  // five thousand and twelve / fünftausendzwölf: positions count characters, not bytes
  CHECK(number_pair(5012).alignment == links({{0, 3, 0, 3}, {5, 12, 4, 10}, {18, 23, 11, 15}}));
  // two hundred and two thousand / zweihundertzweitausend
  CHECK(number_pair(202000).alignment ==
        links({{0, 2, 0, 3}, {4, 10, 4, 10}, {16, 18, 11, 14}, {20, 27, 15, 21}}));
}

TEST_CASE("only the toys whose grammar knows them have gold alignments", "[toys]") {
  for (const Toy& toy : all_toys()) {
    CAPTURE(toy.name);
    const Corpus corpus = generate(toy.name, 1, {20, 5, 5});
    CHECK(corpus.has_alignments == (toy.name == "numbers" || toy.name == "sentences"));
    for (const SentencePair& pair : corpus.train) CHECK(pair.alignment.empty() != corpus.has_alignments);
  }
}
