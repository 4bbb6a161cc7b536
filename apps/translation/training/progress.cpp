#include "apps/translation/training/progress.h"

#include <concepts>
#include <nlohmann/json.hpp>
#include <utility>

#include "autograd/error.h"

namespace regard::translation {

namespace {

// describe(visit, x) names every field once, for writing and for reading.

template <class Visitor>
void describe(Visitor& visit, Checkpoint& checkpoint) {
  visit("step", checkpoint.step);
  visit("score", checkpoint.score);
}

template <class Visitor>
void describe(Visitor& visit, Window& window) {
  visit("steps", window.steps);
  visit("tokens", window.tokens);
  visit("loss", window.loss);
  visit("seconds", window.seconds);
}

template <class Visitor>
void describe(Visitor& visit, Progress& progress) {
  visit("step", progress.step);
  visit("epoch", progress.epoch);
  visit("epoch_steps", progress.epoch_steps);
  visit("tokens", progress.tokens);
  visit("seconds", progress.seconds);
  visit("window", progress.window);
  visit("validated_step", progress.validated_step);
  visit("best", progress.best);
  visit("best_validation", progress.best_validation);
  visit("without_best", progress.without_best);
  visit("kept", progress.kept);
  visit("finished", progress.finished);
  visit("metrics_bytes", progress.metrics_bytes);
  visit("log_bytes", progress.log_bytes);
}

template <class T>
concept Described = std::same_as<T, Checkpoint> || std::same_as<T, Window> || std::same_as<T, Progress>;

struct ProgressWriter {
  Json json = Json::object();

  void operator()(const char* key, auto& value) { json[key] = write(value); }

  static Json write(auto& value) { return value; }
  static Json write(Described auto& value) {
    ProgressWriter writer;
    describe(writer, value);
    return writer.json;
  }
  template <class T>
  static Json write(std::optional<T>& value) {
    return value ? write(*value) : Json();
  }
  static Json write(std::vector<Checkpoint>& values) {
    Json list = Json::array();
    for (Checkpoint& value : values) list.push_back(write(value));
    return list;
  }
};

struct ProgressReader {
  const Json& json;

  void operator()(const char* key, auto& value) { read(json.at(key), value); }

  static void read(const Json& from, auto& value) { from.get_to(value); }
  static void read(const Json& from, Described auto& value) {
    ProgressReader reader{from};
    describe(reader, value);
  }
  template <class T>
  static void read(const Json& from, std::optional<T>& value) {
    if (!from.is_null()) read(from, value.emplace());
  }
  static void read(const Json& from, std::vector<Checkpoint>& values) {
    for (const Json& entry : from) read(entry, values.emplace_back());
  }
};

/// True if a training can reach this progress. It is false for a damaged file.
bool possible(const Progress& progress) {
  Index before = 0;
  for (const Checkpoint& checkpoint : progress.kept)
    if (std::exchange(before, checkpoint.step) >= checkpoint.step) return false;
  const auto natural = [](auto... numbers) { return ((numbers >= 0) && ...); };
  return natural(progress.step, progress.epoch - 1, progress.epoch_steps, progress.tokens, progress.seconds,
                 progress.window.steps, progress.without_best, progress.metrics_bytes, progress.log_bytes) &&
         before <= progress.step && progress.validated_step <= progress.step;
}

}  // namespace

Json to_json(const Progress& progress) {
  Progress copy = progress;  // describe() also serves the reader, so it needs a progress that can be changed
  return ProgressWriter::write(copy);
}

Progress parse_progress(const Json& json, const std::string& name) {
  Progress progress;
  try {
    ProgressReader::read(json, progress);
  } catch (const nlohmann::json::exception& error) {
    fail("{}: this is not the progress of a training: {}", name, error.what());
  }
  if (!possible(progress)) fail("{}: no training can reach this progress", name);
  return progress;
}

}  // namespace regard::translation
