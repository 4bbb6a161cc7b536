// The parts of a sentence that a translation has unchanged.
#include "apps/terms/fixed_parts.h"

#include "autograd/machine/error.h"
#include "tests/catch.h"

using namespace regard::translation;

namespace {

using Texts = std::vector<std::string>;

FixedParts parts(const std::string& text) {
  static const Patterns patterns = fixed_patterns();
  return fixed_parts(text, patterns);
}

}  // namespace

TEST_CASE("placeholders of several kinds are found whole", "[text]") {
  for (const std::string text : {"%s",
                                 "%d",
                                 "%i",
                                 "%u",
                                 "%x",
                                 "%5.2f",
                                 "%.2f",
                                 "%-10s",
                                 "%-5d",
                                 "%05d",
                                 "%+d",
                                 "%'d",
                                 "%*d",
                                 "%.*f",
                                 "%lu",
                                 "%zu",
                                 "%lld",
                                 "%hhu",
                                 "%-e",
                                 "%1$s",
                                 "%2$-5d",
                                 "%(name)s",
                                 "%(n).2f",
                                 "%%",
                                 "%1",
                                 "%9",
                                 "%L1",
                                 "%n",
                                 "%@",
                                 "%1$@",
                                 "%HOME_DIR%",
                                 "{0}",
                                 "{}",
                                 "{name}",
                                 "{{ user.name }}",
                                 "${name}",
                                 "%{count}",
                                 "#{name}",
                                 "{0:F2}",
                                 "{n,number}",
                                 "$name",
                                 "$HOME",
                                 "$_x1",
                                 "$USER",
                                 "$CANVAS",
                                 "https://example.org/a?b=c&d=%20",
                                 "http://x.org/%E4%BD%A0",
                                 "a.b@example.org",
                                 "x+y@mail.example.co.uk"}) {
    CAPTURE(text);
    CHECK(parts(text).placeholders == Texts{text});
    CHECK(parts("Das (" + text + ").").placeholders == Texts{text});
    CHECK(parts("第" + text + "。").placeholders == Texts{text});
    CHECK(parts(text).markup.empty());
    CHECK(parts(text).numbers.empty());  // its digits are no number
  }
  const std::vector<std::pair<std::string, Texts>> within{
      {"%s and %s of {0}", {"%s", "%s", "{0}"}},
      {"%dpx wide", {"%d"}},
      {"%sfoo %sB", {"%s", "%s"}},
      {"100%%", {"%%"}},
      {"%d%%", {"%%", "%d"}},
      {"%.2f%% done", {"%%", "%.2f"}},
      {"%1%2", {"%1", "%2"}},
      {"%1$s%2$s", {"%1$s", "%2$s"}},
      {"%02d:%02d", {"%02d", "%02d"}},
      {"mode 0%o, 0%.3o", {"%.3o", "%o"}},
      {"\\0%c%c", {"%c", "%c"}},
      {"~1%s~6", {"%s"}},
      {"1 %s selected", {"%s"}},
      {"PCRE2 %d", {"%d"}},
      {"every %gs", {"%g"}},
      {"%lubytes", {"%lu"}},
      {"%lid %lih", {"%li", "%li"}},
      {"%XError", {"%X"}},
      {"'%1's", {"%1"}},
      {"%1.", {"%1"}},
      {"第%i章", {"%i"}},
      {"(siehe https://a.org/b)。", {"https://a.org/b"}},
      {"详见https://a.org。", {"https://a.org"}},
      {"« https://a.org » et “https://b.org”", {"https://a.org", "https://b.org"}},
  };
  for (const auto& [text, expected] : within) {
    CAPTURE(text);
    CHECK(parts(text).placeholders == expected);
  }
}

