#include "apps/toys/sentences/lexicon.h"

namespace regard::toys::sentences {
namespace {

using namespace traits;
constexpr Gender m = Gender::masculine;
constexpr Gender f = Gender::feminine;

constexpr unsigned working = person | adult | profession | aged;
constexpr unsigned young = person | child | layman;
constexpr unsigned beast = animal | aged | possession;
constexpr unsigned article = thing | goods | lasting | painted | possession;
constexpr unsigned fruit = thing | goods | edible;
constexpr unsigned food = mass | goods | edible;
constexpr unsigned beverage = mass | goods | drink | served;

constexpr Adjective::Place before = Adjective::Place::before, after = Adjective::Place::after;

}  // namespace

const std::vector<Noun>& nouns() {
  static const std::vector<Noun> list = {
      // People.
      {"man men", "homme hommes", m, "남자", person | adult | layman | aged | unowned},
      {"woman women", "femme femmes", f, "여자", person | adult | layman | aged | unowned | pretty},
      {"boy boys", "garçon garçons", m, "소년", young | unowned},
      {"girl girls", "fille filles", f, "소녀", young | unowned},
      {"child children", "enfant enfants", m, "아이", young},
      {"son sons", "fils fils", m, "아들", young | kin},
      {"daughter daughters", "fille filles", f, "딸", young | kin},
      {"friend friends", "ami amis", m, "친구", person | adult | layman | acquaintance},
      {"student students", "étudiant étudiants étudiante étudiantes", m, "학생", working},
      {"teacher teachers", "professeur professeurs professeure professeures", m, "교사", working},
      {"doctor doctors", "médecin médecins médecin médecins", m, "의사", working},
      {"poet poets", "poète poètes poète poètes", m, "시인", working},
      {"singer singers", "chanteur chanteurs chanteuse chanteuses", m, "가수", working},
      {"farmer farmers", "fermier fermiers fermière fermières", m, "농부", working},
      {"merchant merchants", "marchand marchands marchande marchandes", m, "상인", working},
      {"poor poor", "pauvre pauvres", m, "가난한_사람", person | collective},
      // Animals.
      {"cat cats", "chat chats", m, "고양이", beast},
      {"dog dogs", "chien chiens", m, "개", beast},
      {"horse horses", "cheval chevaux", m, "말", beast | pretty},
      {"bird birds", "oiseau oiseaux", m, "새", beast | pretty},
      {"owl owls", "hibou hiboux", m, "올빼미", beast},
      {"bear bears", "ours ours", m, "곰", beast | pretty},
      {"cow cows", "vache vaches", f, "소", beast},
      // Things.
      {"book books", "livre livres", m, "책", article | text | handwritten},
      {"letter letters", "lettre lettres", f, "편지", thing | text | handwritten},
      {"newspaper newspapers", "journal journaux", m, "신문", thing | goods | text},
      {"poem poems", "poème poèmes", m, "시", thing | text | handwritten | pretty},
      {"house houses", "maison maisons", f, "집", article | pretty},
      {"car cars", "voiture voitures", f, "자동차", article},
      {"boat boats", "bateau bateaux", m, "배", article},
      {"clock clocks", "horloge horloges", f, "시계", article | weighty | pretty},
      {"hat hats", "chapeau chapeaux", m, "모자", article | pretty},
      {"bag bags", "sac sacs", m, "가방", article | weighty | opening},
      {"chair chairs", "chaise chaises", f, "의자", article | weighty},
      {"door doors", "porte portes", f, "문", thing | lasting | painted | weighty | opening},
      {"window windows", "fenêtre fenêtres", f, "창문", thing | lasting | opening},
      {"key keys", "clé clés", f, "열쇠", thing | goods | possession | lasting},
      {"flower flowers", "fleur fleurs", f, "꽃", thing | goods | painted | pretty},
      {"tree trees", "arbre arbres", m, "나무", thing | possession | lasting | pretty},
      {"apple apples", "pomme pommes", f, "사과", fruit},
      {"orange oranges", "orange oranges", f, "오렌지", fruit},
      {"cake cakes", "gâteau gâteaux", m, "케이크", fruit},
      {"egg eggs", "œuf œufs", m, "달걀", fruit},
      // What has no plural.
      {"bread", "pain", m, "빵", food},
      {"meat", "viande", f, "고기", food},
      {"cheese", "fromage", m, "치즈", food},
      {"soup", "soupe", f, "수프", mass | edible | served},
      {"water", "eau", f, "물", beverage},
      {"milk", "lait", m, "우유", beverage},
      {"tea", "thé", m, "차", beverage},
      {"coffee", "café", m, "커피", beverage},
      {"money", "argent", m, "돈", mass | money},
      // Places.
      {"garden", "jardin", m, "정원", inside},
      {"kitchen", "cuisine", f, "부엌", inside},
      {"park", "parc", m, "공원", inside},
      {"forest", "forêt", f, "숲", inside},
      {"street", "rue", f, "거리", inside},
      {"market", "marché", m, "시장", site},
      {"station", "gare", f, "역", site},
      {"school", "école", f, "학교", site},
      {"hospital", "hôpital", m, "병원", site},
      {"library", "bibliothèque", f, "도서관", site},
      {"church", "église", f, "교회", site},
  };
  return list;
}

// "Old" and "good" stand twice: Korean tells living things from others, and what tastes good from what is
// good.
const std::vector<Adjective>& adjectives() {
  static const std::vector<Adjective> list = {
      {"small", "petit petits petite petites", before, "작은", "작다 작았다 작지", child | animal | thing},
      {"big", "grand grands grande grandes", before, "큰", "크다 컸다 크지", animal | thing},
      {"young", "jeune jeunes jeune jeunes", before, "젊은", "젊다 젊었다 젊지", adult},
      {"old", "vieux vieux vieille vieilles vieil", before, "늙은", "", aged},
      {"old", "vieux vieux vieille vieilles vieil", before, "오래된", "", lasting},
      {"new", "nouveau nouveaux nouvelle nouvelles nouvel", before, "새", "",
       lasting | profession | acquaintance},
      {"good", "bon bons bonne bonnes", before, "좋은", "", profession | text},
      {"good", "bon bons bonne bonnes", before, "맛있는", "맛있다 맛있었다 맛있지", edible | drink},
      {"beautiful", "beau beaux belle belles bel", before, "아름다운", "아름답다 아름다웠다 아름답지",
       pretty},
      {"rich", "riche riches riche riches", after, "부유한", "부유하다 부유했다 부유하지", adult},
      {"famous", "célèbre célèbres célèbre célèbres", after, "유명한", "유명하다 유명했다 유명하지",
       profession},
      {"intelligent", "intelligent intelligents intelligente intelligentes", after, "똑똑한",
       "똑똑하다 똑똑했다 똑똑하지", animate},
      {"happy", "heureux heureux heureuse heureuses", after, "행복한", "행복하다 행복했다 행복하지", person},
      {"sad", "triste tristes triste tristes", after, "슬픈", "슬프다 슬펐다 슬프지", person},
      {"tired", "fatigué fatigués fatiguée fatiguées", after, "피곤한", "피곤하다 피곤했다 피곤하지", person},
      {"expensive", "cher chers chère chères", after, "비싼", "비싸다 비쌌다 비싸지", goods},
      {"heavy", "lourd lourds lourde lourdes", after, "무거운", "무겁다 무거웠다 무겁지", weighty},
      {"hot", "chaud chauds chaude chaudes", after, "뜨거운", "뜨겁다 뜨거웠다 뜨겁지", served},
      {"cold", "froid froids froide froides", after, "차가운", "차갑다 차가웠다 차갑지", served},
      {"red", "rouge rouges rouge rouges", after, "빨간", "빨갛다 빨갰다 빨갛지", painted, true},
      {"blue", "bleu bleus bleue bleues", after, "파란", "파랗다 파랬다 파랗지", painted, true},
      {"white", "blanc blancs blanche blanches", after, "하얀", "하얗다 하얬다 하얗지", painted | animal,
       true},
      {"black", "noir noirs noire noires", after, "검은", "검다 검었다 검지", painted | animal, true},
  };
  return list;
}

const std::vector<Feeling>& feelings() {
  static const std::vector<Feeling> list = {
      {"hungry", "faim", "배가", "고프다 고팠다 고프지"},
      {"thirsty", "soif", "목이", "마르다 말랐다 마르지"},
      {"sleepy", "sommeil", "", "졸리다 졸렸다 졸리지"},
      {"right", "raison", "", "옳다 옳았다 옳지"},
  };
  return list;
}

const std::vector<SentencePair>& fixed_pairs() {
  static const std::vector<SentencePair> list = {
      {">>fr<< I am a student", "je suis étudiant", "1-0 2-1 4-2"},
      {">>ko<< I am a student", "나는 학생 이다", "1-0 4-1 2-2"},
      {">>fr<< the poor don't have any money", "les pauvres sont démunis", "1-0 2-1 4-2 3-3 4-3 5-3 6-3"},
      {">>ko<< the poor don't have any money", "가난한 사람들은 돈이 없다", "2-0 2-1 6-2 3-3 4-3"},
  };
  return list;
}

}  // namespace regard::toys::sentences
