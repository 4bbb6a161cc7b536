#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "autograd/machine/real.h"

namespace regard::translation {

/// JSON that keeps the keys of an object in the order in which they were written.
using Json = nlohmann::ordered_json;

/// Reads JSON strictly, but allows // and /* */ comments. Throws Error that contains `name` and the line and
/// column of a mistake. A key that occurs twice in one object is a mistake too.
Json parse_json(std::string_view text, const std::string& name);

/// Returns the text of a JSON file, indented by two, with LF at the end. Throws Error that contains `name` if
/// a string is not UTF-8.
std::string dump_json(const Json& json, const std::string& name);

/// Returns a value as text for a message: the value itself if it is short, otherwise its type and size.
std::string printable_value(const Json& json);

/// Throws Error unless this is an object and its "format" is a version from 1 to `newest`.
void check_format(const Json& json, Index newest, const std::string& name);

}  // namespace regard::translation
