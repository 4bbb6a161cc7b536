// Models of Marian with SSRU decoders, such as those of Bergamot and Firefox: random arrays under Marian's
// names give the logits that a plain computation in double precision gives, without regard's table of names.
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "apps/exchange/export.h"
#include "apps/exchange/import.h"
#include "apps/exchange/npz_file.h"
#include "apps/subwords/marian_tokeniser.h"
#include "apps/translation/translator/translator.h"
#include "tests/apps/subwords/subword_support.h"
#include "tests/catch.h"
#include "tests/temporary_directory.h"
#include "tests/tensors.h"

using namespace regard;
using namespace regard::exchange;
using namespace regard::translation;
using namespace regard::tests;

namespace {

constexpr Index ssru_d = 8, ssru_heads = 2, ssru_ff = 12, ssru_decoder_layers = 2;

using PlainArrays = std::map<std::string, Tensor>;
using PlainRows = std::vector<Numbers>;

/// The arrays of a model with one layer in the encoder and two in the decoder.
PlainArrays random_arrays(Index vocabulary) {
  PlainArrays arrays;
  const auto add = [&](const std::string& name, Index rows, Index columns) {
    Random random(7 + arrays.size());
    arrays[name] = Tensor::normal({rows, columns}, name.ends_with("scale") ? 1 : 0, Real(0.4), random);
  };
  const auto add_norm = [&](const std::string& name) {
    add(name + "_ln_scale", 1, ssru_d);
    add(name + "_ln_bias", 1, ssru_d);
  };
  const auto add_attention = [&](const std::string& name) {
    for (const char letter : {'q', 'k', 'v', 'o'}) {
      add(fmt::format("{}_W{}", name, letter), ssru_d, ssru_d);
      add(fmt::format("{}_b{}", name, letter), 1, ssru_d);
    }
    add_norm(name + "_Wo");
  };
  const auto add_ffn = [&](const std::string& layer) {
    add(layer + "_ffn_W1", ssru_d, ssru_ff);
    add(layer + "_ffn_b1", 1, ssru_ff);
    add(layer + "_ffn_W2", ssru_ff, ssru_d);
    add(layer + "_ffn_b2", 1, ssru_d);
    add_norm(layer + "_ffn_ffn");
  };
  add("Wemb", vocabulary, ssru_d);
  add("decoder_ff_logit_out_b", 1, vocabulary);
  add_attention("encoder_l1_self");
  add_ffn("encoder_l1");
  for (const std::string layer : {"decoder_l1", "decoder_l2"}) {
    add(layer + "_rnn_W", ssru_d, ssru_d);
    add(layer + "_rnn_Wf", ssru_d, ssru_d);
    add(layer + "_rnn_bf", 1, ssru_d);
    add_norm(layer + "_rnn_ffn");
    add_attention(layer + "_context");
    add_ffn(layer);
  }
  return arrays;
}

const std::string ssru_yaml =
    "type: transformer\ndim-emb: 8\ntransformer-heads: 2\ntransformer-dim-ffn: 12\nenc-depth: 1\n"
    "dec-depth: 2\ntransformer-ffn-activation: relu\ntied-embeddings-all: true\n"
    "transformer-decoder-autoreg: rnn\ndec-cell: ssru\ndec-cell-base-depth: 2\ndec-cell-high-depth: 1\n"
    "transformer-tied-layers:\n  []\ntransformer-postprocess: dan\ntransformer-postprocess-emb: d\n"
    "transformer-preprocess: \"\"\nlayer-normalization: false\nbeam-size: 3\n";

/// The computation of Marian, row by row. The LayerNorm is that of regard, which adds 1e-5.
struct PlainMarian {
  const PlainArrays& arrays;
  double gate_sign = 1;  ///< -1: f and 1 - f in each other's place, which is wrong

