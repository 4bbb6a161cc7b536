// The sentences of the toys and their gold alignments, compared with tables written by hand.
#include <string>
#include <vector>

#include "apps/toys/toys.h"
#include "tests/apps/support.h"
#include "tests/apps/toys/toy_sentences_reader.h"
#include "tests/catch.h"

namespace {

using namespace regard::toys;
using regard::tests::read_english;
using sentences::join;

struct Row {
  const char* english;
  const char* french;
  const char* korean;
};

/// The tables are written by hand. The test reads the English with its own parser, so that it checks the
/// sentences of the grammar in all three languages.
void check(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    INFO(row.english);
    const sentences::Clause clause = read_english(row.english);
    CHECK(join(sentences::english(clause)) == row.english);
    CHECK(join(sentences::french(clause)) == row.french);
    CHECK(join(sentences::korean(clause)) == row.korean);
  }
}

}  // namespace

TEST_CASE("to be, and the other verbs that French uses for it", "[toys]") {
  check({
      {"I am a student", "je suis étudiant", "나는 학생 이다"},
      {"she is a student", "elle est étudiante", "그녀는 학생 이다"},
      {"we are students", "nous sommes étudiants", "우리는 학생 이다"},
      {"he is not a doctor", "il n' est pas médecin", "그는 의사가 아니다"},
      {"I was not a poet", "je n' étais pas poète", "나는 시인이 아니었다"},
      {"my daughter was a singer", "ma fille était chanteuse", "내 딸은 가수 였다"},
      {"his son was a merchant", "son fils était marchand", "그의 아들은 상인 이었다"},
      {"these women are farmers", "ces femmes sont fermières", "이 여자들은 농부 이다"},
      {"the house is small", "la maison est petite", "집은 작다"},
      {"the houses are not small", "les maisons ne sont pas petites", "집은 작지 않다"},
      {"this tree was beautiful", "cet arbre était beau", "이 나무는 아름다웠다"},
      {"I was happy", "j' étais heureux", "나는 행복했다"},
      {"she was not tired", "elle n' était pas fatiguée", "그녀는 피곤하지 않았다"},
      {"the water is cold", "l' eau est froide", "물은 차갑다"},
      {"the hats were red", "les chapeaux étaient rouges", "모자는 빨갰다"},
      {"the bread was good", "le pain était bon", "빵은 맛있었다"},
      {"our keys are expensive", "nos clés sont chères", "우리 열쇠는 비싸다"},
      {"I am hungry", "j' ai faim", "나는 배가 고프다"},
      {"the children were not thirsty", "les enfants n' avaient pas soif", "아이들은 목이 마르지 않았다"},
      {"we were sleepy", "nous avions sommeil", "우리는 졸렸다"},
      {"the old woman is right", "la vieille femme a raison", "늙은 여자는 옳다"},
  });
}

TEST_CASE("verbs: person, tense, negation", "[toys]") {
  check({
      {"the man sleeps", "l' homme dort", "남자는 잔다"},
      {"a cat slept in the garden", "un chat a dormi dans le jardin", "고양이가 정원에서 잤다"},
      {"we don't work", "nous ne travaillons pas", "우리는 일하지 않는다"},
      {"she dances with my friends", "elle danse avec mes amis", "그녀는 내 친구들과 춤춘다"},
      {"I work with the singer", "je travaille avec le chanteur", "나는 가수와 일한다"},
      {"the girls went to the market", "les filles sont allées au marché", "소녀들은 시장에 갔다"},
      {"I arrive at the station", "j' arrive à la gare", "나는 역에 도착한다"},
      {"she didn't arrive at the school", "elle n' est pas arrivée à l' école",
       "그녀는 학교에 도착하지 않았다"},
      {"he comes from the hospital", "il vient de l' hôpital", "그는 병원에서 온다"},
      {"the horses don't come from the market", "les chevaux ne viennent pas du marché",
       "말들은 시장에서 오지 않는다"},
      {"our daughter came from the library", "notre fille est venue de la bibliothèque",
       "우리 딸은 도서관에서 왔다"},
      {"I speak to the student", "je parle à l' étudiant", "나는 학생에게 말한다"},
      {"he spoke to the poor", "il a parlé aux pauvres", "그는 가난한 사람들에게 말했다"},
      {"the farmer gives an apple to the teacher", "le fermier donne une pomme au professeur",
       "농부는 교사에게 사과를 준다"},
      {"I like this bird", "j' aime cet oiseau", "나는 이 새를 좋아한다"},
      {"he liked cats", "il aimait les chats", "그는 고양이를 좋아했다"},
      {"a teacher likes students", "un professeur aime les étudiants", "교사가 학생들을 좋아한다"},
      {"she doesn't like money", "elle n' aime pas l' argent", "그녀는 돈을 좋아하지 않는다"},
      {"the woman knows our doctor", "la femme connaît notre médecin", "여자는 우리 의사를 안다"},
      {"we didn't know the poets", "nous ne connaissions pas les poètes", "우리는 시인들을 몰랐다"},
      {"he wants a bag", "il veut un sac", "그는 가방을 원한다"},
      {"some doctors help the merchants", "des médecins aident les marchands", "의사들이 상인들을 돕는다"},
      {"he waited for his son at the station", "il a attendu son fils à la gare",
       "그는 역에서 그의 아들을 기다렸다"},
      {"I don't call the dogs", "je n' appelle pas les chiens", "나는 개들을 부르지 않는다"},
      {"the singer understood the letter", "le chanteur a compris la lettre", "가수는 편지를 이해했다"},
      {"we don't understand this poem", "nous ne comprenons pas ce poème", "우리는 이 시를 이해하지 못한다"},
      {"the dog didn't see the bears", "le chien n' a pas vu les ours", "개는 곰들을 보지 못했다"},
      {"the boy opened the window", "le garçon a ouvert la fenêtre", "소년은 창문을 열었다"},
      {"she buys the flowers in the street", "elle achète les fleurs dans la rue",
       "그녀는 거리에서 꽃을 산다"},
  });
}

