#include "apps/documents/abbreviations.h"

#include <algorithm>
#include <array>

namespace regard::documents {

namespace {

// Words that may end a sentence without being an abbreviation ("No.", "Art.") belong to before_numbers.
// Initials and dotted abbreviations ("J. S. Bach", "U.S. Army") need no entry, unless they always go on.
constexpr std::array languages{
    Abbreviations{
        .language = "en",
        .always =
            U"Mr Mrs Ms Messrs Dr Drs Prof Profs Gen Lt Col Maj Capt Cpl Sgt Pvt Adm Cmdr Rev Fr Hon Pres "
            U"Gov Sen Sens Rep Reps Supt Insp Amb Mt Ft vs e.g i.e cf viz approx esp",
        .before_numbers =
            U"no nos fig figs eq eqs sec ch chap vol vols p pp art arts pt tab app ref refs op ver "
            U"c ca Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec",
        .unless_starter = U"Inc Co Corp Ltd Bros Jr Sr Esq St Ave Blvd Rd Hwy Sq Dept Univ Assn al",
        .starters =
            U"A After All Also Although An And Another Any Anyone Are As At Because Before Both But By "
            U"Can Did Do Does During Each Even Every Everybody Everyone Few Finally For From Had Has "
            U"Have He Her Here His How However I If In Indeed Instead Into Is It Its Later Many Maybe "
            U"Meanwhile Moreover Most My Neither Never No Nobody Nor Not Nothing Now Of On Once One Only "
            U"Or Our Perhaps Please See She Should Since So Some Someone Sometimes Soon Still Such That "
            U"The Their Then There Therefore These They This Those Though Thus To Today Tomorrow Under "
            U"Until Was We Were What When Where Which While Who Why With Without Would Yes Yesterday Yet "
            U"You Your"},
    Abbreviations{
        .language = "de",
        .always =
            U"Dr Prof Hr Fr Frl St Hl Ing Dipl Mag z.B d.h i.A i.V u.U bzw ca vgl sog geb inkl exkl zzgl "
            U"abzgl evtl ggf rd med em Fa",
        .before_numbers = U"nr Abb tab Bd Bde Art Abs Kap S Anm Ziff Anl Aufl Jg Tel Str -str Sp Rn Az Pos "
                          U"Jan Feb Apr Aug Sept Okt Nov Dez",
        .unless_starter = U"Co Mio Mrd Tsd Std Min Sek Chr v.Chr n.Chr Jh Jhd Jr Abt Univ Inst Hrsg",
        .starters =
            U"Aber Alle Alles Als Also Am An Andere Auch Auf Aus Bei Beim Bis Da Dabei Daher Damals "
            U"Damit Danach Dann Darum Das Dazu Dem Den Denn Der Des Deshalb Die Dies Diese Dieser Dieses "
            U"Doch Dort Du Durch Ein Eine Einem Einen Einer Einige Er Es Für Gegen Gestern Hat Heute Hier "
            U"Ich Ihr Ihre Im In Ist Ja Jeder Jedoch Jemand Jetzt Kein Keine Man Manche Manchmal Mein "
            U"Meine Mit Nach Nein Nicht Nichts Niemand Noch Nun Nur Ob Oder Ohne Schon Sein Seine Seit "
            U"Sie Sind So Sogar Später Trotzdem Über Um Und Unser Unsere Unter Viele Vielleicht Vom Von "
            U"Vor War Waren Warum Was Weil Wenn Wer Wie Wir Wo Zu Zuerst Zum Zur"},
    Abbreviations{
        .language = "fr",
        .always = U"M MM Mgr Dr Pr Mme Mlle St Ste cf p.ex c.-à-d env",
        .before_numbers = U"art chap fig figs tab vol vols p pp t n no nos par sect ch tél réf janv févr avr "
                          U"juill sept oct nov déc",
        .unless_starter = U"ex av boul bd Cie éd univ Sté Éts",
        .starters =
            U"À Ainsi Alors Après Au Aujourd' Aussi Autrefois Aux Avant Avec Beaucoup C' Ça Car Ce Cela "
            U"Celle Celui Cependant Ces Cet Cette Ceux Chaque Comme Comment D' Dans De Demain Depuis Des "
            U"Donc Du Elle Elles En Enfin Ensuite Est Et Hier Ici Il Ils J' Je L' La Là Le Les Leur "
            U"Leurs Ma Mais Malgré Mes Mon N' Ne Non Nos Notre Nous On Or Où Ou Oui Par Parfois Pas "
            U"Pendant Personne Peu Plusieurs Pour Pourquoi Pourtant Puis Qu' Quand Que Quel Quelle Qui "
            U"Quoi Rien S' Sa Sans Selon Ses Si Son Sous Sur Tous Tout Toute Toutes Tu Un Une Voici "
            U"Voilà Vos Votre Vous Y"},
    Abbreviations{
        .language = "es",
        .always =
            U"Sr Sra Srta Sres Sras Dr Dra Dn Dña Prof Profa Lic Ing Arq Gral Cap Tte Mons Fr Sto Sta p.ej "
            U"cf aprox",
        .before_numbers = U"núm núms pág págs p pp fig figs art arts cap caps vol vols tel t",
        .starters =
            U"A Al Así Aunque Con Cuando De Del Después El Él Ella Ellos En Entonces Era Es Esa Ese Eso "
            U"Esta Este Esto Fue Ha Hay La Las Le Lo Los Luego Me Mi No Nos Para Pero Por Porque Que Se "
            U"Si Sin Son Su Sus También Tú Un Una Y Ya Yo"},
    Abbreviations{
        .language = "it",
        .always =
            U"Sig Sigg Sig.ra Sig.na Dott Dott.ssa Prof Prof.ssa Avv Ing Arch Geom Rag On Sen Mons p.es "
            U"cfr ca",
        .before_numbers = U"n nn p pp pag pagg fig figg art artt cap capp vol voll tel tab",
        .starters =
            U"A Al Alla Anche Chi Che Come Con Così Da Dal Dalla Di Dopo Due E È Ecco Era Gli Ha I Il In "
            U"Io L' La Le Lei Lo Loro Lui Ma Nel Nella Noi Non Ora Per Perché Più Poi Quando Quella "
            U"Quello Questa Questo Se Si Sono Su Sua Suo Tu Un Un' Una Uno"},
    Abbreviations{
        .language = "pt",
        .always = U"Sr Sra Srs Sras Srta Dr Dra Prof Profa Eng Exmo Exma Gen Cel Cap p.ex cf aprox",
        .before_numbers = U"n núm pág págs p pp fig figs art arts cap vol vols tel",
        .starters =
            U"A Ao As Com Como Da De Depois Do E É Ela Elas Ele Eles Em Então Era Essa Esse Esta Este Eu "
            U"Foi Há Isso Isto Já Mas Mais Na Não No Nos O Os Ou Para Pela Pelo Por Porque Quando Que "
            U"Se Sem Seu Sua Também Tu Um Uma"},
    Abbreviations{
        .language = "ru",
        .always = U"ул им проф акад доц т.е т.к напр ср см",
        .before_numbers = U"рис табл стр с гл т п ст тел",
        .starters =
            U"А Без В Вот Все Вы Где Да Для До Его Ее Её Если Еще Ещё За Затем И Из Их К Как Когда Кто "
            U"Мы На Не Нет Но О Об Он Она Они Оно От По После Потом При С Так Там Тогда Ты У Что Эта "
            U"Эти Это Этот Я"}};

constexpr Abbreviations none{.language = ""};

}  // namespace

const Abbreviations& abbreviations_of(std::string_view language) {
  const auto found = std::ranges::find(languages, language, &Abbreviations::language);
  return found == languages.end() ? none : *found;
}

bool has_ordinals_with_full_stop(std::string_view language) {
  constexpr std::array<std::string_view, 18> with_full_stop{"bs", "cs", "da", "de", "et", "fi",
                                                            "hr", "hu", "is", "lv", "nb", "nn",
                                                            "no", "pl", "sk", "sl", "sr", "tr"};
  return std::ranges::find(with_full_stop, language) != with_full_stop.end();
}

}  // namespace regard::documents
