#include "apps/gold/gold_alignments.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <system_error>

#include "apps/translation/corpus/corpus.h"
#include "apps/translation/files/utf8.h"
#include "autograd/machine/error.h"

namespace regard::translation {

namespace {

/// Reads a whole number from the digits at the beginning and removes them.
std::optional<Index> take_number(std::string_view& text) {
  if (text.empty() || text.front() == '-') return {};
  Index number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return {};
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

void add_link(GoldAlignment& gold, std::string_view text, const std::string& name) {
  std::string_view rest = text;
  const std::optional<Index> source = take_number(rest);
  const char kind = rest.empty() ? ' ' : rest.front();
  if (!rest.empty()) rest.remove_prefix(1);
  const std::optional<Index> target = take_number(rest);
  if (!source || !target || !rest.empty() || std::string_view("-?p").find(kind) == std::string_view::npos)
    fail(
        "{}: \"{}\" is no link; write SOURCE-TARGET for a sure link, SOURCE?TARGET for a possible one, with "
        "positions from 0, such as 0-0 or 1?2",
        name, printable(text));
  gold.possible.push_back({*source, *target});
  if (kind == '-') gold.sure.push_back({*source, *target});
}

void sort_without_repetition(Alignment& links) {
  std::ranges::sort(links);
  links.erase(std::unique(links.begin(), links.end()), links.end());
}

}  // namespace

GoldAlignment parse_gold(std::string_view text, const std::string& name) {
  constexpr std::string_view blanks = " \t";
  GoldAlignment gold;
  for (std::size_t begin = text.find_first_not_of(blanks); begin != text.npos;) {
    const std::size_t end = std::min(text.find_first_of(blanks, begin), text.size());
    add_link(gold, text.substr(begin, end - begin), name);
    begin = text.find_first_not_of(blanks, end);
  }
  sort_without_repetition(gold.sure);
  sort_without_repetition(gold.possible);
  return gold;
}

std::vector<GoldAlignment> read_gold(const std::string& path) {
  std::vector<GoldAlignment> result;
  for (const std::string& line : read_sentences(path))
    result.push_back(parse_gold(line, fmt::format("{}, line {}", path, result.size() + 1)));
  return result;
}

void check_positions(const GoldAlignment& gold, Index source_tokens, Index target_tokens,
                     const std::string& name) {
  const auto check = [&](const Link& link, const char* side, Index position, Index tokens) {
    if (position < tokens) return;
    fail(
        "{}: the link between source token {} and target token {} is beyond the {}, which has {} tokens of "
        "the model; positions count them from 0",
        name, link.source, link.target, side, tokens);
  };
  for (const Link& link : gold.possible) {
    check(link, "source", link.source, source_tokens);
    check(link, "target", link.target, target_tokens);
  }
}

AlignmentCounts& AlignmentCounts::operator+=(const AlignmentCounts& other) {
  links += other.links;
  sure += other.sure;
  links_in_sure += other.links_in_sure;
  links_in_possible += other.links_in_possible;
  return *this;
}

AlignmentCounts alignment_counts(const Alignment& alignment, const GoldAlignment& gold) {
  const auto links_in = [&](const Alignment& sorted) {
    return std::ranges::count_if(alignment,
                                 [&](const Link& link) { return std::ranges::binary_search(sorted, link); });
  };
  return {.links = to_index(alignment.size()),
          .sure = to_index(gold.sure.size()),
          .links_in_sure = links_in(gold.sure),
          .links_in_possible = links_in(gold.possible)};
}

AlignmentQuality alignment_quality(const AlignmentCounts& counts) {
  const auto fraction = [](Index part, Index whole) {
    return whole == 0 ? std::nullopt : std::optional(static_cast<double>(part) / static_cast<double>(whole));
  };
  AlignmentQuality quality{
      .error_rate = fraction(counts.links_in_sure + counts.links_in_possible, counts.links + counts.sure),
      .precision = fraction(counts.links_in_possible, counts.links),
      .recall = fraction(counts.links_in_sure, counts.sure)};
  if (quality.error_rate) quality.error_rate = 1 - *quality.error_rate;
  return quality;
}

}  // namespace regard::translation
