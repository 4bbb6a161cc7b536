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

}  // namespace

const std::vector<Noun>& nouns() {
  static const std::vector<Noun> list = {
      // People.
      {"man", "men", "homme", "hommes", m, "남자", person | adult | layman | aged | unowned},
      {"woman", "women", "femme", "femmes", f, "여자", person | adult | layman | aged | unowned | pretty},
      {"boy", "boys", "garçon", "garçons", m, "소년", young | unowned},
      {"girl", "girls", "fille", "filles", f, "소녀", young | unowned},
      {"child", "children", "enfant", "enfants", m, "아이", young},
      {"son", "sons", "fils", "fils", m, "아들", young | kin},
      {"daughter", "daughters", "fille", "filles", f, "딸", young | kin},
      {"friend", "friends", "ami", "amis", m, "친구", person | adult | layman | acquaintance},
      {"student", "students", "étudiant", "étudiants", m, "학생", working, "étudiante", "étudiantes"},
      {"teacher", "teachers", "professeur", "professeurs", m, "교사", working, "professeure", "professeures"},
      {"doctor", "doctors", "médecin", "médecins", m, "의사", working, "médecin", "médecins"},
      {"poet", "poets", "poète", "poètes", m, "시인", working, "poète", "poètes"},
      {"singer", "singers", "chanteur", "chanteurs", m, "가수", working, "chanteuse", "chanteuses"},
      {"farmer", "farmers", "fermier", "fermiers", m, "농부", working, "fermière", "fermières"},
      {"merchant", "merchants", "marchand", "marchands", m, "상인", working, "marchande", "marchandes"},
      {"poor", "poor", "pauvre", "pauvres", m, "가난한 사람", person | collective},
      // Animals.
      {"cat", "cats", "chat", "chats", m, "고양이", beast},
      {"dog", "dogs", "chien", "chiens", m, "개", beast},
      {"horse", "horses", "cheval", "chevaux", m, "말", beast | pretty},
      {"bird", "birds", "oiseau", "oiseaux", m, "새", beast | pretty},
      {"owl", "owls", "hibou", "hiboux", m, "올빼미", beast},
      {"bear", "bears", "ours", "ours", m, "곰", beast | pretty},
      {"cow", "cows", "vache", "vaches", f, "소", beast},
      // Things.
      {"book", "books", "livre", "livres", m, "책", article | text | handwritten},
      {"letter", "letters", "lettre", "lettres", f, "편지", thing | text | handwritten},
      {"newspaper", "newspapers", "journal", "journaux", m, "신문", thing | goods | text},
      {"poem", "poems", "poème", "poèmes", m, "시", thing | text | handwritten | pretty},
      {"house", "houses", "maison", "maisons", f, "집", article | pretty},
      {"car", "cars", "voiture", "voitures", f, "자동차", article},
      {"boat", "boats", "bateau", "bateaux", m, "배", article},
      {"clock", "clocks", "horloge", "horloges", f, "시계", article | weighty | pretty},
      {"hat", "hats", "chapeau", "chapeaux", m, "모자", article | pretty},
      {"bag", "bags", "sac", "sacs", m, "가방", article | weighty | opening},
      {"chair", "chairs", "chaise", "chaises", f, "의자", article | weighty},
      {"door", "doors", "porte", "portes", f, "문", thing | lasting | painted | weighty | opening},
      {"window", "windows", "fenêtre", "fenêtres", f, "창문", thing | lasting | opening},
      {"key", "keys", "clé", "clés", f, "열쇠", thing | goods | possession | lasting},
      {"flower", "flowers", "fleur", "fleurs", f, "꽃", thing | goods | painted | pretty},
      {"tree", "trees", "arbre", "arbres", m, "나무", thing | possession | lasting | pretty},
      {"apple", "apples", "pomme", "pommes", f, "사과", fruit},
      {"orange", "oranges", "orange", "oranges", f, "오렌지", fruit},
      {"cake", "cakes", "gâteau", "gâteaux", m, "케이크", fruit},
      {"egg", "eggs", "œuf", "œufs", m, "달걀", fruit},
      // What has no plural.
      {"bread", nullptr, "pain", nullptr, m, "빵", food},
      {"meat", nullptr, "viande", nullptr, f, "고기", food},
      {"cheese", nullptr, "fromage", nullptr, m, "치즈", food},
      {"soup", nullptr, "soupe", nullptr, f, "수프", mass | edible | served},
      {"water", nullptr, "eau", nullptr, f, "물", beverage},
      {"milk", nullptr, "lait", nullptr, m, "우유", beverage},
      {"tea", nullptr, "thé", nullptr, m, "차", beverage},
      {"coffee", nullptr, "café", nullptr, m, "커피", beverage},
      {"money", nullptr, "argent", nullptr, m, "돈", mass | money},
      // Places.
      {"garden", nullptr, "jardin", nullptr, m, "정원", inside},
      {"kitchen", nullptr, "cuisine", nullptr, f, "부엌", inside},
      {"park", nullptr, "parc", nullptr, m, "공원", inside},
      {"forest", nullptr, "forêt", nullptr, f, "숲", inside},
      {"street", nullptr, "rue", nullptr, f, "거리", inside},
      {"market", nullptr, "marché", nullptr, m, "시장", site},
      {"station", nullptr, "gare", nullptr, f, "역", site},
      {"school", nullptr, "école", nullptr, f, "학교", site},
      {"hospital", nullptr, "hôpital", nullptr, m, "병원", site},
      {"library", nullptr, "bibliothèque", nullptr, f, "도서관", site},
      {"church", nullptr, "église", nullptr, f, "교회", site},
  };
  return list;
}

}  // namespace regard::toys::sentences
