// Trained models. regard/translator.py calls these functions and documents them.
#include <fmt/ranges.h>
#include <mutex>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "apps/images/model_images.h"
#include "apps/python/src/bind.h"
#include "apps/python/src/module.h"
#include "apps/python/src/watched_values.h"
#include "apps/translation/files/utf8.h"
#include "apps/translation/metrics/bleu.h"
#include "apps/translation/search/search_rules.h"
#include "apps/translation/settings/settings_json.h"
#include "apps/translation/translator/in_batches.h"
#include "apps/translation/translator/sentences_at_a_time.h"
#include "apps/translation/translator/translator.h"
#include "autograd/graph.h"
#include "transformer/attention_layers.h"

namespace regard::python {
namespace {

using transformer::SearchOptions;
using translation::Json;

nb::object to_dict(const Json& json) { return nb::module_::import_("json").attr("loads")(json.dump()); }

nb::object numpy_of(const Tensor& tensor) { return to_python(tensor).attr("numpy")(); }

class Model {
  using Ids = std::vector<std::int32_t>;
  using Texts = std::vector<std::string>;
  /// Settings of decoding, as `regard translate --set` takes them.
  using Given = std::map<std::string, std::string>;

  /// Computes without the interpreter's lock. One thread at a time uses the model.
  template <class Function>
  auto compute(const Function& function) {
    const nb::gil_scoped_release release;
    const std::lock_guard lock(mutex_);
    return function();
  }

 public:
  Model(const std::string& directory, const std::string& weights, bool shortlist)
      : translator_(translation::Translator::load(
            directory, {.weights = weights, .selection = shortlist ? "shortlist" : ""})) {}

  /// The inputs have the numbers `first`, first + 1, … among those of the user.
  nb::list translate(const nb::list& inputs, Index first, std::optional<Index> n_best,
                     const std::string& prefix, const Given& settings) {
    const SearchOptions options = search_options(settings, n_best);
    std::vector<translation::Translator::Source> sources;
    for (const nb::handle input : inputs)
      sources.push_back(source_of(input, first + to_index(sources.size()) + 1));
    const transformer::Prefix tokens = translator_.prefix(prefix);
    const auto found =
        compute([&] { return translator_.translate_sources(std::move(sources), options, tokens); });
    nb::list results;
    for (const translation::Translator::Result& each : found) {
      warn(first++, each.source);
      nb::list translations;
      for (const translation::Translation& one : each.n_best)
        translations.append(result("Translation", one.text, one.score, translator_.target_tokens(one)));
      results.append(translations);
    }
    return results;
  }
  Index cut_off() const { return translator_.cut_off(); }

  nb::list score(const Texts& sources, const Texts& targets, Index first, const Given& settings) {
    const SearchOptions options = search_options(settings, {});
    const auto found = compute([&] { return translator_.score(sources, targets, first + 1); });
    nb::list scores;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!found[i]) {
        scores.append(nb::none());
        continue;
      }
      const std::vector<double>& each = found[i]->token_log_probabilities;
      Texts tokens = translator_.model().tokeniser->split_target(targets[i]);
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
    return result("Attention", planes.empty() ? model.vocabularies.source.tokens(batch.source.ids) : Texts(),
                  model.vocabularies.target.tokens(batch.target_output), translation.text, weights,
                  planes.empty() ? std::optional<Plane>() : planes.front());
  }

  GivenTensor loss(const nb::list& sources, const Texts& targets, Real label_smoothing) {
    const transformer::Batch batch = batch_of(sources, targets);
    return Crossing<Tensor>::out(
        compute([&] { return translator_.model().model.loss(batch, {.label_smoothing = label_smoothing}); }));
  }

  std::vector<GivenTensor> logits(const nb::list& sources, const Texts& targets) {
    const transformer::Batch batch = batch_of(sources, targets);
    return rows_of(compute([&] { return translator_.model().model.logits(batch); }),
                   batch.target_input.offsets);
  }

  std::vector<GivenTensor> encode(const nb::list& inputs) {
    const std::vector<Ids> sources = source_ids(inputs);
    const transformer::Memory memory = compute([&] {
      const NoGrad no_grad;
      return translator_.model().model.encode(transformer::pack_sources(sources));
    });
    return rows_of(memory.rows, memory.offsets);
  }

