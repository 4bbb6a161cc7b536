#include <array>
#include <chrono>
#include <fmt/format.h>

#include "apps/toys/toy.h"

namespace regard::toys {
namespace {

namespace chrono = std::chrono;

constexpr chrono::sys_days first_day = chrono::January / 1 / 1900, last_day = chrono::December / 31 / 2099;

constexpr std::array<const char*, 12> month_names = {"January",   "February", "March",    "April",
                                                     "May",       "June",     "July",     "August",
                                                     "September", "October",  "November", "December"};

constexpr std::array<const char*, 7> weekday_names = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                      "Thursday", "Friday", "Saturday"};

constexpr std::array<const char*, 31> ordinal_words = {
    "first",        "second",       "third",          "fourth",        "fifth",        "sixth",
    "seventh",      "eighth",       "ninth",          "tenth",         "eleventh",     "twelfth",
    "thirteenth",   "fourteenth",   "fifteenth",      "sixteenth",     "seventeenth",  "eighteenth",
    "nineteenth",   "twentieth",    "twenty-first",   "twenty-second", "twenty-third", "twenty-fourth",
    "twenty-fifth", "twenty-sixth", "twenty-seventh", "twenty-eighth", "twenty-ninth", "thirtieth",
    "thirty-first"};

/// 1st, 2nd, 3rd, 4th, …; but 11th, 12th and 13th.
std::string ordinal(unsigned day) {
  const bool teen = day / 10 == 1;
  const char* suffix = teen            ? "th"
                       : day % 10 == 1 ? "st"
                       : day % 10 == 2 ? "nd"
                       : day % 10 == 3 ? "rd"
                                       : "th";
  return fmt::format("{}{}", day, suffix);
}

/// A name in braces stands for a part of the date. The list has no ambiguous format: 3/4/2021 is the 3rd of
/// April or the 4th of March. With dots, the day is always first. "May" is its own abbreviation, so a format
/// with abbreviated months must differ from the other formats in something else too. Otherwise one text would
/// have two formats.
constexpr std::array formats = {
    "the {dth} of {month} {y}",                  // the 3rd of March 2021
    "{d} {month} {y}",                           // 3 March 2021
    "{dth} {month}, {y}",                        // 3rd March, 2021
    "{month} {d}, {y}",                          // March 3, 2021
    "{month} {dth}, {y}",                        // March 3rd, 2021
    "{month} the {dth}, {y}",                    // March the 3rd, 2021
    "{weekday}, {d} {month} {y}",                // Wednesday, 3 March 2021
    "{weekday}, {month} {d}, {y}",               // Wednesday, March 3, 2021
    "{weekday} the {dth} of {month}, {y}",       // Wednesday the 3rd of March, 2021
    "the {dayword} of {month} {y}",              // the third of March 2021
    "the {dth} day of {month} in the year {y}",  // the 3rd day of March in the year 2021
    "{wkd} {mon} {d} {y}",                       // Wed Mar 3 2021
    "{mon} {d} {y}",                             // Mar 3 2021
    "{d}-{mon}-{y}",                             // 3-Mar-2021
    "{d}.{m}.{y}",                               // 3.3.2021
    "{y}/{m:02}/{d:02}",                         // 2021/03/03
};

}  // namespace

SentencePair date_pair(chrono::sys_days day, std::size_t format) {
  const chrono::year_month_day date = day;
  const int year = static_cast<int>(date.year());
  const auto month = static_cast<unsigned>(date.month()), of_month = static_cast<unsigned>(date.day());
  const std::string month_name = month_names[month - 1];
  const std::string day_name = weekday_names[chrono::weekday(day).c_encoding()];
  return {fmt::format(fmt::runtime(formats.at(format)),  //
                      fmt::arg("y", year), fmt::arg("m", month), fmt::arg("d", of_month),
                      fmt::arg("month", month_name), fmt::arg("mon", month_name.substr(0, 3)),
                      fmt::arg("weekday", day_name), fmt::arg("wkd", day_name.substr(0, 3)),
                      fmt::arg("dth", ordinal(of_month)), fmt::arg("dayword", ordinal_words[of_month - 1])),
          fmt::format("{:04}-{:02}-{:02}", year, month, of_month)};
}

// Days of 1900 to 2099 in all formats. All days and formats have the same probability.
Toy dates_toy() {
  constexpr std::uint64_t days = (last_day - first_day).count() + 1;
  return {
      .name = "dates",
      .summary = "dates in sixteen English formats -> ISO 8601: \"the 3rd of March 2021\" -> \"2021-03-03\"",
      .tokeniser = "char",
      .sizes = {20000, 500, 500},
      .distinct_sources = days * formats.size(),
      .sample = [](SplitMix64& random) {
        const chrono::sys_days day = first_day + chrono::days(random.below(days));
        return date_pair(day, random.below(formats.size()));
      }};
}

}  // namespace regard::toys
