#include "apps/inspection/inspection.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "apps/inspection/languages.h"
#include "apps/inspection/line_facts.h"
#include "apps/inspection/mojibake.h"
#include "apps/terms/fixed_parts.h"
#include "autograd/machine/error.h"
#include "autograd/machine/parallel.h"

namespace regard::translation {

/// All that is known of a pair.
struct PairFacts {
  const LineFacts &source, &target;
  bool full;                              ///< both sides have a word
  double ratio;                           ///< of the lengths, divided by the median
  FixedParts source_parts, target_parts;  ///< none unless it is full
  bool duplicate, repeated_source, overlaps, shifted;
  Languages languages;
  const CorpusReport& report;
  const InspectionSettings& settings;
};

namespace {

bool unusual(const LineFacts& line, const SideReport& side) {
  return line.script != 0 && !side.usual_scripts[line.script];
}

}  // namespace

const std::vector<Finding> findings{
    {"not-utf8", "a side is not UTF-8; regard train refuses it",
     [](const PairFacts& pair) { return !pair.source.utf8 || !pair.target.utf8; }},
    {"tabs", "a side has a tab", [](const PairFacts& pair) { return pair.source.tab || pair.target.tab; }},
    {"empty", "a side has no word; regard train leaves it out, unless its subwords keep blanks",
     [](const PairFacts& pair) { return !pair.full; }},
    {"long", "a side has more than {words} words",
     [](const PairFacts& pair) {
       return pair.full && std::max(pair.source.words, pair.target.words) > pair.settings.most_words;
     }},
    {"duplicates", "an earlier line has the same pair", [](const PairFacts& pair) { return pair.duplicate; }},
    {"repeated-sources", "an earlier line has the same source, with another target",
     [](const PairFacts& pair) { return pair.repeated_source; }},
    {"identical", "both sides are the same text of at least {identical} words",
     [](const PairFacts& pair) {
       return pair.source.text_hash == pair.target.text_hash &&
              pair.source.words >= pair.settings.identical_words;
     }},
    {"ratio",
     "characters of target : source more than {ratio} times from the median, {median:.2f} (10 added to "
     "both)",
     [](const PairFacts& pair) {
       return pair.full && std::max(pair.ratio, 1 / pair.ratio) > pair.settings.ratio;
     }},
    {"placeholders", "the sides have not the same placeholders and addresses",
     [](const PairFacts& pair) { return !same_parts(fixed_kinds[0], pair.source_parts, pair.target_parts); }},
    {"markup", "the sides have not the same tags and entities",
     [](const PairFacts& pair) { return !same_parts(fixed_kinds[1], pair.source_parts, pair.target_parts); }},
    {"numbers", "the sides have not the same numbers",
     [](const PairFacts& pair) { return !same_parts(fixed_kinds[2], pair.source_parts, pair.target_parts); }},
    {"script", "most letters of a side are of a script that fewer than a fifth of its lines have",
     [](const PairFacts& pair) {
       return pair.full &&
              (unusual(pair.source, pair.report.source) || unusual(pair.target, pair.report.target));
     }},
    {"language", "a side is in another language than its other lines (a guess)",
     [](const PairFacts& pair) { return pair.full && pair.languages == Languages::strange; }},
    {"swapped", "each side is in the language of the other one (a guess)",
     [](const PairFacts& pair) { return pair.full && pair.languages == Languages::swapped; }},
    {"mojibake", "UTF-8 was read as Latin-1 or Windows-1252",
     [](const PairFacts& pair) { return pair.source.mojibake || pair.target.mojibake; }, repair_mojibake},
    {"control", "a side has a control character, or U+FFFD of a damaged encoding",
     [](const PairFacts& pair) { return pair.source.control || pair.target.control; }},
    {"invisible", "a side has a character that nobody sees, such as a soft hyphen",
     [](const PairFacts& pair) { return pair.source.invisible || pair.target.invisible; }},
    {"overlap", "a side is in the validation corpus, case and punctuation aside",
     [](const PairFacts& pair) { return pair.overlaps; }},
    {"shift", "the translation seems to be in another line (a guess)",
     [](const PairFacts& pair) { return pair.shifted; }},
};

std::size_t finding_named(std::string_view name) {
  return static_cast<std::size_t>(std::ranges::find(findings, name, &Finding::name) - findings.begin());
}

namespace {

constexpr Index grain = 4096;  // lines of a task

using Facts = std::vector<LineFacts>;
using Hashes = std::unordered_set<std::uint64_t>;

Facts facts_of(const std::vector<std::string>& lines) {
  Facts facts(lines.size());
  parallel_for(std::ssize(lines), grain, [&](Index begin, Index end) {
    for (std::size_t i = to_size(begin); i < to_size(end); ++i) facts[i] = line_facts(lines[i]);
  });
  return facts;
}

SideReport summary(const Facts& facts) {
  SideReport report;
  std::vector<Index> words, scripts(script_count(), 0);
  for (const LineFacts& line : facts) {
    words.push_back(line.words);
    ++scripts[line.script];
  }
  scripts[0] = 0;
  const Index with_letters = std::accumulate(scripts.begin(), scripts.end(), Index{0});
  for (const Index lines : scripts) report.usual_scripts.push_back(5 * lines >= with_letters);
  report.script = static_cast<std::size_t>(std::ranges::max_element(scripts) - scripts.begin());
  if (words.empty()) return report;
  report.words = std::accumulate(words.begin(), words.end(), Index{0});
  std::ranges::sort(words);
  report.median_words = words[words.size() / 2];
  report.words_95 = words[words.size() * 95 / 100];
  report.most_words = words.back();
  return report;
}

/// The ratio of the lengths, with 10 added, so that short lines may differ more.
float ratio_of(const LineFacts& source, const LineFacts& target) {
  return static_cast<float>(target.characters + 10) / static_cast<float>(source.characters + 10);
}

double median_ratio(const Facts& source, const Facts& target) {
  std::vector<float> ratios;
  for (std::size_t i = 0; i < source.size(); ++i)
    if (source[i].words > 0 && target[i].words > 0) ratios.push_back(ratio_of(source[i], target[i]));
  if (ratios.empty()) return 1;
  const auto middle = ratios.begin() + std::ssize(ratios) / 2;
  std::ranges::nth_element(ratios, middle);
  return static_cast<double>(*middle);
}

/// The letters of lines that are in both texts, as hashes.
Hashes in_both(const Facts& corpus, const Facts& validation) {
  Hashes wanted, found;
  for (const LineFacts& line : validation)
    if (line.letters_hash != 0) wanted.insert(line.letters_hash);
  for (const LineFacts& line : corpus)
    if (wanted.contains(line.letters_hash)) found.insert(line.letters_hash);
  return found;
}

/// For each pair: an earlier line has the same pair, or the same source with another target.
struct Repeats {
  std::vector<bool> duplicate, source;
};

Repeats repeats_of(const Facts& source, const Facts& target) {
  Repeats repeats{std::vector<bool>(source.size()), std::vector<bool>(source.size())};
  std::vector<std::pair<std::uint64_t, std::size_t>> sorted;  // equal sources are neighbours
  for (std::size_t i = 0; i < source.size(); ++i)
    if (source[i].words > 0 && target[i].words > 0) sorted.emplace_back(source[i].text_hash, i);
  std::ranges::sort(sorted);
  Hashes targets;  // of this source so far
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    const auto [text, i] = sorted[k];
    if (k == 0 || sorted[k - 1].first != text) targets.clear();
    const bool first = targets.empty();
    repeats.duplicate[i] = !targets.insert(target[i].text_hash).second;
    repeats.source[i] = !repeats.duplicate[i] && !first;
  }
  return repeats;
}

std::vector<std::uint32_t> characters_of(const Facts& lines) {
  std::vector<std::uint32_t> characters;
  for (const LineFacts& line : lines) characters.push_back(line.characters);
  return characters;
}

}  // namespace

