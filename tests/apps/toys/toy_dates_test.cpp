#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "apps/toys/dates.h"
#include "apps/toys/toys.h"
#include "autograd/error.h"
#include "tests/catch.h"

using namespace regard::toys;
using regard::to_size;

TEST_CASE("every day from 1900 to 2099 has its weekday", "[toys]") {
  int expected = 1;  // the 1st of January 1900 was a Monday
  int days = 0;
  int wrong = 0;
  for (int year = 1900; year <= 2099; ++year)
    for (int month = 1; month <= 12; ++month)
      for (int day = 1; day <= days_in_month(year, month); ++day) {
        wrong += weekday({year, month, day}) == expected ? 0 : 1;
        expected = (expected + 1) % 7;
        ++days;
      }
  CHECK(wrong == 0);
  CHECK(days == 73049);
  CHECK(distinct_sources("dates") == 73049u * 16u);
  CHECK(weekday({2021, 3, 3}) == 3);
  CHECK(weekday({1969, 7, 20}) == 0);
  CHECK(weekday({2000, 2, 29}) == 2);
  CHECK(days_in_month(1900, 2) == 28);
  CHECK(days_in_month(2000, 2) == 29);
}

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
  REQUIRE(date_formats() == expected.size());
  for (std::size_t format = 0; format < expected.size(); ++format) {
    CHECK(english_date({2021, 3, 3}, format) == expected[format]);
  }
  CHECK(iso_date({2021, 3, 3}) == "2021-03-03");
  CHECK(iso_date({1999, 12, 31}) == "1999-12-31");

  const std::vector<std::string> ordinals = {"1st",  "2nd",  "3rd",  "4th",  "5th",  "6th",  "7th",  "8th",
                                             "9th",  "10th", "11th", "12th", "13th", "14th", "15th", "16th",
                                             "17th", "18th", "19th", "20th", "21st", "22nd", "23rd", "24th",
                                             "25th", "26th", "27th", "28th", "29th", "30th", "31st"};
  for (int day = 1; day <= 31; ++day) {
    CHECK(english_date({2024, 1, day}, 0) == "the " + ordinals.at(to_size(day - 1)) + " of January 2024");
  }
  CHECK(english_date({1950, 5, 12}, 9) == "the twelfth of May 1950");
  CHECK(english_date({1950, 8, 31}, 9) == "the thirty-first of August 1950");
  CHECK(english_date({2096, 2, 29}, 11) == "Wed Feb 29 2096");
}

TEST_CASE("no text has two dates or two formats", "[toys]") {
  // Every format writes all digits of the year, so four years (with a leap day) are enough.
  std::set<std::string> texts;
  std::size_t written = 0;
  for (int year = 2021; year <= 2024; ++year)
    for (int month = 1; month <= 12; ++month)
      for (int day = 1; day <= days_in_month(year, month); ++day)
        for (std::size_t format = 0; format < date_formats(); ++format, ++written) {
          texts.insert(english_date({year, month, day}, format));
        }
  CHECK(written == 1461u * 16u);
  CHECK(texts.size() == written);
}
