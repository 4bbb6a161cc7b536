// Trained models: regard.load and what it returns.
#include <fmt/ranges.h>
#include <mutex>
#include <nanobind/ndarray.h>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "apps/python/src/casters.h"
#include "apps/python/src/module.h"
#include "apps/translation/files/utf8.h"
#include "apps/translation/metrics/bleu.h"
#include "apps/translation/settings/settings_json.h"
#include "apps/translation/translator/in_batches.h"
#include "apps/translation/translator/translator.h"
#include "autograd/graph.h"
#include "transformer/attention_layers.h"

namespace regard::python {
namespace {

using transformer::SearchOptions;
using translation::Json;

/// For the functions that read settings.
std::string text_of(nb::handle value) {
  return nb::cast<std::string>(nb::module_::import_("regard.settings").attr("text_of")(value));
}

nb::object to_dict(const Json& json) { return nb::module_::import_("json").attr("loads")(json.dump()); }

nb::object numpy_of(const Tensor& tensor) { return to_python(tensor).attr("numpy")(); }

class Model {
  using Ids = std::vector<std::int32_t>;

  /// Computes without the interpreter's lock. One thread at a time uses the model.
  template <class Function>
  auto compute(const Function& function) {
    const nb::gil_scoped_release release;
    const std::lock_guard lock(mutex_);
    return function();
  }

 public:
  Model(const std::string& directory, const std::string& weights)
      : directory_(directory), translator_(translation::Translator::load(directory, {.weights = weights})) {}

  const std::string& directory() const { return directory_; }

  nb::object translate(const nb::object& inputs, std::optional<Index> n_best, const std::string& prefix,
                       const nb::kwargs& settings) {
    SearchOptions options = search_options(settings);
    if (n_best) options.n_best = *n_best;
    check(options);
    const bool one = is_one(inputs);
    nb::list all;
    if (one)
      all.append(inputs);
    else
      all = nb::list(inputs);
    nb::list results;
    Index cut_off = 0;
    for (std::size_t begin = 0; begin < nb::len(all); begin += inputs_at_a_time) {
      for (const translation::Translator::Result& found :
           translate_some(all, begin, prefix, options, cut_off)) {
        nb::list translations;
        for (const translation::Translation& each : found.n_best)
          translations.append(result("Translation", each.text, each.score, translator_.target_tokens(each)));
        results.append(n_best ? nb::object(translations) : nb::object(translations[0]));
      }
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }
    if (cut_off > 0)
      warn(
          fmt::format("the translation of {} of {} inputs reached its greatest length, so its end may be "
                      "missing; max_length, "
                      "max_length_ratio and max_length_constant set this limit",
                      cut_off, nb::len(all)));
    return one ? nb::object(results[0]) : results;
  }

  nb::list score(const std::vector<std::pair<std::string, std::string>>& pairs, const nb::kwargs& settings) {
    const SearchOptions options = search_options(settings);
    check(options);
    std::vector<std::string> sources, targets;
    for (const auto& [source, target] : pairs) {
      sources.push_back(source);
      targets.push_back(target);
    }
    const auto found = compute([&] { return translator_.score(sources, targets); });
    nb::list scores;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!found[i]) {
        scores.append(nb::none());
        continue;
      }
      const std::vector<double>& each = found[i]->token_log_probabilities;
      std::vector<std::string> tokens = translator_.model().tokeniser->split_target(targets[i]);
      tokens.emplace_back("</s>");
      scores.append(result("Score",
                           found[i]->log_probability / length_penalty(options, to_index(each.size())),
                           found[i]->log_probability, each, tokens));
    }
    return scores;
  }

