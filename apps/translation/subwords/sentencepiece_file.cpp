#include "apps/translation/subwords/sentencepiece_file.h"

#include <array>
#include <cmath>
#include <optional>
#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>
#include <unordered_map>
#include <vector>
#include <zlib.h>

#include "apps/translation/subwords/subwords.h"
#include "apps/translation/text/utf8.h"
#include "autograd/error.h"

namespace regard::translation {

void fail_unreadable(const std::string& name) {
  fail("{} cannot be read as a SentencePiece model; it is another kind of file, incomplete or damaged", name);
}

namespace {

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

}  // namespace

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

std::unique_ptr<sentencepiece::SentencePieceProcessor> load_sentencepiece(const std::string& bytes,
                                                                          const std::string& name) {
  silence_library();
  auto processor = std::make_unique<sentencepiece::SentencePieceProcessor>();
  const auto status = processor->LoadFromSerializedProto(bytes);
  if (!status.ok())
    fail(
        "{} cannot be used as a SentencePiece model: a piece is empty or occurs twice, none is for unknown "
        "words, its pieces for bytes are not all there, or its normalisation is damaged",
        name);
  return processor;
}

void check_piece(const sentencepiece::SentencePieceProcessor& model, int id, const std::string& name) {
  const std::string& piece = model.IdToPiece(id);
  const bool text = !piece.empty() && piece.find('\0') == std::string::npos && !find_invalid_utf8(piece);
  if (!text || !std::isfinite(model.GetScore(id))) fail_unreadable(name);
}

void check_status(const sentencepiece::util::Status& status, const char* what) {
  if (!status.ok()) fail("SentencePiece cannot {}; its model may be damaged", what);
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