TEST_CASE("articles, partitives, possessives and the negation", "[toys]") {
  check({
      {"the poor don't have any money", "les pauvres sont démunis", "가난한 사람들은 돈이 없다"},
      {"she didn't have any money", "elle était démunie", "그녀는 돈이 없었다"},
      {"I have some money", "j' ai de l' argent", "나는 돈이 있다"},
      {"I have a horse", "j' ai un cheval", "나는 말이 있다"},
      {"the teacher doesn't have a car", "le professeur n' a pas de voiture", "교사는 자동차가 없다"},
      {"she had some cows", "elle avait des vaches", "그녀는 소들이 있었다"},
      {"we don't have any clocks", "nous n' avons pas d' horloges", "우리는 시계가 없다"},
      {"he doesn't want any money", "il ne veut pas d' argent", "그는 돈을 원하지 않는다"},
      {"I drink some water", "je bois de l' eau", "나는 물을 마신다"},
      {"the cat drank some milk", "le chat a bu du lait", "고양이는 우유를 마셨다"},
      {"a bear ate some meat", "un ours a mangé de la viande", "곰이 고기를 먹었다"},
      {"the owl doesn't eat any bread", "le hibou ne mange pas de pain", "올빼미는 빵을 먹지 않는다"},
      {"I don't eat the bread", "je ne mange pas le pain", "나는 빵을 먹지 않는다"},
      {"he found an egg in the kitchen", "il a trouvé un œuf dans la cuisine",
       "그는 부엌에서 달걀을 발견했다"},
      {"we didn't find any owls", "nous n' avons pas trouvé de hiboux", "우리는 올빼미들을 발견하지 못했다"},
      {"she sells her orange", "elle vend son orange", "그녀는 그녀의 오렌지를 판다"},
      {"I wrote my letter at the church", "j' ai écrit ma lettre à l' église",
       "나는 교회에서 내 편지를 썼다"},
      {"some birds see the boats", "des oiseaux voient les bateaux", "새들이 배를 본다"},
  });
}

TEST_CASE("adjectives: their place, their agreement, and the vowel that follows", "[toys]") {
  check({
      {"an old man sings", "un vieil homme chante", "늙은 남자가 노래한다"},
      {"the old houses are white", "les vieilles maisons sont blanches", "오래된 집은 하얗다"},
      {"my new student laughs", "mon nouvel étudiant rit", "내 새 학생은 웃는다"},
      {"I saw a beautiful bird", "j' ai vu un bel oiseau", "나는 아름다운 새를 보았다"},
      {"he likes the small red house", "il aime la petite maison rouge", "그는 작은 빨간 집을 좋아한다"},
      {"we have some small black cats", "nous avons de petits chats noirs",
       "우리는 작은 검은 고양이들이 있다"},
      {"she likes red flowers", "elle aime les fleurs rouges", "그녀는 빨간 꽃을 좋아한다"},
      {"the bird finds an old tree", "l' oiseau trouve un vieil arbre", "새는 오래된 나무를 발견한다"},
      {"he sees some old owls", "il voit de vieux hiboux", "그는 늙은 올빼미들을 본다"},
      {"he doesn't sell any old clocks", "il ne vend pas de vieilles horloges",
       "그는 오래된 시계를 팔지 않는다"},
      {"she drinks some hot tea", "elle boit du thé chaud", "그녀는 뜨거운 차를 마신다"},
      {"some good students understand this famous poet", "de bons étudiants comprennent ce poète célèbre",
       "좋은 학생들이 이 유명한 시인을 이해한다"},
      {"the happy girl bought some good bread", "la fille heureuse a acheté du bon pain",
       "행복한 소녀는 맛있는 빵을 샀다"},
      {"his heavy bag is blue", "son sac lourd est bleu", "그의 무거운 가방은 파랗다"},
      {"the intelligent child closes the big door", "l' enfant intelligent ferme la grande porte",
       "똑똑한 아이는 큰 문을 닫는다"},
      {"her beautiful clock was expensive", "sa belle horloge était chère", "그녀의 아름다운 시계는 비쌌다"},
  });
}

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
    const Corpus corpus = generate(toy, 1, {20, 5, 5});
    CHECK(corpus.has_alignments ==
          (toy.name == "numbers" || toy.name == "sentences" || toy.name == "pronouns"));
    for (const SentencePair& pair : corpus.train) CHECK(pair.alignment.empty() != corpus.has_alignments);
  }
}
