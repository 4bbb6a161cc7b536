#include "apps/python/src/results.h"

#include <fmt/format.h>

namespace regard::python {

nb::str quoted(const std::string& text) { return nb::repr(nb::cast(text)); }

void add_results(nb::module_& m) {
  nb::class_<Translation>(m, "Translation", "A translation, or a caption of an image.")
      .def_ro("text", &Translation::text)
      .def_ro("score", &Translation::score, "Log-probability / length penalty; None for an empty source.")
      .def_ro("tokens", &Translation::tokens, "The tokens of the text, without </s>.")
      .def("__str__", [](const Translation& self) { return self.text; })
      .def("__repr__", [](const Translation& self) {
        return fmt::format("Translation({}, score={})", quoted(self.text).c_str(),
                           self.score ? fmt::format("{:.4f}", *self.score) : "None");
      });
  nb::class_<Score>(m, "Score", "The probability that a model gives to a translation.")
      .def_ro("score", &Score::score, "log_probability / length penalty, by which a search ranks.")
      .def_ro("log_probability", &Score::log_probability)
      .def_ro("token_log_probabilities", &Score::token_log_probabilities,
              "Of each token after all before it.")
      .def_ro("tokens", &Score::tokens, "With </s>.")
      .def("__repr__", [](const Score& self) {
        return fmt::format("Score(score={:.4f}, log_probability={:.4f}, tokens={})", self.score,
                           self.log_probability, self.tokens.size());
      });
  nb::class_<Attention>(m, "Attention", "All attention weights of one sentence and its translation.")
      .def_ro("source_tokens", &Attention::source_tokens, "With </s>; empty for an image.")
      .def_ro("target_tokens", &Attention::target_tokens, "With </s>.")
      .def_ro("translation", &Attention::translation)
      .def_ro(
          "weights", &Attention::weights,
          "The name of each attention, such as decoder.layers.0.multihead_attn, and its weights: an array\n"
          "[heads, queries, keys] whose rows sum to 1. In the decoder, query i predicts target token i.")
      .def_ro("plane", &Attention::plane,
              "Height and width of the positions of an image, row by row; or None.");
}

}  // namespace regard::python
