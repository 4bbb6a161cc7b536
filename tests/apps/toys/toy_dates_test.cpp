#include <set>
#include <string>
#include <vector>

#include "apps/toys/toy.h"
#include "tests/catch.h"

using namespace regard::toys;

namespace {

std::chrono::sys_days day(int year, unsigned month, unsigned of_month) {
  return std::chrono::year(year) / static_cast<int>(month) / static_cast<int>(of_month);
}

std::string english_date(std::chrono::sys_days date, std::size_t format) {
  return date_pair(date, format).source;
}

}  // namespace

TEST_CASE("dates are written as people write them", "[toys]") {
  const std::vector<std::string> expected = {"the 3rd of March 2021",
                                             "3 March 2021",
                                             "3rd March, 2021",
                                             "March 3, 2021",
                                             "March 3rd, 2021",
                                             "March the 3rd, 2021",
                                             "Wednesday, 3 March 2021",
                                             "Wednesday, March 3, 2021",
                                             "Wednesday the 3rd of March, 2021",
                                             "the third of March 2021",
                                             "the 3rd day of March in the year 2021",
                                             "Wed Mar 3 2021",
                                             "Mar 3 2021",
                                             "3-Mar-2021",
                                             "3.3.2021",
                                             "2021/03/03"};
  for (std::size_t format = 0; format < expected.size(); ++format) {
    CHECK(english_date(day(2021, 3, 3), format) == expected[format]);
  }
  CHECK(date_pair(day(2021, 3, 3), 0).target == "2021-03-03");
  CHECK(date_pair(day(1999, 12, 31), 15).target == "1999-12-31");

  const std::vector<std::string> ordinals = {"1st",  "2nd",  "3rd",  "4th",  "5th",  "6th",  "7th",  "8th",
                                             "9th",  "10th", "11th", "12th", "13th", "14th", "15th", "16th",
                                             "17th", "18th", "19th", "20th", "21st", "22nd", "23rd", "24th",
                                             "25th", "26th", "27th", "28th", "29th", "30th", "31st"};
  for (unsigned i = 1; i <= 31; ++i) {
    CHECK(english_date(day(2024, 1, i), 0) == "the " + ordinals.at(i - 1) + " of January 2024");
  }
  CHECK(english_date(day(1969, 7, 20), 6) == "Sunday, 20 July 1969");
  CHECK(english_date(day(1950, 5, 12), 9) == "the twelfth of May 1950");
  CHECK(english_date(day(1950, 8, 31), 9) == "the thirty-first of August 1950");
  CHECK(english_date(day(2096, 2, 29), 11) == "Wed Feb 29 2096");
}

TEST_CASE("no text has two dates or two formats", "[toys]") {
  CHECK(find_toy("dates").distinct_sources == 73049u * 16u);
  // Every format writes all digits of the year, so four years (with a leap day) are enough.
  std::set<std::string> texts;
  for (auto each = day(2021, 1, 1); each < day(2025, 1, 1); each += std::chrono::days(1))
    for (std::size_t format = 0; format < 16; ++format) texts.insert(english_date(each, format));
  CHECK(texts.size() == 1461u * 16u);
}
