#include "apps/translation/text/patterns.h"

#include <algorithm>
#include <re2/re2.h>

#include "apps/translation/files/utf8.h"
#include "autograd/machine/error.h"

namespace regard::translation {

namespace {

std::shared_ptr<const re2::RE2> compiled(const std::string& expression) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  return std::make_shared<const re2::RE2>(expression, options);
}

/// True if a pattern has \C outside of \Q...\E.
bool matches_bytes(std::string_view pattern) {
  for (std::size_t i = pattern.find('\\'); i < pattern.size(); i = pattern.find('\\', i + 2)) {
    if (pattern.substr(i).starts_with("\\C")) return true;
    if (pattern.substr(i).starts_with("\\Q")) i = pattern.find("\\E", i);
    if (i == std::string_view::npos) break;
  }
  return false;
}

/// A pattern may end in \Q and a text. In a list of patterns, this text needs its end.
std::string closed(const std::string& pattern) {
  const std::string with_end = pattern + "\\E";
  return compiled(with_end)->ok() ? with_end : pattern;
}

void check_pattern(const std::string& pattern) {
  const auto expression = compiled(pattern);
  if (!expression->ok())
    fail("the pattern \"{}\" is not a regular expression of RE2: {}", printable(pattern),
         expression->error());
  if (re2::RE2::FullMatch("", *expression))
    fail("the pattern \"{}\" matches the empty text; write it so that it needs at least one character",
         printable(pattern));
  if (matches_bytes(pattern))
    fail("the pattern \"{}\" has \\C, which matches a part of a character; write . for a character",
         printable(pattern));
}

}  // namespace

void check_patterns(const std::vector<std::string>& patterns, const std::string& name) {
  try {
    Patterns{patterns};
  } catch (const Error& error) {
    fail("{}: {}", name, error.what());
  }
}

Patterns::Patterns(const std::vector<std::string>& patterns, const std::vector<std::string>& in_context,
                   Counts counts)
    : counts_(counts) {
  const auto any_of = [](const std::vector<std::string>& some) {
    std::string any;
    for (const std::string& pattern : some) {
      check_pattern(pattern);
      any += (any.empty() ? "(?:" : "|(?:") + closed(pattern) + ")";
    }
    return any;
  };
  std::string any = any_of(patterns);
  if (!in_context.empty()) {
    group_ = static_cast<std::size_t>(compiled(any)->NumberOfCapturingGroups()) + 1;
    any += (any.empty() ? "(" : "|(") + any_of(in_context) + ")";
  }
  if (any.empty()) return;
  any_ = compiled(any);
  if (!any_->ok()) fail("the patterns are too large together: {}", any_->error());
}

std::vector<std::string_view> Patterns::matches(std::string_view text) const {
  std::vector<std::string_view> found;
  if (any_ == nullptr) return found;
  // Some versions of RE2 have a class of their own for such views.
  const re2::StringPiece whole(text.data(), text.size());
  std::vector<re2::StringPiece> groups(group_ + 1);
  for (std::size_t position = 0; position < text.size();) {
    if (!any_->Match(whole, position, whole.size(), re2::RE2::UNANCHORED, groups.data(),
                     static_cast<int>(groups.size())))
      break;
    const auto begin = static_cast<std::size_t>(groups[0].data() - text.data());
    const std::string_view match = text.substr(begin, groups[0].size());
    // An empty match is such as \b: it matches nothing, but not the empty text.
    if (match.empty() || (group_ > 0 && !groups[group_].empty() && !counts_(text, match))) {
      position = begin + (begin < text.size() ? std::max<std::size_t>(decode_utf8(text, begin).size, 1) : 1);
      continue;
    }
    found.push_back(match);
    position = begin + match.size();
  }
  return found;
}

}  // namespace regard::translation
