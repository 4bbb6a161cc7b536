#include "apps/translation/corpus/held_out.h"

#include <utility>

#include "apps/random.h"
#include "apps/translation/files/utf8.h"
#include "autograd/machine/hash.h"

namespace regard::translation {
namespace {

/// Returns a number from 0 to below 1 that depends on a sentence as it is read, in lower case: the hash
/// FNV-1a of its characters, mixed.
double hash_of(const std::string& sentence) {
  std::uint64_t hash = fnv_1a_start;
  for (const char32_t character : lowercase(as_read(sentence))) hash = fnv_1a(hash, character);
  return static_cast<double>(SplitMix64(hash).next() >> 11) * 0x1p-53;
}

}  // namespace

ParallelText hold_out(ParallelText& text, double share) {
  ParallelText kept{.source = {}, .target = {}, .name = text.name};
  ParallelText held{.source = {}, .target = {}, .name = "the pairs held out of " + text.name};
  std::size_t line = 0;
  for (const Index lines : text.file_lines) {
    const std::size_t before = kept.source.size();
    for (const std::size_t end = line + to_size(lines); line < end; ++line) {
      ParallelText& side = hash_of(text.source[line]) < share ? held : kept;
      side.source.push_back(std::move(text.source[line]));
      side.target.push_back(std::move(text.target[line]));
    }
    kept.file_lines.push_back(to_index(kept.source.size() - before));
  }
  held.file_lines = {to_index(held.source.size())};
  if (held.source.empty() || kept.source.empty())
    fail(
        "data.validation_share {} of the {} pairs in {} holds out {}; give another share, more pairs or a "
        "validation corpus",
        share, line, text.name, held.source.empty() ? "none" : "all");
  text = std::move(kept);
  return held;
}

}  // namespace regard::translation
