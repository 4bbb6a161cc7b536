#include "apps/translation/corpus/inspection/scripts.h"

#include <algorithm>
#include <array>

namespace regard::translation {

namespace {

constexpr std::array script_names{"none",   "Latin",      "Greek",   "Cyrillic",  "Armenian", "Hebrew",
                                  "Arabic", "Devanagari", "Bengali", "Gurmukhi",  "Gujarati", "Odia",
                                  "Tamil",  "Telugu",     "Kannada", "Malayalam", "Sinhala",  "Thai",
                                  "Lao",    "Tibetan",    "Myanmar", "Georgian",  "Hangul",   "Ethiopic",
                                  "Khmer",  "Han or kana"};
enum : unsigned char {
  none,
  latin,
  greek,
  cyrillic,
  armenian,
  hebrew,
  arabic,
  devanagari,
  bengali,
  gurmukhi,
  gujarati,
  odia,
  tamil,
  telugu,
  kannada,
  malayalam,
  sinhala,
  thai,
  lao,
  tibetan,
  myanmar,
  georgian,
  hangul,
  ethiopic,
  khmer,
  han
};

/// A script begins at this character and ends where the next entry begins (blocks of Unicode 15). Chinese
/// characters and kana are one script, because Japanese mixes them.
struct Start {
  char32_t first;
  unsigned char script;
};
constexpr Start starts[]{
    {0, none},          {0x41, latin},      {0x2B0, none},       {0x370, greek},     {0x400, cyrillic},
    {0x530, armenian},  {0x590, hebrew},    {0x600, arabic},     {0x700, none},      {0x750, arabic},
    {0x780, none},      {0x8A0, arabic},    {0x900, devanagari}, {0x980, bengali},   {0xA00, gurmukhi},
    {0xA80, gujarati},  {0xB00, odia},      {0xB80, tamil},      {0xC00, telugu},    {0xC80, kannada},
    {0xD00, malayalam}, {0xD80, sinhala},   {0xE00, thai},       {0xE80, lao},       {0xF00, tibetan},
    {0x1000, myanmar},  {0x10A0, georgian}, {0x1100, hangul},    {0x1200, ethiopic}, {0x13A0, none},
    {0x1780, khmer},    {0x1800, none},     {0x1C80, cyrillic},  {0x1C90, georgian}, {0x1CC0, none},
    {0x1E00, latin},    {0x1F00, greek},    {0x2000, none},      {0x2DE0, cyrillic}, {0x2E00, none},
    {0x2E80, han},      {0x3130, hangul},   {0x3190, han},       {0xA000, none},     {0xA640, cyrillic},
    {0xA6A0, none},     {0xA720, latin},    {0xA800, none},      {0xAC00, hangul},   {0xD7B0, none},
    {0xF900, han},      {0xFB00, latin},    {0xFB13, none},      {0xFB1D, hebrew},   {0xFB50, arabic},
    {0xFE00, none},     {0xFE70, arabic},   {0xFF00, latin},     {0xFF66, han},      {0xFFA0, hangul},
    {0xFFE0, none},     {0x20000, han},     {0x40000, none}};

}  // namespace

std::size_t script_count() { return script_names.size(); }

std::size_t script_of(char32_t letter) {
  return std::ranges::upper_bound(starts, letter, {}, &Start::first)[-1].script;
}

const char* script_name(std::size_t script) { return script_names.at(script); }

}  // namespace regard::translation
