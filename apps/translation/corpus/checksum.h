#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <zlib.h>

#include "apps/translation/corpus/corpus.h"
#include "autograd/machine/real.h"

namespace regard::translation {

/// A CRC-32 of several byte strings. The sum includes the size of each, so the same bytes in other pieces
/// give another sum.
class Checksum {
 public:
  void add(const void* data, std::size_t bytes) {
    const std::uint64_t size = bytes;
    update(&size, sizeof size);
    if (bytes > 0) update(data, bytes);  // zlib would restart the sum at a null pointer
  }
  void add(const std::string& text) { add(text.data(), text.size()); }
  void add(const ParallelCorpus& corpus) {
    for (const auto* side : {&corpus.source, &corpus.target})
      for (const std::vector<std::int32_t>& sentence : *side)
        add(sentence.data(), sentence.size() * sizeof(std::int32_t));
  }
  void add(const Vocabulary& vocabulary) {
    for (Index id = 0; id < vocabulary.size(); ++id) add(vocabulary.token(id));
  }

  std::string text() const { return fmt::format("{:08x}", sum_); }

 private:
  void update(const void* data, std::size_t bytes) {
    sum_ = crc32_z(sum_, static_cast<const Bytef*>(data), bytes);
  }
  uLong sum_ = 0;
};

}  // namespace regard::translation