CorpusReport inspect(const ParallelText& corpus, const ParallelText& validation,
                     const InspectionSettings& settings) {
  if (corpus.source.size() != corpus.target.size())
    fail("a corpus has {} sources, but {} targets", corpus.source.size(), corpus.target.size());
  const Patterns patterns = fixed_patterns(settings.placeholders);
  const Facts source = facts_of(corpus.source), target = facts_of(corpus.target);
  CorpusReport report{.pairs = std::ssize(source),
                      .source = summary(source),
                      .target = summary(target),
                      .ratio = median_ratio(source, target),
                      .findings = std::vector<std::uint32_t>(source.size()),
                      .counts = std::vector<Index>(findings.size()),
                      .shifts = find_shifts(characters_of(source), characters_of(target)),
                      .validation_pairs = std::ssize(validation.source)};

  const Facts validation_source = facts_of(validation.source),
              validation_target = facts_of(validation.target);
  const Hashes sources = in_both(source, validation_source), targets = in_both(target, validation_target);
  const auto overlaps = [&](const LineFacts& one, const LineFacts& other) {
    return sources.contains(one.letters_hash) || targets.contains(other.letters_hash);
  };
  for (std::size_t i = 0; i < validation_source.size(); ++i)
    report.validation_overlap += overlaps(validation_source[i], validation_target[i]);

  const Repeats repeats = repeats_of(source, target);
  const std::vector<Languages> languages = guess_languages(corpus);
  std::vector<bool> shifted(source.size());
  for (const Shift& shift : report.shifts)
    for (Index i = shift.first; i <= shift.last; ++i) shifted[to_size(i)] = true;

  parallel_for(report.pairs, grain, [&](Index begin, Index end) {
    for (std::size_t i = to_size(begin); i < to_size(end); ++i) {
      const LineFacts &one = source[i], &other = target[i];
      const bool full = one.words > 0 && other.words > 0;
      const PairFacts pair{.source = one,
                           .target = other,
                           .full = full,
                           .ratio = static_cast<double>(ratio_of(one, other)) / report.ratio,
                           .source_parts = full ? fixed_parts(corpus.source[i], patterns) : FixedParts(),
                           .target_parts = full ? fixed_parts(corpus.target[i], patterns) : FixedParts(),
                           .duplicate = repeats.duplicate[i],
                           .repeated_source = repeats.source[i],
                           .overlaps = overlaps(one, other),
                           .shifted = shifted[i],
                           .languages = languages[i],
                           .report = report,
                           .settings = settings};
      for (std::size_t finding = 0; finding < findings.size(); ++finding)
        report.findings[i] |= std::uint32_t{findings[finding].found(pair)} << finding;
      if (findings[0].found(pair)) report.findings[i] = 1;  // not UTF-8: nothing else is known of it
    }
  });
  for (std::size_t i = 0; i < source.size(); ++i)
    for (std::size_t finding = 0; finding < findings.size(); ++finding)
      report.counts[finding] += report.has(i, finding);
  return report;
}

}  // namespace regard::translation
