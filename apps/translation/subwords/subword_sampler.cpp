#include "apps/translation/subwords/subword_sampler.h"

#include <cstddef>

#include "apps/translation/subwords/bpe_dropout.h"
#include "apps/translation/subwords/unigram_sampler.h"
#include "apps/translation/text/tokeniser.h"
#include "apps/translation/text/utf8.h"
#include "apps/translation/text/vocabulary.h"
#include "autograd/error.h"

namespace regard::translation {
namespace {

/// BPE-dropout cuts each word separately, so a piece may contain ▁ only at its beginning.
void check_pieces(const SubwordPieces& pieces) {
  for (std::size_t id = special::count; id < pieces.entries.size(); ++id) {
    const SubwordPiece& piece = pieces.entries[id];
    if (piece.kind != SubwordPiece::Kind::normal || piece.text.find(visible_blank, 1) != std::string::npos)
      fail(
          "data.subwords.sampling needs a model in which every piece is normal text within a word; its piece "
          "{}, \"{}\", is not",
          id, printable(piece.text));
  }
}

}  // namespace

std::unique_ptr<SubwordSampler> make_subword_sampler(const SubwordPieces& pieces, double sampling,
                                                     Index n_best) {
  check_pieces(pieces);
  if (pieces.type == SubwordType::unigram) return unigram_sampler(pieces, sampling, n_best);
  if (pieces.type != SubwordType::bpe)
    fail("data.subwords.sampling needs a model of type bpe or unigram, not {}", to_string(pieces.type));
  if (sampling > 1)
    fail("with a model of type bpe, data.subwords.sampling is a probability, but it is {}; give at most 1",
         sampling);
  if (n_best != -1)
    fail("data.subwords.sampling_n_best {} needs a model of type unigram; this model is of type bpe", n_best);
  return bpe_dropout(pieces, sampling);
}

}  // namespace regard::translation
