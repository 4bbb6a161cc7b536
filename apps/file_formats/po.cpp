// PO files: "The Format of PO Files" in the manual of GNU gettext.
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "apps/file_formats/unit.h"
#include "autograd/machine/error.h"

namespace regard::files {

namespace {

constexpr std::array<std::pair<char, char>, 9> escapes{{{'n', '\n'},
                                                        {'t', '\t'},
                                                        {'"', '"'},
                                                        {'\\', '\\'},
                                                        {'r', '\r'},
                                                        {'a', '\a'},
                                                        {'b', '\b'},
                                                        {'f', '\f'},
                                                        {'v', '\v'}}};

/// A text between quotes, with one string for each of its lines if it has several.
std::string quoted(const std::string& text, const std::string& line_end) {
  const std::size_t first = text.find('\n');
  const bool several = first != text.npos && first + 1 < text.size();
  std::string result = several ? "\"\"" + line_end + "\"" : "\"";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto* const escape = std::ranges::find(escapes, text[i], &std::pair<char, char>::second);
    result += escape == escapes.end() ? std::string(1, text[i]) : std::string{'\\', escape->first};
    if (text[i] == '\n' && i + 1 < text.size()) result += "\"" + line_end + "\"";
  }
  return result + "\"";
}

/// A keyword with its strings.
struct Field {
  std::string text;                ///< of all its strings
  std::size_t begin = 0, end = 0;  ///< of the strings, with their quotes
  Index line = 0;
};

/// What stands between blank lines: the flags, and the fields by their keywords: "msgid", "msgstr[0]", …
struct Entry {
  std::string flags;
  std::map<std::string, Field> fields;
};

/// Reads the lines of a file.
class PoReader {
 public:
  PoReader(const std::string& name, const std::string& bytes) : name_(name), bytes_(bytes) {}

  std::vector<Entry> read() {
    std::size_t at = bytes_.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    while (at < bytes_.size()) {
      ++line_;
      const std::size_t end = std::min(bytes_.find('\n', at), bytes_.size());
      begin_ = std::min(bytes_.find_first_not_of(" \t\r", at), end);
      read_line(std::string_view(bytes_).substr(begin_, end - begin_));
      at = end + 1;
    }
    end_entry();
    return std::move(entries_);
  }

 private:
  [[noreturn]] void refuse(const char* why) const { fail("{}, line {}: {}", name_, line_, why); }

  void read_line(std::string_view line) {
    if (line.starts_with("#~")) {
      if (entry_.fields.empty()) entry_.flags.clear();  // they belong to this obsolete entry
    } else if (line.starts_with('#')) {
      if (!entry_.fields.empty()) end_entry();
      if (line.starts_with("#,")) entry_.flags.append(",").append(line.substr(2));
    } else if (line.starts_with('"')) {
      if (!field_) refuse("a string stands here without a keyword before it");
      add_string(line);
    } else if (!line.empty()) {
      read_keyword(line);
    }
  }
  /// msgstr[0], msgstr[1], …
  static bool is_plural_form(std::string_view keyword) {
    return keyword.starts_with("msgstr[") && keyword.ends_with(']') && keyword.size() == 9 &&
           std::isdigit(static_cast<unsigned char>(keyword[7])) != 0;
  }
  void read_keyword(std::string_view line) {
    const std::string keyword(line.substr(0, std::min(line.find_first_of(" \t\""), line.size())));
    const bool known = keyword == "msgid" || keyword == "msgid_plural" || keyword == "msgctxt" ||
                       keyword == "msgstr" || keyword == "domain" || is_plural_form(keyword);
    if (!known) refuse("this is no line of a PO file: neither a comment nor a keyword nor a string");
    const bool begins = keyword == "msgctxt" || (keyword == "msgid" && !entry_.fields.contains("msgctxt"));
    if (!entry_.fields.empty() && (begins || entry_.fields.contains("msgstr") ||
                                   (keyword == "msgid" && entry_.fields.contains("msgid"))))
      end_entry();
    if (keyword.starts_with("msgstr") && !entry_.fields.contains("msgid"))
      refuse("a msgstr stands here without a msgid before it");
    if (entry_.fields.contains(keyword)) refuse("this keyword stands twice in an entry");
    field_ = &entry_.fields[keyword];
    *field_ = {.text = "", .line = line_};
    const std::size_t quote = line.find_first_not_of(" \t", keyword.size());
    if (quote == line.npos || line[quote] != '"') refuse("a string in quotes is missing after the keyword");
    begin_ += quote;
    field_->begin = begin_;
    add_string(line.substr(quote));
  }
  /// Adds the text of a string, which begins with its quote.
  void add_string(std::string_view line) {
    std::size_t i = 1;
    for (; i < line.size() && line[i] != '"'; ++i) {
      if (line[i] == '\\')
        i += add_escape(line.substr(i));
      else
        field_->text += line[i];
    }
    if (i >= line.size()) refuse("the quote at the end of the string is missing");
    if (line.find_first_not_of(" \t\r", i + 1) != line.npos)
      refuse("there is a text behind the string; msgcat writes each string in a line of its own");
    field_->end = begin_ + i + 1;
  }
  /// The number of its characters behind the backslash.
  std::size_t add_escape(std::string_view text) {
    const char c = text.size() > 1 ? text[1] : '"';
    if (const auto* const escape = std::ranges::find(escapes, c, &std::pair<char, char>::first);
        text.size() > 1 && escape != escapes.end()) {
      field_->text += escape->second;
      return 1;
    }
    const bool hexadecimal = c == 'x';
    const std::size_t begin = hexadecimal ? 2 : 1;
    std::size_t end = begin;
    while (end < text.size() && end < begin + (hexadecimal ? 2 : 3) &&
           (hexadecimal ? std::isxdigit(static_cast<unsigned char>(text[end])) != 0
                        : text[end] >= '0' && text[end] <= '7'))
      ++end;
    if (end == begin) refuse("there is no such escape");
    const int value = std::stoi(std::string(text.substr(begin, end - begin)), nullptr, hexadecimal ? 16 : 8);
    if (value < 1 || value > 127) refuse("this escape stands for no character of ASCII");
    field_->text += static_cast<char>(value);
    return end - 1;
  }
  void end_entry() {
    const auto& fields = entry_.fields;
    if (fields.contains("msgid")) {
      const char* const needed = fields.contains("msgid_plural") ? "msgstr[0]" : "msgstr";
      const char* const other = fields.contains("msgid_plural") ? "msgstr" : "msgstr[0]";
      if (!fields.contains(needed))
        fail("{}, line {}: this entry has no {}", name_, fields.at("msgid").line, needed);
      if (fields.contains(other))
        fail("{}, line {}: {} stands in an entry with{} msgid_plural", name_, fields.at(other).line, other,
             fields.contains("msgid_plural") ? "" : "out");
    }
    if (fields.contains("msgid")) entries_.push_back(std::move(entry_));
    entry_ = {};
    field_ = nullptr;
  }