  nb::object attention(const nb::object& input, std::optional<std::string> given) {
    const translation::Translator::Source source = source_of(input);
    if (source.ids.empty()) fail("attention: the source is empty; give a sentence");
    translation::TranslationModel& model = translator_.model();
    translation::Translation translation;
    if (given) {
      translation = {.text = *given, .ids = target_ids(*given)};
    } else {
      translation =
          compute([&] { return translator_.translate_sources({source}, translator_.decoding()); })[0]
              .n_best[0];
    }
    const std::vector<Ids> sources{source.ids}, targets{translation.ids};
    const transformer::Batch batch = transformer::make_batch(sources, targets);
    const transformer::ForcedPass pass = compute([&] { return forced_pass(model.model, batch); });
    const Planes& planes = pass.memory.planes;
    nb::dict weights;
    for (const transformer::AttentionLayer& layer : pass.attentions)
      if (!layer.weights.empty()) weights[layer.name.c_str()] = numpy_of(layer.weights.front());
    return result(
        "Attention",
        planes.empty() ? model.vocabularies.source.tokens(batch.source.ids) : std::vector<std::string>(),
        model.vocabularies.target.tokens(batch.target_output), translation.text, weights,
        planes.empty() ? std::optional<Plane>() : planes.front());
  }

  Tensor loss(const nb::object& sources, const nb::object& targets, Real label_smoothing) {
    const transformer::Batch batch = batch_of(sources, targets);
    return compute(
        [&] { return translator_.model().model.loss(batch, {.label_smoothing = label_smoothing}); });
  }

  nb::object logits(const nb::object& sources, const nb::object& targets) {
    const transformer::Batch batch = batch_of(sources, targets);
    const Tensor logits = compute([&] { return translator_.model().model.logits(batch); });
    return rows_of(logits, batch.target_input.offsets, is_one(sources));
  }

  nb::object encode(const nb::object& inputs) {
    const std::vector<Ids> sources = source_ids(inputs);
    const transformer::Memory memory = compute([&] {
      const NoGrad no_grad;
      return translator_.model().model.encode(transformer::pack_sources(sources));
    });
    nb::list rows;
    for (const nb::handle each : rows_of(memory.rows, memory.offsets, false))
      rows.append(each.attr("numpy")());
    return is_one(inputs) ? nb::object(rows[0]) : rows;
  }

  std::vector<std::string> tokens(const std::string& sentence) {
    const translation::TranslationModel& model = translator_.model();
    if (model.settings.images() != nullptr) return {};
    return model.tokeniser->split(sentence);
  }
  nb::object config() { return to_dict(to_json(translation::resolved(translator_.model().settings))); }
  nb::dict parameters() {
    nb::dict found;
    for (const nn::NamedParameter& parameter : translator_.model().model.parameters())
      found[parameter.name.c_str()] = to_python(parameter.tensor.watch_values());
    return found;
  }
  std::vector<std::string> vocabulary(bool source) {
    const translation::Vocabularies& both = translator_.model().vocabularies;
    const translation::Vocabulary& vocabulary = source ? both.source : both.target;
    Ids ids(to_size(vocabulary.size()));
    std::iota(ids.begin(), ids.end(), 0);
    return vocabulary.tokens(ids);
  }

 private:
  using Pixels = nb::ndarray<const std::uint8_t, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

  /// As many as `regard translate` reads at a time: batches are then the same, and so are all bits.
  static constexpr std::size_t inputs_at_a_time = 1000;

  static bool is_one(nb::handle input) {
    return nb::isinstance<nb::str>(input) || nb::hasattr(input, "shape") || nb::hasattr(input, "__fspath__");
  }

  /// True if the input is a text, or the path of an image.
  bool is_text(nb::handle input, std::string& text) {
    const bool is_path = translator_.model().settings.images() != nullptr && nb::hasattr(input, "__fspath__");
    return nb::try_cast(is_path ? input.attr("__fspath__")() : nb::borrow(input), text);
  }

  std::vector<Ids> source_ids(const nb::object& inputs) {
    std::vector<Ids> sources;
    if (is_one(inputs))
      sources.push_back(source_of(inputs).ids);
    else
      for (const nb::handle input : inputs) sources.push_back(source_of(input).ids);
    return sources;
  }

  Ids target_ids(const std::string& text) {
    const translation::TranslationModel& model = translator_.model();
    const std::vector<std::string> tokens = model.tokeniser->split_target(text);
    model.check_length(tokens.size(), "the translation");
    return model.vocabularies.target.ids(tokens);
  }

