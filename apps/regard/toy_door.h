#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/regard/command_line.h"
#include "apps/toys/toys.h"

namespace regard::program {

/// The options of `regard toy` that all toys have.
struct ToyOptions {
  std::string name, out;
  std::uint64_t seed = 1;
  std::optional<std::size_t> train, validation, test;  ///< empty: the toy's own size
  bool overwrite = false;

  toys::Existing existing() const { return overwrite ? toys::Existing::replace : toys::Existing::refuse; }
  toys::CorpusSizes sizes(const toys::CorpusSizes& otherwise) const {
    return {train.value_or(otherwise.train), validation.value_or(otherwise.validation),
            test.value_or(otherwise.test)};
  }
};

/// A toy of a room beside the spine, whose corpus is no text.
struct ToyDoor {
  std::string name;
  std::string summary;                   ///< a line for --help
  std::string files;                     ///< lines for --help: what it writes
  std::function<void()> refuse_options;  ///< throws Error if one of its own options is given, for another toy
  std::function<int(const ToyOptions& toy)> run;
};

/// Makes the door of a toy, and adds the toy's own options to the command. A room names its toys after TOYS
/// in its CMakeLists.txt, and defines NAME_toy.
using OpenToy = ToyDoor (*)(const Command& command);
/// Those of the rooms that are built (commands/CMakeLists.txt).
std::vector<OpenToy> all_toy_doors();

}  // namespace regard::program