TEST_CASE("prose has no placeholders", "[text]") {
  for (const std::string text :
       {// English
        "We had 100% success.", "A 50% discount", "It is 50 % off today.", "a < b and b > c",
        "AT&T; IBM; and others", "The R&D; sales follow.", "Q&A; then lunch", "It costs $5.", "US$ 5 or US$5",
        "C$7 and HK$ 9", "$5.50 each", "5$ each", "a { b } c", "an open { and nothing", "me@home",
        "3 apples@2.50 each", "100%sure, 100%legal", "a 5%increase", "the 90th %ile", "an %age of it",
        "in %CO2 and %Fe", "%-wise it is fine", "Invalid %-encoding", "the %time", "%Cpu(s) or %CPU",
        "Ke$ha and A$AP", "Micro$oft", "100% & more", "1 & 2; then 3", "% of all", "the '%' sign",
        "10%-20% of them", "#1 {",
        // German
        "100%ige Sicherheit", "50%ig neu", "100 %iger Erfolg", "eine 20%-ige Chance", "10%er Lösung",
        "der %-Satz", "der %-Anteil", "50 % der Leute", "Fr. 5.–", "C&A; H&M", "20% davon", "Rabatt: 20%.",
        "40%er Rum", "ein 3%-Anteil", "das {", "§ 5 {a b}", "5 %igen Lösung",
        // French
        "50 % de réduction", "50 %de plus", "50\u00A0% d'augmentation", "5 $US", "50\u202F$US par jour",
        "$CAN 5", "10 $ d'argent", "5 millions $CA", "moins de 5%.", "100% assuré",
        "l'esperluette & l'arobase @",
        // Turkish
        "%50 indirim", "%20'si geldi", "Sesin %100’ü geçmesin", "%99 yanlış", "%2,5 arttı", "%10-%20 arası",
        "%7.5 faiz",
        // Hungarian
        "50%-a kész", "20%-os kedvezmény", "a 30%-át", "100%-ig", "93%-a)", "20 %-ot", "5%-kal több",
        // Finnish, Czech
        "50%:n alennus", "20 %:lla", "10%a", "100%ní jistota", "20 %ní sleva", "je 20%je",
        // Spanish
        "un 50% de descuento", "el 20%del total", "un 5 %al mes", "cuesta US$20", "¿100% seguro?",
        "R$mil, R$ 5",
        // Russian
        "скидка 50%", "100%-ный успех", "50 % от цены", "5 $ за штуку", "5%ный раствор", "А&Б; и В",
        // Chinese and Japanese
        "百分之50%的人", "打8折,即20%off", "价格是5$", "50％オフ", "100%の確率", "約20%です", "{ と }",
        "A&B;です", "5$です"}) {
    CAPTURE(text);
    CHECK(parts(text).placeholders.empty());
    CHECK(parts(text).markup.empty());
  }
  // A pattern of the user holds in prose, too.
  CHECK(fixed_parts("100%ige %50 5$US", fixed_patterns({"%i", "%[0-9]{2}", "(\\$)US"})).placeholders ==
        Texts{"$US", "%50", "%i"});
}

TEST_CASE("tags and entities are markup", "[text]") {
  CHECK(parts("<b>x</b> &amp; <a href=\"u\">&#8230;&#x2F;</a><br/>").markup ==
        Texts{"&#8230;", "&#x2F;", "&amp;", "</a>", "</b>", "<a href=\"u\">", "<b>", "<br/>"});
  CHECK(parts("x <y> <- > & &_File AT&T; caf&eacute; &lt; ok").markup == Texts{"&eacute;", "&lt;", "<y>"});
}

TEST_CASE("numbers are compared by their digits", "[text]") {
  CHECK(parts("1,000.5 and 1.000,5, 3. 7'000").numbers == Texts{"10005", "10005", "3", "7000"});
  CHECK(parts("第5章").numbers == Texts{"5"});
  CHECK(parts("mp3 x86_64").numbers.empty());
  for (const std::string text : {"café2", "cafe\u03012", "виза Б2", "Ａ２", "x2"})
    CHECK(parts(text).numbers.empty());
  for (const std::string text : {"제5장", "و5", "ב5", "5km", "(5)", "A-5", "５", "٥", "۵", "५"}) {
    CAPTURE(text);
    CHECK(parts(text).numbers == Texts{"5"});
  }
  CHECK(parts("A2.5 b2 500").numbers == Texts{"5", "500"});
}

