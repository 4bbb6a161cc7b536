#pragma once

#include <string>
#include <string_view>

#include "apps/translation/files/json.h"

namespace regard::explore {

using translation::Json;

/// Returns the page as one HTML document. `data` is null if a server answers the page's questions, otherwise
/// {"model", "translation", "request", "runs"}, and the page works without a server: these are the replies of
/// the server, and the question that the translation answers. `nonce` marks the
/// style and the script of the document for the Content-Security-Policy; a server gives each reply a new one.
std::string page(const Json& data, std::string_view nonce);

/// Returns the value of the header Content-Security-Policy for a page with this nonce.
std::string content_security_policy(std::string_view nonce);

}  // namespace regard::explore
