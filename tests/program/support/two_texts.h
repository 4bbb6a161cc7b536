#pragma once

#include <string>

#include "tests/program/support/run.h"

namespace regard::tests {

/// A reference and a hypothesis of three sentences, and what `regard evaluate` says of them.
struct TwoTexts {
  TemporaryDirectory directory;
  std::string reference =
      directory.file("reference",
                     "Ein Mann geht mit seinem Hund am Fluss spazieren.\n"
                     "Zwei Kinder spielen hinter dem großen Haus im Schnee und lachen laut.\n"
                     "Heute regnet es.\n");
  std::string hypothesis = directory.file("hypothesis",
                                          "Ein Mann geht mit dem Hund am Fluss spazieren.\n"
                                          "Zwei Kinder spielen im Schnee hinter dem großen Haus und lachen.\n"
                                          "HEUTE regnet es.\n");

  Outcome evaluate(const Words& more = {}) const {
    return run(joined({"evaluate", "--hypothesis", hypothesis, "--reference", reference}, more));
  }
};

}  // namespace regard::tests
