// Learns SentencePiece models.
#include <algorithm>
#include <charconv>
#include <new>
#include <optional>
#include <sentencepiece_trainer.h>
#include <system_error>
#include <unordered_map>

#include "apps/translation/files/utf8.h"
#include "apps/translation/subwords/subwords.h"
#include "autograd/machine/error.h"

namespace regard::translation {
namespace {

using Options = std::unordered_map<std::string, std::string>;

constexpr std::size_t longest_line_to_learn_from = 4192;      // bytes; the library's default
constexpr std::string_view sign_of_unknown = "\xE2\x96\x85";  // U+2585: the library uses it while it learns

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
  explicit Lines(std::vector<const std::string*> lines) : lines_(std::move(lines)) {}
  bool done() const override { return position_ == lines_.size(); }
  void Next() override { ++position_; }
  const std::string& value() const override { return *lines_[position_]; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  std::vector<const std::string*> lines_;
  std::size_t position_ = 0;
};

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

sentencepiece::util::Status learn(const Options& options, Lines& lines, std::string& bytes) {
  try {
    return sentencepiece::SentencePieceTrainer::Train(options, &lines, &bytes);
  } catch (const std::bad_alloc&) {
    throw OutOfMemory(
        "out of memory while learning subwords; learn them from fewer lines with regard vocabulary, or give "
        "the program more memory");
  } catch (const std::system_error& error) {
    fail("SentencePiece cannot start a thread to learn subwords: {}", error.code().message());
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

LearntSubwords learn_subwords(const std::vector<std::span<const std::string>>& texts,
                              const SubwordSettings& settings) {
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
  learnt.lines = to_index(lines.size());

  const Options options = {
      {"model_type", in_capitals(to_string(settings.type))},
      {"vocab_size", std::to_string(settings.size)},
      {"character_coverage", fmt::format("{}", settings.character_coverage)},
      {"max_sentence_length", std::to_string(longest_line_to_learn_from)},
      {"pad_id", std::to_string(special::pad)},
      {"bos_id", std::to_string(special::begin)},
      {"eos_id", std::to_string(special::end)},
      {"unk_id", std::to_string(special::unknown)},
      {"minloglevel", "3"},
      {"num_threads", std::to_string(1)},  // the sums of a unigram model depend on the number of threads
  };
  Lines iterator(std::move(lines));
  const auto status = learn(options, iterator, learnt.bytes);
  if (!status.ok()) fail_to_learn(status.ToString(), settings.size);
  return learnt;
}

std::string summary(const LearntSubwords& learnt, const SubwordSettings& settings) {
  std::string text = fmt::format("{}, {} entries, learnt from {} lines", to_string(settings.type),
                                 settings.size, learnt.lines);
  if (learnt.left_out > 0)
    text += fmt::format("; left out: {} lines of more than {} bytes or with a {}", learnt.left_out,
                        longest_line_to_learn_from, sign_of_unknown);
  return text;
}

}  // namespace regard::translation
