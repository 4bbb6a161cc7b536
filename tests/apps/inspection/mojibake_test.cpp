// Text whose UTF-8 was read as Latin-1 or Windows-1252: what is damaged, what it was, and what is right as it
// is.
#include "apps/inspection/mojibake.h"

#include "apps/translation/files/utf8.h"
#include "tests/apps/support.h"

using namespace regard::translation;

namespace {

/// Each byte becomes the character of its number, as in Latin-1.
std::string read_as_latin_1(const std::string& text) {
  std::u32string read;
  for (const char byte : text) read += static_cast<unsigned char>(byte);
  return encode_utf8(read);
}

}  // namespace

TEST_CASE("mojibake of Latin-1 is undone, once, twice and three times", "[inspection]") {
  for (const std::string text :
       {"für schöne Mädchen", "Straße", "don’t", "“quoted” – dash…", "20 € for 3 °C", "«oui», à côté",
        "naïve Óscar", "Österreich", "Žluťoučký kůň", "Привет, мир", "日本語", "한국어", "Ελλάδα",
        "tiếng Việt đó", "nice 😀", "învățat și", "مرحبا"}) {
    CAPTURE(text);
    CHECK_FALSE(repair_mojibake(text));
    std::string damaged = text;
    for (int times = 0; times < 3; ++times) {
      damaged = read_as_latin_1(damaged);
      CHECK(repair_mojibake(damaged) == text);
    }
  }
}

TEST_CASE("mojibake of Windows-1252 is undone", "[inspection]") {
  // Python: text.encode().decode("cp1252"), once or twice.
  const std::vector<std::pair<std::string, std::string>> cases{
      {"fÃ¼r", "für"},
      {"StraÃŸe", "Straße"},
      {"fÃƒÂ¼r", "für"},
      {"donâ€™t", "don’t"},
      {"donÃ¢â‚¬â„¢t", "don’t"},
      {"20 â‚¬", "20 €"},
      {"Ã–sterreich", "Österreich"},
      {"Ã\u00A0 cÃ´tÃ©", "à côté"},
      {"kÅ¯Åˆ", "kůň"},
      {"ÐŸÑ€Ð¸", "При"},
      {"æ—¥æœ¬", "日本"},
      {"ðŸ˜€", "😀"},
      {"Ã®nvÄƒÈ›at È™i", "învățat și"},
      {"right ä, fÃ¼r", "right ä, für"},
  };
  for (const auto& [damaged, text] : cases) {
    CAPTURE(damaged);
    CHECK(repair_mojibake(damaged) == text);
  }
}

TEST_CASE("right texts that look like mojibake stay as they are", "[inspection]") {
  for (const std::string text :
       {"",        "plain", "„Viel Spaß“", "«Ã»",   "A MANHÃ»", "A MANHÃ”", "LE CAFÉ»", "café\u00A0» et",
        "Úžasný",  "„Ä“",   "«Å»",         "«BLÅ»", "© Ã",      "Â",        "à «",      "é…»",
        "ÄÖÜ äöü", "5×²",   "Ñ“",          "\xC3",  "Ã¼\xC3",   "¿Ñ?",      "ã",        "È–"}) {
    CAPTURE(text);
    CHECK_FALSE(repair_mojibake(text));
  }
}