  transformer::Batch batch_of(const nb::object& sources, const nb::object& targets) {
    std::vector<Ids> ids;
    if (is_one(targets))
      ids.push_back(target_ids(nb::cast<std::string>(targets)));
    else
      for (const nb::handle target : targets) ids.push_back(target_ids(nb::cast<std::string>(target)));
    return transformer::make_batch(source_ids(sources), ids);
  }

  /// The rows of each sentence, or of the only one.
  static nb::object rows_of(const Tensor& rows, const std::vector<Index>& offsets, bool one) {
    nb::list each;
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
      each.append(slice(rows, 0, offsets[i], offsets[i + 1]));
    return one ? nb::object(each[0]) : each;
  }

  /// The model's search options with those that were given.
  SearchOptions search_options(const nb::kwargs& given) {
    translation::Values values = translation::values_of(translator_.model().settings);
    for (const auto& [key, value] : given) {
      const std::string name = nb::cast<std::string>(key);
      translation::set_value(values, "decoding." + name, text_of(value),
                             name + "=" + translation::printable(text_of(value)));
    }
    SearchOptions options = translation::settings_with(values).decoding;
    translation::check_beam("beam", options.beam, translator_.model().vocabularies.target.size());
    return options;
  }

  translation::Translator::Source source_of(nb::handle input, Index line = 1) {
    std::string sentence;
    if (is_text(input, sentence)) return translator_.read(sentence, line);
    Pixels pixels;
    if (!nb::try_cast(input, pixels, false) || pixels.shape(2) != 3)
      throw nb::type_error(
          fmt::format("give a str, or an image as an array of uint8 of shape (height, width, 3), not a {}",
                      nb::inst_name(input).c_str())
              .c_str());
    return translator_.read(images::Image{.height = to_index(pixels.shape(0)),
                                          .width = to_index(pixels.shape(1)),
                                          .pixels = {pixels.data(), pixels.data() + pixels.size()}});
  }

  std::vector<translation::Translator::Result> translate_some(const nb::list& all, std::size_t begin,
                                                              const std::string& prefix,
                                                              const SearchOptions& options, Index& cut_off) {
    const std::size_t end = std::min(begin + inputs_at_a_time, nb::len(all));
    std::vector<translation::Translator::Source> sources;
    for (std::size_t i = begin; i < end; ++i) sources.push_back(source_of(all[i], to_index(i) + 1));
    const transformer::Prefix tokens = translator_.prefix(prefix);
    const auto results = compute([&] {
      const Index before = translator_.cut_off();
      auto found = translator_.translate_sources(std::move(sources), options, tokens);
      cut_off += translator_.cut_off() - before;
      return found;
    });
    for (std::size_t i = 0; i < results.size(); ++i) warn(begin + i, results[i].source);
    return results;
  }

  static void warn(std::size_t input, const translation::Translator::Source& source) {
    std::string text = source.difference;
    if (!source.unknown_words.empty())
      text = fmt::format("not in the vocabulary, read as <unk>: {}", fmt::join(source.unknown_words, " "));
    if (!text.empty()) warn(fmt::format("input {}: {}", input, text));
  }

  static void warn(const std::string& text) {
    if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1) != 0) throw nb::python_error();
  }

  std::string directory_;
  translation::Translator translator_;
  std::mutex mutex_;
};

}  // namespace

