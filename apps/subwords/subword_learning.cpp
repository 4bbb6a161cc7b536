// Learns SentencePiece models.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <functional>
#include <new>
#include <optional>
#include <sentencepiece_trainer.h>
#include <system_error>
#include <unordered_map>

#include "apps/subwords/sentencepiece_file.h"
#include "apps/subwords/subwords.h"
#include "apps/subwords/symbols.h"
#include "apps/translation/files/utf8.h"
#include "apps/translation/text/parts.h"
#include "autograd/machine/error.h"
#include "autograd/machine/random.h"

namespace regard::translation {
namespace {

using Options = std::unordered_map<std::string, std::string>;

constexpr std::size_t longest_line_to_learn_from = 4192;  // bytes; the library's default

/// True if a part of the line remains after normalisation. Characters that normalisation may remove or turn
/// into blanks do not count. (The library ends the program if nothing remains of any line.)
bool has_visible_characters(std::string_view line) {
  for (std::size_t position = 0; position < line.size();) {
    const CodePoint character = decode_utf8(line, position);
    const char32_t c = character.value;
    const bool invisible = c <= 0x20 || (c >= 0x7F && c <= 0xA0) || c == 0xAD || c == 0x1680 || c == 0x180E ||
                           (c >= 0x2000 && c <= 0x200F) || (c >= 0x2028 && c <= 0x202F) ||
                           (c >= 0x205F && c <= 0x206F) || c == 0x2581 || c == 0x3000 || c == 0xFEFF ||
                           c == 0xFFFD;
    if (!invisible) return true;
    position += std::max<std::size_t>(character.size, 1);
  }
  return false;
}

/// Gives lines to the library, which copies them one by one.
class Lines : public sentencepiece::SentenceIterator {
 public:
  /// `line` writes the line with a number into a text.
  Lines(std::size_t count, std::function<void(std::size_t number, std::string& text)> line)
      : count_(count), line_(std::move(line)) {
    read();
  }
  bool done() const override { return position_ == count_; }
  void Next() override {
    ++position_;
    read();
  }
  const std::string& value() const override { return text_; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  void read() {
    if (!done()) line_(position_, text_);
  }

  std::size_t count_, position_ = 0;
  std::function<void(std::size_t, std::string&)> line_;
  std::string text_;
};

/// The words of the lines as the library reads them: the word, a tab and its count. Learning bpe, it looks at
/// words alone, so they and their counts are the same to it as the lines. A tab in a word becomes the name of
/// a special token, because the library ends a piece at both.
std::vector<std::string> counted_words(std::span<const std::string* const> lines, bool tabs_are_blanks) {
  const std::string_view blanks = tabs_are_blanks ? " \t\r" : " \r";
  const PartCounts counts =
      count_parts(lines, [&](std::string_view line, const auto& add) { visit_parts(line, blanks, add); });
  std::vector<std::string> words;
  for (const auto& [part, count] : counts) {
    std::string word(part);
    for (std::size_t tab = 0; (tab = word.find('\t', tab)) != std::string::npos;) word.replace(tab, 1, "<s>");
    words.push_back(fmt::format("{}\t{}", word, count));
  }
  return words;
}

/// Takes `most` of the lines: one, chosen at random, of each of `most` equally long stretches. The choice
/// depends on the numbers alone.
void take_sample(std::vector<const std::string*>& lines, Index most) {
  const auto all = to_index(lines.size());
  if (all == most) return;
  Random random(1);
  for (Index i = 0; i < most; ++i) {
    const Index begin = i * all / most, end = (i + 1) * all / most;
    lines[to_size(i)] = lines[to_size(begin) + random.below(static_cast<std::uint64_t>(end - begin))];
  }
  lines.resize(to_size(most));
}

/// The library compares types in capitals. It would make them by the rules of the locale, but a Turkish i has
/// another capital.
std::string in_capitals(std::string text) {
  for (char& letter : text)
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  return text;
}

/// Returns the number after `words` in a message of the library.
std::optional<Index> number_after(const std::string& message, std::string_view words) {
  const std::size_t found = message.rfind(words);
  if (found == std::string::npos) return std::nullopt;
  Index number = 0;
  const char* const begin = message.data() + found + words.size();
  const auto read = std::from_chars(begin, message.data() + message.size(), number);
  return read.ec == std::errc() ? std::optional(number) : std::nullopt;
}

/// The library reads lists as comma-separated values.
std::string as_csv(const std::vector<std::string>& texts) {
  std::string csv;
  for (const std::string& text : texts) {
    csv += csv.empty() ? "\"" : ",\"";
    for (const char c : text) csv += c == '"' ? "\"\"" : std::string(1, c);
    csv += '"';
  }
  return csv;
}

sentencepiece::util::Status learn(const Options& options, Lines& lines, std::string& bytes) {
  try {
    return sentencepiece::SentencePieceTrainer::Train(options, &lines, &bytes);
  } catch (const std::bad_alloc&) {
    throw OutOfMemory(
        "out of memory while learning subwords; learn them from fewer lines with regard vocabulary, or give "
        "the program more memory");
  } catch (const std::system_error& error) {
    fail(
        "SentencePiece cannot start a thread to learn subwords: {}; give the program more memory, or more "
        "processes (ulimit -v, ulimit -u)",
        error.code().message());
  }
}

[[noreturn]] void fail_to_learn(const std::string& message, Index size) {
  constexpr const char* setting = "data.subwords.size (--size of regard vocabulary)";
  if (const auto most = number_after(message, "Please set it to a value <= "))
    fail("a vocabulary of {} subwords is too large for this corpus; set {} to at most {}", size, setting,
         *most);
  if (const auto least = number_after(message, " vs "))
    fail(
        "a vocabulary of {} subwords has no room for all characters of this corpus; set {} to at least {}, "
        "or lower data.subwords.character_coverage",
        size, setting, *least);
  fail("no subwords could be learnt; the message of SentencePiece is: {}", message);
}

}  // namespace

void check_learnable(const SubwordSettings& settings) {
  if (std::ranges::count(normalisations, settings.normalisation) == 0)
    fail("data.subwords.normalisation is \"{}\", but subwords can be learnt with {}",
         printable(settings.normalisation),
         in_quotes({std::begin(normalisations), std::end(normalisations)}));
  check_symbols(settings);
}

LearntSubwords learn_subwords(const std::vector<std::span<const std::string>>& texts,
                              const SubwordSettings& settings, const LearningProgress& progress) {
  const auto begin = std::chrono::steady_clock::now();
  check_learnable(settings);
  LearntSubwords learnt;
  std::vector<const std::string*> lines;
  for (const std::span<const std::string> text : texts)
    for (const std::string& line : text) {
      if (line.size() > longest_line_to_learn_from || line.find(sign_of_unknown) != std::string::npos)
        ++learnt.left_out;
      else if (has_visible_characters(line))
        lines.push_back(&line);
    }
  if (lines.empty())
    fail("no line is left to learn subwords from: every line is empty, has more than {} bytes, or has a {}",
         longest_line_to_learn_from, sign_of_unknown);
  learnt.all_lines = to_index(lines.size());
  learnt.lines =
      settings.sample_lines == 0 ? learnt.all_lines : std::min(learnt.all_lines, settings.sample_lines);
  if (progress) progress(fmt::format("Learning {} subwords from {} lines ...", settings.size, learnt.lines));
  const std::vector<std::string> symbols = symbols_for(lines, settings);
  take_sample(lines, learnt.lines);

  Options options = {
      {"model_type", in_capitals(to_string(settings.type))},
      {"vocab_size", std::to_string(settings.size)},
      {"character_coverage", fmt::format("{}", settings.character_coverage)},
      {"max_sentence_length", std::to_string(longest_line_to_learn_from)},
      {"pad_id", std::to_string(special::pad)},
      {"bos_id", std::to_string(special::begin)},
      {"eos_id", std::to_string(special::end)},
      {"unk_id", std::to_string(special::unknown)},
      {"minloglevel", "3"},
      // The sums of a unigram model depend on this number, so it is not the machine's, but the library's own.
      {"num_threads", settings.type == SubwordType::unigram ? "16" : "1"},
  };
  if (settings.normalisation == "none")
    options["normalization_rule_name"] = "identity";
  else if (settings.normalisation != SubwordSettings().normalisation)
    options["normalization_rule_name"] = settings.normalisation;
  if (settings.keep_blanks) options["remove_extra_whitespaces"] = "false";
  if (settings.byte_fallback) options["byte_fallback"] = "true";
  if (!symbols.empty()) options["user_defined_symbols"] = as_csv(symbols);

  std::vector<std::string> words;
  if (settings.type == SubwordType::bpe) {
    options["input_format"] = "tsv";
    words = counted_words(lines, !keeps_tabs(settings.normalisation));
  }
  Lines given = settings.type == SubwordType::bpe
                    ? Lines(words.size(), [&](std::size_t i, std::string& text) { text = words[i]; })
                    : Lines(lines.size(), [&](std::size_t i, std::string& text) {
                        text = *lines[i];
                        std::ranges::replace(text, '\r', ' ');
                      });
  const auto status = learn(options, given, learnt.bytes);
  if (!status.ok()) fail_to_learn(status.ToString(), settings.size);
  if (progress)
    progress(fmt::format("Learnt in {:.1f} s",
                         std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()));
  return learnt;
}

std::string origin(const LearntSubwords& learnt) {
  std::string text = ", learnt from ";
  if (learnt.lines < learnt.all_lines) text += fmt::format("{} of ", learnt.lines);
  text += fmt::format("{} lines", learnt.all_lines);
  if (learnt.left_out > 0)
    text += fmt::format("; left out: {} lines of more than {} bytes or with a {}", learnt.left_out,
                        longest_line_to_learn_from, sign_of_unknown);
  return text;
}

}  // namespace regard::translation
