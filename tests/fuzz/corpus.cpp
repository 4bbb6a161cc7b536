// Corpora: every line that is read becomes tokens that join to the line with single blanks.
#include "apps/translation/corpus/corpus.h"

#include <algorithm>

#include "tests/fuzz/fuzz.h"

using namespace regard;
using namespace regard::translation;

namespace {

void encode_with(const ParallelText& text, const char* name) {
  const std::unique_ptr<Tokeniser> tokeniser = make_tokeniser(name);
  TokenCounts counts;
  for (const auto* side : {&text.source, &text.target}) {
    count_tokens(counts, *side, *tokeniser);
    for (const std::string& line : *side) {
      const std::string joined = tokeniser->join(tokeniser->split(line));
      fuzz::require(std::string_view(name) == "subword-nmt" ||
                    tokeniser->join(tokeniser->split(joined)) == joined);
    }
  }
  const Vocabulary vocabulary = Vocabulary::from_counts(counts);
  const ParallelCorpus corpus = encode(text, {*tokeniser, vocabulary, vocabulary, 20});
  fuzz::require(corpus.pairs() + corpus.dropped.total() == corpus.lines_read);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::text_of(data, size);
  const std::size_t half = std::min(bytes.find("\n---\n"), size);
  const std::string source = fuzz::file_with(bytes.substr(0, half), "source");
  const std::string target = fuzz::file_with(bytes.substr(std::min(half + 5, size)), "target");
  for (const char* name : {"word", "subword-nmt", "char"}) {
    fuzz::allow_errors([&] { encode_with(read_parallel_files(source, target), name); });
    fuzz::allow_errors([&] { encode_with(read_parallel_tsv(source), name); });
  }
  std::remove(source.c_str());
  std::remove(target.c_str());
  return 0;
}
