#pragma once

#include <functional>
#include <string>

#include "apps/explore/explorer.h"

namespace regard::explore {

struct ServerSettings {
  std::string address;
  int first_port, last_port;         ///< the first one that is free is used; 0: any
  std::function<void(int)> listens;  ///< called with the port as soon as requests can arrive
  std::function<bool()> stop;        ///< called a few times per second
};

/// Answers requests (site.h) until `stop` returns true. If a reply is being computed then, which may take
/// minutes, the program ends at once with exit code 0. Throws Error if it cannot listen, or if the library
/// for servers is missing.
void serve(Explorer& explorer, const ServerSettings& settings);

}  // namespace regard::explore
