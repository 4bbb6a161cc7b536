#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "autograd/index.h"

namespace regard::translation {

/// JSON whose objects keep their keys in the order in which they were written.
using Json = nlohmann::ordered_json;

/// Reads JSON strictly, except that // and /* */ comments may stand in it. Throws Error naming `name` and the
/// line and column of a mistake; a key that one object has twice is a mistake too.
Json parse_json(std::string_view text, const std::string& name);

/// The text of a JSON file: indented by two, LF at the end. Throws Error naming `name` if a string is not
/// UTF-8.
std::string dump_json(const Json& json, const std::string& name);

/// A value as it should stand in a message: itself if it is short, otherwise what it is.
std::string words_for(const Json& json);

/// Throws Error unless this is an object whose "format" is a version from 1 to `newest`.
void check_format(const Json& json, Index newest, const std::string& name);

}  // namespace regard::translation
