#pragma once

#include "tests/catch.h"

/// The message of `expression` names all of these, the operation first.
#define CHECK_REFUSES(expression, ...)                  \
  {                                                     \
    const std::string message = MESSAGE_OF(expression); \
    INFO(message);                                      \
    bool first = true;                                  \
    for (const char* part : {__VA_ARGS__}) {            \
      CHECK_CONTAINS(message, part);                    \
      if (first) CHECK(message.rfind(part, 0) == 0);    \
      first = false;                                    \
    }                                                   \
  }
