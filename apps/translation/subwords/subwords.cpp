#include "apps/translation/subwords/subwords.h"

#include <array>
#include <cmath>
#include <optional>
#include <random>
#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>
#include <unordered_map>
#include <zlib.h>

#include "apps/translation/text/utf8.h"
#include "autograd/error.h"

namespace sentencepiece::random {
/// The generator of this thread, from which sample() of the library draws. The library exports this function,
/// but its headers only show SetRandomGeneratorSeed, which has no effect on a thread that has drawn before.
std::mt19937* GetRandomGenerator();
}  // namespace sentencepiece::random

namespace regard::translation {
namespace {

using sentencepiece::SentencePieceProcessor;

[[noreturn]] void fail_unreadable(const std::string& name) {
  fail("{} cannot be read as a SentencePiece model; it is another kind of file, incomplete or damaged", name);
}

/// A field of a message of Protocol Buffers: its number in sentencepiece_model.proto, and a number or bytes.
struct Field {
  std::size_t begin = 0;
  std::uint64_t number = 0;
  std::uint64_t value = 0;
  std::string_view bytes = {};
};

/// Takes a message apart (protobuf.dev/programming-guides/encoding).
std::vector<Field> fields_of(std::string_view message, const std::string& name) {
  std::string_view rest = message;
  const auto take = [&](std::uint64_t size) {
    if (size > rest.size()) fail_unreadable(name);
    const std::string_view taken = rest.substr(0, size);
    rest.remove_prefix(size);
    return taken;
  };
  // Seven bits per byte, the lowest first. The highest bit of a byte is set if more bytes follow.
  const auto number = [&] {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1).front());
      value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    fail_unreadable(name);
  };
  std::vector<Field> fields;
  while (!rest.empty()) {
    Field field{.begin = message.size() - rest.size()};
    const std::uint64_t tag = number();
    field.number = tag >> 3;
    switch (tag & 7) {
      case 0:
        field.value = number();
        break;
      case 1:
        field.bytes = take(8);
        break;
      case 2:
        field.bytes = take(number());
        break;
      case 5:
        field.bytes = take(4);
        break;
      default:
        fail_unreadable(name);
    }
    fields.push_back(field);
  }
  return fields;
}

/// The number of an additional field in a model: the CRC-32 of all bytes before it. ModelProto leaves the
/// numbers from 200 on to other programs, and its readers ignore unknown fields.
constexpr std::uint64_t checksum_field = 200;

/// The four bytes of the CRC-32, the lowest first.
std::string checksum(std::string_view bytes) {
  const auto sum = crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  std::string result;
  for (int shift = 0; shift < 32; shift += 8) result += static_cast<char>(sum >> shift & 0xFF);
  return result;
}

/// TrainerSpec.model_type. The library does not show it.
SubwordType read_type(std::string_view trainer, const std::string& name) {
  constexpr std::array types = {SubwordType::unigram, SubwordType::bpe, SubwordType::word,
                                SubwordType::character};
  std::uint64_t type = 1;
  for (const Field& field : fields_of(trainer, name))
    if (field.number == 3) type = field.value;
  if (type < 1 || type > types.size()) fail_unreadable(name);
  return types[type - 1];
}

/// Checks what the library does not: that the file is complete, and its checksum. Returns the type.
SubwordType check_file(std::string_view bytes, const std::string& name) {
  std::optional<SubwordType> type;
  bool normaliser_given = false;
  for (const Field& field : fields_of(bytes, name)) {
    if (field.number == checksum_field && field.bytes != checksum(bytes.substr(0, field.begin)))
      fail("{}: its bytes do not agree with its checksum; the file is damaged", name);
    if (field.number == 2) type = read_type(field.bytes, name);
    if (field.number == 3) normaliser_given = true;
  }
  // Both come after the pieces, so an incomplete file lacks one of them even if it ends between two fields.
  if (!type || !normaliser_given) fail_unreadable(name);
  return *type;
}

/// The library's log level is a global variable. Only the options of a training can set it. A training
/// without a corpus returns at once.
void silence_library() {
  static const bool once = [] {
    const std::unordered_map<std::string, std::string> quiet = {{"minloglevel", "3"}};
    sentencepiece::SentencePieceTrainer::Train(quiet).IgnoreError();
    return true;
  }();
  static_cast<void>(once);
}

std::unique_ptr<SentencePieceProcessor> load(const std::string& bytes, const std::string& name) {
  silence_library();
  auto processor = std::make_unique<SentencePieceProcessor>();
  const auto status = processor->LoadFromSerializedProto(bytes);
  if (!status.ok()) fail("{} cannot be used as a SentencePiece model: {}", name, status.ToString());
  return processor;
}

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
    const std::string& piece = model.IdToPiece(id);
    const bool text = !piece.empty() && piece.find('\0') == std::string::npos && !find_invalid_utf8(piece);
    if (!text || !std::isfinite(model.GetScore(id))) fail_unreadable(name);
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

void check(const sentencepiece::util::Status& status, const char* what) {
  if (!status.ok()) fail("SentencePiece cannot {}: {}", what, status.ToString());
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

SubwordTokeniser::SubwordTokeniser(const std::string& bytes, const std::string& name)
    : type_(check_file(bytes, name)),
      processor_(load(bytes, name)),
      vocabulary_(vocabulary_of(*processor_, name)) {}

SubwordTokeniser::~SubwordTokeniser() = default;

std::vector<std::string> SubwordTokeniser::split(std::string_view text) const {
  check_utf8(text);
  std::vector<std::string> tokens;
  check(processor_->Encode(text, &tokens), "cut a sentence");
  return tokens;
}

std::string SubwordTokeniser::join(const std::vector<std::string>& tokens) const {
  std::string text;
  check(processor_->Decode(tokens, &text), "join its pieces");
  return text;
}

std::vector<std::int32_t> SubwordTokeniser::sample(std::string_view text, double sampling, Index n_best,
                                                   std::uint32_t seed) const {
  std::vector<int> ids;
  sentencepiece::random::GetRandomGenerator()->seed(seed);
  const auto status =
      processor_->SampleEncode(text, static_cast<int>(n_best), static_cast<float>(sampling), &ids);
  check(status, "sample subwords");
  return ids;
}

std::string with_checksum(std::string bytes) {
  const std::vector<Field> fields = fields_of(bytes, "the model");
  if (!fields.empty() && fields.back().number == checksum_field) return bytes;
  constexpr std::uint64_t tag = checksum_field << 3 | 5;  // four bytes follow
  const std::string sum = checksum(bytes);
  for (const std::uint64_t byte : {(tag & 0x7F) | 0x80, tag >> 7}) bytes.push_back(static_cast<char>(byte));
  return bytes + sum;
}

}  // namespace regard::translation
