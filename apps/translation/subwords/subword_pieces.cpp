#include "apps/translation/subwords/subword_pieces.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <zlib.h>

#include "apps/translation/text/utf8.h"
#include "apps/translation/text/vocabulary.h"
#include "autograd/error.h"

namespace regard::translation {
namespace {

/// The number of an additional field in a model: the CRC-32 of all bytes before it. ModelProto leaves the
/// numbers from 200 on to other programs, and its readers ignore unknown fields.
constexpr std::uint64_t checksum_field = 200;

std::uint32_t checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

/// One field of a message: its number in sentencepiece_model.proto, and a number or bytes.
struct Field {
  std::uint64_t number = 0;
  std::uint64_t value = 0;
  std::string_view bytes = {};
};

/// Reads the fields of a message of Protocol Buffers (protobuf.dev/programming-guides/encoding).
class Message {
 public:
  Message(std::string_view bytes, const std::string& name) : rest_(bytes), name_(name) {}

  bool at_end() const { return rest_.empty(); }
  std::size_t bytes_left() const { return rest_.size(); }

  Field next() {
    const std::uint64_t tag = varint();
    Field field{.number = tag >> 3};
    switch (tag & 7) {
      case 0:
        field.value = varint();
        break;
      case 1:
        field.value = little_endian(take(8));
        break;
      case 2:
        field.bytes = take(varint());
        break;
      case 5:
        field.value = little_endian(take(4));
        break;
      default:
        refuse();
    }
    return field;
  }

  [[noreturn]] void refuse() const {
    fail("{} cannot be read as a SentencePiece model; it is another kind of file, incomplete or damaged",
         name_);
  }

 private:
  std::string_view take(std::uint64_t size) {
    if (size > rest_.size()) refuse();
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  /// Reads a number with seven bits per byte, the lowest bits first. The highest bit of a byte is set if more
  /// bytes follow.
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1).front());
      value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    refuse();
  }

  static std::uint64_t little_endian(std::string_view bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
  }

  std::string_view rest_;
  const std::string& name_;
};

/// ModelProto.SentencePiece
SubwordPiece read_piece(std::string_view bytes, const std::string& name) {
  SubwordPiece piece;
  Message message(bytes, name);
  while (!message.at_end()) {
    const Field field = message.next();
    if (field.number == 1) piece.text = field.bytes;
    if (field.number == 2) piece.score = std::bit_cast<float>(static_cast<std::uint32_t>(field.value));
    if (field.number == 3) {
      if (field.value < 1 || field.value > 6) message.refuse();
      piece.kind = static_cast<SubwordPiece::Kind>(field.value);
    }
  }
  const bool text =
      !piece.text.empty() && piece.text.find('\0') == std::string::npos && !find_invalid_utf8(piece.text);
  if (!text || !std::isfinite(piece.score)) message.refuse();
  return piece;
}

/// TrainerSpec.model_type
SubwordType read_type(std::string_view bytes, const std::string& name) {
  SubwordType type = SubwordType::unigram;  // the default of the format
  Message message(bytes, name);
  while (!message.at_end()) {
    const Field field = message.next();
    if (field.number != 3) continue;
    constexpr std::array types = {SubwordType::unigram, SubwordType::bpe, SubwordType::word,
                                  SubwordType::character};
    if (field.value < 1 || field.value > types.size()) message.refuse();
    type = types[field.value - 1];
  }
  return type;
}

/// The ids of the pieces are equal to the ids of a Vocabulary only if the special pieces come first, in the
/// order of namespace special.
void check_special_pieces(const std::vector<SubwordPiece>& pieces, const std::string& name) {
  using Kind = SubwordPiece::Kind;
  static const std::array<SubwordPiece, special::count> expected = {
      {{.text = "<pad>", .kind = Kind::control},
       {.text = "<s>", .kind = Kind::control},
       {.text = "</s>", .kind = Kind::control},
       {.text = "<unk>", .kind = Kind::unknown}}};
  for (std::size_t id = 0; id < expected.size(); ++id) {
    std::string found = "missing";
    if (id < pieces.size()) {
      const bool same_kind = pieces[id].kind == expected[id].kind;
      if (same_kind && pieces[id].text == expected[id].text) continue;
      found = printable(pieces[id].text) + (same_kind ? "" : " of another kind");
    }
    fail(
        "{}: piece {} is {}, but should be {}; learn the model with regard vocabulary, or with spm_train "
        "--pad_id=0 --bos_id=1 --eos_id=2 --unk_id=3",
        name, id, found, expected[id].text);
  }
}

void check_line_ends(const std::vector<SubwordPiece>& pieces, const std::string& name) {
  for (std::size_t id = 0; id < pieces.size(); ++id)
    if (!may_be_token(pieces[id].text))
      fail(
          "{}: piece {}, \"{}\", contains a line end, but a translation is one line; learn the model without "
          "it",
          name, id, printable(pieces[id].text));
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

SubwordPieces read_subword_pieces(std::string_view bytes, const std::string& name) {
  SubwordPieces result;
  bool type_given = false, normaliser_given = false;
  Message message(bytes, name);
  while (!message.at_end()) {
    const std::size_t before = bytes.size() - message.bytes_left();
    const Field field = message.next();
    if (field.number == checksum_field) {
      if (field.value != checksum(bytes.substr(0, before)))
        fail("{}: its bytes do not agree with its checksum; the file is damaged", name);
      result.has_checksum = true;
    }
    if (field.number == 1) result.entries.push_back(read_piece(field.bytes, name));
    if (field.number == 2) {
      result.type = read_type(field.bytes, name);
      type_given = true;
    }
    if (field.number == 3) normaliser_given = true;
  }
  // Both come after the pieces, so an incomplete file lacks one of them even if it ends between two fields.
  if (!type_given || !normaliser_given) message.refuse();
  check_special_pieces(result.entries, name);
  check_line_ends(result.entries, name);
  return result;
}

std::string with_checksum(std::string bytes) {
  const std::uint32_t sum = checksum(bytes);
  constexpr std::uint64_t tag = checksum_field << 3 | 5;  // four bytes follow
  for (const std::uint64_t byte : {(tag & 0x7F) | 0x80, tag >> 7}) bytes.push_back(static_cast<char>(byte));
  for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>(sum >> shift & 0xFF));
  return bytes;
}

}  // namespace regard::translation
