#include "apps/translation/corpus/batching.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

#include "apps/random.h"
#include "apps/translation/files/files.h"
#include "apps/translation/files/json.h"
#include "autograd/machine/error.h"
#include "autograd/machine/profile.h"

namespace regard::translation {
namespace {

/// Cuts a row of pairs into batches. A new batch begins if a pair would bring either side over the limit.
BatchPlan cut(const std::vector<std::size_t>& pairs, std::span<const PairLength> lengths, Index limit) {
  BatchPlan plan;
  Index source = 0, target = 0;
  for (const std::size_t pair : pairs) {
    source += lengths[pair].source + 1;  // </s>
    target += lengths[pair].target + 1;
    if (plan.empty() || std::max(source, target) > limit) {
      plan.emplace_back();
      source = lengths[pair].source + 1;
      target = lengths[pair].target + 1;
    }
    plan.back().push_back(pair);
  }
  return plan;
}

/// Reads one list of line numbers. `name` is its file and line, for messages.
std::vector<std::size_t> read_batch(const std::string& text, const std::string& name,
                                    const ParallelCorpus& corpus) {
  const Json list = parse_json(text, name);
  if (!list.is_array() || list.empty()) fail("{}: expected a list of line numbers, such as [3, 14]", name);
  std::vector<std::size_t> pairs;
  for (const Json& entry : list) {
    if (!entry.is_number_integer()) fail("{}: {} is not a line number", name, printable_value(entry));
    if (entry < 0 || entry >= corpus.lines_read)
      fail("{}: there is no line {} in the corpus; its {} lines are 0 to {}", name, printable_value(entry),
           corpus.lines_read, corpus.lines_read - 1);
    const auto line = entry.get<Index>();
    const auto found = std::lower_bound(corpus.lines.begin(), corpus.lines.end(), line);
    if (found == corpus.lines.end() || *found != line)
      fail("{}: line {} of the corpus was dropped, because a side is empty or longer than allowed", name,
           line);
    pairs.push_back(to_size(found - corpus.lines.begin()));
  }
  return pairs;
}

}  // namespace

Index source_length(const transformer::Encoder& encoder, const std::vector<std::int32_t>& source) {
  transformer::Source alone;
  alone.append(transformer::with_end(source));
  return encoder.length(alone, 0);
}

std::vector<PairLength> pair_lengths(const ParallelCorpus& corpus, const transformer::Encoder* encoder) {
  std::vector<PairLength> lengths;
  lengths.reserve(corpus.source.size());
  for (std::size_t pair = 0; pair < corpus.source.size(); ++pair) {
    const std::vector<std::int32_t>& source = corpus.source[pair];
    lengths.push_back(
        {.source = encoder != nullptr ? source_length(*encoder, source) : to_index(source.size()),
         .target = to_index(corpus.target[pair].size())});
  }
  return lengths;
}

BatchPlan plan_epoch(std::span<const PairLength> lengths, Index tokens, std::uint64_t seed, Index epoch,
                     const Mixture& mixture) {
  if (tokens < 1) fail("a batch of {} tokens is not possible; give at least 1", tokens);
  SplitMix64 random = SplitMix64::for_epoch(seed, static_cast<std::uint64_t>(epoch));
  std::vector<std::size_t> pairs = pairs_of_epoch(lengths.size(), mixture, seed, epoch);
  random.shuffle(pairs);
  // A stable sort: pairs of equal lengths keep their random order, so each epoch has other batches.
  std::stable_sort(pairs.begin(), pairs.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(lengths[a].target, lengths[a].source) < std::tie(lengths[b].target, lengths[b].source);
  });
  BatchPlan plan = cut(pairs, lengths, tokens);
  random.shuffle(plan);
  return plan;
}

BatchPlan read_batch_plan(const std::string& path, const ParallelCorpus& corpus) {
  BatchPlan plan;
  for (const std::string& line : read_lines(path))
    plan.push_back(read_batch(line, fmt::format("{}, line {}", path, plan.size() + 1), corpus));
  if (plan.empty()) fail("{}: the file is empty", path);
  return plan;
}

transformer::Batch make_batch(const ParallelCorpus& corpus, std::span<const std::size_t> pairs) {
  const Span span("make_batch", Span::Kind::other);
  transformer::Batch batch;
  for (const std::size_t pair : pairs) {
    if (pair >= corpus.source.size())
      fail("there is no sentence pair {} in a corpus of {}", pair, corpus.source.size());
    batch.append(corpus.source[pair], corpus.target[pair]);
  }
  return batch;
}

}  // namespace regard::translation