  const std::string& name_;
  const std::string& bytes_;
  std::vector<Entry> entries_;
  Entry entry_;
  Field* field_ = nullptr;
  Index line_ = 0;
  std::size_t begin_ = 0;  ///< of the line, behind its blanks
};

/// The header says in which encoding the file is.
void check_header(const std::string& name, const Field& header) {
  const std::size_t at = header.text.find("charset=");
  if (at == header.text.npos) return;
  const std::string encoding = header.text.substr(at + 8, header.text.find_first_of(" ;\n", at) - at - 8);
  if (encoding != "CHARSET") check_encoding(name, header.line, encoding);  // as in a template
}

/// True if the first form of plurals stands for 1, 21, 31, …, as in Russian: "a book" would be wrong for 21.
bool first_form_is_many(const Field& header) {
  std::string text = header.text;
  std::erase(text, ' ');
  return text.find("Plural-Forms:nplurals=", 0) != text.npos && text.find("n%10") != text.npos;
}

Unit unit_of(const Field& source, const Field& target, const Directives& directives,
             const std::string& bytes) {
  Marked marked(as_it_is, directives);
  const std::string numbered = directives.with_numbers(source.text);
  marked.add(numbered, true);
  const auto write = [marked, directives, source, &bytes, has_numbers = numbered == source.text,
                      target](const std::string& translation) -> std::optional<std::string> {
    if (translation == marked.text()) return bytes.substr(source.begin, source.end - source.begin);
    const std::size_t line_end = bytes.find('\n', target.end);
    const bool crlf = line_end != bytes.npos && bytes[line_end - 1] == '\r';
    std::optional<std::string> text = marked.restored(translation);
    if (!has_numbers) text = directives.without_numbers(*text);
    return text ? std::optional(quoted(*text, crlf ? "\r\n" : "\n")) : std::nullopt;
  };
  Unit unit{.source = marked,
            .line = source.line,
            .begin = target.begin,
            .end = target.end,
            .translated = !target.text.empty(),
            .write = write};
  return unit;
}

}  // namespace

std::vector<Unit> units_of_po(const std::string& name, const std::string& bytes) {
  std::vector<Unit> units;
  std::map<std::string, Directives> directives;  // by the flags of entries
  bool first_is_many = false;
  for (const Entry& entry : PoReader(name, bytes).read()) {
    const Field& source = entry.fields.at("msgid");
    if (source.text.empty() && !entry.fields.contains("msgctxt")) {
      if (!entry.fields.contains("msgstr"))
        fail("{}, line {}: the msgid of a text is empty; only the header has none", name, source.line);
      check_header(name, entry.fields.at("msgstr"));
      first_is_many = first_form_is_many(entry.fields.at("msgstr"));
      continue;
    }
    const bool one_form = !entry.fields.contains("msgstr[1]");
    const auto plural = entry.fields.find("msgid_plural");
    for (const auto& [keyword, target] : entry.fields) {
      if (!keyword.starts_with("msgstr")) continue;
      const Directives& of_entry = directives.try_emplace(entry.flags, entry.flags).first->second;
      const bool has_plural = plural != entry.fields.end();
      const bool lacks_number =
          has_plural && of_entry.matches(source.text).size() < of_entry.matches(plural->second.text).size();
      const bool singular =
          !has_plural || (keyword == "msgstr[0]" && !one_form && !(first_is_many && lacks_number));
      const Field& text = singular ? source : plural->second;
      units.push_back(unit_of(text, target, of_entry, bytes));
      if (entry.flags.find("fuzzy") == entry.flags.npos) units.back().pair = {text.text, target.text};
    }
  }
  return units;
}

}  // namespace regard::files
