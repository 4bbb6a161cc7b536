#include "apps/inspection/languages.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <string_view>
#include <utility>

#include "apps/inspection/trigrams.h"
#include "autograd/machine/parallel.h"

namespace regard::translation {

namespace {

constexpr std::size_t most_lines = 20'000;
constexpr int rounds = 5;
/// A line belongs to another model if this one saves so many bits: the line is 2^20 times as probable.
constexpr double clear_bits = 20;
/// A line is strange if its bits per letter are so many spreads above the median.
constexpr double most_spreads = 4.5;
/// The lines from which the first model of strange lines learns. Later it keeps those that it knows clearly:
/// lines that have a language in common.
constexpr double seed_spreads = 3;

/// The bits per letter of the lines of about one length: those of short lines spread more.
struct Usual {
  double median = std::numeric_limits<double>::infinity();
  double spread = 1;  ///< from the median to the line at 84 %; for normal numbers, the standard deviation
};

/// Lengths of one class differ by a factor of less than the square root of 2.
std::size_t length_class(const Symbols& line) {
  return static_cast<std::size_t>(std::bit_width(line.size() * line.size()));
}
constexpr std::size_t length_classes = 65;
using UsualBits = std::array<Usual, length_classes>;

double bits_per_letter(double bits, const Symbols& line) { return bits / static_cast<double>(line.size()); }

/// A class of few lines takes the figures of the next longer one; without one, no line is strange.
UsualBits usual_bits(const std::vector<Symbols>& lines, const Trigrams& model) {
  constexpr std::size_t least_lines = 20;
  constexpr double least_spread = 0.1;
  std::array<std::vector<double>, length_classes> classes;
  for (const Symbols& line : lines)
    if (!line.empty()) classes[length_class(line)].push_back(bits_per_letter(model.bits(line), line));
  UsualBits usual;
  Usual longer;
  for (std::size_t i = length_classes; i-- > 0; usual[i] = longer) {
    std::vector<double>& sorted = classes[i];
    if (sorted.size() < least_lines) continue;
    std::ranges::sort(sorted);
    longer.median = sorted[sorted.size() / 2];
    longer.spread = std::max(sorted[sorted.size() * 84 / 100] - longer.median, least_spread);
  }
  return usual;
}

/// What the models say of one line of one side.
struct Verdict {
  double other = 0;    ///< the bits that the model of the other side saves
  double unknown = 0;  ///< those that the model of the strange lines saves
  double spreads = 0;  ///< how far its bits per letter are above the median

  bool strange() const { return spreads > most_spreads || other > clear_bits || unknown > clear_bits; }
};

/// One side of the corpus: the lines of the sample, and what has been learnt from them.
struct Side {
  std::vector<Symbols> lines;
  std::vector<Verdict> verdicts;
  Trigrams own, unknown;
  UsualBits usual;

  explicit Side(std::vector<Symbols> sample) : lines(std::move(sample)), verdicts(lines.size()) {}

  /// Lines with more than `seed` spreads teach the model of the strange lines.
  void learn(double seed) {
    own = unknown = Trigrams();
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const Verdict& verdict = verdicts[i];
      if (!verdict.strange()) own.count(lines[i]);
      if (verdict.other <= 0 && (verdict.unknown > clear_bits || verdict.spreads > seed))
        unknown.count(lines[i]);
    }
    own.learn(0);
    unknown.learn(1);
    usual = usual_bits(lines, own);
  }

  Verdict judge(const Symbols& line, const Side& partner) const {
    constexpr std::size_t least_letters = 20;
    if (line.empty()) return {};
    const double bits = own.bits(line);
    Verdict verdict{.other = bits - partner.own.bits(line)};
    if (line.size() < least_letters) {  // names and the like: not strange, but perhaps half of a swapped pair
      verdict.other = std::min(verdict.other, clear_bits);
      return verdict;
    }
    const Usual& as_usual = usual[length_class(line)];
    verdict.unknown = bits - unknown.bits(line);
    verdict.spreads = (bits_per_letter(bits, line) - as_usual.median) / as_usual.spread;
    return verdict;
  }
};

Languages languages_of(const Verdict& source, const Verdict& target) {
  if (source.other > 0 && target.other > 0 && source.other + target.other > clear_bits)
    return Languages::swapped;
  return source.strange() || target.strange() ? Languages::strange : Languages::usual;
}

}  // namespace

std::vector<Languages> guess_languages(const ParallelText& corpus) {
  const std::size_t stride = corpus.source.size() / most_lines + 1;
  std::vector<std::string_view> sample;
  for (const auto* lines : {&corpus.source, &corpus.target})
    for (std::size_t i = 0; i < lines->size(); i += stride) sample.push_back((*lines)[i]);
  const Alphabet alphabet(sample);
  std::vector<Symbols> read;
  for (const std::string_view line : sample) alphabet.read(line, read.emplace_back());
  const auto middle = read.begin() + std::ssize(read) / 2;
  std::array<Side, 2> sides{Side({read.begin(), middle}), Side({middle, read.end()})};
  const auto for_both = [&](const auto& visit) {
    parallel_for(2, 1, [&](Index begin, Index end) {
      for (std::size_t i = to_size(begin); i < to_size(end); ++i) visit(sides[i], sides[1 - i]);
    });
  };
  for (int round = 0; round < rounds; ++round) {
    for_both([&](Side& side, const Side&) {
      side.learn(round < 2 ? seed_spreads : std::numeric_limits<double>::infinity());
    });
    for_both([](Side& side, const Side& partner) {
      for (std::size_t i = 0; i < side.lines.size(); ++i)
        side.verdicts[i] = side.judge(side.lines[i], partner);
    });
  }

  std::vector<Languages> result(corpus.source.size());
  parallel_for(std::ssize(result), 1024, [&](Index begin, Index end) {
    Symbols source, target;
    for (std::size_t i = to_size(begin); i < to_size(end); ++i) {
      alphabet.read(corpus.source[i], source);
      alphabet.read(corpus.target[i], target);
      result[i] = languages_of(sides[0].judge(source, sides[1]), sides[1].judge(target, sides[0]));
    }
  });
  return result;
}

}  // namespace regard::translation
