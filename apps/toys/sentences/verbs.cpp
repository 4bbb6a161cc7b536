#include "apps/toys/sentences/lexicon.h"

namespace regard::toys::sentences {
namespace {

using namespace traits;
using namespace determiners;
constexpr Verb::Past avoir = Verb::Past::avoir, etre = Verb::Past::etre, imperfect = Verb::Past::imperfect;

constexpr unsigned some_or_the = specific | indefinite;
constexpr unsigned visible = person | animal | thing;

constexpr Usage with_object(unsigned subjects, unsigned objects) {
  return {.subjects = subjects, .objects = objects, .determiners = some_or_the};
}

/// Verbs that may be said to happen somewhere.
constexpr Usage somewhere(unsigned subjects, unsigned objects = 0) {
  return {.subjects = subjects, .objects = objects, .determiners = some_or_the, .places = inside | site};
}

constexpr Usage somewhere_or_with_somebody(unsigned subjects, unsigned places = inside | site) {
  return {.subjects = subjects, .places = places, .takes_companion = true, .weight = 4};
}

constexpr Usage towards(Relation relation, unsigned subjects) {
  return {.subjects = subjects, .complement = relation, .weight = 12};
}

constexpr Usage to_somebody(unsigned objects) {
  return {.subjects = person,
          .objects = objects,
          .determiners = some_or_the,
          .complement = Relation::recipient,
          .weight = 7};
}

constexpr Usage had(unsigned objects, unsigned weight) {
  return {
      .subjects = person, .objects = objects, .determiners = indefinite, .possesses = true, .weight = weight};
}

}  // namespace

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> list = {
      // Without an object. To run or to laugh at the church would be something else.
      {"sleep sleeps slept", "dors dort dormons dorment dormi", avoir, "잔다 잤다 자지", somewhere(animate)},
      {"run runs ran", "cours court courons courent couru", avoir, "달린다 달렸다 달리지",
       somewhere_or_with_somebody(animate, inside)},
      {"sing sings sang", "chante chante chantons chantent chanté", avoir, "노래한다 노래했다 노래하지",
       somewhere_or_with_somebody(person)},
      {"dance dances danced", "danse danse dansons dansent dansé", avoir, "춤춘다 춤추었다 춤추지",
       somewhere_or_with_somebody(person)},
      {"work works worked", "travaille travaille travaillons travaillent travaillé", avoir,
       "일한다 일했다 일하지", somewhere_or_with_somebody(person)},
      {"laugh laughs laughed", "ris rit rions rient ri", avoir, "웃는다 웃었다 웃지",
       somewhere_or_with_somebody(person, inside)},
      // From here to there. These conjugate with être in the past.
      {"go goes went to", "vais va allons vont allé", etre, "간다 갔다 가지",
       towards(Relation::goal, animate)},
      {"arrive arrives arrived at", "arrive arrive arrivons arrivent arrivé", etre,
       "도착한다 도착했다 도착하지", towards(Relation::goal, animate)},
      {"come comes came", "viens vient venons viennent venu", etre, "온다 왔다 오지",
       towards(Relation::origin, animate)},
      // To somebody.
      {"give gives gave", "donne donne donnons donnent donné", avoir, "준다 주었다 주지",
       to_somebody(goods | money)},
      {"speak speaks spoke", "parle parle parlons parlent parlé", avoir, "말한다 말했다 말하지",
       to_somebody(0)},
      // With an object. The negation of see, find and understand is 못하다, "to be unable to", and not 않다.
      {"eat eats ate", "mange mange mangeons mangent mangé", avoir, "먹는다 먹었다 먹지",
       somewhere(animate, edible)},
      {"drink drinks drank", "bois boit buvons boivent bu", avoir, "마신다 마셨다 마시지",
       somewhere(animate, drink)},
      {"write writes wrote", "écris écrit écrivons écrivent écrit", avoir, "쓴다 썼다 쓰지",
       somewhere(person, handwritten)},
      {"see sees saw", "vois voit voyons voient vu", avoir, "본다 보았다 보지_못한다 보지_못했다",
       somewhere(animate, visible)},
      {"buy buys bought", "achète achète achetons achètent acheté", avoir, "산다 샀다 사지",
       somewhere(person, goods)},
      {"sell sells sold", "vends vend vendons vendent vendu", avoir, "판다 팔았다 팔지",
       somewhere(person, goods)},
      {"find finds found", "trouve trouve trouvons trouvent trouvé", avoir,
       "발견한다 발견했다 발견하지_못한다 발견하지_못했다", somewhere(animate, possession | thing | money)},
      {"wait waits waited for", "attends attend attendons attendent attendu", avoir,
       "기다린다 기다렸다 기다리지", somewhere(person, person)},
      {"help helps helped", "aide aide aidons aident aidé", avoir, "돕는다 도왔다 돕지",
       with_object(person, person)},
      {"call calls called", "appelle appelle appelons appellent appelé", avoir, "부른다 불렀다 부르지",
       with_object(person, animate)},
      {"understand understands understood", "comprends comprend comprenons comprennent compris", avoir,
       "이해한다 이해했다 이해하지_못한다 이해하지_못했다", with_object(person, person | text)},
      {"open opens opened", "ouvre ouvre ouvrons ouvrent ouvert", avoir, "연다 열었다 열지",
       with_object(person, opening)},
      {"close closes closed", "ferme ferme fermons ferment fermé", avoir, "닫는다 닫았다 닫지",
       with_object(person, opening)},
      // States: the past is the imperfect. "Have" is listed twice, so that "any money" is frequent, for which
      // French has an idiom.
      {"have has had", "ai a avons ont av", imperfect, "있다 있었다 없다 없었다", had(possession, 7)},
      {"have has had", "ai a avons ont av", imperfect, "있다 있었다 없다 없었다", had(money, 6)},
      {"like likes liked",
       "aime aime aimons aiment aim",
       imperfect,
       "좋아한다 좋아했다 좋아하지",
       {.subjects = animate, .objects = any, .determiners = specific | generic, .weight = 5}},
      {"want wants wanted", "veux veut voulons veulent voul", imperfect, "원한다 원했다 원하지",
       with_object(person, possession | money)},
      {"know knows knew", "connais connaît connaissons connaissent connaiss", imperfect,
       "안다 알았다 모른다 몰랐다", with_object(person, person)},
  };
  return list;
}

}  // namespace regard::toys::sentences
