#include "apps/subwords/subwords.h"

#include <array>
#include <random>
#include <sentencepiece_processor.h>

#include "apps/subwords/sentencepiece_file.h"
#include "apps/translation/files/utf8.h"
#include "apps/translation/text/counted.h"
#include "autograd/machine/error.h"

namespace sentencepiece::random {
/// The generator of this thread, from which sample() of the library draws. The library exports this function,
/// but its headers only show SetRandomGeneratorSeed, which has no effect on a thread that has drawn before.
std::mt19937* GetRandomGenerator();
}  // namespace sentencepiece::random

namespace regard::translation {
namespace {

using sentencepiece::SentencePieceProcessor;

/// The ids of the pieces are equal to the ids of a Vocabulary only if the special pieces come first, in the
/// order of namespace special. The library refuses a model without <unk>, so there are four if three fit.
void check_special_pieces(const SentencePieceProcessor& model, const std::string& name) {
  constexpr std::array expected = {"<pad>", "<s>", "</s>", "<unk>"};
  static_assert(expected.size() == special::count);
  for (int id = 0; id < special::count; ++id) {
    const bool same_kind = id == special::unknown ? model.IsUnknown(id) : model.IsControl(id);
    const std::string& found = model.IdToPiece(id);
    if (same_kind && found == expected[to_size(id)]) continue;
    fail(
        "{}: piece {} is {}{}, but should be {}; learn the model with regard vocabulary, or with spm_train "
        "--pad_id=0 --bos_id=1 --eos_id=2 --unk_id=3",
        name, id, printable(found), same_kind ? "" : " of another kind", expected[to_size(id)]);
  }
}

Vocabulary vocabulary_of(const SentencePieceProcessor& model, const std::string& name) {
  check_special_pieces(model, name);
  TokenCounts counts;  // each piece is counted once, so the vocabulary keeps their order
  for (int id = special::count; id < model.GetPieceSize(); ++id) {
    check_piece(model, id, name);
    const std::string& piece = model.IdToPiece(id);
    if (!may_be_token(piece))
      fail(
          "{}: piece {}, \"{}\", contains a line end, but a translation is one line; learn the model without "
          "it",
          name, id, printable(piece));
    counts.add(piece);
  }
  Vocabulary vocabulary = Vocabulary::from_counts(counts);
  if (vocabulary.size() != model.GetPieceSize())
    fail("{}: a piece occurs twice in this SentencePiece model", name);
  return vocabulary;
}

/// True if a model merges pieces inside words alone. (The sums of a unigram model go over the whole text, so
/// they round differently for a word.)
bool has_only_words(const SubwordProperties& properties, const Vocabulary& pieces) {
  if (properties.type != SubwordType::bpe || properties.keep_blanks || !properties.blank_before ||
      pieces.id(visible_blank) == special::unknown)
    return false;
  for (Index id = special::count; id < pieces.size(); ++id) {
    const std::string& piece = pieces.token(id);
    if (piece.find(visible_blank, 1) != std::string::npos || piece.find(' ') != std::string::npos)
      return false;
  }
  return true;
}

/// A token may not contain a line end, so each CR and LF becomes another text. Returns `text` itself if it
/// has none, otherwise a view of `changed`.
std::string_view without_line_ends(std::string_view text, std::string_view instead, std::string& changed) {
  if (may_be_token(text) || text.empty()) return text;
  for (const char c : text) c == '\r' || c == '\n' ? changed += instead : changed += c;
  return changed;
}

}  // namespace

std::string to_string(SubwordType type) {
  switch (type) {
    case SubwordType::bpe:
      return "bpe";
    case SubwordType::unigram:
      return "unigram";
    case SubwordType::word:
      return "word";
    case SubwordType::character:
      return "char";
  }
  return "";
}

std::string SubwordTokeniser::about() const {
  std::string text = fmt::format("{}, {} entries", to_string(type()), vocabulary_.size());
  if (properties_.normalisation != SubwordSettings().normalisation)
    text += ", normalisation " + properties_.normalisation;
  if (properties_.keep_blanks) text += ", blanks kept";
  if (properties_.symbols > 0) text += ", " + counted(properties_.symbols, "symbol");
  if (properties_.byte_fallback) text += ", unknown characters as bytes";
  return text;
}

SubwordTokeniser::SubwordTokeniser(const std::string& bytes, const std::string& name)
    : properties_(check_file(bytes, name)),
      processor_(load_sentencepiece(bytes, name)),
      vocabulary_(vocabulary_of(*processor_, name)),
      cuts_words_alone_(has_only_words(properties_, vocabulary_)) {}

SubwordTokeniser::~SubwordTokeniser() = default;

std::vector<std::string> SubwordTokeniser::split(std::string_view text) const {
  check_utf8(text);
  std::vector<std::string> tokens;
  std::string without;
  check_status(processor_->Encode(without_line_ends(text, " ", without), &tokens), "cut a sentence");
  return tokens;
}

std::string SubwordTokeniser::join(const std::vector<std::string>& tokens) const {
  std::string text;
  check_status(processor_->Decode(tokens, &text), "join its pieces");
  std::string without;  // the pieces for bytes include those of line ends
  return std::string(without_line_ends(text, "\xEF\xBF\xBD", without));
}

std::vector<std::int32_t> SubwordTokeniser::sample(std::string_view text, double sampling, Index n_best,
                                                   std::uint32_t seed) const {
  std::vector<int> ids;
  std::string without;
  sentencepiece::random::GetRandomGenerator()->seed(seed);
  const auto status = processor_->SampleEncode(without_line_ends(text, " ", without),
                                               static_cast<int>(n_best), static_cast<float>(sampling), &ids);
  check_status(status, "sample subwords");
  return ids;
}

}  // namespace regard::translation