TEST_CASE("the same number may be written in several ways", "[text]") {
  const auto same = [](const std::string& one, const std::string& other) {
    return same_parts(fixed_kinds[2], parts(one), parts(other)) &&
           same_parts(fixed_kinds[2], parts(other), parts(one));
  };
  const std::vector<Texts> equal{
      {"1,234.56", "1 234,56", "1\u00A0234,56", "1\u202F234.56", "1.234,56", "1’234.56", "1'234,56",
       "1234.56"},
      {"1’000", "1'000", "1,000", "1000", "1 000", "１０００", "１，０００", "١٬٠٠٠", "۱۰۰۰", "१,०००"},
      {"12,34,567", "1,234,567", "1234567", "1 234 567", "1.234.567"},
      {"3.5", "3,5", "３．５", "٣٫٥"},
      {"06:30", "6:30", "6.30", "06.30"},
      {"6:30", "6 und 30"},
      {"01.02.2020", "1.2.2020", "2020-02-01", "1/2/2020"},
      {"007", "7"},
      {"am 5. Mai 2020 kamen 1 500 Leute", "on 5 May 2020 1 500 people came", "1500 on 5 May 2020"},
      {"May 5 100 people", "5. Mai: 100 Leute"},
      {"12 3456", "12, 3456"},
      {"1:10", "1 zu 10"},
      {"1,2,3", "1, 2, 3", "3 2 1"}};
  for (const Texts& texts : equal)
    for (const std::string& one : texts)
      for (const std::string& other : texts) {
        CAPTURE(one, other);
        CHECK(same(one, other));
      }
  const std::vector<std::pair<std::string, std::string>> different{
      {"1.05", "1.5"}, {"0.5", "5"},     {"5.6", "6.5"},  {"1 234", "1 235"}, {"1000", "100"},
      {"٣", "4"},      {"6:30", "6:03"}, {"3 of 4", "3"}, {"٣٫٥", "35,1"},    {"1.2.2020", "1.3.2020"},
      {"1 234", "12"}, {"10", "1"},      {"", "0"},       {"१२", "21"},       {"1,234.56", "1 234,57"}};
  for (const auto& [one, other] : different) {
    CAPTURE(one, other);
    CHECK_FALSE(same(one, other));
  }
  // The share of kept numbers counts in the same way.
  CHECK(kept_parts({"1,234.5 at 06:30"}, {"1 234,5 um 6:30"}, fixed_patterns())[2].kept == 1);
  CHECK(kept_parts({"1,234.5 at 06:30"}, {"1 234,5 um 7:30"}, fixed_patterns())[2].kept == 0);
}

TEST_CASE("a pattern of the user comes first", "[text]") {
  const Patterns patterns = fixed_patterns({"@[a-z]+@", "[0-9]+ km"});
  const FixedParts found = fixed_parts("@host@ 12 km %s 5", patterns);
  CHECK(found.placeholders == Texts{"%s", "12 km", "@host@"});
  CHECK(found.numbers == Texts{"5"});
  CHECK_ERROR(fixed_patterns({"("}), "not a regular expression");
}

TEST_CASE("the share of translations that keep each kind", "[text]") {
  const auto kept = kept_parts({"%s of %s", "<b>a</b>", "7 {0}", "plain"},
                               {"%s von %s", "<b>a<b>", "{0} sieben", "7 %s"}, fixed_patterns());
  CHECK(kept[0].sentences == 2);
  CHECK(kept[0].kept == 2);
  CHECK(kept[1].sentences == 1);
  CHECK(kept[1].kept == 0);
  CHECK(kept[2].sentences == 1);
  CHECK(kept[2].kept == 0);
  CHECK(kept_parts({"%s"}, {"%s %s"}, fixed_patterns())[0].kept == 0);  // as often
}
