#pragma once

#include <cstddef>
#include <string>

namespace regard::toys {

/// A day of the Gregorian calendar.
struct Date {
  int year;
  int month;  ///< 1 = January
  int day;    ///< 1 = the first
};

int days_in_month(int year, int month);

/// 0 = Sunday, …, 6 = Saturday.
int weekday(const Date& date);

/// 2021-03-03
std::string iso_date(const Date& date);

/// How many ways of writing a date english_date() knows.
std::size_t date_formats();

/// The date in one of the English ways of writing it, 0 ≤ format < date_formats(). No two (date, format) give
/// the same text.
std::string english_date(const Date& date, std::size_t format);

}  // namespace regard::toys