void add_models(nb::module_& m) {
  nb::class_<Model>(
      m, "Translator",
      "A trained model. A model that reads images takes, in place of a sentence, the path of an image\n"
      "or an array of uint8 of shape (height, width, 3). Threads may share a Translator; they wait for\n"
      "each other.")
      .def(nb::init<std::string, std::string>(), nb::arg("directory"), nb::arg("weights") = "")
      .def("translate", &Model::translate, nb::arg("inputs"), nb::arg("n_best") = nb::none(), nb::kw_only(),
           nb::arg("prefix") = "", nb::arg("settings"),
           nb::sig("def translate(self, inputs: typing.Any, n_best: int | None = None, *, prefix: str = '', "
                   "**settings: typing.Any) -> typing.Any"),
           "Translates a sentence or a list of sentences.\n\n"
           "Returns the best Translation of each, or with n_best a list of the n best ones. Any setting of "
           "decoding\n"
           "may be given: beam, alpha, length_penalty, patience, max_length, no_repeat_ngram, ... The others "
           "are the\n"
           "model's. Each translation begins with the text `prefix`.")
      .def(
          "score", &Model::score, nb::arg("pairs"), nb::arg("settings"),
          nb::sig("def score(self, pairs: collections.abc.Sequence[tuple[str, str]], **settings: typing.Any) "
                  "-> list[regard.results.Score | None]"),
          "The Score of each pair (source, translation); None if the source is empty.")
      .def("attention", &Model::attention, nb::arg("input"), nb::arg("translation") = nb::none(),
           nb::sig("def attention(self, input: typing.Any, translation: str | None = None) "
                   "-> regard.results.Attention"),
           "All attention weights for a translation of a sentence, or for the translation that the model "
           "finds.")
      .def(
          "encode", &Model::encode, nb::arg("inputs"),
          nb::sig("def encode(self, inputs: typing.Any) -> typing.Any"),
          "The encoder's output: an array [tokens, d_model] for a sentence, </s> counted, or a list of them.")
      .def("loss", &Model::loss, nb::arg("sources"), nb::arg("targets"), nb::arg("label_smoothing") = 0,
           nb::sig("def loss(self, sources: typing.Any, targets: typing.Any, label_smoothing: float = 0) "
                   "-> Tensor"),
           "What training minimises, without dropout: the mean of -log p per target token. Its backward() "
           "gives\n"
           "gradients to parameters().")
      .def("logits", &Model::logits, nb::arg("sources"), nb::arg("targets"),
           nb::sig("def logits(self, sources: typing.Any, targets: typing.Any) -> typing.Any"),
           "The logits of a given translation, [target tokens, vocabulary], </s> counted: row i predicts "
           "target\n"
           "token i. Of a list of sentences, a list.")
      .def("tokens", &Model::tokens, nb::arg("sentence"), "The tokens of a sentence, without </s>.")
      .def("parameters", &Model::parameters, nb::sig("def parameters(self) -> dict[str, Tensor]"),
           "The weights by name. They are those of the model: to write to one, or to give them to an "
           "optimiser, "
           "changes the model.")
      .def_prop_ro("config", &Model::config, nb::sig("def config(self) -> dict[str, typing.Any]"),
                   "All settings, as in config.json.")
      .def_prop_ro("directory", &Model::directory)
      .def_prop_ro(
          "source_vocabulary", [](Model& self) { return self.vocabulary(true); }, "Its tokens, by id.")
      .def_prop_ro(
          "target_vocabulary", [](Model& self) { return self.vocabulary(false); }, "Its tokens, by id.")
      .def("__repr__", [](const Model& self) {
        return fmt::format("regard.load({})", nb::repr(nb::cast(self.directory())).c_str());
      });
  m.def(
      "bleu",
      [](const std::vector<std::string>& hypotheses, const std::vector<std::string>& references,
         bool lowercase) {
        const translation::Bleu bleu =
            translation::corpus_bleu(hypotheses, references, {.lowercase = lowercase});
        return result("Bleu", bleu.score, std::vector(bleu.precisions.begin(), bleu.precisions.end()),
                      bleu.brevity_penalty, bleu.hypothesis_length, bleu.reference_length);
      },
      nb::arg("hypotheses"), nb::arg("references"), nb::arg("lowercase") = false,
      nb::sig(
          "def bleu(hypotheses: collections.abc.Sequence[str], references: collections.abc.Sequence[str], "
          "lowercase: bool = False) -> regard.results.Bleu"),
      "The Bleu of translations with one reference each, that of sacreBLEU's tokeniser 13a (Papineni et al.\n"
      "2002; Post 2018).");
}

}  // namespace regard::python
