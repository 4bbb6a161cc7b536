#include "apps/toys/dates.h"

#include <array>
#include <vector>

#include "apps/toys/toy.h"
#include "autograd/error.h"

namespace regard::toys {
namespace {

constexpr int first_year = 1900;
constexpr int last_year = 2099;

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

bool is_leap(int year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

/// 1st, 2nd, 3rd, 4th, …; but 11th, 12th and 13th.
std::string ordinal(int day) {
  const bool teen = day / 10 == 1;
  const char* suffix = teen            ? "th"
                       : day % 10 == 1 ? "st"
                       : day % 10 == 2 ? "nd"
                       : day % 10 == 3 ? "rd"
                                       : "th";
  return fmt::format("{}{}", day, suffix);
}

/// Writes the date in a format, in which {name} stands for a part of the date. See the formats below.
std::string render(const char* format, const Date& date) {
  const std::string month = month_names[to_size(date.month - 1)];
  const std::string day_name = weekday_names[to_size(weekday(date))];
  return fmt::format(fmt::runtime(format),  //
                     fmt::arg("y", date.year), fmt::arg("m", date.month), fmt::arg("d", date.day),
                     fmt::arg("month", month), fmt::arg("mon", month.substr(0, 3)),  //
                     fmt::arg("weekday", day_name), fmt::arg("wkd", day_name.substr(0, 3)),
                     fmt::arg("dth", ordinal(date.day)),
                     fmt::arg("dayword", ordinal_words[to_size(date.day - 1)]));
}

/// The list has no ambiguous format: 3/4/2021 is the 3rd of April or the 4th of March. With dots, the day is
/// always first. "May" is its own abbreviation, so a format with abbreviated months must differ from the
/// other formats in something else too. Otherwise one text would have two formats.
const std::vector<const char*>& formats() {
  static const std::vector<const char*> list = {
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
  return list;
}

/// Draws a day of 1900 to 2099 and a format. All days and formats have the same probability.
class Dates : public Toy {
 public:
  Dates() {
    for (int year = first_year; year <= last_year; ++year)
      for (int month = 1; month <= 12; ++month)
        for (int day = 1; day <= days_in_month(year, month); ++day) days_.push_back({year, month, day});
  }

  ToyDescription description() const override {
    return {"dates",
            "dates in sixteen English formats -> ISO 8601: \"the 3rd of March 2021\" -> \"2021-03-03\"",
            "char",
            {20000, 500, 500}};
  }

  std::uint64_t distinct_sources() const override { return days_.size() * date_formats(); }

  SentencePair draw(Random& random) const override {
    const Date& date = random.pick(days_);
    return {english_date(date, random.below(date_formats())), iso_date(date)};
  }

 private:
  std::vector<Date> days_;
};

}  // namespace

int days_in_month(int year, int month) {
  if (month == 2) return is_leap(year) ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

// Zeller's congruence. Years begin in March, so that the leap day is the last day; h = 0 is a Saturday.
int weekday(const Date& date) {
  const int m = date.month < 3 ? date.month + 12 : date.month;
  const int y = date.month < 3 ? date.year - 1 : date.year;
  const int h = (date.day + 13 * (m + 1) / 5 + y + y / 4 - y / 100 + y / 400) % 7;
  return (h + 6) % 7;
}

std::string iso_date(const Date& date) {
  return fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day);
}

std::size_t date_formats() { return formats().size(); }

std::string english_date(const Date& date, std::size_t format) { return render(formats().at(format), date); }

std::unique_ptr<Toy> make_dates() { return std::make_unique<Dates>(); }

}  // namespace regard::toys
