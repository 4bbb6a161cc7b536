#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/markup/markup.h"

namespace regard::markup {

/// A part of a page: text with inline tags such as <b>, without blanks at its ends; or what stays as it is,
/// such as block tags, blanks, scripts and code. All parts together are the page.
struct Part {
  std::string text;
  bool translated;
};
std::vector<Part> parts_of_html(std::string_view html);

/// Cuts a text at these positions (in bytes), except where an element would be cut. Each piece has its own
/// places.
std::vector<Plain> cut(const Plain& plain, const std::vector<std::size_t>& ends);

/// Joins sentences with their markup: with a blank between them, but Chinese ones stand side by side.
std::string joined(std::span<const std::string> sentences);

}  // namespace regard::markup