  Numbers times(const Numbers& x, const std::string& matrix, const std::string& bias = "") const {
    const Tensor& w = arrays.at(matrix);
    Numbers y(to_size(w.size(1)));
    for (Index k = 0; k < w.size(1); ++k) {
      y[to_size(k)] = bias.empty() ? 0 : arrays.at(bias).at({0, k});
      for (Index j = 0; j < w.size(0); ++j) y[to_size(k)] += x[to_size(j)] * w.at({j, k});
    }
    return y;
  }
  /// LayerNorm(x + y)
  Numbers normed(const Numbers& x, const Numbers& y, const std::string& name) const {
    Numbers sum(x);
    double mean = 0, variance = 0;
    for (std::size_t k = 0; k < sum.size(); ++k) mean += (sum[k] += y[k]) / ssru_d;
    for (const double value : sum) variance += (value - mean) * (value - mean) / ssru_d;
    for (Index k = 0; k < ssru_d; ++k)
      sum[to_size(k)] =
          (sum[to_size(k)] - mean) / std::sqrt(variance + 1e-5) * arrays.at(name + "_ln_scale").at({0, k}) +
          arrays.at(name + "_ln_bias").at({0, k});
    return sum;
  }
  PlainRows attention(const PlainRows& x, const PlainRows& memory, const std::string& name) const {
    PlainRows result;
    for (const Numbers& row : x) {
      const Numbers q = times(row, name + "_Wq", name + "_bq");
      Numbers context(ssru_d, 0);
      constexpr Index d_k = ssru_d / ssru_heads;
      for (Index first = 0; first < ssru_d; first += d_k) {
        double total = 0;
        Numbers sum(d_k, 0);
        for (const Numbers& position : memory) {
          const Numbers k = times(position, name + "_Wk", name + "_bk"),
                        v = times(position, name + "_Wv", name + "_bv");
          double score = 0;
          for (Index j = 0; j < d_k; ++j) score += q[to_size(first + j)] * k[to_size(first + j)];
          const double weight = std::exp(score / std::sqrt(static_cast<double>(d_k)));
          total += weight;
          for (Index j = 0; j < d_k; ++j) sum[to_size(j)] += weight * v[to_size(first + j)];
        }
        for (Index j = 0; j < d_k; ++j) context[to_size(first + j)] = sum[to_size(j)] / total;
      }
      result.push_back(normed(row, times(context, name + "_Wo", name + "_bo"), name + "_Wo"));
    }
    return result;
  }
  PlainRows feed_forward(const PlainRows& x, const std::string& layer) const {
    PlainRows result;
    for (const Numbers& row : x) {
      Numbers inner = times(row, layer + "_ffn_W1", layer + "_ffn_b1");
      for (double& value : inner) value = std::max(value, 0.0);
      result.push_back(normed(row, times(inner, layer + "_ffn_W2", layer + "_ffn_b2"), layer + "_ffn_ffn"));
    }
    return result;
  }
  PlainRows ssru(const PlainRows& x, const std::string& name) const {
    PlainRows result;
    Numbers c(ssru_d, 0), h(ssru_d, 0);
    for (const Numbers& row : x) {
      const Numbers value = times(row, name + "_W"), gate = times(row, name + "_Wf", name + "_bf");
      for (std::size_t k = 0; k < c.size(); ++k) {
        const double f = 1 / (1 + std::exp(-gate_sign * gate[k]));
        c[k] = f * c[k] + (1 - f) * value[k];
        h[k] = std::max(c[k], 0.0);
      }
      result.push_back(normed(row, h, name + "_ffn"));
    }
    return result;
  }
  /// PlainRows of Wemb with positions; row -1 is the zeros with which a translation begins.
  PlainRows embedded(const std::vector<std::int32_t>& ids) const {
    PlainRows result;
    for (std::size_t position = 0; position < ids.size(); ++position) {
      Numbers x(ssru_d);
      constexpr Index half = ssru_d / 2;
      for (Index k = 0; k < ssru_d; ++k) {
        const double angle =
            static_cast<double>(position) * std::pow(10000.0, -static_cast<double>(k % half) / (half - 1));
        x[to_size(k)] = (k < half ? std::sin(angle) : std::cos(angle)) +
                        (ids[position] < 0 ? 0 : std::sqrt(8.0) * arrays.at("Wemb").at({ids[position], k}));
      }
      result.push_back(x);
    }
    return result;
  }
  PlainRows logits(const std::vector<std::int32_t>& source, const std::vector<std::int32_t>& target) const {
    PlainRows memory = embedded(source);
    memory = feed_forward(attention(memory, memory, "encoder_l1_self"), "encoder_l1");
    PlainRows x = embedded(target);
    for (Index i = 1; i <= ssru_decoder_layers; ++i) {
      const std::string layer = fmt::format("decoder_l{}", i);
      x = feed_forward(attention(ssru(x, layer + "_rnn"), memory, layer + "_context"), layer);
    }
    const Tensor &embedding = arrays.at("Wemb"), &bias = arrays.at("decoder_ff_logit_out_b");
    PlainRows result;
    for (const Numbers& row : x) {
      result.emplace_back();
      for (Index token = 0; token < embedding.size(0); ++token) {
        double logit = bias.at({0, token});
        for (Index k = 0; k < ssru_d; ++k) logit += row[to_size(k)] * embedding.at({token, k});
        result.back().push_back(logit);
      }
    }
    return result;
  }
};

/// A directory as Bergamot's students have: model.npz and vocab.spm.
struct SsruDirectory {
  explicit SsruDirectory(const std::function<void(PlainArrays&, std::string& yaml)>& change = {}) {
    const std::string subwords = learn_numbers({.size = 60});
    pieces = pieces_of(subwords, "vocab.spm");
    arrays = random_arrays(to_index(pieces.size()));
    std::string yaml = ssru_yaml;
    if (change) change(arrays, yaml);
    std::filesystem::create_directory(path());
    NpzArrays file;
    for (const auto& [name, tensor] : arrays) file.add(name, tensor);
    file.add_text("special:model.yml", yaml);
    file.write(path() + "/model.npz");
    std::ofstream(path() + "/vocab.spm", std::ios::binary) << subwords;
  }
  std::string path() const { return directory / "model"; }

