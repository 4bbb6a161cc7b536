// Pictures of attention weights: for the terminal and as SVG.
#include "apps/pictures/heat_map.h"

#include <filesystem>
#include <string>

#include "autograd/machine/files.h"
#include "tests/apps/support.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::pictures;

TEST_CASE("a heat map is a table of shades", "[pictures]") {
  const Attention attention{{"a", "longest", "étudiants", "</s>"},
                            {"x", "학생"},
                            Tensor::from({2, 4}, {0.0f, 0.19f, 0.2f, 0.59f, 0.6f, 0.79f, 0.8f, 1.0f})};
  CHECK(heat_map(attention) ==
        "a      longes étudia </s>   \n"
        "              ░░░░░░ ▒▒▒▒▒▒ x\n"
        "▓▓▓▓▓▓ ▓▓▓▓▓▓ ██████ ██████ 학생\n");
}

TEST_CASE("wide and combining characters do not shift a heat map", "[pictures]") {
  const Attention attention{{"東京", "東京都庁", "e\u0301tudiant", "학생"},
                            {"私", "x"},
                            Tensor::from({2, 4}, {1.0f, 0.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 1.0f})};
  CHECK(heat_map(attention) ==
        "東京   東京都 e\u0301tudia 학생   \n"
        "██████                      私\n"
        "       ██████        ██████ x\n");
  // The label needs two columns. A wide character that does not fit whole is left out.
  CHECK(heat_map(attention, 4 * 7 + 2) == heat_map(attention));
  CHECK(heat_map(attention, 4 * 6 + 2) ==
        "東京  東京  e\u0301tudi 학생  \n"
        "█████                   私\n"
        "      █████       █████ x\n");
}

TEST_CASE("a picture of attention has room for wide characters", "[pictures]") {
  const auto drawn = [](const std::string& token) {
    const std::string svg = heat_map_svg({{token}, {token}, Tensor::from({1, 1}, {1.0f})});
    return svg.substr(0, svg.find("<text"));
  };
  CHECK(drawn("東京") == drawn("abcd"));
  CHECK(drawn("e\u0301") == drawn("e"));
  CHECK(drawn("ab") != drawn("abcd"));
}

TEST_CASE("a heat map is at most as wide as asked", "[pictures]") {
  const Attention attention{
      {"first", "second", "third", "fourth", "</s>"},
      {"x", "longest"},
      Tensor::from({2, 5}, {1.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.5f, 0.0f, 0.0f, 0.5f})};
  CHECK(heat_map(attention, 5 * 7 + 7) == heat_map(attention));
  // Narrower columns first; "longest" needs 7 characters.
  CHECK(heat_map(attention, 5 * 7 + 6) ==
        "first secon third fourt </s>  \n"
        "█████                         x\n"
        "      ▒▒▒▒▒             ▒▒▒▒▒ longest\n");
  CHECK(heat_map(attention, 5 * 4 + 7) ==
        "fir sec thi fou </s \n"
        "███                 x\n"
        "    ▒▒▒         ▒▒▒ longest\n");
  // Then as few tables as possible, with the widest columns that make no more of them.
  CHECK(heat_map(attention, 5 * 4 + 6) ==
        "first secon third \n"
        "█████             x\n"
        "      ▒▒▒▒▒       longest\n"
        "\n"
        "fourt </s>  \n"
        "            x\n"
        "      ▒▒▒▒▒ longest\n");
  CHECK_FALSE(heat_map(attention, 1).empty());  // one column per table
}
