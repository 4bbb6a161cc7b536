// The program does not link with cpp-httplib: the library and OpenSSL, which it brings along, would make
// every command start a third slower. All that needs them is in a module of its own, which is loaded only
// here.
#include "apps/explore/http.h"

#include "apps/translation/files/module.h"
#include "autograd/error.h"

namespace regard::explore {

std::unique_ptr<HttpServer> listen_http(const HttpSettings& settings, HttpSite& site) {
  std::string reason =
      "this program was built without cpp-httplib; install libcpp-httplib-dev and build regard again";
  void* const function = translation::find_in_module("regard_http.so", listen_function, reason);
  if (function == nullptr) fail("cannot serve a page: {}", reason);
  return std::unique_ptr<HttpServer>(reinterpret_cast<ListenFunction*>(function)(settings, site));
}

}  // namespace regard::explore
