#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "apps/subwords/subword_settings.h"

namespace sentencepiece {
class SentencePieceProcessor;
namespace util {
class Status;
}
}  // namespace sentencepiece

namespace regard::translation {

// Models of SentencePiece, for the tokenisers that use them.

/// "▅", U+2585: the library uses it for rare characters while it learns.
inline constexpr std::string_view sign_of_unknown = "\xE2\x96\x85";

/// True if the rules with this name do not turn a tab into a blank.
inline bool keeps_tabs(std::string_view normalisation) { return !normalisation.starts_with("nmt_"); }

/// Checks what the library does not: that the file is complete. Returns what the file says of the model.
SubwordProperties check_file(std::string_view bytes, const std::string& name);

/// Throws Error that names the model if the library cannot use it.
std::unique_ptr<sentencepiece::SentencePieceProcessor> load_sentencepiece(const std::string& bytes,
                                                                          const std::string& name);

/// Checks the file and all pieces, too.
std::unique_ptr<sentencepiece::SentencePieceProcessor> load_checked(const std::string& bytes,
                                                                    const std::string& name);

/// Throws Error if a piece is no text, or if its score is not finite.
void check_piece(const sentencepiece::SentencePieceProcessor& model, int id, const std::string& name);

[[noreturn]] void fail_unreadable(const std::string& name);

/// Throws Error if the library could not do this: "SentencePiece cannot ...".
void check_status(const sentencepiece::util::Status& status, const char* what);

}  // namespace regard::translation