  Texts tokens(const std::string& sentence) {
    const translation::TranslationModel& model = translator_.model();
    if (model.settings.model.reads_files()) return {};
    return model.tokeniser->split(sentence);
  }
  nb::object config() { return to_dict(to_json(translation::resolved(translator_.model().settings))); }
  nb::dict parameters() {
    nb::dict found;
    for (const nn::NamedParameter& parameter : translator_.model().model.parameters())
      found[parameter.name.c_str()] = to_python(watch_values(parameter.tensor));
    return found;
  }
  Texts vocabulary(bool source) {
    const translation::Vocabularies& both = translator_.model().vocabularies;
    const translation::Vocabulary& vocabulary = source ? both.source : both.target;
    Ids ids(to_size(vocabulary.size()));
    std::iota(ids.begin(), ids.end(), 0);
    return vocabulary.tokens(ids);
  }

 private:
  using Pixels = nb::ndarray<const std::uint8_t, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

  /// True if the input is a text, or the path of an image.
  bool is_text(nb::handle input, std::string& text) {
    const bool is_path = translator_.model().settings.model.reads_files() && nb::hasattr(input, "__fspath__");
    return nb::try_cast(is_path ? input.attr("__fspath__")() : nb::borrow(input), text);
  }

  std::vector<Ids> source_ids(const nb::list& inputs) {
    std::vector<Ids> sources;
    for (const nb::handle input : inputs) sources.push_back(source_of(input).ids);
    return sources;
  }

  Ids target_ids(const std::string& text) {
    const translation::TranslationModel& model = translator_.model();
    const std::vector<std::string> tokens = model.tokeniser->split_target(text);
    model.check_length(tokens.size(), "the translation");
    return model.vocabularies.target.ids(tokens);
  }

  transformer::Batch batch_of(const nb::list& sources, const Texts& targets) {
    std::vector<Ids> ids;
    for (const std::string& target : targets) ids.push_back(target_ids(target));
    return transformer::make_batch(source_ids(sources), ids);
  }

  static std::vector<GivenTensor> rows_of(const Tensor& rows, const std::vector<Index>& offsets) {
    std::vector<GivenTensor> each;
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
      each.push_back(Crossing<Tensor>::out(slice(rows, 0, offsets[i], offsets[i + 1])));
    return each;
  }

  /// The model's search options with those that were given.
  SearchOptions search_options(const Given& given, std::optional<Index> n_best) {
    translation::Values values = translation::values_of(translator_.model().settings);
    for (const auto& [name, value] : given)
      translation::set_value(values, "decoding." + name, value, name + "=" + translation::printable(value));
    translation::TranslationModel& model = translator_.model();
    SearchOptions options =
        translation::decoding_of(translation::settings_with(values), *model.tokeniser, model.vocabularies);
    translation::check_beam("beam", options.beam, model.searched());
    if (n_best) options.n_best = *n_best;
    check(options);
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
    return translation::image_source(images::Image{.height = to_index(pixels.shape(0)),
                                                   .width = to_index(pixels.shape(1)),
                                                   .pixels = {pixels.data(), pixels.data() + pixels.size()}},
                                     translator_.model().settings);
  }

  static void warn(Index input, const translation::Translator::Source& source) {
    std::string text = source.difference;
    if (!source.unknown_words.empty())
      text = fmt::format("not in the vocabulary, read as <unk>: {}", fmt::join(source.unknown_words, " "));
    if (text.empty()) return;
    text = fmt::format("input {}: {}", input, text);
    constexpr int line_of_the_user = 2;  // not that of regard/translator.py
    if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), line_of_the_user) != 0) throw nb::python_error();
  }

  translation::Translator translator_;
  std::mutex mutex_;
};

}  // namespace

void add_models(nb::module_& m) {
  nb::class_<Model>(m, "_Model")
      .def(nb::init<std::string, std::string, bool>())
      .def("translate", &Model::translate, nb::arg("inputs"), nb::arg("first"), nb::arg("n_best").none(),
           nb::arg("prefix"), nb::arg("settings"))
      .def("cut_off", &Model::cut_off)
      .def("score", &Model::score)
      .def("attention", &Model::attention, nb::arg("input"), nb::arg("translation").none())
      .def("encode", &Model::encode)
      .def("loss", &Model::loss)
      .def("logits", &Model::logits)
      .def("tokens", &Model::tokens)
      .def("parameters", &Model::parameters)
      .def("config", &Model::config)
      .def("vocabulary", &Model::vocabulary);
  m.attr("_sentences_at_a_time") = translation::sentences_at_a_time;
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
      R"(The Bleu of translations with one reference each, that of sacreBLEU's tokeniser 13a.

Error unless there are as many references. Source: Papineni et al. 2002; Post 2018.

>>> round(regard.bleu(["the cat sat on the mat"], ["the cat sat on a mat"]).score, 2)
53.73)");
}

}  // namespace regard::python
