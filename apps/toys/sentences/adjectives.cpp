#include "apps/toys/sentences/lexicon.h"

namespace regard::toys::sentences {
namespace {

using namespace traits;
constexpr Adjective::Place before = Adjective::Place::before;
constexpr Adjective::Place after = Adjective::Place::after;

}  // namespace

const std::vector<Adjective>& adjectives() {
  // English; French masculine, feminine, their plurals, before a vowel, place; Korean modifier, present,
  // past, stem of the negation. "Old" and "good" stand twice: Korean tells living things from others, and
  // what tastes good from what is good.
  static const std::vector<Adjective> list = {
      {"small", "petit", "petite", "petits", "petites", nullptr, before,  //
       "작은", "작다", "작았다", "작지", child | animal | thing},
      {"big", "grand", "grande", "grands", "grandes", nullptr, before,  //
       "큰", "크다", "컸다", "크지", animal | thing},
      {"young", "jeune", "jeune", "jeunes", "jeunes", nullptr, before,  //
       "젊은", "젊다", "젊었다", "젊지", adult},
      {"old", "vieux", "vieille", "vieux", "vieilles", "vieil", before,  //
       "늙은", nullptr, nullptr, nullptr, aged},
      {"old", "vieux", "vieille", "vieux", "vieilles", "vieil", before,  //
       "오래된", nullptr, nullptr, nullptr, lasting},
      {"new", "nouveau", "nouvelle", "nouveaux", "nouvelles", "nouvel", before,  //
       "새", nullptr, nullptr, nullptr, lasting | profession | acquaintance},
      {"good", "bon", "bonne", "bons", "bonnes", nullptr, before,  //
       "좋은", nullptr, nullptr, nullptr, profession | text},
      {"good", "bon", "bonne", "bons", "bonnes", nullptr, before,  //
       "맛있는", "맛있다", "맛있었다", "맛있지", edible | drink},
      {"beautiful", "beau", "belle", "beaux", "belles", "bel", before,  //
       "아름다운", "아름답다", "아름다웠다", "아름답지", pretty},
      {"rich", "riche", "riche", "riches", "riches", nullptr, after,  //
       "부유한", "부유하다", "부유했다", "부유하지", adult},
      {"famous", "célèbre", "célèbre", "célèbres", "célèbres", nullptr, after,  //
       "유명한", "유명하다", "유명했다", "유명하지", profession},
      {"intelligent", "intelligent", "intelligente", "intelligents", "intelligentes", nullptr, after,  //
       "똑똑한", "똑똑하다", "똑똑했다", "똑똑하지", animate},
      {"happy", "heureux", "heureuse", "heureux", "heureuses", nullptr, after,  //
       "행복한", "행복하다", "행복했다", "행복하지", person},
      {"sad", "triste", "triste", "tristes", "tristes", nullptr, after,  //
       "슬픈", "슬프다", "슬펐다", "슬프지", person},
      {"tired", "fatigué", "fatiguée", "fatigués", "fatiguées", nullptr, after,  //
       "피곤한", "피곤하다", "피곤했다", "피곤하지", person},
      {"expensive", "cher", "chère", "chers", "chères", nullptr, after,  //
       "비싼", "비싸다", "비쌌다", "비싸지", goods},
      {"heavy", "lourd", "lourde", "lourds", "lourdes", nullptr, after,  //
       "무거운", "무겁다", "무거웠다", "무겁지", weighty},
      {"hot", "chaud", "chaude", "chauds", "chaudes", nullptr, after,  //
       "뜨거운", "뜨겁다", "뜨거웠다", "뜨겁지", served},
      {"cold", "froid", "froide", "froids", "froides", nullptr, after,  //
       "차가운", "차갑다", "차가웠다", "차갑지", served},
      {"red", "rouge", "rouge", "rouges", "rouges", nullptr, after,  //
       "빨간", "빨갛다", "빨갰다", "빨갛지", painted, true},
      {"blue", "bleu", "bleue", "bleus", "bleues", nullptr, after,  //
       "파란", "파랗다", "파랬다", "파랗지", painted, true},
      {"white", "blanc", "blanche", "blancs", "blanches", nullptr, after,  //
       "하얀", "하얗다", "하얬다", "하얗지", painted | animal, true},
      {"black", "noir", "noire", "noirs", "noires", nullptr, after,  //
       "검은", "검다", "검었다", "검지", painted | animal, true},
  };
  return list;
}

const std::vector<Feeling>& feelings() {
  static const std::vector<Feeling> list = {
      {"hungry", "faim", "배가", "고프다", "고팠다", "고프지"},
      {"thirsty", "soif", "목이", "마르다", "말랐다", "마르지"},
      {"sleepy", "sommeil", "", "졸리다", "졸렸다", "졸리지"},
      {"right", "raison", "", "옳다", "옳았다", "옳지"},
  };
  return list;
}

}  // namespace regard::toys::sentences
