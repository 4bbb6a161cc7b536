#pragma once

#include <functional>
#include <string>

namespace regard::translation {

struct ParallelText;
struct Settings;

/// What a model reads in place of a source sentence.
using RewriteSource = std::function<std::string(const std::string& source)>;

/// How a room rewrites the sources of a model, such as by notes beside some words.
struct SourceDoor {
  /// Rewrites those of a training or validation corpus, before anything is learnt from it.
  void (*of_training)(const Settings& settings, ParallelText& text) = nullptr;
  /// Returns how sentences are rewritten that are to be translated; empty: they stay.
  RewriteSource (*of_translation)(const Settings& settings) = nullptr;
};

}  // namespace regard::translation
