#include "apps/translation/corpus/inspection/inspection.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <unordered_set>

#include "apps/translation/corpus/inspection/line_facts.h"
#include "apps/translation/corpus/inspection/scripts.h"
#include "apps/translation/text/fixed_parts.h"
#include "autograd/machine/error.h"
#include "autograd/machine/parallel.h"

namespace regard::translation {

const std::array<FindingName, finding_count> finding_names{{
    {"not-utf8", "a side is not UTF-8; regard train refuses it"},
    {"tabs", "a side has a tab"},
    {"empty", "a side has no word; regard train leaves it out"},
    {"long", "a side has more than {} words"},
    {"duplicates", "an earlier line has the same pair"},
    {"repeated-sources", "an earlier line has the same source, with another target"},
    {"identical", "both sides are the same text"},
    {"ratio", "characters of target : source more than {} times from the median, {:.2f} (10 added to both)"},
    {"placeholders", "the sides have not the same placeholders and addresses"},
    {"markup", "the sides have not the same tags and entities"},
    {"numbers", "the sides have not the same numbers"},
    {"script", "most letters of a side are of a script that fewer than a fifth of its lines have"},
    {"language", "a side has hardly a common word of its language (a guess)"},
    {"control", "a side has a control character, or U+FFFD of a damaged encoding"},
    {"overlap", "a side is in the validation corpus, case and punctuation aside"},
    {"shift", "the translation seems to be in another line (a guess)"},
}};

namespace {

constexpr Index grain = 4096;  // lines of a task

using Facts = std::vector<LineFacts>;

Facts facts_of(std::span<const std::string_view> lines, const CommonWords& common) {
  Facts facts(lines.size());
  parallel_for(std::ssize(lines), grain, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) facts[to_size(i)] = line_facts(lines[to_size(i)], common);
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

/// The inspection of a corpus. `add` may be called by several threads for different pairs.
class Inspection {
 public:
  Inspection(const CorpusLines& corpus, const InspectionSettings& settings)
      : corpus_(corpus),
        settings_(settings),
        source_(facts_of(corpus.source, CommonWords(corpus.source))),
        target_(facts_of(corpus.target, CommonWords(corpus.target))) {
    report_.pairs = std::ssize(corpus.source);
    report_.findings.assign(corpus.source.size(), 0);
    report_.source = summary(source_);
    report_.target = summary(target_);
  }

  CorpusReport run(const CorpusLines& validation) {
    find_ratio();
    find_in_pairs();
    find_repeated();
    find_overlap(validation);
    find_shifted();
    for (std::uint32_t& of_pair : report_.findings) {
      if (of_pair & bit(Finding::not_utf8)) of_pair = bit(Finding::not_utf8);
      for (std::size_t finding = 0; finding < finding_count; ++finding)
        report_.counts[finding] += of_pair >> finding & 1;
    }
    return std::move(report_);
  }

 private:
  static std::uint32_t bit(Finding finding) { return std::uint32_t{1} << static_cast<unsigned>(finding); }
  void add(std::size_t pair, Finding finding, bool found) {
    if (found) report_.findings[pair] |= bit(finding);
  }

  void find_ratio() {
    std::vector<float> ratios;
    for (std::size_t i = 0; i < source_.size(); ++i)
      if (source_[i].words > 0 && target_[i].words > 0) ratios.push_back(ratio_of(source_[i], target_[i]));
    if (ratios.empty()) return;
    const auto middle = ratios.begin() + std::ssize(ratios) / 2;
    std::ranges::nth_element(ratios, middle);
    report_.ratio = static_cast<double>(*middle);
  }

  /// All that a pair shows by itself.
  void find_in_pairs() {
    const Patterns patterns = fixed_patterns(settings_.placeholders);
    parallel_for(report_.pairs, grain, [&](Index begin, Index end) {
      for (std::size_t i = to_size(begin); i < to_size(end); ++i) find_in_pair(i, patterns);
    });
  }

  void find_in_pair(std::size_t i, const Patterns& patterns) {
    const LineFacts &source = source_[i], &target = target_[i];
    add(i, Finding::not_utf8, !source.utf8 || !target.utf8);
    if (!source.utf8 || !target.utf8) return;
    add(i, Finding::tabs, source.tab || target.tab);
    add(i, Finding::control, source.control || target.control);
    const bool empty = source.words == 0 || target.words == 0;
    add(i, Finding::empty, empty);
    if (empty) return;
    add(i, Finding::long_line, std::max(source.words, target.words) > settings_.most_words);
    add(i, Finding::identical, source.text == target.text);
    add(i, Finding::language, source.strange || target.strange);
    const auto another = [](const LineFacts& line, const SideReport& side) {
      return line.script != 0 && !side.usual_scripts[line.script];
    };
    add(i, Finding::script, another(source, report_.source) || another(target, report_.target));
    const double ratio = static_cast<double>(ratio_of(source, target)) / report_.ratio;
    add(i, Finding::ratio, ratio > settings_.ratio || ratio < 1 / settings_.ratio);
    const FixedParts here = fixed_parts(corpus_.source[i], patterns);
    const FixedParts there = fixed_parts(corpus_.target[i], patterns);
    add(i, Finding::placeholders, here.placeholders != there.placeholders);
    add(i, Finding::markup, here.markup != there.markup);
    add(i, Finding::numbers, here.numbers != there.numbers);
  }

  /// Sorted by source and line, equal sources are neighbours.
  void find_repeated() {
    std::vector<std::tuple<std::uint64_t, std::size_t>> sorted;
    for (std::size_t i = 0; i < source_.size(); ++i)
      if (source_[i].words > 0 && target_[i].words > 0) sorted.emplace_back(source_[i].text, i);
    std::ranges::sort(sorted);
    std::unordered_set<std::uint64_t> targets;  // of the lines so far with this source
    for (std::size_t k = 0; k < sorted.size(); ++k) {
      const auto [source, i] = sorted[k];
      if (k == 0 || std::get<0>(sorted[k - 1]) != source) targets.clear();
      const bool first = targets.empty();
      const bool another = targets.insert(target_[i].text).second;
      add(i, Finding::duplicates, !another);
      add(i, Finding::repeated_sources, another && !first);
    }
  }

  void find_overlap(const CorpusLines& validation) {
    const Facts sources = facts_of(validation.source, {}), targets = facts_of(validation.target, {});
    report_.validation_pairs = std::ssize(sources);
    const auto hashes = [](const Facts& lines) {
      std::unordered_set<std::uint64_t> all;
      for (const LineFacts& line : lines)
        if (line.letters != 0) all.insert(line.letters);
      return all;
    };
    const auto in_source = hashes(sources), in_target = hashes(targets);
    std::unordered_set<std::uint64_t> seen_source, seen_target;
    for (std::size_t i = 0; i < source_.size() && report_.validation_pairs > 0; ++i) {
      const bool source = in_source.contains(source_[i].letters),
                 target = in_target.contains(target_[i].letters);
      add(i, Finding::overlap, source || target);
      if (source) seen_source.insert(source_[i].letters);
      if (target) seen_target.insert(target_[i].letters);
    }
    for (std::size_t i = 0; i < sources.size(); ++i)
      report_.validation_overlap +=
          seen_source.contains(sources[i].letters) || seen_target.contains(targets[i].letters);
  }

  void find_shifted() {
    const auto lengths = [](const Facts& lines) {
      std::vector<std::uint32_t> characters;
      for (const LineFacts& line : lines) characters.push_back(line.characters);
      return characters;
    };
    report_.shifts = find_shifts(lengths(source_), lengths(target_));
    for (const Shift& shift : report_.shifts)
      for (Index i = shift.first; i <= shift.last; ++i) add(to_size(i), Finding::shift, true);
  }

  const CorpusLines& corpus_;
  const InspectionSettings& settings_;
  Facts source_, target_;
  CorpusReport report_;
};

}  // namespace

CorpusReport inspect(const CorpusLines& corpus, const CorpusLines& validation,
                     const InspectionSettings& settings) {
  if (corpus.source.size() != corpus.target.size())
    fail("a corpus has {} sources, but {} targets", corpus.source.size(), corpus.target.size());
  return Inspection(corpus, settings).run(validation);
}

}  // namespace regard::translation
