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

/// The number of formats in which english_date() can write a date.
std::size_t date_formats();

/// Returns the date in one of the English formats, 0 ≤ format < date_formats(). Each pair (date, format)
/// gives a different text.
std::string english_date(const Date& date, std::size_t format);

}  // namespace regard::toys
