#include "apps/documents/document.h"

#include <algorithm>
#include <fmt/ranges.h>
#include <iterator>
#include <string_view>
#include <utility>

#include "apps/translation/files/utf8.h"
#include "apps/translation/text/parts.h"
#include "autograd/machine/error.h"

namespace regard::documents {

namespace {

using translation::character_at;
using translation::display_width;
using translation::is_blank;

/// A text without the white space at its ends, and that white space.
struct Trimmed {
  std::string_view before, text, after;
};

Trimmed trimmed(std::string_view text) {
  std::size_t begin = text.size(), end = 0;
  for (std::size_t at = 0; at < text.size();) {
    const translation::CodePoint c = character_at(text, at);
    if (!is_blank(c.value)) begin = std::min(begin, at);
    at += c.size;
    if (!is_blank(c.value)) end = at;
  }
  end = std::max(begin, end);
  return {text.substr(0, begin), text.substr(begin, end - begin), text.substr(end)};
}

/// The characters of a list mark at the beginning of a text without the blanks after it; 0 if there is none.
/// A mark is a bullet ("-", "•", "##", ">"), or a number or letter with a bracket or a full stop ("1.",
/// "2.3.", "a)", "(iv)").
std::size_t mark_in(std::u32string_view text) {
  constexpr std::u32string_view bullets = U"-*+•‣◦▪●○–—·>#";
  const std::u32string_view word =
      text.substr(0, std::find_if(text.begin(), text.end(), is_blank) - text.begin());
  if (word.empty() || word.size() == text.size()) return 0;
  const bool same = std::ranges::all_of(word, [&](char32_t c) { return c == word.front(); });
  if (same && word.size() <= 6 && bullets.find(word.front()) != bullets.npos) return word.size();
  const char32_t last = word.back();
  std::u32string_view name = word.substr(0, word.size() - 1);
  if (last == U')' && name.starts_with(U'(')) name.remove_prefix(1);
  const auto in = [&](std::u32string_view characters) {
    return name.find_first_not_of(characters) == name.npos;
  };
  const bool number = !name.empty() && name.size() <= 8 && name.front() != U'.' && in(U"0123456789.");
  const bool short_number = number && (last == U')' || name.size() <= 3 || name.find(U'.') != name.npos);
  const bool letter = last == U')' && (name.size() == 1 ? translation::is_letter(name.front())
                                                        : !name.empty() && in(U"ivxIVX"));
  return (last == U'.' || last == U')') && (short_number || letter) ? word.size() : 0;
}

/// The bytes of all list marks at the beginning of a text, with the blanks after them.
std::size_t marks_in(const std::string& text) {
  const std::u32string characters = translation::decode_utf8(text);
  const std::u32string_view all = characters;
  std::size_t end = 0;
  while (const std::size_t mark = mark_in(all.substr(end))) {
    end += mark;
    while (end < all.size() && is_blank(all[end])) ++end;
  }
  return translation::encode_utf8(all.substr(0, end)).size();
}

bool has_words(std::string_view text) {
  return std::ranges::any_of(translation::decode_utf8(text), [](char32_t c) {
    return translation::is_letter(c) || translation::is_number(c);
  });
}

char32_t last_character(std::string_view text) {
  const std::u32string characters = translation::decode_utf8(text);
  return characters.empty() ? 0 : characters.back();
}

/// Joins two lines of a sentence: without a blank between Chinese characters and after a hyphen.
void append_line(std::string& text, const std::string& line) {
  constexpr std::string_view soft_hyphen = "\xC2\xAD";
  if (text.ends_with(soft_hyphen))
    text.resize(text.size() - soft_hyphen.size());
  else if (!text.empty() && !translation::is_ideographic(last_character(text)) &&
           !(text.ends_with('-') && text.size() > 1 && text[text.size() - 2] != ' '))
    text += ' ';
  text += line;
}

}  // namespace

Document::Document(const DocumentSettings& settings, Limit limit, const Boundaries& boundaries)
    : settings_(settings), limit_(std::move(limit)), boundaries_(boundaries) {}

Document::Line Document::next_line(const std::string& text) {
  const Trimmed parts = trimmed(text);
  const std::size_t mark = marks_in(std::string(parts.text));
  return {++lines_, std::string(parts.before), std::string(parts.text.substr(0, mark)),
          std::string(parts.text.substr(mark)), std::string(parts.after)};
}

std::vector<Paragraph> Document::add(std::span<const std::string> lines) {
  constexpr std::size_t most_lines = 10'000;  // of a block, so that memory stays small
  std::vector<Paragraph> result;
  for (const std::string& text : lines) {
    const Line line = next_line(text);
    const bool blank = line.mark.empty() && line.text.empty();
    if (settings_.wrapped && (blank || block_.size() == most_lines))
      std::ranges::move(finish(), std::back_inserter(result));
    if (settings_.wrapped && !blank) {
      block_.push_back(line);
    } else {
      result.push_back(paragraph({&line, 1}));
      if (!settings_.wrapped) warn_if_wrapped(line, result.back());
    }
  }
  return result;
}

std::vector<Paragraph> Document::finish() {
  std::vector<Paragraph> result = wrapped_paragraphs();
  block_.clear();
  return result;
}

std::vector<Paragraph> Document::wrapped_paragraphs() const {
  std::vector<Paragraph> result;
  std::size_t width = 0;
  for (const Line& line : block_)
    width = std::max(width, display_width(line.indentation + line.mark + line.text));
  const auto ended_early = [&](const Line& line, const Line& next) {
    const std::string first_word = next.text.substr(0, next.text.find(' '));
    return 4 * display_width(line.indentation + line.mark + line.text + ' ' + first_word) < 3 * width;
  };
  for (std::size_t begin = 0, i = 1; begin < block_.size(); ++i) {
    const bool second = i == begin + 1;
    const auto goes_on = [&](const Line& line) {
      const Line& first = block_[begin];
      const bool fits = second ? !first.mark.empty() || line.indentation.size() <= first.indentation.size()
                               : line.indentation == block_[begin + 1].indentation;
      return line.mark.empty() && fits && !ended_early(block_[i - 1], line);
    };
    if (i < block_.size() && goes_on(block_[i])) continue;
    result.push_back(paragraph(std::span(block_).subspan(begin, i - begin)));
    begin = i;
  }
  return result;
}

Paragraph Document::paragraph(std::span<const Line> lines) const {
  const Line& first = lines.front();
  Paragraph result{.head = first.indentation + first.mark, .sentences = {}, .tail = lines.back().tail};
  std::string text;
  std::vector<std::size_t> begins;  // of the lines in the text
  for (const Line& line : lines) {
    append_line(text, line.text);
    begins.push_back(text.size() - line.text.size());
    result.width = std::max(result.width, display_width(line.indentation + line.mark + line.text));
  }
  if (lines.size() == 1)
    result.width = 0;
  else
    result.indentation = lines[1].indentation;
  add_sentences(result, text, [&](std::size_t position) {
    return lines[to_size(std::ranges::upper_bound(begins, position) - begins.begin()) - 1].number;
  });
  return result;
}

void Document::add_sentences(Paragraph& paragraph, const std::string& text,
                             const std::function<Index(std::size_t)>& line_at) const {
  std::size_t begin = translation::tag_end(text);
  if (begin == text.size()) begin = 0;
  const std::string tag = begin > 0 ? text.substr(0, begin) : settings_.tag;
  if (begin > 0) begin = text.find_first_not_of(' ', begin);
  const std::string before = tag.empty() ? "" : tag + ' ';
  const Limit limit = with_first_word(limit_, tag);
  const std::string_view rest = std::string_view(text).substr(begin);
  std::size_t sentence_begin = 0;
  for (const std::size_t end : boundaries_.sentences(rest)) {
    const Trimmed whole = trimmed(rest.substr(sentence_begin, end - sentence_begin));
    const Index line = line_at(begin + sentence_begin);
    std::vector<std::string_view> pieces{whole.text};
    if (has_words(whole.text)) try {
        pieces = cut(whole.text, boundaries_, limit);
      } catch (const Error& error) {
        fail("line {}: {}", line, error.what());
      }
    std::vector<std::string> cuts;
    std::size_t position = begin + sentence_begin;
    for (const std::string_view piece : pieces) {
      const Trimmed parts = trimmed(piece);
      if (position > begin + sentence_begin)
        cuts.push_back(fmt::format("\"{}\"", translation::printable(parts.text, 20)));
      const bool translated = has_words(parts.text);
      paragraph.sentences.push_back({translated ? before + std::string(parts.text) : std::string(parts.text),
                                     std::string(parts.after), line_at(position), translated});
      position += piece.size();
    }
    paragraph.sentences.back().blanks = whole.after;
    if (!cuts.empty())
      paragraph.warnings.push_back(fmt::format(
          "line {}: a sentence has {} tokens, but the model knows only sentences of up to {}; it is "
          "translated in {} parts, cut before {}",
          line, limit.tokens(std::string(whole.text)), limit.most, pieces.size(), fmt::join(cuts, ", ")));
    sentence_begin = end;
  }
}

void Document::warn_if_wrapped(const Line& line, Paragraph& paragraph) {
  constexpr std::size_t long_line = 40;
  const std::string before = std::exchange(last_text_, line.text);
  if (warned_ || !line.mark.empty() || line.text.empty() || display_width(before) < long_line) return;
  const char32_t last = last_character(before);
  if (!translation::is_lowercase_letter(character_at(line.text, 0).value) ||
      !(translation::is_letter(last) || last == U',' || last == U'-'))
    return;
  warned_ = true;
  paragraph.warnings.push_back(fmt::format(
      "a sentence seems to go on from line {} to line {}; if the sentences of this text are wrapped "
      "like this, give --wrapped",
      line.number - 1, line.number));
}

std::string Document::text(const Paragraph& paragraph, std::span<const std::string> translations) const {
  std::string text = paragraph.head;
  std::size_t next = 0;
  std::string_view blanks;
  bool any = false;
  for (const Sentence& sentence : paragraph.sentences) {
    const std::string& part = sentence.translated ? translations[next++] : sentence.text;
    if (part.empty()) continue;
    // Chinese sentences stand side by side, whatever the source has between them.
    if (any && !translation::is_ideographic(last_character(text)))
      text += blanks.empty() ? std::string_view(" ") : blanks;
    text += part;
    blanks = sentence.blanks;
    any = true;
  }
  return (paragraph.width > 0 ? filled(paragraph, text) : text) + paragraph.tail + '\n';
}

std::string Document::filled(const Paragraph& paragraph, const std::string& text) const {
  const std::string_view end = paragraph.tail.ends_with('\r') ? "\r\n" : "\n";
  std::string result, line = text.substr(0, paragraph.head.size());
  std::size_t begin = paragraph.head.size();
  bool empty = true;  // the line has no word yet
  const std::string_view words = std::string_view(text).substr(begin);
  begin = 0;
  for (const std::size_t position : boundaries_.line_breaks(words)) {
    const std::string_view word = words.substr(begin, position - begin);
    if (!empty && display_width(line) + display_width(trimmed(word).text) > paragraph.width) {
      const Trimmed full = trimmed(line);
      result.append(full.before).append(full.text).append(end);
      line = paragraph.indentation;
    }
    line += word;
    empty = false;
    begin = position;
  }
  return result + line;
}

}  // namespace regard::documents
