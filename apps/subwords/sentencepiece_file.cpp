#include "apps/subwords/sentencepiece_file.h"

#include <array>
#include <cmath>
#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>
#include <unordered_map>
#include <vector>

#include "apps/subwords/subwords.h"
#include "apps/translation/files/utf8.h"
#include "autograd/machine/error.h"

namespace regard::translation {

void fail_unreadable(const std::string& name) {
  fail("{} cannot be read as a SentencePiece model; it is another kind of file, incomplete or damaged", name);
}

namespace {

/// A field of a message of Protocol Buffers: its number in sentencepiece_model.proto, and a number or bytes.
struct Field {
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
    Field field;
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

constexpr std::uint64_t user_defined_piece = 4;  // SentencePiece.Type

// The numbers of the fields stand in sentencepiece_model.proto. The library does not show these fields.

void read_piece(std::string_view piece, SubwordProperties& properties, const std::string& name) {
  for (const Field& field : fields_of(piece, name))
    if (field.number == 3 && field.value == user_defined_piece) ++properties.symbols;
}

void read_trainer(std::string_view trainer, SubwordProperties& properties, const std::string& name) {
  constexpr std::array types = {SubwordType::unigram, SubwordType::bpe, SubwordType::word,
                                SubwordType::character};
  std::uint64_t type = 1;
  for (const Field& field : fields_of(trainer, name)) {
    if (field.number == 3) type = field.value;
    if (field.number == 35) properties.byte_fallback = field.value != 0;
  }
  if (type < 1 || type > types.size()) fail_unreadable(name);
  properties.type = types[type - 1];
}

void read_normaliser(std::string_view normaliser, SubwordProperties& properties, const std::string& name) {
  for (const Field& field : fields_of(normaliser, name)) {
    if (field.number == 1 && field.bytes != "identity") properties.normalisation = field.bytes;
    if (field.number == 3) properties.blank_before = field.value != 0;
    if (field.number == 4) properties.keep_blanks = field.value == 0;
  }
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

SubwordProperties check_file(std::string_view bytes, const std::string& name) {
  SubwordProperties properties;
  bool trainer_given = false, normaliser_given = false;
  for (const Field& field : fields_of(bytes, name)) {
    if (field.number == 1) read_piece(field.bytes, properties, name);
    if (field.number == 2) read_trainer(field.bytes, properties, name);
    if (field.number == 3) read_normaliser(field.bytes, properties, name);
    trainer_given |= field.number == 2;
    normaliser_given |= field.number == 3;
  }
  // Both come after the pieces, so an incomplete file lacks one of them even if it ends between two fields.
  if (!trainer_given || !normaliser_given) fail_unreadable(name);
  return properties;
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

std::unique_ptr<sentencepiece::SentencePieceProcessor> load_checked(const std::string& bytes,
                                                                    const std::string& name) {
  check_file(bytes, name);
  auto model = load_sentencepiece(bytes, name);
  for (int id = 0; id < model->GetPieceSize(); ++id) check_piece(*model, id, name);
  return model;
}

void check_piece(const sentencepiece::SentencePieceProcessor& model, int id, const std::string& name) {
  const std::string& piece = model.IdToPiece(id);
  const bool text = !piece.empty() && piece.find('\0') == std::string::npos && !find_invalid_utf8(piece);
  if (!text || !std::isfinite(model.GetScore(id))) fail_unreadable(name);
}

void check_status(const sentencepiece::util::Status& status, const char* what) {
  if (!status.ok()) fail("SentencePiece cannot {}; its model may be damaged", what);
}

}  // namespace regard::translation