  TemporaryDirectory directory;
  std::vector<std::string> pieces;
  PlainArrays arrays;
};

std::string complaint_about(const std::function<void(PlainArrays&, std::string& yaml)>& change) {
  const SsruDirectory changed(change);
  return MESSAGE_OF(read_model(changed.path()));
}

void replace_in(std::string& text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
}

}  // namespace

TEST_CASE("a model of Marian with SSRUs gives the logits of a plain computation", "[import]") {
  const SsruDirectory theirs;
  TranslationModel model = read_model(theirs.path()).model;
  CHECK(model.settings.model.decoder == "ssru");
  const auto ours = order_of_pieces(model.vocabularies.source, theirs.pieces).value();  // of each row

  const std::vector<std::vector<std::int32_t>> sources{{9, 5, 30, 21, 12}, {40}},
      targets{{8, 8, 33, 20}, {50, 7}};
  const auto end =
      static_cast<std::int32_t>(std::ranges::find(theirs.pieces, "</s>") - theirs.pieces.begin());
  Numbers expected, wrong, found;
  transformer::Batch batch;
  const auto our_ids = [&](std::vector<std::int32_t> rows) {
    for (std::int32_t& row : rows) row = ours[to_size(row)];
    return rows;
  };
  for (std::size_t i = 0; i < sources.size(); ++i) {
    batch.append(our_ids(sources[i]), our_ids(targets[i]));
    std::vector<std::int32_t> source = sources[i], target{-1};
    source.push_back(end);
    target.insert(target.end(), targets[i].begin(), targets[i].end());
    for (const Numbers& row : PlainMarian{theirs.arrays}.logits(source, target))
      expected.insert(expected.end(), row.begin(), row.end());
    for (const Numbers& row : PlainMarian{theirs.arrays, -1}.logits(source, target))
      wrong.insert(wrong.end(), row.begin(), row.end());
  }
  const Tensor logits = model.model.logits(batch);
  for (Index row = 0; row < logits.size(0); ++row)
    for (const std::int32_t id : ours) found.push_back(logits.at({row, id}));
  CHECK(found.size() == 8 * theirs.pieces.size());
  CHECK(error(found, expected) < 1e-5);
  CHECK(error(found, wrong) > 1e-2);
}

TEST_CASE("a model with SSRUs comes out for Marian with the arrays that went in, and translates",
          "[exchange]") {
  const SsruDirectory theirs;
  TranslationModel model = read_model(theirs.path()).model;
  const std::string out = theirs.directory / "out", kept = theirs.directory / "kept";
  std::filesystem::create_directory(out);
  export_marian(model, out);
  const NpzFile written(out + "/model.npz");
  CHECK(written.shapes().size() == theirs.arrays.size());
  for (const auto& [name, tensor] : theirs.arrays) {
    CAPTURE(name);
    CHECK(same_bits(written.read(name), tensor));
  }
  write_model(model, kept);
  Translator from_out(read_model(out).model), from_kept = Translator::load(kept);
  const auto first = from_out.translate({"twenty-one", "six hundred"}),
             second = from_kept.translate({"twenty-one", "six hundred"});
  for (std::size_t i = 0; i < 2; ++i) CHECK(first[i].n_best[0].text == second[i].n_best[0].text);
  std::filesystem::create_directory(theirs.directory / "none");
  CHECK_ERROR(export_huggingface(model, theirs.directory / "none"), R"(model.decoder is "ssru")");
}

TEST_CASE("other recurrent decoders of Marian, and arrays that do not fit, are refused", "[import]") {
  CHECK_CONTAINS(
      complaint_about([](PlainArrays&, std::string& yaml) { replace_in(yaml, "cell: ssru", "cell: gru"); }),
      R"(dec-cell is "gru", but only "ssru" can be imported)");
  CHECK_CONTAINS(complaint_about([](PlainArrays&, std::string& yaml) {
                   replace_in(yaml, "autoreg: rnn", "autoreg: average-attention");
                 }),
                 "transformer-decoder-autoreg");
  CHECK_CONTAINS(
      complaint_about([](PlainArrays& arrays, std::string&) { arrays.erase("decoder_l2_rnn_bf"); }),
      "decoder_l2_rnn_bf is missing; expected [1, 8]");
  CHECK_CONTAINS(complaint_about([](PlainArrays& arrays, std::string&) {
                   arrays["decoder_l1_rnn_gamma"] = Tensor::zeros({1, ssru_d});
                 }),
                 "decoder_l1_rnn_gamma of shape [1, 8] has no place");
  CHECK_CONTAINS(complaint_about([](PlainArrays&, std::string& yaml) {
                   replace_in(yaml, "autoreg: rnn", "autoreg: self-attention");
                 }),
                 "decoder_l1_self_Wq is missing");
}
