#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "apps/http/http.h"

namespace regard::serve {

/// What a request for a translation says. The names are those of LibreTranslate.
struct Fields {
  std::vector<std::string> q;  ///< the texts
  bool is_list = false;        ///< q was a list, so the reply is one
  std::string source, target, format = "text", api_key;
};

/// True if the Content-Type is this one, in small or capital letters.
bool has_type(const http::Head& head, std::string_view type);

/// Reads a body in JSON, or as a form (application/x-www-form-urlencoded), by its Content-Type. Other fields
/// are ignored, as LibreTranslate does. Throws Error that says what is wrong.
Fields read_fields(const http::Head& head, const std::string& body);

/// The fields of a form. Throws Error if it is none.
std::multimap<std::string, std::string> read_form(const std::string& body);

}  // namespace regard::serve
